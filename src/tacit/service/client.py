"""A small client: questions and events as calls, over one connection that is kept open.

>>> Client("http://127.0.0.1:8000", token="a long and random text").model("shop").path
'/v1/models/shop'
"""

import http.client
import json
import time
import urllib.parse
import uuid
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self

from tacit.errors import TacitError

Id = str | int


class ClientError(TacitError):
    """What the service said instead of an answer."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Listed(NamedTuple):
    """One row's list, best first."""

    row: Id
    ids: list[Id]
    scores: list[float]


class Accepted(NamedTuple):
    """What became of events, and the number of the last of them."""

    accepted: int
    duplicates: int
    sequence: int


class Client:
    """A connection to a service. Not for several threads at once: make one for each."""

    def __init__(self, address: str, *, token: str | None = None, timeout: float = 30.0, tries: int = 3) -> None:
        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ClientError(0, f"address must be like http://127.0.0.1:8000, not {address!r}.")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=timeout)
        self._prefix, self._tries = parts.path.rstrip("/"), tries
        self._headers = {"content-type": "application/json"}
        if token is not None:
            self._headers["authorization"] = f"Bearer {token}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def models(self) -> list[dict[str, Any]]:
        """Every model, with what it answers."""
        found: list[dict[str, Any]] = self.ask("GET", "/v1/models")["models"]
        return found

    def model(self, name: str) -> "ModelClient":
        """Questions to one model."""
        return ModelClient(self, name)

    def ask(self, method: str, path: str, question: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """One request. It is sent again when the connection broke or the service asks to come later.

        Questions change nothing, and events carry ids by which the service knows them again: so both may be repeated.
        """
        body = None if question is None else json.dumps(question).encode()
        for attempt in range(1, self._tries + 1):
            try:
                self._connection.request(method, self._prefix + path, body, self._headers)
                response = self._connection.getresponse()
                content = response.read()
            except (http.client.HTTPException, OSError) as error:
                self._connection.close()
                if attempt == self._tries:
                    raise ClientError(0, f"the service cannot be reached ({error}).") from error
                time.sleep(0.1 * attempt)
                continue
            if response.status in (429, 503) and attempt < self._tries:
                time.sleep(float(response.headers.get("retry-after", 1)))
                continue
            answer: dict[str, Any] = json.loads(content)
            if response.status != 200:
                raise ClientError(response.status, answer.get("error", "no answer"))
            return answer
        raise AssertionError("the last attempt returns or raises")


class ModelClient:
    """Questions to one model, by its name."""

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self.path = f"/v1/models/{urllib.parse.quote(name, safe='')}"

    def ask(self, question: str, **fields: Any) -> dict[str, Any]:
        """Any question that the OpenAPI document lists."""
        return self._client.ask("POST", f"{self.path}/{question}", fields)

    def recommend(self, rows: Sequence[Id], k: int = 10, **options: Any) -> list[Listed]:
        """The k best columns of each row."""
        return [_listed(one) for one in self.ask("recommend", rows=list(rows), k=k, **options)["results"]]

    def similar(self, ids: Sequence[Id], k: int = 10, side: str = "cols") -> list[Listed]:
        """The k nearest of each."""
        found = self.ask("similar", ids=list(ids), k=k, side=side)["results"]
        return [Listed(one["id"], one["ids"], one["scores"]) for one in found]

    def tags(self, texts: Sequence[str], k: int = 5) -> list[Listed]:
        """The k best tags of each text."""
        return [_listed(one) for one in self.ask("tags", texts=list(texts), k=k)["results"]]

    def predict(self, rows: Sequence[Id], cols: Sequence[Id]) -> list[float]:
        """Ratings to expect."""
        ratings: list[float] = self.ask("predict", rows=list(rows), cols=list(cols))["ratings"]
        return ratings

    def events(self, events: Iterable[Mapping[str, Any]]) -> Accepted:
        """Report events; one without an id gets one, so that a repeated request does not count twice."""
        given = [{"id": uuid.uuid4().hex} | dict(event) for event in events]
        answer = self._client.ask("POST", f"{self.path}/events", {"events": given})
        return Accepted(answer["accepted"], answer["duplicates"], answer["sequence"])


def _listed(one: Mapping[str, Any]) -> Listed:
    return Listed(one["row"], one["ids"], one["scores"])
