"""The blend that validation chose, on the test rows."""

from typing import Any


def render(record: dict[str, Any]) -> str:
    test = record["figures"]["test"]
    lines = ["| blend | P@1 | P@3 | P@5 |", "|---|---:|---:|---:|"]
    for name, (first, third, fifth) in record["figures"]["validation"].items():
        lines.append(f"| validation: {name} | {first:.2f} | {third:.2f} | {fifth:.2f} |")
    lines.append(f"| **test**: {test['blend']} | {test['P@1']:.2f} | {test['P@3']:.2f} | {test['P@5']:.2f} |")
    return "\n".join(lines)
