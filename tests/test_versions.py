"""Files of earlier versions load, or are refused in one sentence that names the version and what to do."""

import re
from pathlib import Path

import pytest

import tacit
from tacit.errors import ModelFileError

FILES = sorted((Path(__file__).parent / "files").glob("*/*.tacit"))
READ = {"0.1.0": {"WordVectors"}}
"""Version → kinds whose files still load."""


def test_there_is_a_file_of_every_kind_that_the_first_version_saved():
    assert {path.stem for path in FILES if path.parent.name == "0.1.0"} == {
        "BlendTagger", "ExpertRatingStream", "FactorRecommender", "FactorTagger", "NeighbourTagger", "OrdinalRanker",
        "RatingStream", "TextTagger", "WordVectors",
    }  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.stem} {path.parent.name}")
def test_an_old_file_loads_or_is_refused_in_one_sentence(path):
    version = path.parent.name
    if path.stem in READ[version]:
        assert type(tacit.load(path)).__name__ == path.stem
        return
    with pytest.raises(ModelFileError) as refused:
        tacit.load(path)
    said = str(refused.value)
    assert f"was written by Tacit {version}, and Tacit {tacit.__version__} cannot read its {path.stem}" in said
    assert said.endswith(f"; fit the model again, or use it with tacit=={version}.")
    assert "\n" not in said


def test_old_word_vectors_answer_as_they_did():
    words = tacit.load(next(path for path in FILES if path.stem == "WordVectors"))
    assert "bread" in words
    assert words.most_similar("bread", k=1)[0][0] == NEAREST


NEAREST = "soup"
"""What 0.1.0 itself answered."""


def test_the_citation_and_the_changelog_name_this_version():
    root = Path(__file__).parents[1]
    assert f"\nversion: {tacit.__version__}\n" in (root / "CITATION.cff").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == tacit.__version__
