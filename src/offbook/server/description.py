"""``/openapi.json`` and ``/docs``: what the server takes and gives.

Takes: an application whose routes are all there.  Gives: its description, and a page of it.  The
page is plain HTML of the server's own: the usual viewers load scripts from elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse

from offbook.server.failures import is_openai_path

_KEYED: Final = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "A key that `offbook key add` made; only where keys are asked for.",
    }
}
_OPENAI_FAILURE: Final = {
    "description": "a failure, in the envelope of OpenAI's API",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["error"],
                "properties": {
                    "error": {"type": "object", "required": ["message", "type", "param", "code"]}
                },
            }
        }
    },
}
_OPEN: Final = frozenset({"/healthz"})
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_STYLE: Final = """
:root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.5}
body{max-width:60rem;margin:0 auto;padding:1rem}
h2{margin-top:2.5rem;border-bottom:1px solid}
details{border:1px solid #8886;border-radius:.4rem;margin:.4rem 0;padding:.3rem .7rem}
summary{cursor:pointer;overflow-wrap:anywhere}
summary b{display:inline-block;min-width:4.5rem}
pre{overflow-x:auto;background:#8882;padding:.6rem;border-radius:.3rem}
table{border-collapse:collapse}
td{padding:.15rem .8rem .15rem 0;text-align:left;vertical-align:top}
"""


def describe(app: FastAPI) -> None:
    """Give the application its description and the page of it."""

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _schema(app)
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
    app.get("/docs", include_in_schema=False)(_docs)


# FastAPI keeps every endpoint that it has seen: one that held an application would keep it alive.
async def _docs(request: Request) -> HTMLResponse:
    return HTMLResponse(page(request.app.openapi()))


def _schema(app: FastAPI) -> dict[str, Any]:
    found: dict[str, Any] = get_openapi(
        title=app.title,
        version=app.version,
        description="Characters that one can talk to, and all that they know.",
        routes=app.routes,
    )
    parts = found.setdefault("components", {})
    for name in ("HTTPValidationError", "ValidationError"):
        parts.get("schemas", {}).pop(name, None)
    parts["securitySchemes"] = _KEYED
    for path, _, operation in _operations(found):
        # What cannot be used is told with 400, in the envelope of the path.
        operation["responses"].pop("422", None)
        if is_openai_path(path):
            for statuses in ("4XX", "5XX"):
                operation["responses"].setdefault(statuses, _OPENAI_FAILURE)
        if path not in _OPEN:
            operation["security"] = [{"key": []}, {}]
    return found


def _operations(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in schema["paths"].items():
        for method in _METHODS:
            if method in item:
                yield path, method, item[method]


def page(schema: Mapping[str, Any]) -> str:
    """The description as one page of HTML, without scripts."""
    tags: dict[str, list[str]] = {}
    for path, method, operation in _operations(schema):
        tag = (operation.get("tags") or ["other"])[0]
        tags.setdefault(tag, []).append(_operation(schema, path, method, operation))
    body = "".join(f"<h2>{escape(tag)}</h2>{''.join(parts)}" for tag, parts in tags.items())
    title = escape(f"{schema['info']['title']} {schema['info']['version']}")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>"
        f"<p>{escape(schema['info'].get('description', ''))} Programs read "
        f'<a href="/openapi.json">/openapi.json</a>.</p>{body}</body></html>'
    )


def _operation(
    schema: Mapping[str, Any], path: str, method: str, operation: Mapping[str, Any]
) -> str:
    said = escape(operation.get("description") or operation.get("summary") or "")
    parts = [f"<p>{said}</p>", _parameters(operation), _body(schema, operation)]
    answers = "".join(
        f"<tr><td>{escape(status)}</td><td>{escape(answer.get('description', ''))}</td></tr>"
        for status, answer in operation["responses"].items()
    )
    parts.append(f"<table>{answers}</table>")
    head = f"<b>{method.upper()}</b> <code>{escape(path)}</code>"
    return f"<details><summary>{head}</summary>{''.join(parts)}</details>"


def _parameters(operation: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(p['name'])}</code></td><td>{escape(p['in'])}</td>"
        f"<td>{'required' if p.get('required') else ''}</td>"
        f"<td>{escape(p.get('description', ''))}</td></tr>"
        for p in operation.get("parameters", ())
    )
    return f"<table>{rows}</table>" if rows else ""


def _body(schema: Mapping[str, Any], operation: Mapping[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return ""
    shape = _resolved(schema, content.get("schema", {}))
    shown = ""
    for example in shape.get("examples", ())[:1]:
        shown = f"<pre>{escape(json.dumps(example, ensure_ascii=False, indent=1))}</pre>"
    needed = set(shape.get("required", ()))
    rows = "".join(
        f"<tr><td><code>{escape(name)}</code></td>"
        f"<td>{'required' if name in needed else ''}</td>"
        f"<td>{escape(_resolved(schema, part).get('description', ''))}</td></tr>"
        for name, part in shape.get("properties", {}).items()
    )
    return f"<table>{rows}</table>{shown}"


def _resolved(schema: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    where = part.get("$ref")
    if where is None:
        return part
    found: Any = schema
    for name in where.removeprefix("#/").split("/"):
        found = found[name]
    return found  # type: ignore[no-any-return]
