"""Every verb × every kind of model × every kind of bad file: one sentence and exit code 2, never a traceback."""

import gzip
import itertools

import numpy as np
import pytest

import tacit as library
from tacit.cli.app import main


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """One file of every kind of model."""
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(0)
    positives = (rng.random((12, 8)) < 0.4).astype(np.float32)
    positives[:, 0] = 1
    X, Y = rng.random((20, 4)), (rng.random((20, 3)) < 0.5).astype(float)
    Y[0] = 1
    texts, tags = (
        ["a red ball", "red apples", "a blue ball", "the blue sea"] * 3,
        [["red"], ["red"], ["blue"], ["blue"]] * 3,
    )
    made = {
        "recommender": library.FactorRecommender(2, iterations=2, progress=False).fit(positives),
        "words": library.WordVectors(2, min_count=1, iterations=2, progress=False).fit([["a", "b", "c", "a"]] * 5),
        "factor": library.FactorTagger(factors=2, iterations=1).fit(X, Y),
        "neighbour": library.NeighbourTagger(factors=2, neighbours=3).fit(X, Y),
        "text": library.TextTagger(library.FactorTagger(factors=2), min_count=1).fit(texts, tags),
        "stream": library.RatingStream(2).partial_fit(["a", "b"], ["x", "y"], [1.0, 2.0]),
        "experts": library.ExpertRatingStream().partial_fit(["a", "b"], ["x", "y"], [1.0, 2.0]),
        "ranker": library.OrdinalRanker("linear", progress=False).fit(X, np.arange(20) % 3),
    }
    for name, model in made.items():
        model.save(folder / name)
    return {name: folder / name for name in made}


TABLES = {
    "good.csv": b"user,item,rating,text,labels,grade,name\nann,tea,3,a red ball,red,1,n1\nbob,jam,4,blue,blue,2,n2\n",
    "latin.csv": "user,item,rating,text,labels,grade,name\ncafé,tea,3,café,café,1,né\n".encode("latin-1"),
    "ragged.csv": b"user,item,rating,text,labels,grade,name\nann,tea,3,a,b,1,n,9,9\n",
    "short.csv": b"user,item,rating,text,labels,grade,name\nann\n",
    "empty.csv": b"",
    "header.csv": b"user,item,rating,text,labels,grade,name\n",
    "nul.csv": b"\x00\x01\x02\x00" * 50,
    "quotes.csv": b'user,item,rating,text,labels,grade,name\n"ann,tea,3,a,b,1,n\n',
    "words.csv": b"user,item,rating,text,labels,grade,name\nann,tea,many,a,b,good,n\n",
    "infinite.csv": b"user,item,rating,text,labels,grade,name\nann,tea,inf,a,b,inf,n\nbob,jam,nan,a,b,nan,n\n",
    "cut.csv.gz": gzip.compress(b"user,item,rating\n" + bytes(range(256)) * 500)[:900],
    "liar.csv.gz": b"user,item,rating\nann,tea,3\n",
    "liar.parquet": b"user,item\n1,2\n",
    "broken.jsonl": b'{"user": "ann", "item": \n',
    "list.jsonl": b"[1, 2]\n",
}

ASK = ["recommend {model} x", "recommend {model} --all --csv", "recommend {model} --having tea", "similar {model} x",
       "similar {model} --rows x", "tag {model} words", "copy {model} -o {model}.copy --without-ids --half-precision",
       "info {model}"]  # fmt: skip
ASK_OF_TABLES = ["tag {model} --table {table} --text text", "grade {model} {table}", "evaluate {table} --model {model}",
                 "evaluate tag {table} --text text --labels labels --model {model}",
                 "evaluate rate {table} --model {model}", "evaluate grade {table} --model {model}",
                 "evaluate words {model} --questions {table}", "recommend {model} --rows-from {table}",
                 "recommend {model} 0 --titles {table}", "stream {table} -o {model}"]  # fmt: skip
FIT = ["fit recommend {table} -o {out} --factors 1", "fit rate {table} -o {out} --factors 1",
       "fit tag {table} --text text --labels labels -o {out} --factors 1 --tagger factor",
       "fit grade {table} -o {out} --kernel linear", "fit words {table} -o {out} --factors 1",
       "audit {table} --text text --labels labels --folds 2 --tagger factor --factors 1",
       "fit tag {folder}/good.csv --text text --labels labels -o {out} --factors 1 --tagger factor --accepted {table}",
       "fit recommend {folder}/good.csv -o {out} --factors 1 --col-features {table}",
       "fit recommend {folder}/good.csv -o {out} --factors 1 --row-graph {table}",
       "fit recommend {folder}/good.csv -o {out} --factors 1 --row-weights {table}",
       "fit recommend {folder}/good.csv -o {out} --factors 1 --loss square --targets {table}",
       "evaluate {table} --factors 1", "evaluate tag {table} --text text --labels labels --factors 1 --tagger factor",
       "evaluate rate {table}", "evaluate grade {table} --kernel linear", "stream {table} -o {out} --factors 1",
       "tune {table} -o {out} --trials 1 --factors 1"]  # fmt: skip


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for name, content in TABLES.items():
        (folder / name).write_bytes(content)
    return folder


def run(command, capsys):
    """Exit code and the last remark; whatever is not a sentence is a failure."""
    try:
        main(command.split())
        code = 0
    except SystemExit as stopped:
        code = stopped.code
    remarks = capsys.readouterr().err.splitlines()
    assert code in (0, 2), (command, code, remarks[-3:])
    if code == 2:
        assert remarks[-1].startswith("tacit: ") and remarks[-1].endswith((".", "?")), (command, remarks)
    return code


@pytest.mark.parametrize("command", ASK)
def test_questions_to_every_kind_of_model(command, models, capsys):
    codes = {name: run(command.format(model=path), capsys) for name, path in models.items()}
    assert 2 in codes.values() or command.startswith("info")


@pytest.mark.jit
@pytest.mark.parametrize("command", ASK_OF_TABLES)
def test_questions_with_bad_tables_to_every_kind_of_model(command, models, tables, tmp_path, capsys):
    for (_, path), table in itertools.product(models.items(), TABLES):
        copy = tmp_path / "model"
        copy.write_bytes(path.read_bytes())
        run(command.format(model=copy, table=tables / table), capsys)


@pytest.mark.jit
@pytest.mark.parametrize("command", FIT)
def test_learning_from_bad_tables(command, tables, tmp_path, capsys):
    codes = {}
    for number, table in enumerate(TABLES):
        out = tmp_path / f"out{number}"
        codes[table] = run(command.format(table=tables / table, out=out, folder=tables), capsys)
    assert sum(codes.values()) > 0


@pytest.mark.parametrize("kind", ["loop", "folder", "nothing", "table", "cut"])
def test_models_that_are_none(kind, models, tables, tmp_path, capsys):
    path = tmp_path / "model"
    match kind:
        case "loop":
            path.symlink_to(path)
        case "folder":
            path.mkdir()
        case "table":
            path.write_bytes(TABLES["good.csv"])
        case "cut":
            path.write_bytes(models["text"].read_bytes()[:-9])
    for command in (*ASK, *ASK_OF_TABLES[:-1]):
        assert run(command.format(model=path, table=tables / "good.csv"), capsys) == 2
