"""A first fit on a terminal says, once, that kernels are being compiled."""

import gc
import io

import pytest

from tacit.kernels import _jit
from tacit.progress import Run


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("stream", "lines"), [(Terminal, [_jit.NOTICE]), (io.StringIO, [])])
def test_it_is_said_once_and_only_on_a_terminal(stream, lines, monkeypatch):
    shown = stream()
    monkeypatch.setattr("sys.stderr", shown)
    notice = _jit.CompileNotice()
    notice.on_start(None)
    notice.on_end(None)
    notice.on_start(None)
    notice.on_end(None)
    assert shown.getvalue().splitlines() == lines


def test_the_bar_says_what_it_waits_for(monkeypatch):
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    with Run("fit", total=2, progress=True) as run:
        notice = _jit.CompileNotice()
        notice.on_start(None)
        notice.on_start(None)
        assert run._bar.tasks[0].fields["note"].startswith("compiling, once: 2 functions, ")
        notice.on_end(None)
        notice.on_end(None)
        run.report(objective=1.0)
        assert run._bar.tasks[0].fields["note"] == "objective 1"
    _jit.CompileNotice().on_start(None)  # no bar is open any more
    gc.enable()


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_rests_and_is_as_before(enabled):
    notice = _jit.CompileNotice()
    try:
        if not enabled:
            gc.disable()
        notice.on_start(None)
        notice.on_start(None)
        notice.on_end(None)
        assert not gc.isenabled()
        notice.on_end(None)
        assert gc.isenabled() == enabled
    finally:
        gc.enable()
