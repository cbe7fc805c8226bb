"""What stands before every route: token, limits, request ids, time, headers, counters and one line of log.

A plain ASGI layer. ``benchmarks/machine/service.py`` compares a request with a bare route, this layer included.
"""

import hmac
import itertools
import logging
import re
import time
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

import msgspec

from tacit.errors import TacitError
from tacit.service.direct import Direct, refusal
from tacit.service.errors import ServiceError
from tacit.service.limits import Limits
from tacit.service.measures import Measures

_log = logging.getLogger("tacit.service")
Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]

_OPEN = frozenset({"/health/live", "/health/ready"})
"""Routes that a probe may ask without a token; they say nothing but yes or no."""

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy",
     b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
     b"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"),
]  # fmt: skip
_HEADERS_OF_JSON = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
]
"""Of answers that no browser shows as a page."""

_JSON = b"application/json"
_json = msgspec.json.Encoder()
_FAILURE = ServiceError(500, "the service has failed; its log says more.")


class Guard:
    """Wraps the application: what ``direct`` has no answer to goes on to ``app``."""

    def __init__(self, app: App, direct: Direct, *, token: str | None, limits: Limits, measures: Measures) -> None:
        self.app, self.direct, self.limits, self.measures = app, direct, limits, measures
        self.service = direct.service
        self._token = None if token is None else token.encode()
        self._in_hand = 0
        self._run, self._numbers = uuid.uuid4().hex[:12].encode(), itertools.count()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id")
        known = given is not None and _REQUEST_ID.fullmatch(given)
        request_id = given if given is not None and known else b"%b-%x" % (self._run, next(self._numbers))
        status = 0  # until something is sent
        self._in_hand += 1
        try:
            self._admit(scope, headers)
            content = await self.direct.answer(scope, receive)
            if content is not None:
                status = 200
                await _reply(send, status, content, request_id)
            else:
                passing = _Passing(send, request_id)
                try:
                    await self.app(scope, receive, passing)
                finally:
                    status = passing.status
        except _Gone as gone:
            _log.info("client went away", extra={"request_id": request_id.decode(), "why": str(gone)})
        except Exception as error:
            answer = refusal(error) if isinstance(error, TacitError) else _FAILURE
            if answer is _FAILURE:
                _log.exception("request failed", extra={"request_id": request_id.decode()})
            if not status:
                status = answer.status
                with suppress(_Gone):
                    await _reply(send, status, _json.encode({"error": str(answer)}), request_id, answer)
        finally:
            self._in_hand -= 1
            self._record(scope, request_id, status or 500, time.perf_counter() - began)

    def _admit(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        if self._in_hand > self.limits.at_once:
            raise ServiceError(429, f"more than {self.limits.at_once} requests are in hand; come again.", retry_after=1)
        path = scope["path"]
        if self._token is not None and path not in _OPEN:
            scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
            if scheme.lower() != b"bearer" or not hmac.compare_digest(token.strip(), self._token):
                raise ServiceError(401, "give the token, as in 'Authorization: Bearer …'.")
        if scope["method"] in ("POST", "PUT", "PATCH"):
            kind = headers.get(b"content-type", b"")
            if kind != _JSON and kind.partition(b";")[0].strip().lower() != _JSON:
                raise ServiceError(
                    415, "the body must be JSON; send the header content-type: application/json (curl -H) with it."
                )
            length = headers.get(b"content-length", b"0")
            if not length.isdigit() or int(length[:20]) > self.limits.body:
                raise ServiceError(413, f"the body may have {self.limits.body} bytes at most.")

    def _record(self, scope: Scope, request_id: bytes, status: int, seconds: float) -> None:
        route, model = scope.get("counted_as") or (
            getattr(scope.get("endpoint"), "__name__", "none"),
            scope.get("path_params", {}).get("name", "") if status != 404 else "",
        )
        self.measures.tallies.request(route, model, status, seconds)
        if _log.isEnabledFor(logging.INFO) and scope["path"] not in _OPEN:
            _log.info(
                "request",
                extra={
                    "request_id": request_id.decode(),
                    "method": scope["method"],
                    "route": route,
                    "model": model,
                    "status": status,
                    "milliseconds": round(seconds * 1000, 3),
                },
            )


class _Passing:
    """What the pages' routes send, with the guard's headers; remembers the status, 0 until something is sent."""

    def __init__(self, send: Any, request_id: bytes) -> None:
        self._send, self._request_id, self.status = send, request_id, 0

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = message.get("headers", [])
            named = {name for name, _ in own}
            ours = (header for header in _HEADERS if header[0] not in named)
            message["headers"] = [*own, (b"x-request-id", self._request_id), *ours]
        try:
            await self._send(message)
        except _CLOSED as error:
            raise _Gone(str(error)) from None


async def _reply(send: Any, status: int, body: bytes, request_id: bytes, refused: ServiceError | None = None) -> None:
    """JSON and its headers."""
    headers = [
        (b"content-type", _JSON),
        (b"content-length", b"%d" % len(body)),
        (b"x-request-id", request_id),
        *_HEADERS_OF_JSON,
    ]
    if refused is not None and refused.retry_after is not None:
        headers.append((b"retry-after", b"%d" % refused.retry_after))
    if status == 405:
        headers.append((b"allow", b"POST"))
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    try:
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
    except _CLOSED as error:
        raise _Gone(str(error)) from None


_CLOSED = OSError, RuntimeError
"""What is raised when the connection is closed; the second is what uvloop says."""


class _Gone(Exception):
    """Nobody waits for the answer any more."""
