"""Why a reply is as it is: by sentence, then what was declined, what else there was, its cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.app.conversations import Passage, read_passage
from offbook.context.supports import DECLINED, Support, supports
from offbook.types import Source
from offbook.ui.elements import (
    button,
    icon_button,
    named,
    part,
    plural,
    table,
    text,
    told_of_errors,
)
from offbook.ui.markup import Mark

if TYPE_CHECKING:
    from offbook.ui.frame import CharacterPlace

_TO_THE_MARK: Final = 'document.querySelector(".passage mark")?.scrollIntoView({block: "center"})'


async def open_passage(place: CharacterPlace, source: Mapping[str, Any], about: str) -> None:
    """Open the passage of a source; ``about`` says which sentence of it counts."""
    with told_of_errors():
        where = Source(source["document"], source["chunk"], source["start"], source["end"])
        passage = await read_passage(place.visitor.book, place.character, where, about)
        _dialog(passage)


def _dialog(passage: Passage) -> None:
    # On the page itself: what asks may be drawn anew, and would take the dialog along.
    with ui.context.client.content, ui.dialog() as dialog, ui.card().classes("dialog"):
        named(dialog, aria_label=f"Passage of {passage.document}")
        with part("div", "dialog-head"):
            with part("div"):
                text("h2", passage.document)
                if passage.headings:
                    text("p", " › ".join(passage.headings), "quiet")
                if passage.place:
                    text("p", passage.place, "quiet")
            icon_button("Close", "close", dialog.close).props("autofocus")
        with part("div", "dialog-body"), named(part("div", "passage"), tabindex="0"):
            text("span", passage.before, "around")
            text("span", passage.opening, "span")
            text("mark", passage.marked)
            text("span", passage.closing + ("…" if passage.cut else ""), "span")
            text("span", passage.after, "around")
    dialog.on("hide", dialog.delete)
    dialog.on("show", lambda: ui.run_javascript(_TO_THE_MARK))
    dialog.open()


_KINDS: Final = {
    "knowledge": "Passages",
    "episode": "Lived through so far",
    "scene": "What happened last",
    "memory": "Memories",
    "entity": "Who and what",
    "relation": "Relations",
    "attribute": "How they are",
    "profile": "Profile",
    "premise": "Not so",
    "unwitnessed": "Not witnessed",
    "out_of_scope": "Declined",
}
_VERDICTS: Final = {
    "in": "Within what the character knows",
    "partly": "Partly beyond what the character knows",
    "out": "Beyond what the character knows",
}
_OPEN: Final = ("knowledge", "memory")
"""What is unfolded from the beginning."""
_SOURCES: Final = 4
_SKIPPED: Final = 40
"""Titles of what was skipped for one reason."""

Found = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Why:
    """A reply, and the sentences of it that rest on something.

    ``reply`` has the shape of ``ask --json``; of one that ``is_stored`` it is not known what was
    skipped.
    """

    reply: Found
    rests: tuple[Support, ...]
    is_stored: bool

    @property
    def marks(self) -> list[Mark]:
        """The sentences, numbered from 1."""
        return [Mark(each.start, each.end, number) for number, each in enumerate(self.rests, 1)]


def why_of(reply: Found, name: str, *, is_stored: bool) -> Why:
    """Find what the sentences of a reply rest on; ``name`` is the character's."""
    context: Sequence[Found] = reply.get("context") or ()
    texts = ["" if item["kind"] in DECLINED else item["text"] for item in context]
    return Why(reply, tuple(supports(reply.get("reply", ""), texts, name)), is_stored)


def show_why(place: CharacterPlace, why: Why) -> None:
    """Show all of it, what a reader asks first on top."""
    reply = why.reply
    _rests(place, why)
    _declined(reply)
    _items(place, why)
    _feelings(reply)
    _skipped(reply.get("skipped") or (), is_stored=why.is_stored)
    _cost(reply)


def _rests(place: CharacterPlace, why: Why) -> None:
    """Show each sentence that rests on something, with that beside it."""
    context: Sequence[Found] = why.reply.get("context") or ()
    words = why.reply.get("reply", "")
    with part("section", "rests-on"):
        text("h2", "What it rests on")
        if not why.rests and words:
            text("p", "No sentence of it is taken over from the texts.", "quiet")
        for number, each in enumerate(why.rests, 1):
            item = context[each.text]
            with part("article", "support", data_support=str(number), tabindex="-1"):
                said = words[each.start : each.end].strip("*_ ")
                with part("p", "claim"):
                    text("span", str(number), "mark-number")
                    text("span", said)
                with part("p", "told whole"):
                    text("span", _before(item["text"], each.low), "around")
                    text("mark", item["text"][each.low : each.high])
                    text("span", _after(item["text"], each.high), "around")
                _from(place, item, f"{item['text'][each.low : each.high]} {said}")


_AROUND: Final = 120
"""Letters of a passage before and behind the sentence that counts: the source has the rest."""


def _before(words: str, low: int) -> str:
    start = max(0, low - _AROUND)
    return ("…" if start else "") + words[start:low]


def _after(words: str, high: int) -> str:
    return words[high : high + _AROUND] + ("…" if len(words) > high + _AROUND else "")


def _from(place: CharacterPlace, item: Found, about: str) -> None:
    """Where a piece is from, and the way there."""
    sources = [source for source in item.get("sources") or () if source.get("chunk")]
    with part("div", "under"):
        title = item["title"] or _KINDS[item["kind"]]
        text("span", title, "facts")
        if sources:
            _source(place, sources[0], about, title, 0)


def facts_of(reply: Found) -> str:
    """What a reply may have used and cost, in one line."""
    usage = reply.get("usage") or {}
    context = [item for item in reply.get("context") or () if item["kind"] != "profile"]
    tokens = usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0)
    parts = [f"{plural(len(context), 'piece')} in view", plural(usage.get("calls", 0), "call")]
    if tokens:
        parts.append(plural(tokens, "token"))
    return " · ".join([*parts, f"{usage.get('seconds', 0.0):.1f} s"])


def _declined(reply: Found) -> None:
    """Show what the character does not know or did not see, and why, in plain words."""
    boundary = reply.get("boundary") or {}
    verdict = str(boundary.get("verdict", ""))
    context: Sequence[Found] = reply.get("context") or ()
    items = [item for item in context if item["kind"] in DECLINED]
    reasons = [_why_not(each["entity"], each["reason"]) for each in boundary.get("reasons") or ()]
    if not verdict and not items:
        return
    with part("section", f"verdict {verdict if verdict in _VERDICTS else ''}"):
        text("h2", _VERDICTS.get(verdict, "Not known to the character"))
        lines = [_why_not(item["title"], item["text"]) for item in items]
        for line in dict.fromkeys([*lines, *reasons]):
            text("p", line, "small")


def _why_not(title: str, words: str) -> str:
    return words if not title or words.startswith(title) else f"{title}: {words}"


def _items(place: CharacterPlace, why: Why) -> None:
    """Show all else that the reply was given."""
    context: Sequence[Found] = why.reply.get("context") or ()
    about = f"{why.reply.get('question', '')} {why.reply.get('reply', '')}"
    for kind, title in _KINDS.items():
        items = [item for item in context if item["kind"] == kind]
        if not items or kind in DECLINED:
            continue
        with _fold(title, len(items), is_open=kind in _OPEN):
            for item in items:
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
            for name, level in strongest(item.get("emotion"), 2):
                text("span", f"{name} {level:g}", "chip")
            for number, source in enumerate(sources[:_SOURCES], 1):
                named_for = title or _KINDS[item["kind"]]
                _source(place, source, about, named_for, number if len(sources) > 1 else 0)
            if len(sources) > _SOURCES:
                text("span", f"and {len(sources) - _SOURCES} more", "facts")


def _source(place: CharacterPlace, source: Found, about: str, title: str, number: int) -> None:
    async def show() -> None:
        await open_passage(place, source, about)

    label = f"Source {number}" if number else "Source"
    button(label, show, icon="menu_book", look="small", label=f"{label} of {title}")


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


def strongest(emotion: Found | None, most: int) -> list[tuple[str, float]]:
    """The feelings that stand out in a memory."""
    levels = [(name, float(level)) for name, level in (emotion or {}).items()]
    return [pair for pair in sorted(levels, key=lambda pair: -pair[1])[:most] if pair[1] > 1]


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


def _cost(reply: Found) -> None:
    """Show how long it took, and what was asked of models in that time."""
    usage = reply.get("usage")
    if not usage:
        return
    tasks: Mapping[str, Found] = usage.get("by_task") or {}
    with _fold("What it cost", None, is_open=False):
        text("p", _in_short(reply, usage))
        most = max((_tokens(task) for task in tasks.values()), default=0)
        if most:
            with part("div", "levels costs"):
                for name, task in tasks.items():
                    text("span", name.replace("_", " "))
                    with part("div", "track", aria_hidden="true"):
                        part("div").style(f"width: {100 * _tokens(task) / most:.0f}%")
                    text("span", f"{_tokens(task):,}", "number")
            keys = ("calls", "prompt_tokens", "completion_tokens")
            rows = [(name, *(f"{task[key]:,}" for key in keys)) for name, task in tasks.items()]
            table("What calls were for", ("asked for", "calls", "read", "written"), rows)


def _tokens(task: Found) -> int:
    return int(task["prompt_tokens"]) + int(task["completion_tokens"])


def _in_short(reply: Found, usage: Found) -> str:
    parts = [
        f"{usage.get('seconds', 0.0):.2f} s",
        plural(usage.get("calls", 0), "call"),
        f"{plural(usage.get('round_trips', 0), 'wait')} one after another",
        f"{plural(usage.get('cached_calls', 0), 'answer')} from the cache",
        f"{usage.get('prompt_tokens', 0):,} tokens read",
        f"{usage.get('completion_tokens', 0):,} written",
    ]
    if usage.get("cost_usd") is not None:
        parts.append(f"{usage['cost_usd']:.4f} USD")
    return f"{' · '.join(parts)}; method {reply.get('method', '')}"


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
