"""Two small workers on loopback that all tests of a session share, and parts of a table with a long tail."""

import numpy as np
import polars as pl
import pytest

pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def client():
    from tacit.cluster import connected

    with connected(workers=2) as client:
        yield client


@pytest.fixture(scope="session")
def parts(tmp_path_factory):
    """3 files, ids that are numbers and texts, pairs that repeat across files."""
    folder = tmp_path_factory.mktemp("parts")
    rng = np.random.default_rng(0)
    size, people, things = 30_000, 1500, 300
    frame = pl.DataFrame(
        {
            "who": rng.integers(0, people, size) * 7,
            "what": [f"t{n}" for n in (rng.pareto(1.2, size) * 20).astype(int) % things],
            "times": rng.integers(1, 5, size).astype(np.float32),
        }
    )
    for place in range(3):
        frame[place * 10_000 : (place + 1) * 10_000].write_parquet(folder / f"part-{place}.parquet")
    return str(folder / "*.parquet")
