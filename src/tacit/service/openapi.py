"""The OpenAPI document, made from the structs that decode requests."""

import re
from typing import Any

import msgspec

from tacit._version import __version__
from tacit.service.pages.frame import PAGES

_PLAIN = {
    "/": ("get", "The pages: what is served, with links to those below."),
    **{f"/{name}": ("get", page.about) for name, page in PAGES.items()},
    "/reports/{report}": ("get", "A report that tacit evaluate --html wrote."),
    "/health/live": ("get", "Whether the process answers."),
    "/health/ready": ("get", "Whether models are loaded and events are taken."),
    "/metrics": ("get", "Counters for Prometheus."),
    "/openapi.json": ("get", "This document."),
    "/v1/models": ("get", "Every model, with what it answers."),
    "/v1/reports": ("get", "Reports that can be opened, with their titles."),
    "/v1/watch": ("get", "Errors of streams, health, latencies and snapshots."),
    "/v1/models/{name}": ("get", "One model."),
    "/v1/models/{name}/reload": ("post", "Open the model's file anew; a bad file keeps the old model."),
    "/v1/models/{name}/snapshot": ("post", "Take a snapshot now."),
}
_ERRORS = {
    "400": "not JSON", "401": "no token", "404": "unknown model or id", "409": "not for this kind of model",
    "413": "too large", "415": "not application/json", "422": "cannot be answered as it is", "429": "too many at once",
    "503": "come again later",
}  # fmt: skip


def document(kinds: dict[str, type]) -> dict[str, Any]:
    """OpenAPI 3.1; ``kinds`` are the structs of requests by the last part of their address."""
    schemas, parts = msgspec.json.schema_components(list(kinds.values()), ref_template="#/components/schemas/{name}")
    paths = {path: {method: _operation(path, summary)} for path, (method, summary) in _PLAIN.items()}
    for (name, kind), schema in zip(kinds.items(), schemas):
        path = f"/v1/models/{{name}}/{name}"
        summary = " ".join((kind.__doc__ or "").split())
        body = {"required": True, "content": {"application/json": {"schema": schema}}}
        paths[path] = {"post": _operation(path, summary) | {"requestBody": body}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tacit", "version": __version__, "description": "Models that learn as they serve."},
        "paths": paths,
        "components": {"schemas": dict(parts), "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
    }


def _operation(path: str, summary: str) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "summary": summary,
        "responses": {"200": {"description": "the answer"}} | {s: {"description": d} for s, d in _ERRORS.items()},
    }
    if names := re.findall(r"{(\w+)}", path):
        operation["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names
        ]
    return operation
