"""Write the notebooks of the docs from the cells below, and run them.

python scripts/notebooks.py    write docs/notebooks/*.ipynb with the output of every cell
"""

from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
CELLS: dict[str, list[str]] = {
    "shop": [
        "# A shop: who may want what\n\nPurchases as a table. Ids are yours and come back as they went in.",
        'import tacit\n\ntable = {\n    "who": ["ann", "ann", "bob", "bob", "cyd", "cyd", "dan", "dan"],\n'
        '    "what": ["tea", "jam", "tea", "bread", "saw", "nail", "saw", "glue"],\n}\n'
        'data = tacit.Interactions.from_table(table, row="who", col="what")\ndata',
        "Fit, and ask for two lists.",
        "model = tacit.FactorRecommender(2, random_state=0).fit(data)\n"
        'model.recommend(["ann", "dan"], k=2).to_polars()',
        "Somebody new buys tea: her list follows at once, without a refit.",
        'model.add("eve", "tea")\nmodel.recommend(["eve"], k=2).to_polars()',
    ],
    "curator": [
        "# A curator: tags that were forgotten\n\nTexts with tags. One red thing lacks its tag.",
        "import tacit\n\n"
        'texts = [f"a {colour} {thing}" for colour in ("red", "blue") for thing in ("ball", "boat", "kite", "hat")]\n'
        'tags = [[text.split()[1]] for text in texts]\ntags[3] = ["worn"]\n'
        "tagger = tacit.TextTagger(tacit.KernelTagger(), min_count=1).fit(texts, tags)",
        "Which tags does a new text get, and why?",
        'print(tagger.predict_topk(["a red coat"], k=1))\nprint(tagger.words_for("a red coat", "red"))',
    ],
    "researcher": [
        "# A researcher: a loss of one's own, beside a baseline\n\nThe bundled index of Debian; a fifth is held out.",
        "import numpy as np\n\nimport tacit\nfrom tacit.baselines.popularity import Popularity\n"
        "from tacit.data import load_debian\nfrom tacit.metrics import evaluate\n\n"
        "packages = load_debian().relations.filtered(min_row_count=2, min_col_count=2)\n"
        "train, test = packages.split(test=0.2, seed=0)",
        "The derivatives are compared with finite differences when the loss is given.",
        'loss = tacit.custom_loss(\n    "pseudo_huber",\n    value=lambda r, s: np.sqrt(1 + (r - s) ** 2) - 1,\n'
        "    first=lambda r, s: (s - r) / np.sqrt(1 + (r - s) ** 2),\n"
        "    second=lambda r, s: (1 + (r - s) ** 2) ** -1.5,\n    curvature_bound=1.0,\n)\n"
        'models = {"square": tacit.FactorRecommender(16), "own loss": tacit.FactorRecommender(16, loss=loss)}\n'
        'for name, model in {**models, "popularity": Popularity()}.items():\n'
        "    print(f\"{name:<11}{evaluate(model.fit(train), train, test, k=10)['ndcg@10']:.2f}\")",
    ],
}
"""Notebook → cells in turn: one that is no Python is text."""


def is_text(cell: str) -> bool:
    return cell.startswith("#") or (cell.rstrip().endswith((".", "?")) and "\n" not in cell)


def built(name: str) -> Any:
    """The notebook before it is run; equal cells give equal files."""
    import nbformat.v4 as form

    cells = [
        (form.new_markdown_cell if is_text(cell) else form.new_code_cell)(cell, id=f"{name}-{number}")
        for number, cell in enumerate(CELLS[name])
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return form.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def executed(name: str) -> Any:
    """The notebook with the outputs of its cells, without times and versions of the machine that ran it."""
    from nbclient import NotebookClient

    notebook = built(name)
    NotebookClient(notebook, timeout=120, kernel_name="python3", record_timing=False).execute()
    notebook.metadata.pop("language_info", None)
    return notebook


def main() -> None:
    import nbformat

    FOLDER.mkdir(exist_ok=True)
    for name in CELLS:
        nbformat.write(executed(name), FOLDER / f"{name}.ipynb")
        print(f"docs/notebooks/{name}.ipynb")


if __name__ == "__main__":
    main()
