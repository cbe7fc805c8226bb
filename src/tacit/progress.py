"""What a long loop reports to: history, callback, a progress bar with an ETA, and a polite interrupt.

    with Run("fit", total=15, progress=None, callback=None) as run:
        for iteration in run.iterations():
            ...
            run.report(objective=..., seconds=...)

The first Ctrl-C lets the current iteration finish, so the state is whole, and ends the loop: the caller keeps what
it has and ``run.interrupted`` is True. A second Ctrl-C interrupts at once, as Python does.
"""

import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from types import FrameType, TracebackType
from typing import Any, Self

from tacit.errors import InputError

Callback = Callable[[Mapping[str, Any]], bool | None]
_CLOCK = frozenset({"seconds", "elapsed"})


_WITH_BARS: list["Run"] = []
"""Loops whose bars are open."""


SECONDS_BETWEEN_LINES = 15.0
"""Where no bar can be seen: how often a line says how far a loop is."""
_SPEAKING: list[bool] = []


@contextmanager
def speaking() -> Iterator[None]:
    """Within this, loops that nobody watches say by lines on standard error how far they are.

    That is for programs whose output may go to a file, such as the command line. A loop with ``progress=True`` writes
    such lines anyway.
    """
    _SPEAKING.append(True)
    try:
        yield
    finally:
        _SPEAKING.pop()


def remark(text: str) -> None:
    """Show on every open bar why it stands still; the next record takes its place."""
    for run in [*_WITH_BARS]:
        run.remark(text)


class InterruptedFitWarning(UserWarning):
    """Training was interrupted and the model holds the best so far."""


def without_clock(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Records without their times: equal models are equal files.

    >>> without_clock([{"iteration": 1, "seconds": 0.2, "elapsed": 0.3}])
    [{'iteration': 1}]
    """
    return [{name: value for name, value in record.items() if name not in _CLOCK} for record in history]


def is_watched() -> bool:
    """Whether somebody sees a bar: a terminal is attached, or a notebook runs this."""
    return (sys.stderr is not None and sys.stderr.isatty()) or _in_notebook()


def _in_notebook() -> bool:
    # A notebook's shell has a kernel behind it; a terminal's IPython has none. Its bars need ipywidgets.
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    return getattr(shell, "kernel", None) is not None and find_spec("ipywidgets") is not None


class Run:
    """One long loop.

    Parameters
    ----------
    label : what the bar is called
    total : the number of iterations at most
    progress : True, False, or None for "when a terminal is attached or a notebook runs this"; where True finds neither,
        lines on standard error take the place of the bar
    callback : called with every record; returning True stops the loop
    history : records of an earlier run that this one continues
    """

    def __init__(
        self,
        label: str,
        total: int,
        *,
        progress: bool | None = None,
        callback: Callback | None = None,
        history: list[dict[str, Any]] | None = None,
    ) -> None:
        if callback is not None and not callable(callback):
            raise InputError(f"callback must be a function of one record, or None, not {callback!r}.")
        self.label = label
        self.total = total
        self.callback = callback
        self.history: list[dict[str, Any]] = list(history or [])
        self._resumed = len(self.history)
        self.interrupted = False
        self.stopped = False
        self._show = is_watched() and progress is not False
        self._silent, self._asked = progress is False, progress is True
        self._writes_lines = not self._show and (progress is True or (progress is None and bool(_SPEAKING)))
        self._line_due = time.perf_counter() + SECONDS_BETWEEN_LINES
        self._bar: Any = None
        self._task: Any = None
        self._previous_handler: Any = None
        self._handles_signal = False
        self._started = time.perf_counter()

    def __enter__(self) -> Self:
        if self._show:
            self._open_bar()
        # Signal handlers can only be set in the main thread, and only one that Python knows can be put back. A process
        # that was told to ignore interrupts (nohup) goes on ignoring them.
        if threading.current_thread() is threading.main_thread():
            self._previous_handler = signal.getsignal(signal.SIGINT)
            if self._previous_handler not in (None, signal.SIG_IGN):
                signal.signal(signal.SIGINT, self._on_interrupt)
                self._handles_signal = True
        self._started = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            _WITH_BARS.remove(self)
        elif self._writes_lines and self._asked and kind is None:
            self._write_line()
        if self._handles_signal:
            signal.signal(signal.SIGINT, self._previous_handler)
        if self.interrupted and kind is None:
            warnings.warn(
                f"{self.label} was interrupted after iteration {len(self.history)} of {self.total}; "
                "the model holds the best so far.",
                InterruptedFitWarning,
                stacklevel=3,
            )

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        # A loop within a loop: the outer one ends as well, after its own iteration.
        outer = getattr(self._previous_handler, "__self__", None)
        if isinstance(outer, Run) and not outer.interrupted:
            outer._on_interrupt(number, frame)

    def _open_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(force_jupyter=True) if _in_notebook() else Console(stderr=True),
        )
        self._task = self._bar.add_task(self.label, total=self.total, completed=len(self.history), note="")
        self._bar.start()
        _WITH_BARS.append(self)

    def iterations(self, start: int = 0) -> Iterator[int]:
        """Yield iteration numbers from ``start`` until the total, an interrupt, or ``stop()``."""
        for iteration in range(start, self.total):
            if self.interrupted or self.stopped:
                return
            yield iteration

    def report(self, **record: Any) -> None:
        """Add one record to the history, move the bar and tell the callback."""
        record = {
            "iteration": len(self.history) + 1,
            **record,
            "elapsed": time.perf_counter() - self._started,
        }
        self.history.append(record)
        if self._bar is not None:
            self._bar.update(self._task, completed=len(self.history), note=self._note())
        elif self._writes_lines and time.perf_counter() >= self._line_due:
            passed = time.perf_counter() - self._started
            left = passed / (len(self.history) - self._resumed) * (self.total - len(self.history))
            self._write_line(f", about {left:.0f} s left")
        if self.callback is not None and self.callback(record):
            self.stop()

    def _note(self) -> str:
        record = self.history[-1] if self.history else {}
        return "  ".join(
            f"{key} {value:.4g}" for key, value in record.items() if isinstance(value, float) and key not in _CLOCK
        )

    def _write_line(self, more: str = "") -> None:
        passed = time.perf_counter() - self._started
        self.tell(f"{len(self.history):,} of {self.total:,} in {passed:.0f} s{more}  {self._note()}".rstrip())
        self._line_due = time.perf_counter() + SECONDS_BETWEEN_LINES

    def tell(self, text: str) -> None:
        """One line about this loop on standard error, also where no bar is shown; not with ``progress=False``."""
        if not self._silent:
            print(f"{self.label}: {text}", file=sys.stderr)

    def remark(self, text: str) -> None:
        """Show a remark on the bar until the next record."""
        self._bar.update(self._task, note=text)

    def stop_when_settled(self, tolerance: float) -> None:
        """End the loop if the last iteration changed the objective by no more than this share of it.

        The history alone decides, so that a run that is resumed after it had settled does not go on.
        """
        if len(self.history) > 1:
            before, value = (record["objective"] for record in self.history[-2:])
            if abs(before - value) <= tolerance * abs(value):
                self.stop()

    def stop(self) -> None:
        """End the loop after this iteration."""
        self.stopped = True
