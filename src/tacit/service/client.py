"""A small client: questions and events as calls, over connections that are kept open.

>>> Client("http://127.0.0.1:8000", token="a long and random text").model("shop").path
'/v1/models/shop'
"""

import collections
import http.client
import json
import time
import urllib.parse
import uuid
from collections.abc import Iterable, Mapping, Sequence
from email.message import Message
from functools import partial
from types import TracebackType
from typing import Any, NamedTuple, NoReturn, Self

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


class Tagged(NamedTuple):
    """Tags of one text, best first, and those that people have accepted for it."""

    row: Id
    ids: list[Id]
    scores: list[float]
    accepted: list[Id]


class MissingTag(NamedTuple):
    """A tag that a text probably lacks."""

    row: Id
    id: Id
    score: float


class Reasons(NamedTuple):
    """A score, what each part adds to it, most first, and what no part accounts for, where the model says that."""

    score: float
    because: list[tuple[Id, float]]
    remainder: float | None


class Graded(NamedTuple):
    """The grade of one row, its score, and the chance of each class."""

    grade: Id
    score: float
    chances: dict[Id, float]


class Accepted(NamedTuple):
    """What became of events, and the number of the last of them."""

    accepted: int
    duplicates: int
    sequence: int


class Client:
    """Calls to a service, also from several threads at once: each call under way has a connection to itself."""

    def __init__(self, address: str, *, token: str | None = None, timeout: float = 30.0, tries: int = 3) -> None:
        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ClientError(0, f"address must be like http://127.0.0.1:8000, not {address!r}.")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connect = partial(kind, parts.hostname, parts.port, timeout=timeout)
        self._idle: collections.deque[http.client.HTTPConnection] = collections.deque()
        self._prefix, self._tries = parts.path.rstrip("/"), tries
        self._headers = {"content-type": "application/json"}
        if token is not None:
            self._headers["authorization"] = f"Bearer {token}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while (connection := self._taken()) is not None:
            connection.close()

    def models(self) -> list[dict[str, Any]]:
        """Every model, with what it answers."""
        models: list[dict[str, Any]] = self.ask("GET", "/v1/models")["models"]
        return models

    def reports(self) -> list[dict[str, str]]:
        """Name and title of every report that the home page opens."""
        reports: list[dict[str, str]] = self.ask("GET", "/v1/reports")["reports"]
        return reports

    def model(self, name: str) -> "ModelClient":
        """Questions to one model."""
        return ModelClient(self, name)

    def live(self) -> bool:
        """Whether the process answers."""
        return bool(self.ask("GET", "/health/live")["live"])

    def ready(self) -> bool:
        """Whether models are loaded and events are taken."""
        status, _, _ = self._exchange("GET", "/health/ready", None)
        return status == 200

    def metrics(self) -> str:
        """What Prometheus reads."""
        status, _, content = self._exchange("GET", "/metrics", None)
        return content.decode() if status == 200 else _refused(status, content)

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        return self.ask("GET", "/openapi.json")

    def watch(self) -> dict[str, Any]:
        """Errors of streams, health, latencies and snapshots."""
        return self.ask("GET", "/v1/watch")

    def ask(self, method: str, path: str, question: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """One request. It is sent again when the connection broke or the service asks to come later.

        Questions change nothing, and events carry ids by which the service knows them again: so both may be repeated.
        """
        body = None if question is None else json.dumps(question, default=_plain).encode()
        for left in reversed(range(self._tries)):
            status, headers, content = self._exchange(method, path, body)
            if status in (429, 503) and left:
                time.sleep(float(headers.get("retry-after", 1)))
                continue
            answer: dict[str, Any] = json.loads(content) if status == 200 else _refused(status, content)
            return answer
        raise AssertionError("the last attempt returns or raises")

    def _exchange(self, method: str, path: str, body: bytes | None) -> tuple[int, Message, bytes]:
        """Status, headers and content of one request, which is sent again when the connection broke."""
        connection = self._taken() or self._connect()
        for attempt in range(1, self._tries + 1):
            try:
                connection.request(method, self._prefix + path, body, self._headers)
                response = connection.getresponse()
                answer = response.status, response.headers, response.read()
            except (http.client.HTTPException, OSError) as error:
                connection.close()
                if attempt == self._tries:
                    raise ClientError(0, f"the service cannot be reached ({error}).") from error
                time.sleep(0.1 * attempt)
            except BaseException:  # interrupted: an answer may still come, which no other call may read
                connection.close()
                raise
            else:
                self._idle.append(connection)
                return answer
        raise AssertionError("the last attempt returns or raises")

    def _taken(self) -> http.client.HTTPConnection | None:
        """A connection that no call uses, the last one used; None where there is none."""
        try:
            return self._idle.pop()
        except IndexError:
            return None


class ModelClient:
    """Questions to one model, by its name."""

    def __init__(self, client: Client, name: str) -> None:
        self._client = client
        self.path = f"/v1/models/{urllib.parse.quote(name, safe='')}"

    def ask(self, question: str, **fields: Any) -> dict[str, Any]:
        """Any question that the OpenAPI document lists; a field that is None is left out."""
        given = {name: value for name, value in fields.items() if value is not None}
        return self._client.ask("POST", f"{self.path}/{question}", given)

    def facts(self) -> dict[str, Any]:
        """What the model is, what it answers and up to which event it has learned."""
        return self._client.ask("GET", self.path)

    def reload(self) -> dict[str, Any]:
        """Open the model's file anew; a bad file keeps the old model."""
        return self.ask("reload")

    def snapshot(self) -> int:
        """Take a snapshot now; the number of the last event in it."""
        return int(self.ask("snapshot")["sequence"])

    def recommend(
        self,
        rows: Sequence[Id] | None = None,
        k: int = 10,
        *,
        exclude_seen: bool = True,
        include: Sequence[Id] | None = None,
        exclude: Sequence[Id] | None = None,
        context: Mapping[str, Id] | None = None,
        histories: Sequence[Mapping[str, Any]] | None = None,
        unknown: str = "error",
    ) -> list[Listed]:
        """The k best columns of each row, or of each of ``histories``: ``{"cols": […], "weights": […]}``."""
        answer = self.ask(
            "recommend", rows=rows, k=k, exclude_seen=exclude_seen, include=include, exclude=exclude, context=context,
            histories=histories, unknown=unknown,
        )  # fmt: skip
        return [Listed(one["row"], one["ids"], one["scores"]) for one in answer["results"]]

    def similar(self, ids: Sequence[Id], k: int = 10, side: str = "cols") -> list[Listed]:
        """The k nearest of each."""
        results = self.ask("similar", ids=ids, k=k, side=side)["results"]
        return [Listed(one["id"], one["ids"], one["scores"]) for one in results]

    def score(self, rows: Sequence[Id], cols: Sequence[Id], *, context: Mapping[str, Id] | None = None) -> list[float]:
        """Scores of pairs."""
        scores: list[float] = self.ask("score", rows=rows, cols=cols, context=context)["scores"]
        return scores

    def why(
        self, col: Id, *, row: Id | None = None, history: Mapping[str, Any] | None = None, text: str | None = None
    ) -> Reasons:
        """What each part of a row's history, of another history or of a text adds to the score of a column or tag."""
        answer = self.ask("why", col=col, row=row, history=history, text=text)
        because = [(one["id"], one["adds"]) for one in answer["because"]]
        return Reasons(answer["score"], because, answer.get("remainder"))

    def tags(self, texts: Sequence[str], k: int = 5, *, rows: Sequence[Id] | None = None) -> list[Tagged]:
        """The k best tags of each text; ``rows`` are the texts' own ids, under which decisions are known."""
        results = self.ask("tags", texts=texts, k=k, rows=rows)["results"]
        return [Tagged(one["row"], one["ids"], one["scores"], one["accepted"]) for one in results]

    def missing(
        self, texts: Sequence[str], tags: Sequence[Sequence[Id]], n: int = 20, *, rows: Sequence[Id] | None = None
    ) -> list[MissingTag]:
        """The n tags that texts most probably lack beside those that they have."""
        results = self.ask("missing", texts=texts, tags=tags, n=n, rows=rows)["results"]
        return [MissingTag(one["row"], one["id"], one["score"]) for one in results]

    def neighbours(self, positive: Sequence[str], negative: Sequence[str] = (), k: int = 10) -> list[tuple[str, float]]:
        """The k words nearest to some less others, with their scores."""
        result = self.ask("neighbours", positive=positive, negative=negative, k=k)["results"][0]
        return list(zip(result["ids"], result["scores"]))

    def predict(self, rows: Sequence[Id], cols: Sequence[Id]) -> list[float]:
        """Ratings to expect."""
        ratings: list[float] = self.ask("predict", rows=rows, cols=cols)["ratings"]
        return ratings

    def grade(self, rows: Sequence[Mapping[str, float] | Sequence[float]]) -> list[Graded]:
        """Grades of rows of features."""
        answer = self.ask("grade", rows=rows)
        classes = answer["classes"]
        return [Graded(one["grade"], one["score"], dict(zip(classes, one["chances"]))) for one in answer["results"]]

    def events(self, events: Iterable[Mapping[str, Any]]) -> Accepted:
        """Report events; one without an id gets one, so that a repeated request does not count twice."""
        given = [{"id": uuid.uuid4().hex} | dict(event) for event in events]
        answer = self.ask("events", events=given)
        return Accepted(answer["accepted"], answer["duplicates"], answer["sequence"])

    def search(self, q: str, side: str = "cols", n: int = 12) -> dict[str, Any]:
        """Ids and titles that hold every word of ``q``."""
        return self.ask("search", q=q, side=side, n=n)

    def about(self) -> dict[str, Any]:
        """What there is to explore: how many of each side, and contexts with their first ids."""
        return self.ask("about")

    def history(self, row: Id) -> dict[str, Any]:
        """The history of a row."""
        return self.ask("history", row=row)

    def map(self, ids: Sequence[Id]) -> dict[str, Any]:
        """Places of words on a map of their own."""
        return self.ask("map", ids=ids)

    def review(
        self,
        who: str,
        order: str = "score",
        n: int = 8,
        *,
        leave: Sequence[tuple[Id, Id]] = (),
        cells: Sequence[tuple[Id, Id]] = (),
    ) -> dict[str, Any]:
        """The next open suggestions of an audit for one reviewer, without those in ``leave``; or those in ``cells``."""
        return self.ask("review", who=who, order=order, n=n, leave=leave, cells=cells)

    def decided(self) -> dict[str, Any]:
        """All decisions about suggestions of the audit."""
        return self.ask("decided")

    def grading(self, n: int = 25, *, leave: Sequence[Id] = ()) -> dict[str, Any]:
        """Rows with grades and confidence, those most worth grading first, without those in ``leave``."""
        return self.ask("grading", n=n, leave=leave)


def _plain(value: Any) -> Any:
    """Arrays, columns of tables and their numbers, or anything else that can be listed, as JSON knows them."""
    listed = getattr(value, "tolist", None) or getattr(value, "to_list", None)
    return list(value) if listed is None else listed()


def _refused(status: int, content: bytes) -> NoReturn:
    try:
        sentence = json.loads(content)["error"]
    except (ValueError, TypeError, KeyError):  # a proxy answered
        sentence = f"the service answered {status} without a sentence."
    raise ClientError(status, sentence)
