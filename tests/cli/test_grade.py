"""``tacit fit grade`` and ``tacit grade``."""

import csv
import io

import numpy as np
import pytest

from tacit.cli.app import main


@pytest.fixture
def wines(tmp_path):
    """Two hundred wines, sixty of them graded in words."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 2))
    grade = np.array(["poor", "fair", "good"])[np.digitize(X[:, 0] + X[:, 1], [-0.8, 0.8])]
    path = tmp_path / "wines.csv"
    lines = [f"w{i},{a:.4f},{b:.4f},{grade[i] if i < 60 else ''}" for i, (a, b) in enumerate(X)]
    path.write_text("\n".join(["name,acid,sugar,quality", *lines]) + "\n")
    return path, grade


FIT = ("--grade", "quality", "--order", "poor,fair,good", "--n-components", 32)


def test_a_table_is_learned_and_new_rows_are_graded(tacit, tacit_json, wines, tmp_path):
    path, truth = wines
    model = tmp_path / "wines.tacit"
    outcome = tacit_json("fit", "grade", path, "-o", model, *FIT)
    assert outcome["graded"] == 60 and outcome["rows"] == 200
    assert outcome["features"] == ["acid", "sugar"]
    assert outcome["grades"] == ["poor", "fair", "good"]
    assert outcome["auc"] > 0.9
    rows = list(csv.DictReader(io.StringIO(tacit("grade", model, path, "--id", "name"))))
    assert [row["id"] for row in rows] == [f"w{i}" for i in range(200)]
    assert np.mean([row["grade"] == known for row, known in zip(rows, truth)]) > 0.85


def test_the_best_come_first_and_chances_sum_to_one(tacit_json, wines, tmp_path):
    path, _ = wines
    model = tmp_path / "wines.tacit"
    tacit_json("fit", "grade", path, "-o", model, *FIT)
    found = tacit_json("grade", model, path, "--best", 5, "--chances")
    scores = [row["score"] for row in found]
    assert len(found) == 5 and scores == sorted(scores, reverse=True)
    assert sum(found[0][f"p({grade})"] for grade in ("poor", "fair", "good")) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--grade", "stars"], "no column 'stars'"),
        (["--grade", "quality"], "--order"),
        (["--grade", "quality", "--order", "poor,good"], "'fair'"),
        (
            ["--grade", "quality", "--order", "poor,fair,good", "--leave", "acid", "--leave", "sugar"],
            "no column of numbers",
        ),
    ],
)
def test_bad_input_is_one_sentence(wines, tmp_path, capsys, arguments, why):
    with pytest.raises(SystemExit) as stopped:
        main(["fit", "grade", str(wines[0]), "-o", str(tmp_path / "m"), *arguments])
    assert stopped.value.code == 2
    assert why in capsys.readouterr().err


def test_a_picture_of_grades(wines, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    from tacit import OrdinalRanker

    X = np.random.default_rng(0).standard_normal((50, 2))
    y = np.where(np.arange(50) < 30, np.digitize(X[:, 0], [0.0]) + 1, -1)
    axes = OrdinalRanker(n_components=16).fit(X, y).plot(X, y)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["ungraded", "1", "2"]
    axes.figure.savefig(tmp_path / "grades.png")
    assert (tmp_path / "grades.png").stat().st_size > 1000
