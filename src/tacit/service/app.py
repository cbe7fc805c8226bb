"""The application: routes, and what they answer."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from tacit import report
from tacit._version import __version__
from tacit.errors import InputError, TacitError
from tacit.service import questions
from tacit.service.direct import Direct, Events, decoded, refusal, whole_body
from tacit.service.guard import Guard
from tacit.service.limits import Limits
from tacit.service.openapi import document
from tacit.service.pages import frame
from tacit.service.pages.desk import Answerer, Desk
from tacit.service.pages.reports import POLICY
from tacit.service.pages.watch import watched
from tacit.service.served import Served
from tacit.service.service import Service, named
from tacit.service.writer import Rhythm

LOOK = Path(report.__file__).parent / "assets"
"""Style and modules that pages share with those that are written to files."""
_json = msgspec.json.Encoder(enc_hook=str)


def create_app(
    models: Iterable[str | os.PathLike[str]],
    *,
    store: str | os.PathLike[str] = "tacit-store",
    snapshots: str | os.PathLike[str] | None = None,
    token: str | None = None,
    titles: Mapping[str, Mapping[Any, str]] | None = None,
    reviews: Mapping[str, str | os.PathLike[str]] | None = None,
    rows: Mapping[str, str | os.PathLike[str]] | None = None,
    reports: Iterable[str | os.PathLike[str]] = (),
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
    reports : pages that ``tacit evaluate --html`` wrote, opened from the home page
    limits, rhythm : what a request may cost; when snapshots are taken
    """
    files = named([Path(model) for model in models])
    _require_known("--review", reviews, files)
    _require_known("--rows", rows, files)
    _require_known("--titles", titles, files)
    service = Service(
        files,
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

    desk = Desk(reviews or {}, rows or {}, reports)
    app = Starlette(
        routes=_routes(desk),
        lifespan=lifespan,
        exception_handlers={HTTPException: _http_error, TacitError: _tacit_error, Exception: _failure},
    )
    # An address with a slash too many is none: a redirect would trust the host that the client names.
    app.router.redirect_slashes = False
    app.state.service, app.state.desk = service, desk
    return Guard(app, Direct(service), token=token, limits=service.limits, measures=service.measures)


def _require_known(option: str, given: Mapping[str, Any] | None, models: Mapping[str, Path]) -> None:
    """What is said about a model that is not served would be lost."""
    for name in given or {}:
        if name not in models:
            raise InputError(f"{option}: no model is named {name!r}; there are {', '.join(models)}.")


def snapshots_folder(store: str | os.PathLike[str], given: str | os.PathLike[str] | None) -> Path:
    """Where snapshots lie: where it was said, or beside the events, or here where these are in a database."""
    if given is not None:
        return Path(given)
    place = os.fspath(store)
    return Path("tacit-snapshots") if "://" in place else Path(place) / "snapshots"


def _routes(desk: Desk) -> list[Route | Mount]:
    one = "/v1/models/{name:str}"
    return [
        *(Route(f"{one}/{name}", _paging(name, *ask), methods=["POST"]) for name, ask in desk.asks.items()),
        Route("/", page),
        *(Route(f"/{name}", page) for name in frame.PAGES),
        Route("/health/live", live),
        Route("/health/ready", ready),
        Route("/metrics", metrics),
        Route("/openapi.json", openapi),
        Route("/v1/models", models),
        Route("/v1/reports", reports),
        Route("/reports/{report:str}", report_page),
        Route("/v1/watch", watch),
        Route(one, model),
        Route(f"{one}/reload", reload, methods=["POST"]),
        Route(f"{one}/snapshot", snapshot, methods=["POST"]),
        Mount("/static", StaticFiles(directory=frame.ASSETS)),
        Mount("/look", StaticFiles(directory=LOOK)),
    ]


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def page(request: Request) -> Response:
    """The pages."""
    return HTMLResponse(frame.html(request.url.path.strip("/") or frame.HOME))


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
    asks = {name: kind for name, (kind, *_) in (questions.ASKS | request.app.state.desk.asks).items()}
    return _answer(document(asks | {"events": Events}))


async def models(request: Request) -> Response:
    """Every model, with what it answers."""
    every = [_facts(one, request.app.state.desk) for one in _service(request).served.values()]
    return _answer({"models": every, "version": __version__})


async def reports(request: Request) -> Response:
    """Reports that can be opened, with their titles."""
    return _answer({"reports": request.app.state.desk.reports.listed()})


async def report_page(request: Request) -> Response:
    """One report."""
    path = request.app.state.desk.reports.paths.get(request.path_params["report"])
    if path is None or not path.is_file():
        raise HTTPException(404)
    return FileResponse(path, media_type="text/html", headers={"content-security-policy": POLICY})


async def watch(request: Request) -> Response:
    """What the watching page draws."""
    return _answer(watched(_service(request)))


async def model(request: Request) -> Response:
    """One model."""
    return _answer(_facts(_service(request).model(request.path_params["name"]), request.app.state.desk))


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


def _paging(name: str, kind: type, answer: Answerer) -> Any:
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind)

    async def ask(request: Request) -> Response:
        service = _service(request)
        served = service.model(request.path_params["name"])
        with service.patience:
            question = decoded(decoder, await whole_body(request.receive, service.limits))
            return _answer(await asyncio.to_thread(answer, served, question))

    ask.__name__, ask.__doc__ = name, kind.__doc__
    return ask


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


def _answer(content: Any, status: int = 200) -> Response:
    return Response(_json.encode(content), status, media_type="application/json")


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = {404: "there is nothing at this address; GET /openapi.json lists what there is.",
                405: "this address takes another method; the header Allow says which."}  # fmt: skip
    response = _answer({"error": sentence.get(error.status_code, str(error.detail))}, error.status_code)
    response.headers.update(error.headers or {})  # which methods an address takes
    return response


async def _tacit_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, TacitError)
    answer = refusal(error)
    response = _answer({"error": str(answer)}, answer.status)
    if answer.retry_after is not None:
        response.headers["retry-after"] = str(answer.retry_after)
    return response


async def _failure(request: Request, error: Exception) -> Response:
    return _answer({"error": "the service has failed; its log says more."}, 500)
