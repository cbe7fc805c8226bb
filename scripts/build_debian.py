"""Rebuild the bundled Debian index from ``apt-cache dumpavail``.

    apt-get update && python scripts/build_debian.py

Of all packages of the main section that carry debtags, the best tagged are kept (ties in alphabetical order; the
index knows nothing of popularity), without placeholders such as dummy packages and debug symbols. Tags that say
"somebody should fill this in" (``::TODO``) and tags about the archive instead of the content are dropped first.
"""

import argparse
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import polars as pl

TARGET = Path(__file__).parents[1] / "src/tacit/data/bundled/debian.parquet"
PLACEHOLDERS = {"role::dummy", "role::debug-symbols", "role::metapackage"}
NAME = re.compile(r"[a-z0-9][a-z0-9+.-]*")


def stanzas(text: str) -> Iterator[dict[str, str]]:
    """Fields of each package; a line that begins with a blank continues the field above it."""
    for block in text.split("\n\n"):
        fields: dict[str, str] = {}
        field = ""
        for line in block.splitlines():
            if line[:1].isspace():
                fields[field] += " " + line.strip()
            else:
                field, _, value = line.partition(":")
                fields[field] = value.strip()
        if "Package" in fields:
            yield fields


def content_tags(field: str) -> list[str]:
    """Tags about what a package is and does, in order."""
    tags = {tag.strip() for tag in field.split(",") if tag.strip()}
    return sorted(tag for tag in tags if not tag.endswith(":TODO") and "special:" not in tag)


def named_in(fields: dict[str, str], *kinds: str) -> list[str]:
    """Packages that these fields name; of alternatives the first, which the maintainer prefers."""
    entries = ",".join(fields.get(kind, "") for kind in kinds).split(",")
    found = (NAME.match(entry.strip()) for entry in entries)
    return sorted({name[0] for name in found if name})


def build(text: str, packages: int) -> pl.DataFrame:
    rows = []
    for fields in stanzas(text):
        tags = content_tags(fields.get("Tag", ""))
        # A section like "contrib/games" is not part of Debian proper.
        if tags and not PLACEHOLDERS & set(tags) and "/" not in fields.get("Section", "/"):
            rows.append(
                {
                    "name": fields["Package"],
                    "description": fields.get("Description", fields.get("Description-en", "")),
                    "section": fields["Section"],
                    "tags": tags,
                    "depends": named_in(fields, "Pre-Depends", "Depends"),
                    "suggests": named_in(fields, "Recommends", "Suggests"),
                }
            )
    rows.sort(key=lambda row: (-len(row["tags"]), row["name"]))
    kept = sorted(rows[:packages], key=lambda row: row["name"])
    names = {row["name"] for row in kept}
    for row in kept:
        for relation in ("depends", "suggests"):
            row[relation] = [name for name in row[relation] if name in names and name != row["name"]]
    return pl.DataFrame(kept)


def release() -> str:
    """What the index describes, from the system that offers it."""
    facts = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    return facts["PRETTY_NAME"].strip('"')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packages", type=int, default=10_000)
    parser.add_argument("--output", type=Path, default=TARGET)
    options = parser.parse_args()
    dump = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, check=True).stdout.decode("utf-8")
    table = build(dump, options.packages)
    table.write_parquet(options.output, compression="zstd", compression_level=19, metadata={"release": release()})
    print(
        f"{table.height} packages, {table['tags'].explode().n_unique()} tags, {table['tags'].list.len().sum()} "
        f"package-tag pairs, {table['depends'].list.len().sum()} dependencies, "
        f"{table['suggests'].list.len().sum()} suggestions, "
        f"{options.output.stat().st_size / 1e6:.2f} MB in {options.output}"
    )


if __name__ == "__main__":
    main()
