"""A first fit on a terminal says, once, that kernels are being compiled."""

import io

import pytest

from tacit.kernels import _jit


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
    assert shown.getvalue().splitlines() == lines
