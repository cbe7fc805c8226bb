"""Write docs/bad-input.md: messy inputs and what Tacit says, by Python and on the command line.

Every sentence on the page is what the program said when this script ran; none is typed. Messy files are those of
``tests/cli/test_messy_inputs.py``, other cases of the command line those of ``tests/cli/test_bad_input.py``. Sentences
that quote another library (polars, click) are left out, because they change with its version.

    python scripts/bad_input.py           write the page
    python scripts/bad_input.py --check   fail if the committed page is not what would be written
"""

import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "bad-input.md"
QUOTES_OTHERS = ("could not be read:", "shows what can be given.")

SETTING = """
import numpy as np, polars as pl, scipy.sparse as sp, tacit
from tacit import FactorRecommender, Interactions

pairs = {"who": ["ann", "ann", "bob"], "what": ["tea", "jam", "tea"], "times": [3, 1, 2]}
data = Interactions.from_table(pairs, row="who", col="what", weight="times")
model = FactorRecommender(2, progress=False).fit(data)
"""

CALLS = [
    'Interactions.from_table(pairs, row="user", col="what")',
    'Interactions.from_table(pairs, row="who", col="waht")',
    'Interactions.from_table(pairs, row="who", col="what", weight="what")',
    'Interactions.from_table(pairs, row="who", col="what", duplicates="mean")',
    'Interactions.from_table({"who": ["ann", None], "what": [1, 2]}, row="who", col="what")',
    'Interactions.from_table({"who": ["ann", 7], "what": [1, 2]}, row="who", col="what")',
    'Interactions.from_table({"who": ["ann"], "what": [1, 2]}, row="who", col="what")',
    'Interactions.from_table({"who": ["a", "a"], "what": [1, 1]}, row="who", col="what", duplicates="error")',
    'Interactions.from_table({"who": [1], "what": [2], "n": [-1.0]}, row="who", col="what", weight="n")',
    'Interactions.from_table({"who": [1], "what": [2], "t": ["soon"]}, row="who", col="what", time="t")',
    'Interactions.from_table(np.eye(2), row="who", col="what")',
    'Interactions.from_table("clicks.xlsx", row="who", col="what")',
    'Interactions.from_table(pairs, row="who", col="what", min_row_count=9)',
    'Interactions.from_matrix(np.eye(2), row_ids=["ann", "ann"])',
    'Interactions.from_matrix(np.eye(2), row_ids=["ann"])',
    'data.split(test=1.5)',
    'data.split(by="last")',
    'FactorRecommender().fit("clicks.csv")',
    'FactorRecommender().fit(pl.DataFrame(pairs))',
    'FactorRecommender().fit(sp.csr_array((3, 3)))',
    'FactorRecommender().fit(np.array([[1.0, -1.0]]))',
    'FactorRecommender().fit(sp.csr_array(np.array([[1.0, np.nan]])))',
    'FactorRecommender().fit(data, row_features=np.eye(3))',
    'FactorRecommender(factors=0).fit(data)',
    'FactorRecommender(regularization=-0.1).fit(data)',
    'FactorRecommender(unlabelled_weight=0).fit(data)',
    'FactorRecommender(loss="hinge").fit(data)',
    'FactorRecommender(solver="sgd").fit(data)',
    'FactorRecommender(solver="als", nonnegative=True).fit(data)',
    'FactorRecommender(held_out=1).fit(data)',
    'FactorRecommender(patience=5).fit(data)',
    'FactorRecommender(graph_weight=2.0).fit(data)',
    'tacit.LinearRecommender("dense", keep=5).fit(data)',
    'tacit.RatingStream(adaptation=None, delta=0.5).fit(["ann"], ["tea"], [5])',
    'tacit.OrdinalRanker(step="decay").fit(np.eye(4), [0, 1, 0, 1])',
    'FactorRecommender(threads=-1).fit(data)',
    'FactorRecommender(random_state="seven").fit(data)',
    'FactorRecommender(checkpoint="no/such/folder/point").fit(data)',
    'FactorRecommender(callback="print").fit(data)',
    'FactorRecommender().recommend("ann")',
    'model.recommend("eve")',
    'model.recommend("ann", k=0)',
    'model.recommend("ann", include=["tee"])',
    'model.recommend("ann", include="tea")',
    'model.score(["ann", "bob"], ["tea", "jam", "tea"])',
    'model.fold_in(np.ones((1, 5)))',
    'model.fold_in(np.ones((1, 2)), add=True)',
    'model.partial_fit(np.eye(5))',
    'model.save("no/such/folder/model")',
    'tacit.load("model that is not there")',
    'tacit.load("shop.csv")',
    'tacit.load("short.tacit")',
]  # fmt: skip


def told_by_python(call: str, names: dict[str, Any]) -> tuple[str, str]:
    """The kind of exception that a call raises, and its sentence."""
    from sklearn.exceptions import NotFittedError

    from tacit.errors import TacitError

    try:
        eval(call, names)
    except (TacitError, NotFittedError) as error:
        # Where the temporary folder is differs from run to run.
        return type(error).__name__, str(error).replace(f"{Path().resolve()}/", "")
    raise AssertionError(f"{call} was not refused")


def told_by_the_command_line(command: str, places: dict[str, Any]) -> str:
    """The last line on standard error of a command that must end with exit code 2."""
    from tacit.cli.app import main

    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            main([part.format(**places) for part in command.split()])
        except SystemExit as stopped:
            assert stopped.code == 2, command
            return said.getvalue().splitlines()[-1].removeprefix("tacit: ")
    raise AssertionError(f"{command} was not refused")


def messy_files() -> list[tuple[str, str, str, str]]:
    """Name, what the file holds, the command and the sentence of each messy file."""
    from tests.cli import test_messy_inputs as cases

    found = []
    for name, (_, content, *_) in cases.MESSY.items():
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            cases.write(Path(), name)
            sentence = told_by_the_command_line(cases.typed(name), {})
        shown = "packed bytes" if content.startswith(b"\x1f\x8b") else ascii(content[:60])[2:-1].replace("\\n", " ⏎ ")
        found.append((name, shown, cases.typed(name), sentence))
    return found


def page() -> str:
    from tests.cli.test_bad_input import CASES, make_places

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            places = make_places(Path())
        names: dict[str, Any] = {}
        exec(SETTING, names)
        python = [(call, *told_by_python(call, names)) for call in CALLS]
        typed = [
            (name, command.format(**places), told_by_the_command_line(command, places))
            for name, (command, _) in CASES.items()
        ]
    typed = [case for case in typed if not any(quote in case[2] for quote in QUOTES_OTHERS)]
    messy = messy_files()
    parts = [
        "# Messy inputs and what Tacit says\n",
        "<!-- Written by scripts/bad_input.py from what the program says; do not edit. -->\n",
        "One sentence, which names the parameter and the remedy. In Python it is the message of an exception; on the",
        "command line it is one line on standard error, with exit code 2. Lines are counted as an editor counts.\n",
        f"## Messy files ({len(messy)} cases)\n",
        *(
            f"{name}: `tacit {command}`, where the file {f'holds `{shown}`' if shown else 'is empty'}\n\n> {sentence}\n"
            for name, shown, command, sentence in messy
        ),
        f"## In Python ({len(python)} cases)\n",
        f"After\n\n```python\n{SETTING.strip()}\n```\n",
        *(f"`{call}`\n\n> {kind}: {sentence}\n" for call, kind, sentence in python),
        f"## On the command line ({len(typed)} cases)\n",
        *(f"{name}: `tacit {command}`\n\n> {sentence}\n" for name, command, sentence in typed),
    ]
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    sys.path.insert(0, str(ROOT))
    # Help texts and sentences must not depend on the width of whoever runs this.
    os.environ["COLUMNS"] = "120"
    written = page()
    if "--check" not in arguments:
        PAGE.write_text(written, encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == written:
        return 0
    print("docs/bad-input.md is not what the program says now; run python scripts/bad_input.py.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
