"""The rating streams as river's rankers, for evaluators that ask ``isinstance(model, Ranker)``.

``from tacit.estimators.stream.for_river import RatingStream`` gives a class that has river's base and changes nothing
else; ``tacit.RatingStream`` itself has river's calls. The classes are made on first use, because only they need river.
"""

from typing import Any

from tacit.errors import MissingExtraError
from tacit.estimators.stream.expert_rating_stream import ExpertRatingStream
from tacit.estimators.stream.rating_stream import RatingStream

_BASES = {"RatingStream": RatingStream, "ExpertRatingStream": ExpertRatingStream}
del RatingStream, ExpertRatingStream


def __getattr__(name: str) -> Any:
    if name not in _BASES:
        raise AttributeError(f"tacit.estimators.stream.for_river offers {', '.join(_BASES)}, not {name!r}.")
    try:
        from river.reco.base import Ranker
    except ImportError:
        raise MissingExtraError("river's rankers need river: install it with 'pip install river'.") from None
    base = _BASES[name]
    # The module's own name lets the class be found again when an instance is copied to another process.
    globals()[name] = type(Ranker)(name, (base, Ranker), {"__doc__": base.__doc__, "__module__": __name__})
    return globals()[name]
