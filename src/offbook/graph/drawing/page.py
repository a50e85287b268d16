"""The graph as one page that needs nothing but a browser: no server, no network, no library.

No text of a document becomes markup: it travels as JSON that holds no ``<``, and the script sets it
as text only. A content security policy forbids everything but the page's own code, by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from offbook.documents.sections import highest
from offbook.graph.assembly import Graph
from offbook.graph.drawing.quotes import Quote, Quotes
from offbook.types import Entity, Source

ASSETS: Final = Path(__file__).parent / "assets"
_SCRIPTS: Final = ("layout.js", "drawing.js", "gestures.js", "panel.js", "graph.js")
_KNOWN_TYPES: Final = ("character", "location", "organization", "event", "object", "time")
"""Types whose colour and shape are the same on every page (RoleRAG section 3.1)."""

_LOOKS: Final = 10
"""How many pairs of colour and shape the style sheet holds."""

_IN_A_SCRIPT: Final = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})
_NO_TYPE: Final = "(no type)"


def write_html(graph: Graph, character_name: str, quotes: Quotes) -> str:
    """The page, whole."""
    from jinja2 import Environment

    environment = Environment(autoescape=True, keep_trailing_newline=True)
    template = environment.from_string((ASSETS / "graph.html.jinja").read_text("utf-8"))
    style, script = _style(), _script()
    return template.render(
        character=character_name,
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        data=as_script_data(page_data(graph, character_name, quotes)),
    )


def as_script_data(value: Any) -> str:
    """JSON that cannot end the ``<script>`` element it stands in, nor open another."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_IN_A_SCRIPT)


def page_data(graph: Graph, character_name: str, quotes: Quotes) -> dict[str, Any]:
    """What the script draws; entities by their numbers, heaviest first, each sentence once."""
    weights = entity_weights(graph)
    ordered = sorted(graph.entities, key=lambda e: (-weights[e.id], e.name, e.id))
    numbers = {entity.id: number for number, entity in enumerate(ordered)}
    types = _types(ordered)
    places = {entry["name"]: place for place, entry in enumerate(types)}
    table, chapters = _Sentences(quotes), _Chapters(quotes)
    return {
        "character": character_name,
        "types": types,
        "nodes": [
            {
                "id": entity.id,
                "name": entity.name,
                "type": places[entity.type.strip() or _NO_TYPE],
                "description": entity.description,
                "aliases": list(entity.aliases),
                "mentions": len(entity.mentions),
                "weight": round(weights[entity.id], 2),
                "quotes": table.rows(entity.sources, entity.names),
                "chapters": chapters.of(entity.sources),
            }
            for entity in ordered
        ],
        "relations": [
            {
                "source": numbers[relation.source],
                "target": numbers[relation.target],
                "description": relation.description,
                "strength": relation.strength,
                "quotes": table.rows(
                    relation.sources,
                    ordered[numbers[relation.source]].names,
                    ordered[numbers[relation.target]].names,
                ),
                "chapters": chapters.of(relation.sources),
            }
            for relation in graph.relations
        ],
        "documents": list(table.documents),
        "sentences": list(table.sentences),
        "chapters": chapters.titles,
    }


def entity_weights(graph: Graph) -> dict[str, float]:
    """How much there is to an entity: its mentions, and a tenth of its relations' strengths."""
    weights = {entity.id: float(len(entity.mentions)) for entity in graph.entities}
    for relation in graph.relations:
        for end in {relation.source, relation.target}:
            weights[end] += relation.strength / 10
    return weights


class _Chapters:
    """The chapters of the documents, and in which of them something is mentioned."""

    def __init__(self, quotes: Quotes) -> None:
        self.titles: list[str] = []
        self._starts: dict[str, tuple[list[int], int]] = {}  # and the number of the first
        for document in quotes.documents:
            found = highest(document.text)
            self._starts[document.id] = [each.title_start for each in found], len(self.titles)
            self.titles += [each.headings[-1] for each in found]

    def of(self, sources: Sequence[Source]) -> list[int]:
        """The numbers of the chapters in which sources stand; before the first is none."""
        numbers = set()
        for source in sources:
            starts, first = self._starts[source.document]
            if place := bisect_right(starts, source.start):
                numbers.add(first + place - 1)
        return sorted(numbers)


class _Sentences:
    """Every quoted sentence once, with the number of its document."""

    def __init__(self, quotes: Quotes) -> None:
        self._quotes = quotes
        self.documents: dict[str, int] = {}
        self.sentences: dict[tuple[int, str], int] = {}

    def rows(self, sources: Sequence[Source], *subjects: Sequence[str]) -> list[Any]:
        """``[sentence, [[start, end], ...]]`` a sentence: where in it the mentions stand."""
        marks_of: dict[int, list[list[int]]] = {}
        for source in sources:
            quote = self._quotes.quote(source, *subjects)
            if not quote.text:
                continue
            marks = marks_of.setdefault(self._number(quote), [])
            mark = quote.mark and [place + quote.cut_before for place in quote.mark]
            if mark and mark not in marks:
                marks.append(mark)
        return [[number, sorted(marks)] for number, marks in marks_of.items()]

    def _number(self, quote: Quote) -> int:
        document = self.documents.setdefault(quote.document, len(self.documents))
        text = "…" * quote.cut_before + quote.text + "…" * quote.cut_after
        return self.sentences.setdefault((document, text), len(self.sentences))


def _types(entities: Sequence[Entity]) -> list[dict[str, Any]]:
    """The types by frequency, each with the number of its colour and shape."""
    counts = Counter(entity.type.strip() or _NO_TYPE for entity in entities)
    looks = {name: look for look, name in enumerate(_KNOWN_TYPES)}
    free = [look for look in range(_LOOKS) if look >= len(_KNOWN_TYPES)]
    others = 0
    rows = []
    for name, count in counts.most_common():
        look = looks.get(name.casefold())
        if look is None:
            look = free[others % len(free)]
            others += 1
        rows.append({"name": name, "count": count, "look": look})
    return rows


@cache
def _script() -> str:
    parts = [(ASSETS / name).read_text("utf-8") for name in _SCRIPTS]
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "})();\n"


@cache
def _style() -> str:
    return (ASSETS / "graph.css").read_text("utf-8")


def _hash(text: str) -> str:
    """The source expression of the content security policy that allows exactly this text."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
