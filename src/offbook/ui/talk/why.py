"""Why a reply is as it is: what it rests on, what was refused, what was skipped, what it cost.

Takes: a reply in the shape of ``ask --json``, or what is stored of one.  Gives: that for a person;
every source opens the passage it stands in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from offbook.ui.elements import button, named, part, plural, scrolling, text
from offbook.ui.passage import open_passage

if TYPE_CHECKING:
    from offbook.ui.frame import CharacterPlace

_KINDS: Final = {
    "knowledge": "Passages",
    "memory": "Memories",
    "entity": "Who and what",
    "relation": "Relations",
    "attribute": "How they are",
    "profile": "Profile",
    "out_of_scope": "Declined",
}
_VERDICTS: Final = {
    "in": "Within what the character knows",
    "partly": "Partly beyond what the character knows",
    "out": "Beyond what the character knows",
}
_OPEN: Final = ("knowledge", "memory", "out_of_scope")
"""What is unfolded from the beginning."""
_SOURCES: Final = 4
_SKIPPED: Final = 40
"""Titles of what was skipped for one reason."""

Found = Mapping[str, Any]


def show_why(place: CharacterPlace, reply: Found, *, is_stored: bool) -> None:
    """All of it, below one another.

    Args:
        place: The character.
        reply: As ``ask --json`` prints it; of a stored turn, as it was kept.
        is_stored: What was skipped is not kept with a conversation.
    """
    _cost(reply)
    _boundary(reply.get("boundary"))
    _items(place, reply)
    _feelings(reply)
    _skipped(reply.get("skipped") or (), is_stored=is_stored)
    _tasks(reply.get("usage") or {})


def facts_of(reply: Found) -> str:
    """What a reply rests on and cost, in one line."""
    usage = reply.get("usage") or {}
    context = [item for item in reply.get("context") or () if item["kind"] != "profile"]
    tokens = usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0)
    parts = [f"rests on {len(context)}", plural(usage.get("calls", 0), "call")]
    if tokens:
        parts.append(plural(tokens, "token"))
    return " · ".join([*parts, f"{usage.get('seconds', 0.0):.1f} s"])


def _cost(reply: Found) -> None:
    usage = reply.get("usage") or {}
    calls = usage.get("calls", 0)
    told = [
        (f"{calls:,}", "call" if calls == 1 else "calls"),
        (f"{usage.get('prompt_tokens', 0):,}", "tokens read"),
        (f"{usage.get('completion_tokens', 0):,}", "tokens written"),
        (f"{usage.get('seconds', 0.0):.2f} s", "time"),
        (str(reply.get("method", "")), "method"),
    ]
    if usage.get("cost_usd") is not None:
        told.append((f"{usage['cost_usd']:.4f}", "USD"))
    with part("div", "facts-grid"):
        for number, of in told:
            with part("div", "fact"):
                text("span", number, "number")
                text("span", of, "of")


def _boundary(boundary: Found | None) -> None:
    if boundary is None:
        return
    verdict = str(boundary["verdict"])
    with part("section", f"verdict {verdict if verdict in _VERDICTS else ''}"):
        text("h2", _VERDICTS.get(verdict, verdict))
        for reason in boundary.get("reasons") or ():
            text("p", f"{reason['entity']}: {reason['reason']}", "small")


def _items(place: CharacterPlace, reply: Found) -> None:
    context: Sequence[Found] = reply.get("context") or ()
    about = f"{reply.get('question', '')} {reply.get('reply', '')}"
    for kind, title in _KINDS.items():
        found = [item for item in context if item["kind"] == kind]
        if not found:
            continue
        with _fold(title, len(found), is_open=kind in _OPEN):
            for item in found:
                _item(place, item, about)


def _item(place: CharacterPlace, item: Found, about: str) -> None:
    with part("article", "why-item"):
        title = item["title"]
        if title:  # memories of a file may have none
            text("h3", title)
        sources = [source for source in item.get("sources") or () if source.get("chunk")]
        if item["text"] != title:
            # What opens in its document is shortened here; all else can be read nowhere else.
            text("p", item["text"], "told" if sources else "told whole")
        with part("div", "under"):
            if item["kind"] not in ("profile", "out_of_scope"):
                text("span", f"score {item['score']:.2f}", "chip")
            for name, level in _strongest(item.get("emotion")):
                text("span", f"{name} {level:g}", "chip")
            for number, source in enumerate(sources[:_SOURCES], 1):
                named_for = title or _KINDS[item["kind"]]
                _source(place, source, about, named_for, number if len(sources) > 1 else 0)
            if len(sources) > _SOURCES:
                text("span", f"and {len(sources) - _SOURCES} more", "facts")


def _source(place: CharacterPlace, source: Found, about: str, title: str, number: int) -> None:
    async def show() -> None:
        await open_passage(place, source, about)

    told = f"Source {number}" if number else "Source"
    named(button(told, show, icon="menu_book", look="small"), aria_label=f"{told} of {title}")


def _feelings(reply: Found) -> None:
    for key, title in (("emotion", "What the question stirs"), ("mood", "Mood")):
        levels = reply.get(key)
        if not levels:
            continue
        with _fold(title, None, is_open=key == "mood"), part("div", "levels"):
            for name, level in levels.items():
                text("span", name)
                with part("div", "track", aria_hidden="true"):
                    part("div").style(f"width: {min(100.0, max(0.0, float(level) * 10)):.0f}%")
                text("span", f"{float(level):.1f}", "number")


def _strongest(emotion: Found | None) -> list[tuple[str, float]]:
    """The two feelings that stand out in a memory."""
    levels = [(name, float(level)) for name, level in (emotion or {}).items()]
    return [pair for pair in sorted(levels, key=lambda pair: -pair[1])[:2] if pair[1] > 1]


def _skipped(skipped: Sequence[Found], *, is_stored: bool) -> None:
    if is_stored:
        text("p", "What was skipped is shown when the reply comes, and not kept.", "quiet")
        return
    if not skipped:
        return
    counts = Counter(row["why"] for row in skipped)
    with _fold("Found and skipped", len(skipped), is_open=False):
        for why in counts:
            with part("article", "why-item"):
                text("h3", why)
                titles = [f"{row['kind']}: {row['title']}" for row in skipped if row["why"] == why]
                for title in titles[:_SKIPPED]:
                    text("p", title, "quiet")
                if len(titles) > _SKIPPED:
                    text("p", f"and {len(titles) - _SKIPPED} more", "quiet")


def _tasks(usage: Found) -> None:
    tasks: Mapping[str, Found] = usage.get("by_task") or {}
    if not tasks:
        return
    with _fold("Calls", sum(task["calls"] for task in tasks.values()), is_open=False):
        told = f"{plural(usage.get('round_trips', 0), 'wait')} one after another"
        text("p", f"{told}, {plural(usage.get('cached_calls', 0), 'answer')} from the cache")
        with scrolling("What calls were for"), part("table", "plain"):
            with part("thead"), part("tr"):
                text("th", "asked for")
                for head in ("calls", "read", "written"):
                    text("th", head, "number")
            with part("tbody"):
                for name, task in tasks.items():
                    with part("tr"):
                        text("td", name)
                        for key in ("calls", "prompt_tokens", "completion_tokens"):
                            text("td", f"{task[key]:,}", "number")


def _fold(title: str, count: int | None, *, is_open: bool) -> Any:
    """A part that folds; its content goes inside."""
    whole = part("details", "why-group")
    if is_open:
        named(whole, open="open")
    with whole:
        with part("summary"):
            text("span", title)
            if count is not None:
                text("span", f" {count}", "count")
        return part("div", "why-items")
