"""Solvers by name: the list, what each needs, what each is for, and how one is made.

    name                a sweep                                         loss needs          non-negative
    als                 solves every row, or takes a few CG steps       a majoriser         no
    newton              trust-region steps on each block                second derivative   no
    newton_linesearch   a Newton direction and a line search            second derivative   no
    linesearch          a gradient step, its length searched            first derivative    no
    adagrad             an adaptive gradient step on each field         first derivative    yes
    gradient            a gradient step of given length                 first derivative    yes

Every solver resumes from a checkpoint to the same bits: it saves and restores its own memory
(``alternation.Solver.state``).
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from tacit import checks
from tacit.errors import UnsoundCombinationError
from tacit.objective.losses import Loss
from tacit.solvers.als import AlternatingLeastSquares, require_majoriser
from tacit.solvers.alternation import Solver
from tacit.solvers.descent import Adagrad, Gradient, LineSearch
from tacit.solvers.newton import TruncatedNewton, TrustRegion


@dataclass(frozen=True)
class Options:
    """What a caller may set of a solver; None leaves the solver's own default. What it has no use for is refused.

    learning_rate : γ of ``adagrad`` and ``gradient``
    inner_steps : conjugate gradient steps on a block
    trust_steps, trust_radius : of ``newton``: steps on a block in a sweep, and the first radius
    nonnegative : project parameters to zero and above
    """

    learning_rate: float | None = None
    inner_steps: int | None = None
    trust_steps: int | None = None
    trust_radius: float | None = None
    nonnegative: bool = False


@dataclass(frozen=True)
class Entry:
    """One solver.

    build : makes it
    solves : whether a sweep solves its blocks, and so is worth many gradient steps
    iterations : sweeps when the caller of a recommender gives none
    takes : the options that it has a use for
    """

    build: Callable[[Options], Solver]
    solves: bool
    iterations: int
    takes: tuple[str, ...] = ()

    @property
    def projects(self) -> bool:
        """Whether its steps can be projected onto non-negative parameters."""
        return "nonnegative" in self.takes


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


SOLVERS: dict[str, Entry] = {
    "als": Entry(lambda o: AlternatingLeastSquares(**_given(steps=o.inner_steps)), True, 10, ("inner_steps",)),
    "newton": Entry(
        lambda o: TrustRegion(**_given(steps=o.trust_steps, inner_steps=o.inner_steps, radius=o.trust_radius)),
        True, 10, ("inner_steps", "trust_steps", "trust_radius"),
    ),
    "newton_linesearch": Entry(
        lambda o: TruncatedNewton(**_given(inner_steps=o.inner_steps)), True, 10, ("inner_steps",)
    ),
    "linesearch": Entry(lambda o: LineSearch(), False, 100),
    "adagrad": Entry(
        lambda o: Adagrad(**_given(rate=o.learning_rate), nonnegative=o.nonnegative),
        False, 200, ("learning_rate", "nonnegative"),
    ),
    "gradient": Entry(
        lambda o: Gradient(**_given(rate=o.learning_rate), nonnegative=o.nonnegative),
        False, 200, ("learning_rate", "nonnegative"),
    ),
}  # fmt: skip

NAMES = tuple(SOLVERS)
WITH_AUTO = ("auto", *NAMES)


def resolve(solver: str, loss: Loss, nonnegative: bool = False) -> str:
    """The name of the solver that ``auto`` stands for, or one sentence on why the one asked for cannot do it.

    >>> from tacit.objective.losses import LOSSES
    >>> resolve("auto", LOSSES["square"]), resolve("auto", LOSSES["square"], nonnegative=True)
    ('als', 'adagrad')
    """
    if checks.choice("solver", solver, WITH_AUTO) == "auto":
        solver = "adagrad" if nonnegative else "als" if loss.has_majoriser else "newton"
    if nonnegative and not SOLVERS[solver].projects:
        raise UnsoundCombinationError(
            f"nonnegative=True needs steps that can be projected, and solver={solver!r} has none; use solver='adagrad'."
        )
    if solver == "als":
        require_majoriser(loss)
    return solver


def build(name: str, options: Options | None = None) -> Solver:
    """The solver of that name, with nothing remembered yet.

    >>> build("adagrad", Options(learning_rate=0.1)).name
    'adagrad'
    """
    options = options or Options()
    require_used(name, options)
    return SOLVERS[name].build(options)


def require_used(name: str, options: Options) -> None:
    """Refuse what this solver would ignore.

    >>> require_used("als", Options(inner_steps=3))
    >>> try:
    ...     require_used("als", Options(learning_rate=0.1))
    ... except UnsoundCombinationError as error:
    ...     print(error)
    learning_rate=0.1 is of no use to solver='als'; leave it out, or use solver='adagrad' or 'gradient'.
    """
    taken = SOLVERS[checks.choice("solver", name, NAMES)].takes
    for one in fields(options):
        value = getattr(options, one.name)
        if value is not None and value is not False and one.name not in taken:
            able = " or ".join(repr(other) for other, entry in SOLVERS.items() if one.name in entry.takes)
            raise UnsoundCombinationError(
                f"{one.name}={value!r} is of no use to solver={name!r}; leave it out, or use solver={able}."
            )
