"""The lock of models that learn in place."""

import signal
import threading

import pytest

from tacit.estimators.concurrency import ReadWriteLock


class Interrupted(BaseException):
    pass


def interrupt(*_):
    raise Interrupted


@pytest.mark.parametrize(("held", "wanted"), [("reading", "writing"), ("writing", "reading"), ("writing", "writing")])
def test_an_interrupt_while_waiting_leaves_the_lock_as_it_was(held, wanted):
    """Ctrl-C in a thread that waits for its turn left the gate closed, and everybody after it waited for ever."""
    lock, entered, leave = ReadWriteLock(), threading.Event(), threading.Event()

    def hold():
        with getattr(lock, held):
            entered.set()
            leave.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait()
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Interrupted), getattr(lock, wanted):
            pass
    finally:
        signal.signal(signal.SIGALRM, before)
        leave.set()
        thread.join()
    for part in (lock.reading, lock.writing):
        for own in {part.gate, part.room}:
            assert not own.locked()
    assert lock.reading.count == 0
