"""The program as a process of its own: speed of help, signals, pipes, completion."""

import os
import signal
import subprocess
import sys

import pytest

TACIT = [sys.executable, "-c", "from tacit.cli.app import main; main()"]

# Says on standard output when a sweep is done, so that the interrupt comes in the middle of training.
TALKING = """
from tacit import progress
report = progress.Run.report
def talking(self, **record):
    report(self, **record)
    print("sweep", flush=True)
progress.Run.report = talking
from tacit.cli.app import main
main()
"""


def test_help_imports_nothing_heavy():
    """How quick it is stands in tests/kernels/test_rules.py."""
    code = "import sys; from tacit.cli import app; print([m for m in ('numpy', 'rich', 'polars') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


@pytest.mark.jit
def test_ctrl_c_keeps_the_best_so_far_and_says_so(shop, tmp_path, tacit):
    path = tmp_path / "m.tacit"
    arguments = ["fit", "recommend", str(shop), "-o", str(path), "--factors", "8", "--iterations", "1000000"]
    process = subprocess.Popen(
        [sys.executable, "-c", TALKING, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "sweep\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "interrupted after iteration" in err
    assert "the model holds the best so far" in err
    assert "saved to" in out
    assert tacit("recommend", path, "u1").startswith("u1\n")


def test_a_reader_that_stops_reading_is_no_error(model):
    command = f"{sys.executable} -c 'from tacit.cli.app import main; main()' recommend {model} --all | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("u0\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell, tacit, tacit_json):
    script = tacit("completion", shell)
    assert "_TACIT_COMPLETE" in script
    assert tacit_json("completion", shell)["script"] == script.removesuffix("\n")


def test_the_shell_is_told_what_can_follow():
    def answers(words, place):
        environment = os.environ | {"_TACIT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": place}
        done = subprocess.run(TACIT, env=environment, capture_output=True, text=True, check=True)
        return [line.split(",", 1) for line in done.stdout.splitlines()]

    def completed(words, place):
        return {value for _, value in answers(words, place)}

    def kinds(words, place):
        return {kind for kind, _ in answers(words, place)}

    assert {"recommend"} == completed("tacit reco", "1")
    assert {"recommend", "words"} <= completed("tacit fit ", "2")
    assert {"--held-out"} == completed("tacit fit recommend x --held", "4")
    assert kinds("tacit fit recommend bu", "3") == {"file"}
    assert kinds("tacit recommend bu", "2") == {"file"}
