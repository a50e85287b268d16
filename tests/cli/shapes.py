"""The JSON shapes of the contract, and whether a document has one.

Takes: a document and a shape: a type, a list of one shape, a dictionary of shapes, a tuple of
alternatives, or a set of allowed values.  Gives: nothing, or the path to what does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NUMBER = (int, float)
TOKENS = {"calls": int, "prompt_tokens": int, "completion_tokens": int}
USAGE = {
    "calls": int,
    "cached_calls": int,
    "round_trips": int,
    "prompt_tokens": int,
    "completion_tokens": int,
    "embed_calls": int,
    "cost_usd": (int, float, None),
    "seconds": NUMBER,
    "by_task": dict,
}
SOURCE = {"document": str, "chunk": str, "start": int, "end": int}
KINDS = {
    *[
        "profile",
        "episode",
        "scene",
        "knowledge",
        "entity",
        "relation",
        "attribute",
        "memory",
        "premise",
        "unwitnessed",
        "out_of_scope",
    ]
}
ITEM = {"kind": KINDS, "title": str, "text": str, "score": NUMBER, "sources": [SOURCE]}
RECALL = {
    "character": str,
    "method": str,
    "preset": {"default", "faithful"},
    "question": str,
    "context": [ITEM],
    "boundary": (
        None,
        {"verdict": {"in", "partly", "out"}, "reasons": [{"entity": str, "reason": str}]},
    ),
    "emotion": (None, dict),
    "mood": (None, dict),
    "skipped": [{"kind": str, "title": str, "why": str}],
    "as_of": (None, str),
    "stance": {"open", "grounded", "in_character"},
    "usage": USAGE,
}
ASK = {**RECALL, "reply": str}
STATUSES = {"added", "updated", "unchanged", "partial", "failed"}
INGEST = {
    "character": str,
    "method": str,
    "documents": [{"id": str, "name": str, "status": STATUSES, "chunks": int, "quarantined": int}],
    "entities": int,
    "relations": int,
    "aliases": int,
    "usage": USAGE,
}
ESTIMATE = {**TOKENS, "cost_usd": (int, float, None), "by_task": dict}
DOCUMENTS = [
    {"id": str, "name": str, "chars": int, "chunks": int, "status": str, "added": str},
]
CHUNKS = [
    {
        "id": str,
        "chunking": str,
        "document": str,
        "headings": [str],
        "start": int,
        "end": int,
        "text": str,
    }
]
ENTITIES = [
    {
        "name": str,
        "type": str,
        "description": str,
        "aliases": [str],
        "mentions": int,
        "sources": [SOURCE],
    }
]
RELATIONS = [
    {"source": str, "target": str, "description": str, "strength": NUMBER, "sources": [SOURCE]}
]
ALIASES = [{"alias": str, "name": str}]
DECISIONS = [
    {
        "id": str,
        "a": str,
        "b": str,
        "same": bool,
        "by": str,
        "reason": str,
        "evidence": [str],
        "created": str,
        "holds": bool,
    }
]
ALIAS = {
    "character": str,
    "status": {"recorded", "unchanged", "withdrawn", "overruled"},
    "id": str,
    "a": str,
    "b": str,
    "same": bool,
    "evidence": [str],
    "undone": (str, None),
    "entities": [{"name": str, "aliases": [str]}],
    "messages": [str],
    "usage": USAGE,
}
FORGET = {
    "character": str,
    "document": str,
    "chunks": int,
    "cached_calls": int,
    "turns": int,
    "memories": int,
    "messages": [str],
    "usage": USAGE,
}
ATTRIBUTES = [
    {"kind": {"belief_and_value", "psychological_trait"}, "text": str, "sources": [SOURCE]}
]
ERROR = {"error": {"kind": str, "message": str, "hint": str}}


def misfit(value: Any, shape: Any, at: str = "$") -> str | None:
    """Where and how ``value`` differs from ``shape``; more keys than the shape's are allowed."""
    if shape is None or isinstance(shape, type):
        fits = value is None if shape is None else isinstance(value, shape)
        wrong = not fits or (isinstance(value, bool) and shape is not bool)
        return f"{at} is {value!r}, not {shape}" if wrong else None
    if isinstance(shape, tuple):
        tries = [misfit(value, each, at) for each in shape]
        return None if None in tries else f"{at} is {value!r}, none of {shape}"
    if isinstance(shape, set):
        return None if value in shape else f"{at} is {value!r}, not one of {sorted(shape)}"
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{at} is {value!r}, not a list"
        found = (misfit(each, shape[0], f"{at}[{place}]") for place, each in enumerate(value))
        return next((wrong for wrong in found if wrong), None)
    if not isinstance(value, dict):
        return f"{at} is {value!r}, not an object"
    missing = sorted(shape.keys() - value.keys())
    if missing:
        return f"{at} lacks {missing}"
    found = (misfit(value[key], each, f"{at}.{key}") for key, each in shape.items())
    return next((wrong for wrong in found if wrong), None)


PAGE = Path(__file__).resolve().parents[2] / "docs" / "json.md"
NAMED = frozenset(re.findall(r"`([a-z_]+)`", PAGE.read_text("utf-8")))
OPEN = {"by_task"}
"""Objects whose keys are data."""


def keys(document: Any) -> Iterator[str]:
    if isinstance(document, list):
        for each in document:
            yield from keys(each)
    if isinstance(document, dict):
        for key, value in document.items():
            yield key
            if key not in OPEN:
                yield from keys(value)
