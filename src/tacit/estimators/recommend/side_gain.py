"""Do features and graphs help? Fit with and without them, and compare on data neither has seen."""

from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from tacit.data.interactions import SIDES, Interactions
from tacit.errors import InputError
from tacit.metrics.evaluation import evaluate_factors

if TYPE_CHECKING:
    from tacit.estimators.recommend.factor_recommender import FactorRecommender

HELD_OUT = 0.1
AT = 10


def measure(model: "FactorRecommender", data: Interactions) -> dict[str, Any]:
    """NDCG@10 on a tenth of the positives with and without the sides, and one sentence that says what it means."""
    given = [name for name in SIDES if getattr(data, name) is not None]
    if not given:
        raise InputError("report_gain=True compares with and without features and graphs; give some to fit.")
    if data.context_ids:
        raise InputError("report_gain=True does not know contexts yet; compare fits on your own split instead.")
    train, test = data.split(test=HELD_OUT, seed=0)
    bare = Interactions(train.matrix, train.row_ids, train.col_ids)
    scores = {}
    for name, part in (("with", train), ("without", bare)):
        fitted = clone(model).set_params(checkpoint=None, callback=None).fit(part)
        found = evaluate_factors(
            fitted.row_factors_, fitted.col_factors_, train.matrix, test.matrix, k=AT, metrics=("ndcg",)
        )
        scores[name] = float(found[f"ndcg@{AT}"])
    gain = scores["with"] - scores["without"]
    verdict = "help" if gain > 0 else "do not help"
    sentence = (
        f"{' and '.join(given)} {verdict}: NDCG@{AT} {scores['with']:.4f} with and {scores['without']:.4f} without "
        f"on {test.nnz} held-out positives."
    )
    return {**scores, "gain": gain, "metric": f"ndcg@{AT}", "positives": test.nnz, "sentence": sentence}
