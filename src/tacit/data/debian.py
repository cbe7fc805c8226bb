"""The bundled data set: Debian's package index with its debtags, positive and unlabelled by nature.

Volunteers tag packages by facets such as ``use::editing`` or ``implemented-in::python`` and never finish: a tag that
is there is right, a tag that is absent may just be missing. ``docs/data/debian.md`` says where it comes from.
"""

from dataclasses import dataclass
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import scipy.sparse as sp

from tacit.data.graph import adjacency
from tacit.data.interactions import Interactions
from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Debian:
    """Packages, their tags and what they need.

    table : name, description (one line), section, tags (list), depends and suggests (lists, among these packages)
    release : the Debian release that the index describes
    """

    table: "pl.DataFrame"
    release: str

    def __repr__(self) -> str:
        return f"Debian({self.table.height} packages of {self.release}, {self.tags.nnz} tags given)"

    @cached_property
    def tags(self) -> Interactions:
        """Packages × tags, with the graph of packages that name each other as row graph."""
        pairs = self._pairs("tags")
        positives = Interactions.from_table(pairs, row="name", col="tags")
        return positives.with_sides(row_graph=self._graph(positives))

    @cached_property
    def dependencies(self) -> Interactions:
        """Packages that depend on others × the packages they depend on."""
        return Interactions.from_table(self._pairs("depends"), row="name", col="depends")

    @cached_property
    def relations(self) -> Interactions:
        """Packages × the packages they depend on, recommend or suggest."""
        import polars as pl

        named = [self._pairs(relation).rename({relation: "to"}) for relation in ("depends", "suggests")]
        return Interactions.from_table(pl.concat(named), row="name", col="to", binary=True)

    def first(self, packages: int) -> "Debian":
        """The first so many packages, for a quicker look; relations go to packages among them."""
        import polars as pl

        table = self.table.head(packages)
        among = pl.element().filter(pl.element().is_in(table["name"].implode()))
        return Debian(table.with_columns(pl.col("depends", "suggests").list.eval(among)), self.release)

    def descriptions(self) -> list[str]:
        """One line per package, in the order of the rows of ``tags``."""
        text = dict(zip(self.table["name"].to_list(), self.table["description"].to_list()))
        return [text[name] for name in self.tags.row_ids.all().tolist()]

    def _pairs(self, relation: Literal["tags", "depends", "suggests"]) -> "pl.DataFrame":
        return self.table.select("name", relation).explode(relation).drop_nulls()

    def _graph(self, positives: Interactions) -> sp.csr_array:
        import polars as pl

        edges = [self._pairs(relation).rename({relation: "to"}) for relation in ("depends", "suggests")]
        return adjacency(pl.concat(edges), positives.row_ids, source="name")


def load_debian() -> Debian:
    """The bundled index: about 10,000 well-tagged packages; needs no download.

    >>> debian = load_debian()
    >>> debian.tags.shape[0]
    10000
    >>> "interface::text-mode" in debian.tags.col_ids
    True
    """
    with as_file(files("tacit.data") / "bundled" / "debian.parquet") as path:
        return _read(path)


def _read(path: Path) -> Debian:
    import polars as pl

    try:
        table, release = pl.read_parquet(path), pl.read_parquet_metadata(path)["release"]
    except (pl.exceptions.PolarsError, OSError, KeyError) as error:
        raise InputError(
            f"the bundled data set is damaged ({str(error).splitlines()[0]}); install Tacit again."
        ) from None
    text, texts = pl.String(), pl.List(pl.String())
    schema = {"name": text, "description": text, "section": text, "tags": texts, "depends": texts, "suggests": texts}
    if dict(table.schema) != schema or table["name"].null_count() or not table["name"].is_unique().all():
        raise InputError("the bundled data set is not the one that came with Tacit; install Tacit again.")
    return Debian(table, release)
