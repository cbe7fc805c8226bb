"""Two small workers on loopback that all tests of a session share, and small files."""

import pytest

from tests.cluster.jobs import write_files

pytest.importorskip("distributed")


@pytest.fixture(scope="session")
def client():
    from tacit.cluster import connected

    with connected(workers=2) as client:
        yield client


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    write_files(folder)
    return folder


@pytest.fixture(scope="session")
def parts(files):
    """3 files, ids that are numbers and texts, pairs that repeat across files."""
    return str(files / "part-*.parquet")
