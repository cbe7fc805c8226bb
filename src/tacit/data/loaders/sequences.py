"""Sequences of S3-Rec (CIKM 2020): what each user bought or heard, in order, and attributes of the items."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacit.data.compressed import read_text
from tacit.data.interactions import Interactions
from tacit.data.loaders.folder import find
from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl

_NAMES = ("Toys_and_Games", "LastFM", "Beauty", "Sports_and_Outdoors", "Yelp")


@dataclass(frozen=True)
class Sequences:
    """events : user, item, position (from 0, in time order); attributes : item, attribute."""

    name: str
    events: "pl.DataFrame"
    attributes: "pl.DataFrame"

    def __repr__(self) -> str:
        return f"Sequences({self.name!r}: {self.events.height} events)"

    def interactions(self) -> Interactions:
        """Users × items; the place in a user's sequence is the time, so ``split(by="last")`` leaves one out."""
        return Interactions.from_table(self.events, row="user", col="item", time="position")


def load_sequences(name: str = "Toys_and_Games") -> Sequences:
    """A sequence set by name; Toys_and_Games has 19,412 users and 11,924 items, LastFM 1,090 and 3,646."""
    import polars as pl

    if name not in _NAMES:
        raise InputError(f"name={name!r} is not one of {', '.join(_NAMES)}.")
    where = "github.com/RUCAIBox/CIKM2020-S3Rec"
    users: list[int] = []
    items: list[int] = []
    positions: list[int] = []
    for line in read_text(find("sequences", f"{name}.txt", where)).splitlines():
        user, *seen = map(int, line.split())
        users += [user] * len(seen)
        items += seen
        positions += range(len(seen))
    result = json.loads(read_text(find("sequences", f"{name}_item2attributes.json", where)))
    pairs = [(int(item), attribute) for item, attributes in result.items() for attribute in attributes]
    return Sequences(
        name,
        pl.DataFrame({"user": users, "item": items, "position": positions}),
        pl.DataFrame(pairs, schema={"item": pl.Int64, "attribute": pl.Int64}, orient="row"),
    )
