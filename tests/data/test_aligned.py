"""Tables of numbers for ids and for pairs of ids."""

import pytest

from tacit.data.aligned import numbers_of_ids, numbers_of_positives
from tacit.data.ids import Ids
from tacit.data.interactions import Interactions
from tacit.errors import InputError


@pytest.mark.parametrize("ids", [["007", "008"], ["7", "8"]])
def test_ids_that_are_text_are_read_as_text(ids, tmp_path):
    (tmp_path / "p.csv").write_text(f"who,p\n{ids[1]},2\n{ids[0]},1\n")
    assert numbers_of_ids(str(tmp_path / "p.csv"), Ids(ids), "--row-weights").tolist() == [1.0, 2.0]
    (tmp_path / "t.csv").write_text(f"who,what,t\n{ids[0]},3,1.5\n{ids[1]},4,2.5\n")
    data = Interactions.from_table({"who": ids, "what": [3, 4]}, row="who", col="what")
    found = numbers_of_positives(str(tmp_path / "t.csv"), data, "--targets")
    assert found.toarray().tolist() == [[1.5, 0.0], [0.0, 2.5]]


def test_two_numbers_for_one_are_refused_and_the_same_twice_is_one():
    ids = Ids(["a", "b"])
    assert numbers_of_ids({"who": ["a", "b", "a"], "p": [1.0, 2.0, 1.0]}, ids, "row_weight").tolist() == [1.0, 2.0]
    with pytest.raises(InputError, match="several numbers for 'a', such as 1 and 3; give one for each"):
        numbers_of_ids({"who": ["a", "b", "a"], "p": [1.0, 2.0, 3.0]}, ids, "row_weight")
    data = Interactions.from_table({"who": ["a"], "what": ["x"]}, row="who", col="what")
    with pytest.raises(InputError, match="several numbers for 'a' with 'x', such as 1 and 2"):
        numbers_of_positives({"who": ["a", "a"], "what": ["x", "x"], "t": [1.0, 2.0]}, data, "targets")
