"""``make bench`` finds the benchmarks and calls them as they want to be called."""

import runpy
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "benchmarks"


def test_programs_are_found_and_called_as_they_want():
    run = runpy.run_path(str(FOLDER / "run.py"))
    measuring, pictures = run["programs"]()
    assert {"recommend", "sweep", "words", "load_csv"} <= set(measuring)
    assert "words_figures" in pictures
    assert run["commands"](["recommend", "load_csv"], True) == [["recommend.py", "--quick"]]
    assert run["commands"](["recommend", "load_csv"], False) == [["recommend.py"], ["load_csv.py"]]
    for name, tables in run["ARGUMENTS"].items():
        text = (FOLDER / f"{name}.py").read_text("utf-8")
        assert all(f'"{table}"' in text for table in tables)
        assert [f"{name}.py", tables[0], "--quick"] in run["commands"]([name], True)
