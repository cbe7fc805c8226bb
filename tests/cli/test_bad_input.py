"""What users can fix gets one sentence and exit code 2. The list of the issue, each with what its sentence says."""

import gzip
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.cli.app import main

CASES = {
    "no such file": ("fit recommend {dir}/shoop.csv -o {out}", "did you mean 'shop.csv'"),
    "no such glob": ("fit recommend {dir}/*.xyz.csv -o {out}", "no file matches"),
    "a folder": ("fit recommend {dir} -o {out}", "is a folder"),
    "unknown extension": ("fit recommend {dir}/notes.docx -o {out}", "extension of 'notes.docx'"),
    "wrong column": ("fit recommend {shop} --row usr --col item -o {out}", "did you mean 'user'"),
    "wrong weight column": ("fit recommend {shop} --row user --col item --weight stars -o {out}", "'rating'"),
    "columns that cannot be guessed": ("fit recommend {dir}/odd.csv -o {out}", "--row is missing"),
    "other separators": ("fit recommend {dir}/semicolons.csv --separator , -o {out}", "say --separator ';'"),
    "empty file": ("fit recommend {dir}/empty.csv -o {out}", "is empty"),
    "header only": ("fit recommend {dir}/header.csv -o {out}", "holds no lines of data"),
    "half a gz": ("fit recommend {dir}/half.csv.gz -o {out}", "is cut short"),
    "NaN weights": ("fit recommend {dir}/nan.csv -o {out}", "'rating' has no value in 1 of 2 lines"),
    "negative weights": ("fit recommend {dir}/negative.csv -o {out}", "is negative in line 3"),
    "text as weight": ("fit recommend {dir}/words.csv -o {out}", "must hold numbers"),
    "nothing above min-weight": ("fit recommend {shop} --min-weight 9 -o {out}", "nothing is left"),
    "query for a file": ("fit recommend {shop} --query select -o {out}", "query is only for database"),
    "database without query": ("fit recommend sqlite:///{dir}/shop.db -o {out}", "query is missing"),
    "no such database": ("fit recommend sqlite:///{dir}/no.db --query x -o {out}", "no SQLite file"),
    "unknown scheme": ("fit recommend ftp://x/y.csv -o {out}", "scheme 'ftp'"),
    "no output": ("fit recommend {shop}", "Missing option '-o'"),
    "output in no folder": ("fit recommend {shop} -o {dir}/no/m.tacit", "does not exist"),
    "output is a folder": ("fit recommend {shop} -o {dir}", "is a folder"),
    "factors 0": ("fit recommend {shop} -o {out} --factors 0", "factors must be a whole number of at least 1"),
    "iterations 0": ("fit recommend {shop} -o {out} --iterations 0", "iterations must be"),
    "held-out 1": ("fit recommend {shop} -o {out} --held-out 1", "held_out is a share"),
    "not a number": ("fit recommend {shop} -o {out} --factors many", "'many' is not a valid integer"),
    "negative threads": ("fit recommend {shop} -o {out} --threads -1", "threads must be 0"),
    "foreign checkpoint": ("fit recommend {shop} -o {out} --checkpoint {dir}/notes.docx", "not a Tacit model"),
    "unknown job": ("fit poems {shop}", "No such command 'poems'"),
    "unknown verb": ("recomend {model}", "No such command 'recomend'"),
    "unknown option": ("recommend {model} u1 --top 3", "No such option '--top'"),
    "no model file": ("recommend {dir}/no.tacit u1", "no model file"),
    "a table as model": ("recommend {shop} u1", "not a Tacit model"),
    "a model cut short": ("recommend {dir}/short.tacit u1", "cut short"),
    "a model of another kind": ("recommend {words} u1", "holds a WordVectors"),
    "evaluate a model with a split": (
        "evaluate {shop} --model {model} --test 0.5",
        "--test has no effect with --model",
    ),
    "evaluate a model with parameters": ("evaluate {shop} --model {model} --factors 3", "--factors has no effect"),
    "one setting for many experts": ("fit rate {shop} -o {out} --aggressiveness 1", "give --factors too"),
    "an option of no use": (
        "fit rate {shop} -o {out} --factors 3 --adaptation none --delta 0.5",
        "delta=0.5 is of no use with adaptation=None",
    ),
    "patience without held-out": ("fit recommend {shop} -o {out} --factors 4 --patience 9", "patience=9 is of no use"),
    "clip and no clip": ("fit rate {shop} -o {out} --clip 1 5 --no-clip", "--clip and --no-clip exclude each other"),
    "titles without topics": ("fit rate {shop} -o {out} --titles {shop}", "--titles names the items of --topics"),
    "evaluate words": ("evaluate {shop} --model {words}", "holds a WordVectors"),
    "unknown row": ("recommend {model} u99", "no row 'u99'; check its spelling"),
    "unknown column": ("similar {model} teaa", "no column 'teaa'; did you mean 'tea'"),
    "unknown word": ("similar {words} soop", "no word 'soop'; did you mean 'soup'"),
    "minus without words": ("similar {model} tea -m jam", "--minus works with word vectors"),
    "k 0": ("recommend {model} u1 -k 0", "k must be a whole number of at least 1"),
    "similar k 0": ("similar {model} tea -k 0", "k must be a whole number of at least 1"),
    "nobody": ("recommend {model}", "say for whom"),
    "two ways of asking": ("recommend {model} u1 --all", "in one way"),
    "two forms": ("recommend {model} u1 --csv --json", "choose one"),
    "no file of ids": ("recommend {model} --rows-from {dir}/who", "no file"),
    "empty file of ids": ("recommend {model} --rows-from {dir}/empty.csv", "holds no ids"),
    "ids not in UTF-8": ("recommend {model} --rows-from {dir}/half.csv.gz", "not text in UTF-8"),
    "unknown exclude": ("recommend {model} u1 --exclude {dir}/odd.csv", "no column"),
    "a split without times": ("evaluate {dir}/timeless.csv --split last", "--time is missing"),
    "test share 2.5": ("evaluate {shop} --test 2.5", "test=2.5 must be a share"),
    "trained on the test": ("evaluate {shop} --model {model}", "trained on every pair"),
    "another table": ("evaluate {dir}/odd.csv --row a --col b --model {model}", "knows none of the ids"),
    "unknown shell": ("completion tcsh", "'tcsh' is not one of"),
}


def make_places(folder):
    """Files to go wrong with, and the names under which the cases speak of them."""
    files = {
        "shop.csv": "user,item,rating\n" + "".join(f"u{n % 10},{n % 7},{n % 5 + 1}\n" for n in range(60)),
        "odd.csv": "a,b,c\n1,x,3\n2,y,4\n",
        "semicolons.csv": "user;item\nann;tea\n",
        "timeless.csv": "user,item\nann,tea\nann,jam\n",
        "empty.csv": "",
        "header.csv": "user,item\n",
        "nan.csv": "user,item,rating\nann,tea,NaN\nbob,jam,2\n",
        "negative.csv": "user,item,rating\nann,tea,1\nbob,jam,-2\n",
        "words.csv": "user,item,rating\nann,tea,good\nbob,jam,bad\n",
        "notes.docx": "not a table and not a model either",
        "text.txt": "bread with soup\nsoup and bread\n" * 10,
    }
    files["shop.csv"] = files["shop.csv"].replace(",0,", ",tea,").replace(",1,", ",jam,")
    for name, content in files.items():
        (folder / name).write_text(content)
    packed = gzip.compress(("user,item\n" + "".join(f"u{n},{n * 7919 % 1000}\n" for n in range(3000))).encode())
    (folder / "half.csv.gz").write_bytes(packed[: len(packed) // 2])
    main(["fit", "recommend", str(folder / "shop.csv"), "-o", str(folder / "model"), "--factors", "2"])
    main(["fit", "words", str(folder / "text.txt"), "-o", str(folder / "words"), "--factors", "2"])
    shutil.copy(folder / "model", folder / "short.tacit")
    with (folder / "short.tacit").open("r+b") as file:
        file.truncate((folder / "model").stat().st_size - 100)
    return {
        "dir": folder,
        "shop": folder / "shop.csv",
        "out": folder / "out",
        "model": folder / "model",
        "words": folder / "words",
    }


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    return make_places(tmp_path_factory.mktemp("bad"))


@pytest.mark.parametrize("case", CASES)
def test_one_sentence_and_exit_code_2(case, places, refused, capsys):
    capsys.readouterr()
    command, says = CASES[case]
    arguments = [part.format(**places) for part in command.split()]
    assert says in refused(*arguments)
    assert not places["out"].exists()


def test_an_output_that_cannot_be_written_is_found_out_before_training(places, refused, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert "nothing can be written" in refused("fit", "recommend", places["shop"], "-o", places["out"])


def test_the_page_is_current():
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, str(root / "scripts" / "bad_input.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
