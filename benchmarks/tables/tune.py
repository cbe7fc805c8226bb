"""What ``tacit.tune`` finds from no knowledge."""

from typing import Any

from benchmarks.tables import table


def render(record: dict[str, Any]) -> str:
    rows = [
        [data, name, f"{found['ndcg@10']:.4f}", *(_number(found.get(key)) for key in ("trials", "seconds"))]
        for data, searches in record["figures"].items()
        for name, found in searches.items()
    ]
    return table(["data", "how", "NDCG@10 on the test part", "trials", "seconds"], rows)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
