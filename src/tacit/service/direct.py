"""Questions and events, which are most of the load, on a path of their own before the routes of the pages.

Nothing is built for a request but its answer, and few coroutines wait on each other: each costs half a microsecond.
"""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from tacit.errors import InputError, TacitError, UnknownIdError
from tacit.service import questions
from tacit.service.errors import ServiceError
from tacit.service.events import Event, to_bytes
from tacit.service.limits import Limits
from tacit.service.mailbox import Mailbox
from tacit.service.served import Served
from tacit.service.service import Service
from tacit.service.store import New, Placed

_json = msgspec.json.Encoder(enc_hook=str)


class Events(msgspec.Struct, forbid_unknown_fields=True):
    """What is posted to ``events``."""

    events: list[Event]


_UNKNOWN = (
    "check its spelling, and whether it is text or a number; events bring in new ids, and recommend takes histories, "
    'or "unknown": "average", for rows that it does not know.'
)
"""What helps a client whose id is unknown."""

_decoders: dict[str, msgspec.json.Decoder[Any]] = {
    "events": msgspec.json.Decoder(Events),
    **{name: msgspec.json.Decoder(kind) for name, (kind, _, _) in questions.ASKS.items()},
}


class Direct:
    """``POST /v1/models/NAME/QUESTION`` and ``…/events``."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._mailbox: Mailbox | None = None

    async def answer(self, scope: Any, receive: Any) -> bytes | None:
        """The answer as JSON; None where the address is another route's."""
        parts: list[str] = scope["path"].split("/")
        if len(parts) != 5 or parts[1] != "v1" or parts[2] != "models" or parts[4] not in _decoders:
            return None
        _, _, _, name, route = parts
        scope["counted_as"] = route, ""
        if scope["method"] != "POST":
            raise ServiceError(405, "this address takes POST.")
        served = self.service.model(name)
        scope["counted_as"] = route, served.name
        limits = self.service.limits
        with self.service.patience:
            if route != "events":
                questions.require(served, route)
            message = await receive()
            body = part_of_body(message, limits, 0)
            if message.get("more_body"):
                body += await whole_body(receive, limits, len(body))
            given = decoded(_decoders[route], body)
            if route == "events":
                return _json.encode(await self._learn(served, given))
            # Read before the answer: what it says is then the least that the answer knows.
            sequence, digest = served.sequence, served.state.digest
            if route == "recommend" and questions.is_plain(served, given):
                key = served, given.k, given.exclude_seen, limits
                answer: dict[str, Any] = {"results": [await self.service.together.ask(key, given.rows[0])]}
            else:
                answer = await asyncio.to_thread(questions.ASKS[route][2], served, given, limits)
        if served.titles:
            _add_titles(answer, served.titles)
        answer["sequence"], answer["model"] = sequence, digest
        return _json.encode(answer)

    async def _learn(self, served: Served, given: Events) -> dict[str, Any]:
        """Take in events; the answer comes when they are durable and learned."""
        service = self.service
        learner, events = served.state.learner, given.events
        if learner is None:
            raise ServiceError(
                409, f"{served.name} is a {type(served.state.model).__name__}, which does not learn from events."
            )
        if not 1 <= len(events) <= service.limits.events:
            raise InputError(f"events: send 1 to {service.limits.events} at a time, not {len(events)}.")
        for place, event in enumerate(events):
            try:
                learner.check(event)
                if event.id is not None and not 0 < len(event.id) <= 200:
                    raise InputError(f"id must have 1 to 200 characters, not {len(event.id)}.")
                if event.id is not None and "\0" in event.id:
                    raise InputError(
                        f"id {event.id!r} holds the character NUL, which PostgreSQL cannot store; take it out."
                    )
            except InputError as error:
                raise InputError(f"events: number {place}: {error}") from None
        if self._mailbox is None:
            self._mailbox = Mailbox()
        # Whoever is told to come again finds the events by their ids: they are stored whether somebody waits or not.
        waiting: asyncio.Future[list[Placed]] = asyncio.get_running_loop().create_future()
        assert service.writer is not None
        service.writer.submit(
            served.name, [New(event.id, to_bytes(event)) for event in events], partial(self._mailbox.put, waiting)
        )
        placed = await waiting
        fresh = sum(one.fresh for one in placed)
        service.measures.tallies.events(served.name, "accepted", fresh)
        service.measures.tallies.events(served.name, "duplicate", len(placed) - fresh)
        return {"accepted": fresh, "duplicates": len(placed) - fresh, "sequence": max(one.sequence for one in placed)}


def refusal(error: TacitError) -> ServiceError:
    """The status that an error of the library stands for."""
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, UnknownIdError):
        return ServiceError(404, f"{error.fact}; {_UNKNOWN}" if error.remedy else str(error))
    return ServiceError(422, str(error))


async def whole_body(receive: Any, limits: Limits, before: int = 0) -> bytes:
    """The body of a request, or what is left of it after so many bytes; refused where it is too long."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(part_of_body(message, limits, before))
        before += len(parts[-1])
        if not message.get("more_body"):
            return b"".join(parts)


def part_of_body(message: Any, limits: Limits, before: int) -> bytes:
    """What a message brings of the body, after so many bytes."""
    if message["type"] != "http.request":
        raise ServiceError(400, "the client went away before its request was whole.")
    part: bytes = message.get("body", b"")
    if before + len(part) > limits.body:
        raise ServiceError(413, f"the body may have {limits.body} bytes at most.")
    return part


def decoded(decoder: msgspec.json.Decoder[Any], body: bytes) -> Any:
    """What the body says; one sentence where it cannot be read."""
    if not body:
        raise ServiceError(400, "the body is empty; send a JSON object.")
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise ServiceError(422, f"{error}; GET /openapi.json describes every field.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ServiceError(400, f"the body is not JSON: {error}.") from None


def _add_titles(answer: dict[str, Any], titles: Mapping[Any, str]) -> None:
    for one in answer.get("results", ()):
        if "ids" in one:
            one["titles"] = [titles.get(ident) for ident in one["ids"]]
