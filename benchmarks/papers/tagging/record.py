"""A results file that grows piece by piece, so that a long table may be measured in several sittings."""

from typing import Any

from benchmarks import results


class Record:
    """``results/tag-TABLE.json``: figures by data set and method.

    Parameters
    ----------
    table : its name
    quick : the small version has a file of its own
    missing : keep the pieces that the file has, instead of measuring all anew
    """

    def __init__(self, table: str, quick: bool = False, missing: bool = False) -> None:
        self.name = f"tag-{table}" + ("-quick" if quick else "")
        self.command = f"python -m benchmarks.papers.tag {table}" + (" --quick" if quick else "")
        self.missing = missing
        exists = (results.FOLDER / f"{self.name}.json").exists()
        self.figures: dict[str, Any] = results.read(self.name)["figures"] if exists else {}

    def lacks(self, data: str, method: str) -> bool:
        """Whether this piece has to be measured."""
        return not self.missing or method not in self.figures.get(data, {})

    def put(self, data: str, method: str, figures: dict[str, Any]) -> None:
        """Write the file with this piece in it."""
        # Another sitting may have written since.
        if (results.FOLDER / f"{self.name}.json").exists():
            self.figures = results.read(self.name)["figures"]
        self.figures.setdefault(data, {})[method] = figures
        self.write(self.figures)
        print(data, method, figures, flush=True)

    def write(self, figures: Any) -> None:
        results.write(self.name, figures, command=self.command)
