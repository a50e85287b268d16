"""``/openapi.json`` and ``/docs``: what the server takes and gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse
from jinja2 import Environment

from offbook.server.failures import is_openai_path
from offbook.server.openai.body import ChatBody, TextBody
from offbook.server.openai.responses_body import ResponsesBody

_KEYED: Final = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "A key that `offbook key add` made; only where keys are asked for.",
    }
}
_FAILURES: Final = """\
Failures are told by their status: 400 the request cannot be used as it is; 401 no key that is open
was presented; 403 the key has not the right, or the request is not from where it may be; 404 there
is no such thing, or the key does not open it; 409 the method needs an index that was not built; 413
the body is too large; 415 it is not application/json; 429 too many requests, or the budget is
spent; 500 a mistake in offbook, or settings that contradict one another; 502 the model endpoint
failed; 503 the database cannot be read or written, or the endpoint asks for time."""
_OPEN: Final = frozenset({"/healthz"})
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_SCHEMAS: Final = "#/components/schemas/"
_PAGE: Final = Environment(autoescape=True, trim_blocks=True).from_string("""
<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{{ info.title }} {{ info.version }}</title><style>
:root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.5}
body{max-width:60rem;margin:0 auto;padding:1rem}
h2{margin-top:2.5rem;border-bottom:1px solid}
details{border:1px solid #8886;border-radius:.4rem;margin:.4rem 0;padding:.3rem .7rem}
summary{cursor:pointer;overflow-wrap:anywhere}
summary b{display:inline-block;min-width:4.5rem}
pre{overflow-x:auto;background:#8882;padding:.6rem;border-radius:.3rem}
body{background:#f6f3ee;color:#221f1c}a{color:#8a3f2c}
@media (prefers-color-scheme:dark){body{background:#171513;color:#f1ece5}a{color:#f0a58d}}
td{padding:.15rem .8rem .15rem 0;text-align:left;vertical-align:top}
</style></head><body><main><h1>{{ info.title }} {{ info.version }}</h1>
<p>{{ info.description }} Programs read <a href="/openapi.json">/openapi.json</a>.</p>
{% macro row(cells) %}<tr>{% for cell in cells %}<td>{{ cell }}</td>{% endfor %}</tr>{% endmacro %}
{% for tag, entries in by_tag.items() %}<h2>{{ tag }}</h2>
{% for path, method, operation, body, fields in entries %}
<details><summary><b>{{ method.upper() }}</b> <code>{{ path }}</code></summary>
<p>{{ operation.description or operation.summary or "" }}</p><table>
{% for each in operation.parameters or () %}
{{ row((each.name, each["in"], "required" if each.required, each.description)) }}
{% endfor %}
{% for name, field in fields.items() %}
{{ row((name, "body", "required" if name in body.required or (), field.description)) }}
{% endfor %}
{% for status, answer in operation.responses.items() %}
{{ row((status, answer.description)) }}
{% endfor %}</table>
{% for example in (body.examples or ())[:1] %}<pre>{{ example | tojson(1) }}</pre>{% endfor %}
</details>
{% endfor %}{% endfor %}</main></body></html>
""")


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
    schema: dict[str, Any] = get_openapi(
        title=app.title,
        version=app.version,
        description=f"Characters that one can talk to, and all that they know. {_FAILURES}",
        routes=app.routes,
    )
    parts = schema.setdefault("components", {})
    shapes = parts.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        shapes.pop(name, None)
    for kind in (ChatBody, TextBody, ResponsesBody):
        body = kind.model_json_schema(ref_template=_SCHEMAS + "{model}")
        shapes.update(body.pop("$defs"), **{kind.__name__: body})
    parts["securitySchemes"] = _KEYED
    for path, _, operation in _operations(schema):
        # What cannot be used is told with 400, in the envelope of the path.
        operation["responses"].pop("422", None)
        native, openai = ("kind", "message", "hint"), ("message", "type", "param", "code")
        failure = _failure(openai if is_openai_path(path) else native)
        for statuses in ("4XX", "5XX"):
            operation["responses"].setdefault(statuses, failure)
        if path not in _OPEN:
            operation["security"] = [{"key": []}, {}]
    return schema


def _failure(names: Sequence[str]) -> dict[str, Any]:
    error = {"type": "object", "required": ["error"]}
    shape = {**error, "properties": {"error": {"type": "object", "required": list(names)}}}
    return {"description": "a failure", "content": {"application/json": {"schema": shape}}}


def _operations(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in schema["paths"].items():
        for method in _METHODS:
            if method in item:
                yield path, method, item[method]


def page(schema: Mapping[str, Any]) -> str:
    """The description as one page of HTML, without scripts."""
    by_tag: dict[str, list[Any]] = {}
    for path, method, operation in _operations(schema):
        content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        body = _resolved(schema, content.get("schema", {}))
        fields = {name: _resolved(schema, f) for name, f in body.get("properties", {}).items()}
        entry = path, method, operation, body, fields
        by_tag.setdefault((operation.get("tags") or ["other"])[0], []).append(entry)
    return _PAGE.render(info=schema["info"], by_tag=by_tag)


def _resolved(schema: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    where = part.get("$ref")
    if where is None:
        return part
    target: Any = schema
    for name in where.removeprefix("#/").split("/"):
        target = target[name]
    return target  # type: ignore[no-any-return]
