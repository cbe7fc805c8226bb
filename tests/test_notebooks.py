"""The notebooks of the docs run, and hold what their cells print."""

import importlib.util
import json
from pathlib import Path

import pytest

from scripts.rounding import is_same

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).parents[1]
_spec = importlib.util.spec_from_file_location("notebooks", ROOT / "scripts" / "notebooks.py")
notebooks = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(notebooks)


def printed(notebook):
    """The text of each cell; what is printed arrives in pieces of any size."""
    return [
        "".join("".join(part.get("text", part.get("data", {}).get("text/plain", ""))) for part in cell["outputs"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


@pytest.mark.jit
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", notebooks.CELLS)
def test_the_notebook_holds_what_its_cells_print(name):
    stored = json.loads((ROOT / "docs" / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert any(printed(stored))
    cells = list(zip(printed(stored), printed(notebooks.executed(name)), strict=True))
    assert [(shown, now) for shown, now in cells if not is_same(shown, now)] == []
