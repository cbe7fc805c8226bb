"""The model of a cluster is that of one process, whatever happens to the workers."""

import os
import signal
import threading

import pytest

import tacit
import tacit.cluster
from tacit.cli.app import main
from tacit.errors import InputError, UnsoundCombinationError

pytestmark = pytest.mark.jit
COLUMNS = {"row": "who", "col": "what", "weight": "times"}


def bytes_of(model, folder):
    path = folder / "model.tacit"
    model.save(path)
    return path.read_bytes()


def one_process(parts, **parameters):
    return tacit.FactorRecommender(**parameters).fit(tacit.Interactions.from_table(parts, **COLUMNS))


@pytest.mark.parametrize(
    "parameters",
    [
        {"factors": 20, "iterations": 3},
        {"factors": 8, "iterations": 3, "unlabelled_target": -0.1, "positive_weight": "one"},
        {"factors": 40, "iterations": 2, "tolerance": 0.5, "frequency_exponent": 0.0, "ridge_exponent": 0.0},
    ],
)
def test_same_file_as_one_process(client, parts, tmp_path, parameters):
    many = tacit.cluster.fit(client, tacit.FactorRecommender(**parameters), parts, **COLUMNS)
    assert bytes_of(many, tmp_path) == bytes_of(one_process(parts, **parameters), tmp_path)


@pytest.mark.parametrize("duplicates", ["last", "max"])
def test_same_positives_as_one_process(client, parts, duplicates):
    arguments = COLUMNS | {"duplicates": duplicates}
    many = tacit.cluster.fit(client, tacit.FactorRecommender(4, iterations=1), parts, **arguments)
    one = tacit.Interactions.from_table(parts, **arguments)
    assert many.row_ids_ == one.row_ids and many.col_ids_ == one.col_ids
    assert (many.seen_ != one.matrix).nnz == 0


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(parts, tmp_path):
    """Workers are killed at random moments; ``TACIT_KILLS`` says how often."""
    expected = bytes_of(one_process(parts, factors=20, iterations=6), tmp_path)
    kills = int(os.environ.get("TACIT_KILLS", "1"))
    with tacit.cluster.connected(workers=2) as client:
        client.run(lambda: __import__("tacit.cluster"))
        for attempt in range(kills):
            stop = threading.Timer(
                0.3 + 1.7 * attempt / max(kills - 1, 1), lambda: os.kill(_pid(client), signal.SIGKILL)
            )
            stop.start()
            model = tacit.cluster.fit(client, tacit.FactorRecommender(20, iterations=6), parts, **COLUMNS)
            stop.join()
            assert bytes_of(model, tmp_path) == expected
            client.wait_for_workers(2, timeout=60)


def _pid(client):
    return next(iter(client.run(os.getpid).values()))


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


def test_command_line_fits_on_a_cluster(client, parts, tmp_path, capsys):
    arguments = ["fit", "recommend", parts, "--row", "who", "--col", "what", "--weight", "times", "--json"]
    arguments += ["--factors", "4", "--iterations", "1"]
    main([*arguments, "-o", str(tmp_path / "one")])
    main([*arguments, "--cluster", client.scheduler.address, "-o", str(tmp_path / "many")])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()
    for more, sentence in (
        (["--min-weight", "2"], "--min-weight is not for clusters"),
        (["--method", "linear"], "--method linear is not for clusters"),
        (["--cluster", "tcp://127.0.0.1:1"], "exclude each other"),
    ):
        with pytest.raises(SystemExit, match="2"):
            main([*arguments, "--workers", "1", *more, "-o", str(tmp_path / "none")])
        assert sentence in capsys.readouterr().err
