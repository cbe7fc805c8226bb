"""Thread safety of models: a question sees one consistent state, and learning replaces the state as a whole.

Learned arrays are replaced and never written to, so a shallow copy of a model is a consistent view of it.

- A question runs on such a view. It takes no lock, and nothing that is learned meanwhile changes its answer.
- Learning runs on a copy, one call at a time. When it has succeeded, the copy takes the model's place by a single
  assignment. A call that fails leaves the model as it was.

``Model`` applies both to every public method of its subclasses. Models that learn in place, such as the rating streams,
use a ``ReadWriteLock`` instead.
"""

import functools
import inspect
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar, cast

from tacit import checks

F = TypeVar("F", bound=Callable[..., Any])

LEARNING = frozenset({"fit", "partial_fit"})
"""Methods that change a model; any other one says so by a decorator."""

_PARAMETERS = frozenset({"get_params", "set_params"})
"""Parameters are the caller's own: they are read and set on the model itself."""

_ASKING_OPERATORS = frozenset({"__contains__", "__getitem__", "__len__", "__iter__"})

_registry_lock = threading.Lock()
_writers: "weakref.WeakKeyDictionary[Any, threading.RLock]" = weakref.WeakKeyDictionary()


def view(model: Any) -> Any:
    """A shallow copy: what the model is at this moment. What is derived from its arrays is shared."""
    return model._view()


def shallow_copy(model: Any) -> Any:
    """The same attributes under another object, read at one moment."""
    _ = model._derived  # made before the copy, so that all copies share it
    copy = object.__new__(type(model))
    copy.__dict__ = vars(model).copy()
    return copy


def asks(method: F) -> F:
    """The method runs on a view of the model."""

    @functools.wraps(method)
    def on_view(self: Any, *arguments: Any, **options: Any) -> Any:
        return method(view(self), *arguments, **options)

    return cast(F, _disciplined(on_view))


def asks_in_one_step(method: F) -> F:
    """The method runs on the model itself: it reads all names that it needs in one step, or takes a ``view``.

    For questions so short that the copy would be felt. ``operator.itemgetter`` on ``vars(model)`` is one step.
    """
    return cast(F, _disciplined(method))


def learns(method: F) -> F:
    """The method runs on a copy, one at a time; what it has learned is put in place when it returns."""

    @functools.wraps(method)
    def in_turn(self: Any, *arguments: Any, **options: Any) -> Any:
        with writer(self):
            draft = view(self)
            result = method(draft, *arguments, **options)
            # Parameters belong to the caller, who may have set them meanwhile.
            own = self.get_params(deep=False)
            self.__dict__ = {**vars(draft), **{name: getattr(self, name) for name in own}}
        return self if result is draft else result

    return cast(F, _disciplined(in_turn))


def learns_in_place(method: F) -> F:
    """The method changes the model itself, one at a time, in an order that no view can be taken amiss of."""

    @functools.wraps(method)
    def in_turn(self: Any, *arguments: Any, **options: Any) -> Any:
        with writer(self):
            return method(self, *arguments, **options)

    return cast(F, _disciplined(in_turn))


def learns_if(option: str) -> Callable[[F], F]:
    """The method learns when this keyword is true and asks otherwise."""

    def decorate(method: F) -> F:
        learning, asking = learns(method), asks(method)

        @functools.wraps(method)
        def either(self: Any, *arguments: Any, **options: Any) -> Any:
            chosen = learning if checks.truth(option, options.get(option, False)) else asking
            return chosen(self, *arguments, **options)

        return cast(F, _disciplined(either))

    return decorate


def discipline(owner: type) -> None:
    """Put every public method and property that a class defines under ``asks`` or ``learns``."""
    for name, member in list(vars(owner).items()):
        if name in _PARAMETERS or (name.startswith("_") and name not in _ASKING_OPERATORS):
            continue
        if isinstance(member, property) and member.fget is not None:
            setattr(owner, name, property(asks(member.fget), member.fset, member.fdel, member.__doc__))
        elif inspect.isfunction(member) and not hasattr(member, "_disciplined"):
            setattr(owner, name, (learns if name in LEARNING else asks)(member))


def _disciplined(method: Any) -> Any:
    method._disciplined = True
    return method


def writer(model: Any) -> threading.RLock:
    """The lock that whoever changes a model holds."""
    with _registry_lock:
        return _writers.setdefault(model, threading.RLock())


class ReadWriteLock:
    """Any number of readers at once, or one writer; a writer that waits goes before readers that come later.

    >>> lock = ReadWriteLock()
    >>> with lock.reading:
    ...     pass
    >>> with lock.writing:
    ...     pass

    Neither may be asked for inside of either. A fork waits for the other threads' turns, so that the child finds every
    state whole.
    """

    def __init__(self) -> None:
        self.reading, self.writing = _Reading(), _Writing()
        self._begin()
        with _registry_lock:
            _locks.add(self)

    def _begin(self) -> None:
        gate, room = threading.Lock(), threading.Lock()
        self.reading.begin(gate, room)
        self.writing.begin(gate, room)

    def __reduce__(self) -> tuple[Any, ...]:
        return ReadWriteLock, ()


class _Writing:
    """Alone: nobody enters the room through the gate."""

    def begin(self, gate: threading.Lock, room: threading.Lock) -> None:
        self.gate, self.room = gate, room

    def __enter__(self) -> None:
        self.gate.acquire()
        try:
            self.room.acquire()
        except BaseException:  # Ctrl-C while readers finish: they must find the gate open again
            self.gate.release()
            raise

    def __exit__(self, *error: object) -> None:
        self.room.release()
        self.gate.release()


class _Reading:
    """Beside others: the first one takes the room, the last one leaves it."""

    def begin(self, gate: threading.Lock, room: threading.Lock) -> None:
        self.gate, self.room = gate, room
        self.counting, self.count = threading.Lock(), 0

    def __enter__(self) -> None:
        with self.gate, self.counting:
            # Counted once it is in: Ctrl-C may come while it waits.
            if self.count == 0:
                self.room.acquire()
            self.count += 1

    def __exit__(self, *error: object) -> None:
        with self.counting:
            self.count -= 1
            if self.count == 0:
                self.room.release()


_locks: "weakref.WeakSet[ReadWriteLock]" = weakref.WeakSet()
_held_for_fork: list[ReadWriteLock] = []


def _before_fork() -> None:
    _registry_lock.acquire()
    for lock in list(_locks):
        lock.writing.__enter__()
        _held_for_fork.append(lock)


def _after_fork_in_parent() -> None:
    while _held_for_fork:
        _held_for_fork.pop().writing.__exit__()
    _registry_lock.release()


def _after_fork_in_child() -> None:
    """The threads that held anything do not exist here."""
    global _registry_lock
    _registry_lock = threading.Lock()
    _writers.clear()
    while _held_for_fork:
        _held_for_fork.pop()._begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
