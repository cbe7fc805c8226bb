"""Last.fm: who listened to whom (HetRec 2011), and which song came after which (from the 1K listening log)."""

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacit.data.compressed import read_bytes
from tacit.data.graph import adjacency
from tacit.data.interactions import Interactions
from tacit.data.loaders.folder import find
from tacit.data.loaders.ratings import read_lines, read_texts
from tacit.errors import InputError

if TYPE_CHECKING:
    import polars as pl

_OFFSETS = {7: 63_690, 1: 16_056}
"""Days → what is added to the number of an artist in the published file (songs come first)."""


@dataclass(frozen=True)
class LastFm:
    """1,892 listeners, 17,632 artists.

    plays : user, artist, plays
    friends : from, to; each friendship in both directions
    artists : id, name
    tags : artist, tag; a line for each time that somebody gave the tag
    """

    plays: "pl.DataFrame"
    friends: "pl.DataFrame"
    artists: "pl.DataFrame"
    tags: "pl.DataFrame"

    def __repr__(self) -> str:
        return f"LastFm({self.plays.height} user-artist pairs, {self.friends.height // 2} friendships)"

    def interactions(self, binary: bool = False) -> Interactions:
        """Listeners × artists, play counts as weights, the friendships as row graph."""
        heard = Interactions.from_table(self.plays, row="user", col="artist", weight="plays", binary=binary)
        return heard.with_sides(row_graph=adjacency(self.friends, heard.row_ids))

    def artist_tags(self, min_artist_count: int = 1, min_tag_count: int = 1) -> Interactions:
        """Artists × tags, weighted by how often a tag was given."""
        return Interactions.from_table(
            self.tags, row="artist", col="tag", min_row_count=min_artist_count, min_col_count=min_tag_count
        )


def load_lastfm() -> LastFm:
    """The Last.fm 2K set of HetRec 2011 (I. Cantador et al.); research, non-commercial.

    The pairs of artists and tags come from the renumbered edition of the HIN data sets, whose numbers are the ranks
    of the original ids; here they carry the original artist ids and the names of the tags.
    """
    import polars as pl

    where = "grouplens.org/datasets/hetrec-2011"
    plays = read_lines(find("lastfm", "user_artists.dat", where), "\t", ("user", "artist", "plays"), header=True)
    friends = read_lines(find("lastfm", "user_friends.dat", where), "\t", ("from", "to"), header=True)
    artists = _names(read_texts(find("lastfm", "artists.dat", where), "\t", ("id", "name", "rest"), "utf-8"))
    names = _names(read_texts(find("lastfm", "tags.dat", where), "\t", ("id", "name")))
    path = find("lastfm", "hin-reindexed/artist_tag.dat", "github.com/librahu/HIN-Datasets-for-Recommendation")
    ranks = read_lines(path, "\t", ("artist", "tag"))
    known = plays["artist"].unique().sort()
    tags = pl.DataFrame({"artist": known.gather(ranks["artist"] - 1), "tag": names["name"].gather(ranks["tag"] - 1)})
    return LastFm(plays, friends, artists, tags)


def _names(table: "pl.DataFrame") -> "pl.DataFrame":
    import polars as pl

    return table.slice(1).select(pl.col("id").cast(pl.Int64), "name").sort("id")


@dataclass(frozen=True)
class NextSong:
    """Transitions of a listening log: user, previous (song), song, artist, time (milliseconds since 1970).

    Songs and artists are numbered from 1, previous songs like songs.
    """

    transitions: "pl.DataFrame"

    def __repr__(self) -> str:
        return f"NextSong({self.transitions.height} transitions)"

    @property
    def songs(self) -> "pl.DataFrame":
        """Which artist a song is by: song, artist."""
        return self.transitions.select("song", "artist").unique().sort("song")

    def interactions(self) -> Interactions:
        """Users × songs with the previous song as context."""
        return Interactions.from_table(self.transitions, row="user", col="song", time="time", context="previous")


def load_lastfm_next(days: int = 7) -> NextSong:
    """Next-song transitions within 7 days or 1 day, the test parts published with fBGD (UAI 2018)."""
    import polars as pl

    if days not in _OFFSETS:
        raise InputError(f"days={days!r} is not one of 7, 1.")
    name = f"user-artist-nextmusic-{days}days_10_5_map_icd_test.csv"
    path = find("lastfm-1k-next", name, "github.com/fajieyuan/fBGD")
    # The fields are user-previous,song-artist,1,time: with the minus signs as commas it is an ordinary table.
    data = io.BytesIO(read_bytes(path).replace(b"-", b","))
    columns = ["user", "previous", "song", "artist", "one", "time"]
    table = pl.read_csv(data, has_header=False, new_columns=columns)
    moved = (pl.col("previous") - 999, pl.col("artist") - _OFFSETS[days])
    return NextSong(table.drop("one").with_columns(*moved))
