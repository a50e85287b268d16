"""Beside the conversation: what a reply rests on, passages of sources, and how the mood moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from nicegui import ui

from offbook.app.conversations import Passage, read_passage
from offbook.text.emotion_names import EMOTIONS
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

if TYPE_CHECKING:
    from offbook.agent.session import Session
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
_OPEN: Final = ("knowledge", "memory", "premise", "out_of_scope")
"""What is unfolded from the beginning."""
_SOURCES: Final = 4
_SKIPPED: Final = 40
"""Titles of what was skipped for one reason."""

Found = Mapping[str, Any]


def show_why(place: CharacterPlace, reply: Found, *, is_stored: bool) -> None:
    """All of it, below one another."""
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
    facts = [
        (f"{calls:,}", "call" if calls == 1 else "calls"),
        (f"{usage.get('prompt_tokens', 0):,}", "tokens read"),
        (f"{usage.get('completion_tokens', 0):,}", "tokens written"),
        (f"{usage.get('seconds', 0.0):.2f} s", "time"),
        (str(reply.get("method", "")), "method"),
    ]
    if usage.get("cost_usd") is not None:
        facts.append((f"{usage['cost_usd']:.4f}", "USD"))
    with part("div", "facts-grid"):
        for number, of in facts:
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
        items = [item for item in context if item["kind"] == kind]
        if not items:
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


def _tasks(usage: Found) -> None:
    tasks: Mapping[str, Found] = usage.get("by_task") or {}
    if not tasks:
        return
    with _fold("Calls", sum(task["calls"] for task in tasks.values()), is_open=False):
        waits = f"{plural(usage.get('round_trips', 0), 'wait')} one after another"
        text("p", f"{waits}, {plural(usage.get('cached_calls', 0), 'answer')} from the cache")
        keys = ("calls", "prompt_tokens", "completion_tokens")
        rows = [(name, *(f"{task[key]:,}" for key in keys)) for name, task in tasks.items()]
        table("What calls were for", ("asked for", "calls", "read", "written"), rows)


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


_COLOURS: Final = (
    "#d9a400", "#4f9d69", "#7b61c9", "#d97742", "#4a7fc1", "#8a9a2b", "#c8423f", "#2a9d9d",
)  # fmt: skip
_GREY: Final = "#8d857b"
_IS_OPEN: Final = "(event) => emit(event.target.open)"

Moods = Sequence[tuple[str, Mapping[str, float]]]
"""What was said, and the mood then."""


def show_moods(moods: Moods, is_unfolded: bool, fold: Callable[[bool], None]) -> None:
    """The chart, and the same numbers as a table for those who do not see it."""
    if not moods:
        text("p", "The mood is known from the first question on.", "quiet")
        return
    # As SVG its words have the colour of the theme.
    chart = ui.echart(_options(moods), renderer="svg").classes("moods")
    named(chart, role="img", aria_label="Mood over the conversation; the table below has it all")
    with part("details", "fold") as whole:
        text("summary", "As a table")

    def toggle(is_open: bool) -> None:
        fold(is_open)
        if is_open and len(whole.default_slot.children) == 1:  # long conversations, long tables
            rows = [(_cut(said), *_levels(levels)) for said, levels in moods]
            with whole:
                table("Mood before each turn", ("before", *EMOTIONS), rows)

    whole.on("toggle", lambda event: toggle(bool(event.args)), js_handler=_IS_OPEN)
    if is_unfolded:
        named(whole, open="open")
        toggle(True)


def _cut(said: str) -> str:
    return said if len(said) < 60 else f"{said[:59]}…"


def _levels(levels: Mapping[str, float]) -> list[str]:
    return [f"{levels.get(name, 1.0):.1f}" for name in EMOTIONS]


def _options(moods: Moods) -> dict[str, Any]:
    last = len(moods)
    ticks = [*(str(number) for number in range(1, last)), "now"]
    grey = {"color": _GREY}
    return {
        "aria": {"enabled": True},
        "animationDuration": 300,
        "color": list(_COLOURS),
        "grid": {"left": 30, "right": 12, "top": 12, "bottom": 92},
        "legend": {"bottom": 0, "textStyle": grey, "itemWidth": 16, "inactiveColor": "#8886"},
        "tooltip": {"trigger": "axis", "confine": True},
        "xAxis": {"type": "category", "data": ticks, "axisLabel": grey, "name": ""},
        "yAxis": {
            "type": "value",
            "min": 1,
            "max": 10,
            "axisLabel": grey,
            "splitLine": {"lineStyle": {"color": "#8883"}},
        },
        "series": [
            {
                "name": name,
                "type": "line",
                "smooth": True,
                "symbolSize": 7,
                "data": [round(float(levels.get(name, 1.0)), 2) for _, levels in moods],
            }
            for name in EMOTIONS
        ],
    }


_LATER_SECONDS = 1.5
"""Feelings of a reply are scored behind the conversation: then the mood is looked at again."""

_INTO: Final = """
const body = getHtmlElement({body});
if (!body?.contains(document.activeElement)) body?.focus({{preventScroll: true}});
"""
"""Whoever was faster than the connection, and reads there by now, is left where they are."""
_BACK: Final = 'document.dispatchEvent(new Event("panel-closed"))'
"""Whoever opened the panel by keyboard is back where they were when it is closed."""

Tab = Literal["why", "moods"]


class Side:
    """The panel of one page."""

    def __init__(self, place: CharacterPlace) -> None:
        self._place = place
        self._talk: Session | None = None
        self._tab: Tab = "why"
        self._reply: tuple[Mapping[str, Any], bool] | None = None
        self._drawn: object = None
        self._is_unfolded = False
        self._panel: ui.element | None = None
        self._body: ui.element | None = None
        self._tabs: dict[Tab, ui.button] = {}

    def show(self) -> None:
        """Build the panel where it stands."""
        with named(part("aside", "side"), aria_label="Why") as self._panel:
            with part("div", "side-head"):
                self._tabs = {
                    "why": self._tab_button("why", "Why"),
                    "moods": self._tab_button("moods", "Mood"),
                }
                icon_button("Back to the conversation", "close", self.close).props("data-close")
            self._body = part("div", "side-body", tabindex="0", aria_label="Details", role="region")
        with self._body:
            text("p", "Ask something: what the reply rests on will stand here.", "quiet")
        self._press()

    def _tab_button(self, tab: Tab, label: str) -> ui.button:
        async def choose() -> None:
            await self._choose(tab)

        made = ui.button(label, on_click=choose, color=None)
        return made.props("flat no-caps dense padding='4px 12px'").classes("tab")

    async def follow(self, talk: Session, place: CharacterPlace | None = None) -> None:
        """Tell of the moods of this conversation, and of passages of the character of ``place``."""
        self._talk = talk
        self._place = place or self._place

    async def tell(
        self, reply: Mapping[str, Any], *, is_stored: bool, is_asked_for: bool = False
    ) -> None:
        """Show why a reply is as it is; when a person asked for it, on a narrow screen as well."""
        self._reply = (reply, is_stored)
        if is_asked_for:
            await self._choose("why")
            self._open()
        elif self._tab == "why":
            await self._draw()

    async def moved(self) -> None:
        """A reply was given: the mood has moved, or will have soon."""
        if self._tab == "moods":
            await self._draw()
            if self._panel is not None:
                with self._panel:
                    ui.timer(_LATER_SECONDS, self._draw_moods, once=True)

    async def open_moods(self) -> None:
        """Show how the mood moved."""
        await self._choose("moods")
        self._open()

    def close(self) -> None:
        """Back to the conversation, on a narrow screen."""
        if self._panel is not None:
            self._panel.classes(remove="open")
            ui.run_javascript(_BACK)

    def _open(self) -> None:
        if self._panel is not None and self._body is not None:
            self._panel.classes(add="open")
            ui.run_javascript(_INTO.format(body=self._body.id))

    async def _choose(self, tab: Tab) -> None:
        self._tab = tab
        self._press()
        await self._draw()

    def _press(self) -> None:
        for tab, made in self._tabs.items():
            named(made, aria_pressed="true" if tab == self._tab else "false")

    def _fold(self, is_open: bool) -> None:
        """The table of moods stays as a person left it when there is more to it."""
        self._is_unfolded = is_open

    async def _draw_moods(self) -> None:
        if self._tab == "moods":
            await self._draw()

    async def _draw(self) -> None:
        moods = await self._moods() if self._tab == "moods" else []
        state = (self._tab, moods if self._tab == "moods" else self._reply)
        # What did not change stays: somebody may be in the middle of it, or have unfolded it.
        if self._body is None or state == self._drawn:
            return
        self._drawn = state
        self._body.clear()
        with self._body:
            if self._tab == "moods":
                text("h2", "Mood over the conversation")
                show_moods(moods, self._is_unfolded, self._fold)
            elif self._reply is not None:
                show_why(self._place, self._reply[0], is_stored=self._reply[1])
            else:
                text("p", "Ask something: what the reply rests on will stand here.", "quiet")

    async def _moods(self) -> list[tuple[str, Mapping[str, float]]]:
        """The mood before each turn, and the one now."""
        if self._talk is None:
            return []
        then = [
            (exchange.turn.said, exchange.turn.recall["mood"])
            for exchange in await self._talk.exchanges()
            if exchange.turn.recall and exchange.turn.recall.get("mood")
        ]
        now = await self._talk.mood()
        return then if now is None else [*then, ("now", now)]
