"""What replies rested on, as turns keep it: places in documents instead of their words.

Words that are a stretch of a stored document are kept as this place of that version of its text,
all others as they are. Where a document gets another text, the stretches of the old one that turns
name are kept, each once; with the document they are forgotten. So a turn shows the words that its
reply rested on, however often it was told the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import Connection, delete, exists, select

from offbook.stores.schema import documents, former_passages, turn_documents, turns
from offbook.stores.statements import add_missing, among, of, read_as

_PLACE: Final = "place"
_GONE: Final = "the words that it held are not stored any more"


@dataclass(frozen=True, slots=True)
class _Place:
    """A stretch of the version of a document's text that ``digest`` names."""

    document: str
    digest: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Text:
    document: str
    digest: str
    text: str


def as_places(conn: Connection, character: str, recall: Mapping[str, Any]) -> dict[str, Any]:
    """Put places for the words of what a recall holds, where they are a stretch of a document."""
    items = recall.get("context", ())
    texts = _texts(conn, character, {name for item in items for name in _bounds(item)})
    return {**recall, "context": [_placed(item, texts) for item in items]} if items else {**recall}


def in_words(
    conn: Connection, character: str, recalls: Mapping[str, Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    """Put the words back into recalls, by any names; one whose words are gone is noted as such."""
    places = {place for recall in recalls.values() for place in _places(recall)}
    if not places:
        return dict(recalls)
    names = {place.document for place in places}
    now = {(each.document, each.digest): each.text for each in _texts(conn, character, names)}
    c = former_passages.c
    chosen = select(c.document_id, c.digest, c.start, c.end, c.text)
    rows = conn.execute(chosen.where(of(former_passages, character), among(c.document_id, names)))
    words = {_Place(*place): text for *place, text in rows}
    for place in places:
        text = now.get((place.document, place.digest))
        if text is not None:
            words[place] = text[place.start : place.end]
    return {
        name: _worded(recall, words) if _places(recall) else recall
        for name, recall in recalls.items()
    }


def keep_former(conn: Connection, character: str, names: Collection[str]) -> None:
    """Keep what turns name of documents whose text is about to be another, or to be elsewhere."""
    texts = {
        (each.document, each.digest): each.text for each in _texts(conn, character, set(names))
    }
    c, t = turn_documents.c, turns.c
    rests = exists().where(
        c.character_id == t.character_id,
        c.conversation_id == t.conversation_id,
        c.turn_id == t.id,
        among(c.document_id, names),
    )
    chosen = select(t.recall).where(of(turns, character), t.recall.is_not(None), rests)
    places = {place for recall in conn.scalars(chosen) for place in _places(recall)}
    rows = [
        {
            "character_id": character,
            "document_id": place.document,
            "digest": place.digest,
            "start": place.start,
            "end": place.end,
            "text": texts[place.document, place.digest][place.start : place.end],
        }
        for place in sorted(places, key=lambda place: (place.document, place.start, place.end))
        if (place.document, place.digest) in texts
    ]
    add_missing(conn, former_passages, rows)


def forget_document(conn: Connection, character: str, document: str) -> None:
    """Delete what is kept of the earlier texts of a document."""
    conn.execute(
        delete(former_passages).where(of(former_passages, character, document_id=document))
    )


def forget_unnamed(conn: Connection, character: str) -> None:
    """Delete what is kept of earlier texts on which no turn rests any more."""
    rests = exists().where(
        of(turn_documents, character),
        turn_documents.c.document_id == former_passages.c.document_id,
    )
    conn.execute(delete(former_passages).where(of(former_passages, character), ~rests))


def _texts(conn: Connection, character: str, names: Collection[str]) -> list[_Text]:
    if not names:
        return []
    c = documents.c
    chosen = select(c.id, c.digest, c.text).where(of(documents, character), among(c.id, names))
    return read_as(conn, _Text, chosen)


def _bounds(item: Mapping[str, Any]) -> dict[str, range]:
    """Return from where to where an item is from, by document."""
    bounds: dict[str, range] = {}
    for source in item.get("sources", ()):
        name, start, end = source["document"], source["start"], source["end"]
        known = bounds.get(name, range(start, end))
        bounds[name] = range(min(known.start, start), max(known.stop, end))
    return bounds


def _placed(item: Mapping[str, Any], texts: Collection[_Text]) -> dict[str, Any]:
    words, bounds = str(item.get("text") or ""), _bounds(item)
    for each in texts if words else ():
        within = bounds.get(each.document, range(0))
        start = each.text.find(words, within.start, within.stop)
        if within and start >= 0:
            place = _Place(each.document, each.digest, start, start + len(words))
            rest = {name: value for name, value in item.items() if name != "text"}
            return {**rest, _PLACE: asdict(place)}
    return dict(item)


def _place_of(item: Mapping[str, Any]) -> _Place | None:
    return _Place(**item[_PLACE]) if _PLACE in item else None


def _places(recall: Mapping[str, Any]) -> list[_Place]:
    return [place for item in recall.get("context", ()) if (place := _place_of(item))]


def _worded(recall: Mapping[str, Any], words: Mapping[_Place, str]) -> Mapping[str, Any]:
    context: list[Mapping[str, Any]] = []
    skipped = [*recall.get("skipped", ())]
    for item in recall.get("context", ()):
        place = _place_of(item)
        if place is None:
            context.append(item)
        elif place in words:
            rest = {name: value for name, value in item.items() if name != _PLACE}
            context.append({**rest, "text": words[place]})
        else:
            skipped.append({"kind": item["kind"], "title": item["title"], "why": _GONE})
    return {**recall, "context": context, "skipped": skipped}
