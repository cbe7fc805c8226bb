"""The model of a cluster is that of one process, whatever happens to the workers."""

import os
import random
import secrets
import signal
import threading
import time
from functools import cache

import pytest

import tacit
import tacit.cluster
from tacit.cli.app import main
from tacit.cluster import linear_fit
from tacit.errors import InputError, UnsoundCombinationError
from tacit.features import text
from tests.cluster.jobs import COLUMNS, EXPONENTS, GRADED, JOBS, on_positives

pytestmark = pytest.mark.jit


def bytes_of(model, folder):
    path = folder / "model.tacit"
    model.save(path)
    return path.read_bytes()


def one_process(parts, **parameters):
    return on_positives(tacit.FactorRecommender(**parameters), parts)


@pytest.fixture
def small_tasks(monkeypatch):
    """Several pieces of a file and several blocks of columns, although the files are small."""
    monkeypatch.setattr(text, "PIECE", 20_000)
    monkeypatch.setattr(linear_fit, "CELLS", 5_000)


@pytest.fixture(scope="module")
def of_one_process(files, tmp_path_factory):
    """The file of every job as one process writes it, made when it is first asked for."""
    folder = tmp_path_factory.mktemp("one")

    @cache
    def made(name):
        job = JOBS[name]
        return bytes_of(job.alone(job.make(), str(files / job.files)), folder)

    return made


@pytest.mark.parametrize("name", JOBS)
def test_same_file_as_one_process(client, files, tmp_path, small_tasks, of_one_process, name):
    job = JOBS[name]
    many = tacit.cluster.fit(client, job.make(), str(files / job.files), **job.columns)
    assert bytes_of(many, tmp_path) == of_one_process(name)


@pytest.mark.slow
def test_same_file_at_any_number_of_workers(files, tmp_path, small_tasks, of_one_process):
    with tacit.cluster.connected(workers=4) as client:
        for workers in (4, 3, 1):
            # A worker starts slowly, so the same ones serve until they are sent home.
            client.cluster.scale(workers)
            ends = time.monotonic() + 300
            while len(client.scheduler_info(n_workers=-1)["workers"]) > workers:
                assert time.monotonic() < ends
                time.sleep(0.05)
            for name in ("factors", "linear weights", "words", "grades from all pairs"):
                job = JOBS[name]
                many = tacit.cluster.fit(client, job.make(), str(files / job.files), **job.columns)
                assert bytes_of(many, tmp_path) == of_one_process(name), (workers, name)


@pytest.mark.parametrize("duplicates", ["last", "max"])
def test_same_positives_as_one_process(client, parts, duplicates):
    arguments = COLUMNS | {"duplicates": duplicates}
    many = tacit.cluster.fit(client, tacit.FactorRecommender(4, iterations=1), parts, **arguments)
    one = tacit.Interactions.from_table(parts, **arguments)
    assert many.row_ids_ == one.row_ids and many.col_ids_ == one.col_ids
    assert (many.seen_ != one.matrix).nnz == 0


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(parts, tmp_path):
    """A worker is killed at random moments of ``TACIT_KILLS`` fits; the seed is that of ``TACIT_KILL_SEED``, or new."""
    expected = bytes_of(one_process(parts, factors=20, iterations=6), tmp_path)
    seed = int(os.environ.get("TACIT_KILL_SEED", secrets.randbits(32)))
    print(f"TACIT_KILL_SEED={seed}")
    rng = random.Random(seed)

    def fitted(client):
        began = time.monotonic()
        model = tacit.cluster.fit(client, tacit.FactorRecommender(20, iterations=6), parts, **COLUMNS)
        assert bytes_of(model, tmp_path) == expected
        return time.monotonic() - began

    kills = int(os.environ.get("TACIT_KILLS", "1"))
    while kills:
        with tacit.cluster.connected(workers=2) as client:
            fitted(client)
            undisturbed = fitted(client)
            while kills:
                alive = client.run(os.getpid, on_error="ignore").values()
                moment, victim = rng.uniform(0, undisturbed), rng.choice(list(alive))
                killer = threading.Timer(moment, os.kill, (victim, signal.SIGKILL))
                killer.start()
                took = fitted(client)
                killer.cancel()
                killer.join()
                if took <= moment:
                    undisturbed = took  # the fit was over before: that is no test
                    continue
                print(f"killed {victim} after {moment:.2f} s of {undisturbed:.2f}; the fit took {took:.2f} s")
                kills -= 1
                try:
                    client.wait_for_workers(2 if kills else 1, timeout=60)
                except TimeoutError:
                    break  # the worker is not back yet: go on with new ones


def test_goes_on_from_a_checkpoint_to_the_same_bits(client, parts, tmp_path):
    path = tmp_path / "checkpoint"
    short = tacit.FactorRecommender(20, iterations=2, checkpoint=path)
    tacit.cluster.fit(client, short, parts, **COLUMNS)
    long = tacit.FactorRecommender(20, iterations=4, checkpoint=path)
    tacit.cluster.fit(client, long, parts, **COLUMNS)
    assert len(long.history_) == 4
    assert bytes_of(long, tmp_path) == bytes_of(one_process(parts, factors=20, iterations=4), tmp_path)


def test_stops_when_the_callback_says_so(client, parts):
    model = tacit.FactorRecommender(4, iterations=5, callback=lambda record: record["iteration"] == 2)
    assert len(tacit.cluster.fit(client, model, parts, **COLUMNS).history_) == 2


@pytest.mark.parametrize(
    "parameters", [{"loss": "logistic"}, {"solver": "adagrad"}, {"biases": True}, {"held_out": 0.1}]
)
def test_says_what_does_not_run_on_a_cluster(client, parts, parameters):
    with pytest.raises(UnsoundCombinationError, match=f"{next(iter(parameters))}=.* does not run on a cluster"):
        tacit.cluster.fit(client, tacit.FactorRecommender(**parameters), parts, **COLUMNS)


@pytest.mark.parametrize(
    ("model", "columns", "sentence"),
    [
        (
            lambda: tacit.LinearRecommender(),
            COLUMNS,
            "choice by held-out positives, or weights that are not sparse, needs all",
        ),
        (
            lambda: tacit.LinearRecommender("dense"),
            COLUMNS,
            "choice by held-out positives, or weights that are not sparse, needs all",
        ),
        (lambda: tacit.LinearRecommender("sparse", sharpening=0.5, **EXPONENTS), COLUMNS, "sharpening needs all"),
        (lambda: tacit.WordVectors(solver="adagrad"), {}, "solver='adagrad' does not run on a cluster"),
        (lambda: tacit.WordVectors(tokenizer=str.split), {}, "tokenizer: a function does not run on a cluster"),
        (lambda: tacit.WordVectors(keep_counts=True), {}, "keep_counts=True does not run on a cluster"),
        (lambda: tacit.OrdinalRanker(features="nystrom"), GRADED, "features='nystrom' goes over the rows again"),
        (lambda: tacit.OrdinalRanker(solver="stochastic"), GRADED, "solver='stochastic' goes over the rows again"),
    ],
)
def test_says_what_does_not_run_there_of_others(client, files, model, columns, sentence):
    where = files / ("graded-0.parquet" if columns is GRADED else "part-0.parquet")
    with pytest.raises(UnsoundCombinationError, match=sentence):
        tacit.cluster.fit(client, model(), where, **columns)


def test_columns_that_an_estimator_has_no_use_for_are_refused(client, files, parts):
    for model, columns, sentence in (
        (tacit.FactorRecommender(), {"row": "who"}, "col is missing: say which column"),
        (tacit.FactorRecommender(), COLUMNS | GRADED, "grade='grade' is not for a FactorRecommender"),
        (tacit.WordVectors(), {"row": "who"}, "row='who' is not for a WordVectors"),
        (tacit.OrdinalRanker(), {}, "grade is missing"),
        (tacit.OrdinalRanker(), {"grade": "mark"}, "grade='mark' is not a column"),
        (tacit.OrdinalRanker(), GRADED | {"leave": ["none"]}, "leave: .* has no column 'none'"),
        (tacit.KernelTagger(), {}, "a KernelTagger cannot be fitted on a cluster, because"),
    ):
        with pytest.raises(InputError, match=sentence):
            tacit.cluster.fit(client, model, files / "graded-0.parquet", **columns)
    with pytest.raises(InputError, match="text must be paths of files"):
        tacit.cluster.fit(client, tacit.WordVectors(), [["a", "b"]])


def test_bad_input_is_one_sentence(client, parts, tmp_path):
    model = tacit.FactorRecommender(4, iterations=1)
    with pytest.raises(InputError, match="client must be a dask"):
        tacit.cluster.fit(None, model, parts, **COLUMNS)
    with pytest.raises(InputError, match="RatingStream cannot be fitted on a cluster"):
        tacit.cluster.fit(client, tacit.RatingStream(), parts, **COLUMNS)
    with pytest.raises(InputError, match="col='thing' is not a column"):
        tacit.cluster.fit(client, model, parts, row="who", col="thing")
    with pytest.raises(InputError, match="no file matches"):
        tacit.cluster.fit(client, model, str(tmp_path / "*.parquet"), **COLUMNS)
    with pytest.raises(InputError, match="occurs more than once"):
        tacit.cluster.fit(client, model, parts, duplicates="error", **COLUMNS)
    with pytest.raises(InputError, match="no scheduler answers"), tacit.cluster.connected("tcp://127.0.0.1:1"):
        pass


@pytest.mark.parametrize(
    "arguments",
    [
        "recommend part-*.parquet --row who --col what --weight times --factors 4 --iterations 1 --method factors",
        "recommend part-*.parquet --row who --col what --weight times --method linear --exponents 0.75 1 0.25",
        "words *.txt --factors 4 --iterations 1",
        "grade graded-*.parquet --kernel linear",
    ],
)
def test_command_line_fits_on_a_cluster(client, files, tmp_path, arguments):
    job, table, *options = arguments.split()
    given = ["fit", job, str(files / table), *options, "--json"]
    main([*given, "-o", str(tmp_path / "one")])
    main([*given, "--cluster", client.scheduler.address, "-o", str(tmp_path / "many")])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()


def test_command_line_says_what_is_not_for_clusters(client, files, parts, tmp_path, capsys):
    positives = f"recommend {parts} --row who --col what"
    for arguments, sentence in (
        (f"{positives} --min-weight 2", "--min-weight is not for clusters"),
        (f"{positives} --method blend", "a BlendRecommender cannot be fitted on a cluster"),
        (f"{positives} --method factors --exponents 1 1 1", "--exponents is for --method linear"),
        (f"{positives} --workers 1", "exclude each other"),
        (f"grade {files / 'graded-0.parquet'} --separator ;", "write Parquet files first"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main(["fit", *arguments.split(), "--cluster", client.scheduler.address, "-o", str(tmp_path / "none")])
        assert sentence in capsys.readouterr().err, arguments
