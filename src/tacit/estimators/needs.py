"""Which parameter needs which other one: what would do nothing beside the others is refused, in one sentence.

A parameter counts as given where it differs from the constructor's default, so ``clone``, ``get_params`` and models
from files work as ever, and a value left at its default is never refused. ``require_used`` is called where a fit
begins, never where a model is loaded or asked.

Two more tables say the same of whole families: ``solvers/registry.py`` of options of solvers, ``solvers/label_maps.py``
of settings of a ``NeighbourTagger``'s methods. There None is what was not given.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from inspect import Parameter, signature
from typing import Any, Self, TypeVar

from tacit import checks
from tacit.errors import UnsoundCombinationError
from tacit.solvers.passive_aggressive import Setting

Model = TypeVar("Model", bound=Any)


class Known(dict[str, Any]):
    """Parameters and facts by their names; ``lacks`` says whether one was asked for that is not known yet."""

    lacks = False

    def __missing__(self, name: str) -> str:
        self.lacks = True
        return ""


@dataclass(frozen=True)
class Need:
    """These parameters are of no use unless ``met``.

    met : of the parameters by name, and of the facts that a fit knows of its data, such as ``graphs``
    without : completes "delta=0.5 is of no use …"
    remedy : completes "leave it out, or …"
    """

    names: tuple[str, ...]
    met: Callable[[Mapping[str, Any]], bool]
    without: str
    remedy: str

    def sentence(self, name: str, value: Any) -> str:
        return f"{name}={checks.shown(value)} is of no use {self.without}; leave it out, or {self.remedy}."


def _open_vectors(given: Mapping[str, Any]) -> bool:
    """Whether a stream moves vectors at all."""
    return bool(given["factors"] != 0 or given["biases"] == "learned")


_STREAM = (
    Need(
        ("variant", "adaptation", "aggressiveness", "delta", "epsilon", "forgetting"),
        _open_vectors,
        "to running means alone (factors=0), which take no steps",
        "set factors to 1 or more",
    ),
    Need(("nonnegative", "start"), lambda given: given["factors"] != 0, "without factors", "set factors to 1 or more"),
    Need(
        ("delta", "forgetting"),
        lambda given: given["adaptation"] is not None,
        "with adaptation=None, which keeps no gradients",
        "use adaptation='diagonal' or 'full'",
    ),
    Need(
        ("projection",),
        lambda given: given["adaptation"] == "full" and given["nonnegative"],
        "without a full matrix and non-negative factors",
        "use adaptation='full' with nonnegative=True",
    ),
    Need(
        ("aggressiveness",),
        lambda given: given["variant"] != "PA",
        "to variant='PA', whose step has no bound",
        "use variant='PA-I' or 'PA-II'",
    ),
    Need(("shrinkage", "aim"), lambda given: given["biases"] == "means", "without running means", "use biases='means'"),
    Need(
        ("cold_start",),
        lambda given: given["biases"] != "means",
        "beside running means, from which newcomers start",
        "use biases='learned' or None",
    ),
)


def _maps_rows(given: Mapping[str, Any]) -> bool:
    """Whether an ordinal ranker has a map whose kind and size matter."""
    return given["kernel"] != "linear" or given["features"] == "nystrom" or bool(given["wide"])


_STEPS = ("iterations", "batch_size", "step")

NEEDS: dict[str, tuple[Need, ...]] = {
    "RatingStream": _STREAM,
    "ExpertRatingStream": (
        Need(
            ("beta", "exploration", "forgetting"),
            lambda given: given["combine"] == "hedge",
            "to combine='uniform', whose weights stay equal and whose experts all learn",
            "use combine='hedge'",
        ),
        Need(
            ("shrinkage", "aim"),
            lambda given: given["with_means"],
            "to these experts, none of which has running means",
            "give one biases='means'",
        ),
        Need(
            ("cold_start",),
            lambda given: given["without_means"],
            "to these experts, which all start from running means",
            "give experts without them, such as 'paper'",
        ),
    ),
    "OrdinalRanker": (
        Need(
            ("bandwidth",),
            lambda given: given["kernel"] != "linear",
            "to kernel='linear'",
            "use kernel='gaussian' or 'laplacian'",
        ),
        Need(
            ("n_components",),
            _maps_rows,
            "to kernel='linear', which takes so few columns as they are",
            "use features='nystrom' or another kernel",
        ),
        Need(
            ("features",),
            _maps_rows,
            "to kernel='linear', which takes so few columns as they are",
            "use kernel='gaussian' or 'laplacian'",
        ),
        Need(
            _STEPS,
            lambda given: not given["exact"],
            "to the exact solver, which takes no steps",
            "use solver='stochastic'",
        ),
        Need(
            ("iterations",),
            lambda given: not given["exact_stream"],
            "to partial_fit behind the exact solver, which takes a step for each batch_size new rows",
            "use solver='stochastic'",
        ),
    ),
    "FactorRecommender": (
        Need(("patience",), lambda given: given["held_out"] != 0, "without held_out", "set held_out to a share"),
        Need(
            ("ridge_exponent",),
            lambda given: given["regularization"] is None or _some(given["regularization"]),
            "with regularization=0, which leaves no ridge to spread",
            "set regularization above 0 or to None",
        ),
        Need(
            ("context_model",),
            lambda given: given["contexts"],
            "without contexts",
            "read interactions with context=",
        ),
        Need(("graph_weight",), lambda given: given["graphs"], "without a graph", "give row_graph or col_graph"),
        Need(
            ("frequency_exponent",),
            lambda given: not given["both_weights"],
            "beside row_weight and col_weight, which say what unlabelled cells weigh",
            "leave out one of these",
        ),
    ),
    "LinearRecommender": (
        Need(
            ("sparse_exponents", "sharpening"),
            lambda given: "sparse" in given["candidates"],
            "to method='dense' or 'local'",
            "use method='sparse' or 'auto'",
        ),
        Need(
            ("keep",),
            lambda given: given["candidates"] != ("dense",),
            "to method='dense'",
            "use method='sparse', 'local' or 'auto'",
        ),
        Need(
            ("regularization", "dense_exponents"),
            lambda given: given["candidates"] != ("sparse",),
            "to sparse weights, which method='auto' takes above 5,000 columns",
            "use method='dense' or 'local'",
        ),
    ),
    "FactorTagger": (
        Need(("bandwidth",), lambda given: given["landmarks"] != 0, "without landmarks", "set landmarks above 0"),
        Need(("graph_weight",), lambda given: given["graphs"], "without a graph", "give row_graph"),
        Need(
            ("unlabelled_target",),
            lambda given: given["unlabelled"] == "all" or given["loss"] == "square",
            "to unknown cells under the loss of the known ones, which have target −1 there",
            "use unlabelled='all'",
        ),
    ),
    "KernelTagger": (
        Need(
            ("bandwidth",),
            lambda given: given["kernel"] != "linear",
            "to kernel='linear'",
            "use kernel='cosine' or 'gaussian'",
        ),
        Need(
            ("value_power", "idf_power", "relevance_power"),
            lambda given: given["unit_rows"],
            "to the gaussian kernel, whose columns are standardised",
            "use kernel='cosine' or 'linear'",
        ),
        Need(
            ("inner_steps",),
            lambda given: given["unlabelled_weight"] != 1 or given["frequency_exponent"] != 0,
            "where all cells weigh the same, which one solve settles",
            "set unlabelled_weight or frequency_exponent",
        ),
        Need(
            ("label_similarity",),
            lambda given: not given["label_similarity"] or not given["impute"],
            "beside impute=True, which learns a second time from other guesses",
            "leave out impute",
        ),
        Need(
            ("label_similarity",),
            lambda given: (
                not given["label_similarity"] or (given["unlabelled_weight"] == 1 and given["frequency_exponent"] == 0)
            ),
            "where weights differ by label",
            "leave out unlabelled_weight and frequency_exponent",
        ),
        Need(
            ("label_similarity",),
            lambda given: not given["label_similarity"] or given["cosine"],
            "to the gaussian and linear kernels",
            "use kernel='cosine'",
        ),
        Need(
            ("label_similarity",),
            lambda given: not given["label_similarity"] or given["way"] == "exact",
            "to landmarks",
            "use landmarks=0 with at most 15,000 rows",
        ),
        Need(
            ("label_similarity",),
            lambda given: not given["label_similarity"] or given["labels"] != 1,
            "where there is one label alone",
            "give two or more",
        ),
    ),
    "NeighbourTagger": (
        Need(
            ("shift", "max_partners"),
            lambda given: given["method"] != "skipgram",
            "to method='skipgram', which draws pairs of instances",
            "use method='sppmi', 'weighted' or 'joint'",
        ),
        Need(
            ("shift", "max_partners", "regularization", "regression"),
            lambda given: given["method"] != "end_to_end" or given["start"] != "random",
            "to method='end_to_end' from a random start",
            "use start='sppmi'",
        ),
    ),
    "WordVectors": (
        Need(
            ("tokenizer",),
            lambda given: given["came_as"] != "tokens",
            "to sentences that come as lists of tokens",
            "give them as text",
        ),
        Need(
            ("sentences",),
            lambda given: given["came_as"] == "files",
            "to sentences that come one by one",
            "give paths of files",
        ),
    ),
}
"""Estimator → what its parameters need."""


def _some(ridge: Any) -> bool:
    """Whether any side has a ridge."""
    return any(ridge) if isinstance(ridge, tuple | list) else bool(ridge)


def defaults_of(kind: type[Any]) -> dict[str, Any]:
    """Parameter → default of a constructor, without those that have none."""
    parameters = signature(kind).parameters.items()
    return {name: one.default for name, one in parameters if one.default is not Parameter.empty}


def changed(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The values that differ from their defaults.

    >>> changed({"keep": 3, "exponents": [0, 1]}, {"keep": 3, "exponents": (0, 1)})
    {}
    """
    return {name: value for name, value in values.items() if name in defaults and _differs(value, defaults[name])}


def _differs(value: Any, default: Any) -> bool:
    if value is default:
        return False
    value, default = (tuple(one) if isinstance(one, list) else one for one in (value, default))
    try:
        return not bool(value == default)
    except (TypeError, ValueError):  # an array, which is no default
        return True


@dataclass(frozen=True)
class Given:
    """Parameters of one estimator as they are, those that differ from their defaults, and what they need."""

    needs: tuple[Need, ...]
    values: Mapping[str, Any]
    changed: Mapping[str, Any]

    @classmethod
    def of(cls, model: Any) -> Self:
        """Of an estimator."""
        values = model.get_params(deep=False)
        kinds = (kind.__name__ for kind in type(model).__mro__)
        needs = next((NEEDS[kind] for kind in kinds if kind in NEEDS), ())
        return cls(needs, values, changed(values, defaults_of(type(model))))

    def unused(self, **facts: Any) -> Iterator[tuple[str, str]]:
        """Every parameter that does nothing, and the sentence that says so."""
        for need in self.needs:
            for name in need.names:
                known = Known({**self.values, **facts})
                if name in self.changed and not need.met(known) and not known.lacks:
                    yield name, need.sentence(name, self.changed[name])

    def require_used(self, **facts: Any) -> None:
        """Refuse the first parameter that does nothing beside the others.

        facts : what a fit knows of its data; a need that asks for others waits for the call that has them
        """
        for _, sentence in self.unused(**facts):
            raise UnsoundCombinationError(sentence)


def require_used(model: Any, **facts: Any) -> None:
    """``Given.require_used`` of an estimator."""
    Given.of(model).require_used(**facts)


def unused(model: Any, **facts: Any) -> dict[str, str]:
    """Parameter that does nothing → the sentence that says so."""
    return dict(Given.of(model).unused(**facts))


def require_used_experts(settings: Sequence[Setting]) -> None:
    """The same of the settings that run side by side in an ``ExpertRatingStream``."""
    defaults = asdict(Setting())
    for number, setting in enumerate(settings):
        values = asdict(setting)
        for _, sentence in Given(_STREAM, values, changed(values, defaults)).unused():
            raise UnsoundCombinationError(f"experts: number {number}: {sentence}")


def settled(model: Model, **facts: Any) -> Model:
    """The same model, with parameters that do nothing at their defaults: for copies that are fitted to less data.

    A copy without the graph has no use for its weight, and a file of an earlier version may hold what is refused now.
    """
    idle = unused(model, **facts)
    defaults = defaults_of(type(model))
    if idle:
        model.set_params(**{name: defaults[name] for name in idle})
    return model
