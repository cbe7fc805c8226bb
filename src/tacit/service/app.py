"""The application: routes, and what they answer."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tacit import report
from tacit._version import __version__
from tacit.errors import InputError, TacitError, UnknownIdError
from tacit.service import questions
from tacit.service.errors import ServiceError
from tacit.service.events import Event, to_bytes
from tacit.service.guard import Guard
from tacit.service.limits import Limits
from tacit.service.openapi import document
from tacit.service.pages.desk import PAGES as PAGE_NAMES
from tacit.service.pages.desk import Answerer, Desk
from tacit.service.pages.watch import watched
from tacit.service.served import Served
from tacit.service.service import Service, named
from tacit.service.store import New
from tacit.service.writer import Rhythm

PAGES = Path(__file__).parent / "pages" / "assets"
LOOK = Path(report.__file__).parent / "assets"
"""Style and modules that pages share with those that are written to files."""
_json = msgspec.json.Encoder(enc_hook=str)


class Events(msgspec.Struct, forbid_unknown_fields=True):
    """What is posted to ``events``."""

    events: list[Event]


_decoders = {name: msgspec.json.Decoder(kind) for name, (kind, _, _) in questions.ASKS.items()}
_events_decoder = msgspec.json.Decoder(Events)


def create_app(
    models: Iterable[str | os.PathLike[str]],
    *,
    store: str | os.PathLike[str] = "tacit-store",
    snapshots: str | os.PathLike[str] | None = None,
    token: str | None = None,
    titles: Mapping[str, Mapping[Any, str]] | None = None,
    reviews: Mapping[str, str | os.PathLike[str]] | None = None,
    rows: Mapping[str, str | os.PathLike[str]] | None = None,
    limits: Limits | None = None,
    rhythm: Rhythm | None = None,
) -> Guard:
    """An ASGI application that serves these model files.

    Parameters
    ----------
    models : paths; a model's name is its file's stem
    store : a folder (SQLite), or ``postgresql://…``
    snapshots : the folder of snapshots; ``snapshots`` in the store's folder by default
    token : what clients must send as ``Authorization: Bearer …``; None asks for none
    titles : model → id → title, shown beside ids
    reviews : tagger → file of suggestions that ``tacit audit -o audit.json`` wrote, for the page that reviews them
    rows : ranker → table of rows to grade; a column ``grade`` holds the grades that are known
    limits, rhythm : what a request may cost; when snapshots are taken
    """
    service = Service(
        named([Path(model) for model in models]),
        store,
        snapshots_folder(store, snapshots),
        limits or Limits(),
        rhythm or Rhythm(),
        titles or {},
    )

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        if not service.ready:
            await asyncio.to_thread(service.start)
        try:
            yield
        finally:
            await asyncio.to_thread(service.stop)

    desk = Desk(reviews or {}, rows or {})
    app = Starlette(
        routes=_routes(desk),
        lifespan=lifespan,
        exception_handlers={HTTPException: _http_error, TacitError: _tacit_error, Exception: _failure},
    )
    app.state.service, app.state.desk = service, desk
    guard = Guard(app, token=token, limits=service.limits, measures=service.measures)
    guard.service = service  # type: ignore[attr-defined]
    return guard


def snapshots_folder(store: str | os.PathLike[str], given: str | os.PathLike[str] | None) -> Path:
    """Where snapshots lie: where it was said, or beside the events, or here where these are in a database."""
    if given is not None:
        return Path(given)
    place = os.fspath(store)
    return Path("tacit-snapshots") if "://" in place else Path(place) / "snapshots"


def _routes(desk: Desk) -> list[Route | Mount]:
    one = "/v1/models/{name:str}"
    return [
        # Routes are tried in order: those that are asked most come first.
        *(Route(f"{one}/{name}", _asking(name), methods=["POST"]) for name in questions.ASKS),
        Route(f"{one}/events", events, methods=["POST"]),
        *(Route(f"{one}/{name}", _paging(name, *ask), methods=["POST"]) for name, ask in desk.asks.items()),
        Route("/", page),
        *(Route(f"/{name}", page) for name in PAGE_NAMES),
        Route("/health/live", live),
        Route("/health/ready", ready),
        Route("/metrics", metrics),
        Route("/openapi.json", openapi),
        Route("/v1/models", models),
        Route("/v1/watch", watch),
        Route(one, model),
        Route(f"{one}/reload", reload, methods=["POST"]),
        Route(f"{one}/snapshot", snapshot, methods=["POST"]),
        Mount("/static", StaticFiles(directory=PAGES)),
        Mount("/look", StaticFiles(directory=LOOK)),
    ]


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def page(request: Request) -> Response:
    """The pages."""
    name = request.url.path.strip("/") or "index"
    return FileResponse(PAGES / f"{name}.html", media_type="text/html")


async def live(request: Request) -> Response:
    """The process answers."""
    return _answer({"live": True})


async def ready(request: Request) -> Response:
    """Models are loaded and events are taken."""
    service = _service(request)
    works = service.ready and service.writer is not None and service.writer.alive
    return _answer({"ready": works}, 200 if works else 503)


async def metrics(request: Request) -> Response:
    """What Prometheus reads."""
    service = _service(request)
    assert service.writer is not None
    text = service.measures.text(service.served, service.writer)
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


async def openapi(request: Request) -> Response:
    """The OpenAPI document."""
    return _answer(document(questions.ASKS, Events))


async def models(request: Request) -> Response:
    """Every model, with what it answers."""
    every = [_facts(one, request.app.state.desk) for one in _service(request).served.values()]
    return _answer({"models": every, "version": __version__})


async def watch(request: Request) -> Response:
    """What the watching page draws."""
    return _answer(watched(_service(request)))


async def model(request: Request) -> Response:
    """One model."""
    return _answer(_facts(_service(request).model(request.path_params["name"]), request.app.state.desk))


async def events(request: Request) -> Response:
    """Take in events; the answer comes when they are durable and learned."""
    service = _service(request)
    served = service.model(request.path_params["name"])
    given = _decoded(_events_decoder, await _body(request, service.limits)).events
    learner = served.state.learner
    if learner is None:
        raise ServiceError(
            409, f"{served.name} is a {type(served.state.model).__name__}, which does not learn from events."
        )
    if not 1 <= len(given) <= service.limits.events:
        raise InputError(f"events: send 1 to {service.limits.events} at a time, not {len(given)}.")
    for place, event in enumerate(given):
        try:
            learner.check(event)
            if event.id is not None and not 0 < len(event.id) <= 200:
                raise InputError("id must have 1 to 200 characters.")
        except InputError as error:
            raise InputError(f"events: number {place}: {error}") from None
    assert service.writer is not None
    waiting = service.writer.submit(served.name, [New(event.id, to_bytes(event)) for event in given])
    # Whoever is told to come again finds the events by their ids: they are stored whether somebody waits or not.
    placed = await _in_time(asyncio.shield(asyncio.wrap_future(waiting)), service.limits)
    fresh = sum(one.fresh for one in placed)
    counter = service.measures.events
    counter.labels(served.name, "accepted").inc(fresh)
    counter.labels(served.name, "duplicate").inc(len(placed) - fresh)
    return _answer(
        {"accepted": fresh, "duplicates": len(placed) - fresh, "sequence": max(one.sequence for one in placed)}
    )


async def reload(request: Request) -> Response:
    """Open the model's file anew; a bad file keeps the old model."""
    service = _service(request)
    fresh = await asyncio.to_thread(service.reload, service.model(request.path_params["name"]).name)
    return _answer(_facts(fresh, request.app.state.desk))


async def snapshot(request: Request) -> Response:
    """Take a snapshot now."""
    service = _service(request)
    served = await asyncio.to_thread(service.snapshot, service.model(request.path_params["name"]).name)
    return _answer({"sequence": served.sequence})


def _asking(name: str) -> Any:
    kind, _, answer = questions.ASKS[name]
    decoder = _decoders[name]

    async def ask(request: Request) -> Response:
        service = _service(request)
        served = service.model(request.path_params["name"])
        questions.require(served, name)
        question = _decoded(decoder, await _body(request, service.limits))
        # Read before the answer: what it says is then the least that the answer knows.
        sequence, digest = served.sequence, served.state.digest
        if name == "recommend" and questions.is_plain(served, question):
            key = served, question.k, question.exclude_seen, service.limits
            found: dict[str, Any] = {"results": [await service.together.ask(key, question.rows[0])]}
        else:
            found = await _in_time(asyncio.to_thread(answer, served, question, service.limits), service.limits)
        if served.titles:
            _add_titles(found, served.titles)
        found["sequence"], found["model"] = sequence, digest
        return _answer(found)

    ask.__name__, ask.__doc__ = name, kind.__doc__
    return ask


def _paging(name: str, kind: type, answer: Answerer) -> Any:
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind)

    async def ask(request: Request) -> Response:
        service = _service(request)
        served = service.model(request.path_params["name"])
        question = _decoded(decoder, await _body(request, service.limits))
        return _answer(await _in_time(asyncio.to_thread(answer, served, question), service.limits))

    ask.__name__, ask.__doc__ = name, kind.__doc__
    return ask


def _add_titles(found: dict[str, Any], titles: Mapping[Any, str]) -> None:
    for one in found.get("results", ()):
        if "ids" in one:
            one["titles"] = [titles.get(ident) for ident in one["ids"]]


def _facts(served: Served, desk: Desk) -> dict[str, Any]:
    state = served.state
    sizes = {
        side: len(getattr(state.model, name))
        for side, name in (("rows", "row_ids_"), ("cols", "col_ids_"), ("rows", "user_ids_"), ("cols", "item_ids_"),
                           ("words", "words_"), ("tags", "classes_"))
        if hasattr(state.model, name)
    }  # fmt: skip
    return {
        "name": served.name,
        "kind": type(state.model).__name__,
        "model": state.digest,
        "sequence": served.sequence,
        "snapshot": served.saved,
        "learns": state.learner is not None,
        "answers": questions.abilities(state.model),
        "size": sizes,
        "running_error": state.learner.running_error() if state.learner is not None else None,
        **desk.facts(served.name),
    }


async def _body(request: Request, limits: Limits) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await _in_time(request.receive(), limits)
        if message["type"] != "http.request":
            raise ServiceError(400, "the client went away before its request was whole.")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limits.body:
            raise ServiceError(413, f"the body may have {limits.body} bytes at most.")
        if not message.get("more_body"):
            return parts[0] if len(parts) == 1 else b"".join(parts)


async def _in_time(work: Awaitable[Any], limits: Limits) -> Any:
    try:
        async with asyncio.timeout(limits.seconds):
            return await work
    except TimeoutError:
        raise ServiceError(503, f"no answer within {limits.seconds:g} seconds.", retry_after=1) from None


def _decoded(decoder: msgspec.json.Decoder[Any], body: bytes) -> Any:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise ServiceError(422, f"{error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ServiceError(400, f"the body is not JSON: {error}.") from None


def _answer(content: Any, status: int = 200) -> Response:
    return Response(_json.encode(content), status, media_type="application/json")


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = {404: "there is nothing at this address; GET /openapi.json lists what there is.",
                405: "this address takes another method."}.get(error.status_code, str(error.detail))  # fmt: skip
    return _answer({"error": sentence}, error.status_code)


async def _tacit_error(request: Request, error: Exception) -> Response:
    if isinstance(error, ServiceError):
        response = _answer({"error": str(error)}, error.status)
        if error.retry_after is not None:
            response.headers["retry-after"] = str(error.retry_after)
        return response
    return _answer({"error": str(error)}, 404 if isinstance(error, UnknownIdError) else 422)


async def _failure(request: Request, error: Exception) -> Response:
    return _answer({"error": "the service has failed; its log says more."}, 500)
