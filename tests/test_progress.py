"""History, callbacks, bars, and interrupts by real signals."""

import os
import signal
import subprocess
import sys
import threading
import warnings

import pytest

from tacit.progress import InterruptedFitWarning, Run, speaking


def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)


def test_history_counts_and_times():
    with Run("fit", total=3, progress=False) as run:
        for iteration in run.iterations():
            run.report(objective=10.0 - iteration)
    assert [record["iteration"] for record in run.history] == [1, 2, 3]
    assert [record["objective"] for record in run.history] == [10.0, 9.0, 8.0]
    elapsed = [record["elapsed"] for record in run.history]
    assert elapsed == sorted(elapsed)
    assert elapsed[0] >= 0


def test_a_run_that_continues_keeps_its_history():
    earlier = [{"iteration": 1, "objective": 5.0}]
    with Run("fit", total=3, progress=False, history=earlier) as run:
        for _ in run.iterations(start=1):
            run.report(objective=4.0)
    assert [record["iteration"] for record in run.history] == [1, 2, 3]
    assert len(earlier) == 1


def test_a_callback_that_returns_true_stops_the_loop():
    seen = []

    def callback(record):
        seen.append(record["loss"])
        return record["loss"] < 0.5

    with Run("fit", total=100, progress=False, callback=callback) as run:
        for iteration in run.iterations():
            run.report(loss=1 / (iteration + 1))
    assert seen == [1.0, 0.5, 1 / 3]
    assert run.stopped
    assert not run.interrupted


def test_the_first_interrupt_finishes_the_iteration_and_warns():
    finished = []
    before = signal.getsignal(signal.SIGINT)
    with (
        pytest.warns(InterruptedFitWarning, match="fit was interrupted after iteration 3 of 9"),
        Run("fit", total=9, progress=False) as run,
    ):
        for iteration in run.iterations():
            if iteration == 2:
                press_ctrl_c()
            run.report()
            finished.append(iteration)
    assert finished == [0, 1, 2]
    assert run.interrupted
    assert signal.getsignal(signal.SIGINT) is before


def test_the_second_interrupt_ends_at_once():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), Run("fit", total=9, progress=False) as run:
        for _ in run.iterations():
            press_ctrl_c()
            press_ctrl_c()
            pytest.fail("the second interrupt must not let the iteration go on")
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_within_an_inner_loop_ends_the_outer_one_too():
    outer_done = []
    with warnings.catch_warnings(), Run("search", total=5, progress=False) as outer:
        warnings.simplefilter("ignore", InterruptedFitWarning)
        for candidate in outer.iterations():
            with Run("fit", total=5, progress=False) as inner:
                for iteration in inner.iterations():
                    if candidate == 1 and iteration == 2:
                        press_ctrl_c()
                    inner.report()
            outer_done.append(len(inner.history))
            outer.report()
    assert outer_done == [5, 3]
    assert outer.interrupted


def test_an_error_puts_the_handler_back():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), Run("fit", total=1, progress=False):
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_leave_signals_alone():
    before, found = signal.getsignal(signal.SIGINT), []

    def work():
        with Run("fit", total=2, progress=False) as run:
            for _ in run.iterations():
                run.report()
            found.append((signal.getsignal(signal.SIGINT), len(run.history)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(timeout=10)
    assert found == [(before, 2)]


def test_a_process_told_to_ignore_interrupts_goes_on():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Run("fit", total=3, progress=False) as run:
            for _ in run.iterations():
                press_ctrl_c()
                run.report()
        assert (len(run.history), run.interrupted) == (3, False)
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_where_no_bar_can_be_seen_lines_say_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr("tacit.progress.SECONDS_BETWEEN_LINES", 0.0)

    def told(progress):
        with Run("fit", total=2, progress=progress) as run:
            for _ in run.iterations():
                run.report(objective=0.25)
            run.tell("done")
        return capsys.readouterr().err.splitlines()

    assert told(None) == ["fit: done"]
    assert told(False) == []
    with speaking():
        first, second, last = told(None)
        assert told(False) == []
    assert first.startswith("fit: 1 of 2 in 0 s, about 0 s left  objective 0.25")
    assert second.startswith("fit: 2 of 2")
    assert last == "fit: done"
    assert told(None) == ["fit: done"]


def test_the_bar_goes_to_standard_error_only_when_asked():
    program = """
import sys
from tacit.progress import Run
with Run("fit", total=2, progress=PROGRESS) as run:
    for _ in run.iterations():
        run.report(objective=0.25)
print("rich" in sys.modules)
"""

    def output(progress):
        command = [sys.executable, "-c", program.replace("PROGRESS", progress)]
        return subprocess.run(command, capture_output=True, text=True, check=True)

    shown, hidden = output("True"), output("None")
    assert shown.stderr == "fit: 2 of 2 in 0 s  objective 0.25\n"
    assert (hidden.stdout, hidden.stderr) == ("False\n", "")
