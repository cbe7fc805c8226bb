"""One table or figure by name: measure it, then give it back as JSON; ``tacit bench`` shows it.

    python -m benchmarks.bench --list
    python -m benchmarks.bench NAME [--quick] [--show]
    python -m benchmarks.bench --html FILE

``--show`` measures nothing and takes the results files as they are. The programs' own output goes to standard error.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks import registry
from benchmarks.launch import ABSENT, launch
from benchmarks.report_page import benchmark_page


def measure(name: str, quick: bool) -> list[str]:
    """Call the programs; gives back a sentence for each that could not do its work."""
    remarks = []
    for call in registry.commands(name, quick):
        ended = launch(*call, stdout=sys.stderr)
        if ended:
            why = "its data are not here" if ended == ABSENT else f"it ended with {ended}"
            remarks.append(f"{' '.join(call)} did not measure: {why}.")
    return remarks


def document(name: str, quick: bool, remarks: list[str]) -> dict[str, Any]:
    """All there is to show of one table or figure."""
    records = registry.records(name, quick)
    return {
        "name": name,
        "title": registry.title(name),
        "paper": registry.citation(name),
        "quick": quick,
        "tables": [table.to_dict() for table in registry.tables(name, quick)],
        "remarks": remarks,
        "sources": [
            {"command": record["command"], "date": record["date"], "machine": record["machine"]}
            for record in records
            if record
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?")
    parser.add_argument("--list", action="store_true", help="the names that there are")
    parser.add_argument("--quick", action="store_true", help="less than two minutes, into a results file of its own")
    parser.add_argument("--show", action="store_true", help="measure nothing, show what was measured last")
    parser.add_argument("--html", type=Path, help="write all that was measured so far as one page")
    given = parser.parse_args()
    if given.html:
        given.html.write_text(benchmark_page(), encoding="utf-8")
        print(json.dumps({"page": str(given.html)}))
        return
    if given.list:
        print(json.dumps({name: registry.title(name) for name in registry.names()}, ensure_ascii=False))
        return
    if given.name not in registry.names():
        raise SystemExit(f"there is no table {given.name!r}; --list shows the names.")
    remarks = [] if given.show else measure(given.name, given.quick)
    print(json.dumps(document(given.name, given.quick, remarks), ensure_ascii=False))


if __name__ == "__main__":
    main()
