"""What clients report: who took what, what was rated, which tag was right."""

import msgspec

Id = str | int


class Event(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One event.

    row, col : user and item; for taggers the row's own id and the tag
    weight : of a positive, 1 where it is absent; or the rating where the model rates, which must be given
    id : the client's own; an event whose id is known already is acknowledged and not learned again
    time : the client's note, kept and not used
    text : the row's text, for taggers
    accepted : whether the tag is right, for taggers; None takes a decision back
    """

    row: Id
    col: Id
    weight: float | msgspec.UnsetType = msgspec.UNSET
    id: str | None = None
    time: str | float | None = None
    text: str | None = None
    accepted: bool | None = True

    @property
    def amount(self) -> float:
        """The weight, 1 where it is absent; older stores leave out ratings of 1 too."""
        return 1.0 if isinstance(self.weight, msgspec.UnsetType) else self.weight


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Event)


def to_bytes(event: Event) -> bytes:
    """JSON, as the store keeps it; the id has a column of its own."""
    return _encoder.encode(msgspec.structs.replace(event, id=None))


def from_bytes(payload: bytes) -> Event:
    """The inverse of ``to_bytes``."""
    return _decoder.decode(payload)
