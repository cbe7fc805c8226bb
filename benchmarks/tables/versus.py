"""The five jobs beside their peers."""

from typing import Any

from benchmarks.tables import table
from benchmarks.views.versus import view

TITLES = {"recommend": "Recommend", "tag": "Tag", "words": "Words", "stream": "Stream", "grade": "Grade"}


def render(record: dict[str, Any]) -> str:
    parts = []
    for job in record["figures"]:
        parts.append(f"### {TITLES[job]}\n\n![accuracy against time](figures/versus-{job}.svg)")
        for one in view(job)(record["figures"]):
            used = [place for place, _ in enumerate(one.headings) if any(row[place] for row in one.rows)]
            rows = [[row[place] for place in used] for row in one.rows]
            body = table([one.headings[place] for place in used], rows)
            parts.append(f"**{one.title}**\n\n{body}\n\n" + "\n".join(one.notes))
    return "\n\n".join(parts)
