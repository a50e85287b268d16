"""What a reply rests on, in a reader's words: sentences first, then what was declined, then costs.

Takes: a reply with its recall.  Gives: lines. Source: ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.cli.output import cost, counted, felt, shortened
from offbook.cli.prose import filled
from offbook.context.supports import DECLINED
from offbook.context.supports import supports as supports_in

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.types import ContextItem, Recall, Reply, Skipped, Source

_PLACES: Final = 3
"""Places of a piece, and pieces left out for one reason, that are shown; the JSON has all."""
_STRONGEST: Final = 3
"""Emotions of a memory that are shown."""
_NEAREST: Final = 3
"""Pieces that are shown of a reply that takes over no sentence."""
_LONGEST: Final = 400
_KINDS: Final = {
    "knowledge": "passage",
    "episode": "episode",
    "scene": "scene",
    "entity": "description",
    "relation": "relation",
    "attribute": "trait",
    "memory": "memory",
    "profile": "profile",
}
_WITNESSED: Final = {
    "present": "was there",
    "told": "was told",
    "read": "read of it",
    "overheard": "overheard it",
    "common": "everybody knows",
    "absent": "was not there",
}


@dataclass(frozen=True, slots=True)
class Support:
    """A sentence that a reply rests on, and the piece of context that holds it."""

    text: str
    item: ContextItem


def supports(reply: Reply) -> list[Support]:
    """The sentences that a reply rests on, in its order; none where it takes over none."""
    items = sorted(reply.recall.context, key=lambda each: each.kind == "profile")
    items = [each for each in items if each.kind not in DECLINED]
    texts = [each.text for each in items]
    chosen = [
        # What was said to it and its answer belong together.
        Support(
            item.text if item.kind == "memory" else item.text[place.low : place.high].lstrip("- "),
            item,
        )
        for place in supports_in(reply.text, texts, reply.recall.character)
        for item in [items[place.text]]
    ]
    return list({support.text: support for support in chosen}.values())


def _cut(item: ContextItem) -> list[str]:
    if item.kind == "memory":
        return [item.text]  # what was said to it and its answer belong together
    from offbook.text.sentences import sentences

    return [item.text[low:high].lstrip("- ") for low, high in sentences(item.text)]


async def why(book: Offbook, reply: Reply | None) -> str:
    """What a reply rests on, what was declined, and what it cost."""
    if reply is None:
        return "nothing was said yet"
    recall = reply.recall
    rows = await book.show(recall.character_id, "documents")
    names = {row["id"]: row["name"] for row in rows}
    places = await book.places(recall)
    chosen = supports(reply)
    declined = _declined(recall)
    lines = _resting(chosen, recall, names, places) if chosen or not declined else []
    lines += ["declined:", *(filled(reason, "  ") for reason in declined)] if declined else []
    more = (_rest(recall, chosen), _left_out(recall.skipped), _feelings(recall))
    lines += [filled(line, "  ") for line in more if line]
    if reply.remembered is not None and reply.remembered.memory is None:
        lines.append(filled(f"not remembered: {reply.remembered.why}", "  "))
    return "\n".join([*lines, cost(reply.usage)])


def _resting(
    chosen: Sequence[Support],
    recall: Recall,
    names: Mapping[str, str],
    places: Mapping[Source, str],
) -> list[str]:
    head = "rests on:"
    if not chosen:
        items = [each for each in recall.context if each.kind not in (*DECLINED, "profile")]
        items.sort(key=lambda each: -each.score)
        chosen = [Support(_nearest(each, recall.question), each) for each in items[:_NEAREST]]
        head = "takes over no sentence; nearest to the question:" if chosen else "rests on no text"
    lines = [head]
    for support in chosen:
        lines.append(filled(f"“{shortened(support.text, _LONGEST)}”", "  "))
        lines.append(filled(where(support.item, names, places), "      "))
    return lines


def _nearest(item: ContextItem, question: str) -> str:
    from offbook.text.words import search_terms

    terms = set(search_terms(question))
    return max(_cut(item), key=lambda text: len(terms.intersection(search_terms(text))), default="")


def where(item: ContextItem, names: Mapping[str, str], places: Mapping[Source, str]) -> str:
    """Where a piece is from, in words: the document and its part, a memory, a conversation."""
    from offbook.prompts.emotion import is_of_conversation

    if item.kind == "memory":
        if is_of_conversation(item.title):
            return f"{item.title or 'in a conversation'}, remembered"
        feeling = f", felt with {felt(item.emotion, _STRONGEST)}" if item.emotion else ""
        return f"a memory{feeling}"
    documents = dict.fromkeys(
        names[each.document] for each in item.sources if each.document in names
    )
    source = ", ".join([*documents][:_PLACES])
    page = next((places[each] for each in item.sources if each in places), "")
    title = "" if item.kind == "profile" else item.title
    known = _WITNESSED[item.witness.how] if item.witness else ""
    return ", ".join(part for part in (source, page, title, known) if part) or _KINDS[item.kind]


def _declined(recall: Recall) -> list[str]:
    """Why something was declined, in sentences."""
    reasons = [(each.title, each.text) for each in recall.context if each.kind in DECLINED]
    if recall.boundary is not None and recall.boundary.verdict != "in":
        reasons += [(each.entity, each.reason) for each in recall.boundary.reasons]
    named = (text if title in text else f"{title}: {text}" for title, text in reasons)
    return list(dict.fromkeys(named))


def in_line(reply: Reply) -> str:
    """What a reply rests on, in one line: why it declines, else its sentences."""
    if declined := _declined(reply.recall):
        return "; ".join(declined)
    parts = [f"“{each.text}” ({where(each.item, {}, {})})" for each in supports(reply)]
    return "; ".join(parts) or "no sentence"


def _feelings(recall: Recall) -> str:
    parts = [
        f"{title}: {felt(levels, _STRONGEST)}"
        for title, levels in (("the question stirs", recall.emotion), ("mood", recall.mood))
        if levels is not None
    ]
    return "; ".join(parts)


def _rest(recall: Recall, chosen: Sequence[Support]) -> str:
    shown = {id(support.item) for support in chosen}
    rest = Counter(
        _KINDS[each.kind]
        for each in recall.context
        if id(each) not in shown and each.kind not in DECLINED
    )
    parts = [counted(number, kind) for kind, number in rest.items()]
    return f"also in view: {', '.join(parts)}" if parts else ""


def _left_out(skipped: Sequence[Skipped]) -> str:
    """How much was left out, and why."""
    counts = Counter((_KINDS.get(each.kind, each.kind), each.why) for each in skipped)
    parts = [f"{counted(number, kind)} ({reason})" for (kind, reason), number in counts.items()]
    return f"left out: {'; '.join(parts)}" if parts else ""


def _skipped(skipped: Sequence[Skipped]) -> list[str]:
    """What was left out, a line a reason."""
    titles: dict[tuple[str, str], list[str]] = {}
    for each in skipped:
        titles.setdefault((each.kind, each.why), []).append(each.title)
    return [
        f"  skipped: {_spaced(kind, _listed([title for title in named if title]))}: {reason}"
        for (kind, reason), named in titles.items()
    ]


def grounds(recall: Recall, places: Mapping[Source, str]) -> list[str]:
    """All that a reply may rest on, two lines a piece, with scores and offsets."""
    lines = []
    for item in recall.context:
        lines.append("  " + _spaced(item.kind, f"({item.score:.2f})", item.title))
        if item.sources:
            lines[-1] += " " + _offsets(item.sources, places)
        if item.emotion is not None:
            lines.append(f"      felt with {felt(item.emotion, _STRONGEST)}")
        lines.append(f"      {shortened(item.text, 160)}")
    if recall.emotion is not None:
        lines.append(f"  the question is felt with: {felt(recall.emotion)}")
    if recall.mood is not None:
        lines.append(f"  mood: {felt(recall.mood)}")
    if recall.boundary is not None:
        lines.append(f"  boundary: {recall.boundary.verdict}")
        lines += [f"      {r.entity}: {r.reason}" for r in recall.boundary.reasons]
    return [*lines, *_skipped(recall.skipped)] or ["  nothing"]


def _offsets(sources: Sequence[Source], places: Mapping[Source, str]) -> str:
    """The first places; all of them are in the JSON."""
    shown = [
        f"{s.document}[{s.start}:{s.end}]" + (f" ({places[s]})" if s in places else "")
        for s in sources[:_PLACES]
    ]
    more = [f"and {len(sources) - _PLACES} more"] if len(sources) > _PLACES else []
    return ", ".join([*shown, *more])


def _listed(titles: Sequence[str]) -> str:
    more = f"; and {len(titles) - _PLACES} more" if len(titles) > _PLACES else ""
    return "; ".join(titles[:_PLACES]) + more


def _spaced(*words: str) -> str:
    return " ".join(word for word in words if word)
