"""Two methods side by side, and reviews of a judge's ratings."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from nicegui import ui

from offbook import registry
from offbook.app.commands import conversation_of
from offbook.app.home import priced
from offbook.errors import OffbookError
from offbook.evaluation import runs as evaluation_runs
from offbook.evaluation.metrics.scales import SCALES
from offbook.ui.elements import (
    button,
    failed,
    link,
    listed,
    live_part,
    named,
    notice,
    once,
    part,
    text,
    told_of_errors,
    warn,
)
from offbook.ui.markup import show_words
from offbook.ui.why import facts_of, show_why, why_of

if TYPE_CHECKING:
    from offbook.evaluation.comparison import RunLine
    from offbook.types import Reply
    from offbook.ui.frame import CharacterPlace
    from offbook.ui.visitor import Visitor

_AT_ONCE: Final = 10
_ALL: Final = ""
_NEEDED: Final = "A key needs the right `admin` for all characters: replies of any stand in them."


async def show_runs(visitor: Visitor) -> None:
    """The runs whose ratings can be looked over."""
    text("h1", "Reviews")
    text("p", "Ratings of a judge, for people to look over and to overrule.", "quiet")
    if not visitor.may_administer:
        notice("These are not for your key.", _NEEDED)
        return
    runs = await visitor.book.evaluation.runs()
    if not runs:
        notice("Nothing was evaluated yet.", "Begin with: offbook eval run demo")
        return
    listed(runs, len(runs), _line)


def _line(run: RunLine) -> None:
    with part("div", "main"):
        with part("h2"):
            link(run.id, f"/reviews/{quote(run.id, safe='')}")
        text("p", f"{', '.join(run.methods)} · judged by {run.judge}", "quiet")
        if run.problem or run.mark:
            text("p", run.problem or run.mark or "", "quiet")
    text("span", f"{run.cells:,} replies", "chip")
    text("span", run.status, f"chip {'good' if run.status == 'finished' else 'warn'}")


async def show_review(visitor: Visitor, run: str) -> None:
    """The ratings of a run."""
    text("h1", run)
    if not visitor.may_administer:
        notice("These are not for your key.", _NEEDED)
        return
    await _Review(visitor, run).show()


class _Review:
    """The ratings on one page."""

    def __init__(self, visitor: Visitor, run: str) -> None:
        self._visitor = visitor
        self._run = run
        self._metric = _ALL
        self._skip = 0

    async def show(self) -> None:
        record = await evaluation_runs.recorded_run(self._visitor.book, self._run)
        if record.mark:
            notice(record.mark, look="warn")
        metrics = [name for name in record.metrics if name in SCALES]
        with part("div", "pair"):
            options = {_ALL: "All metrics", **{name: SCALES[name].title for name in metrics}}
            ui.select(
                options, value=_ALL, label="Metric", on_change=lambda event: self._of(event.value)
            ).props("outlined dense options-dense")
            self._name = ui.input("Your name").props("outlined dense")
        self._agreement = live_part()
        self._list = part("div", "listed")
        with part("div", "bar"):
            self._back = button("Before", lambda: self._turn(-_AT_ONCE), icon="chevron_left")
            self._onward = button("Next", lambda: self._turn(_AT_ONCE), icon="chevron_right")
        await self._draw()
        await self._draw_agreement()

    async def _of(self, metric: str) -> None:
        self._metric, self._skip = metric, 0
        with told_of_errors():
            await self._draw()

    async def _turn(self, by: int) -> None:
        self._skip = max(0, self._skip + by)
        with told_of_errors():
            await self._draw()

    async def _draw(self) -> None:
        rows = await self._visitor.book.evaluation.reviews.rows(
            self._run, metric=self._metric or None, skip=self._skip, most=_AT_ONCE + 1
        )
        self._back.set_enabled(self._skip > 0)
        self._onward.set_enabled(len(rows) > _AT_ONCE)
        self._list.clear()
        with self._list:
            if not rows:
                notice("There is no rating here.")
            for row in rows[:_AT_ONCE]:
                self._rating(row)

    async def _draw_agreement(self) -> None:
        agreements = await self._visitor.book.evaluation.reviews.agreement(self._run)
        self._agreement.clear()
        with self._agreement:
            for each in agreements:
                changed = each.changed.mean
                change = "" if changed is None else f", {changed:.0%} of them with another value"
                text("p", f"{SCALES[each.metric].title}: {each.n} looked over{change}", "quiet")

    def _rating(self, row: dict[str, str]) -> None:
        scale = SCALES[row["metric"]]
        with named(part("article", "panel"), aria_label=f"{scale.title} of {row['unit']}"):
            with part("div", "chips"):
                for label in (scale.title, row["subject"], row["variant"]):
                    text("span", label, "chip")
            with part("div", "rating"):
                with part("div", "words-of"):
                    text("h2", row["question"])
                    if row["right_answers"]:
                        text("p", f"Right: {row['right_answers']}", "quiet words")
                    text("p", row["reply"], "answered words")
                with part("div"):
                    text("h3", f"Judge: {row['judge_value'] or row['missing_because']}")
                    text("p", row["scale"], "quiet")
                    text("p", row["analysis"], "quiet words")
                    self._own(row)

    def _own(self, row: dict[str, str]) -> None:
        """Fields for a person's value, and for why."""
        rated = row["person_value"]
        with part("form") as form:
            with part("div", "pair"):
                value = ui.number("Your value", value=float(rated) if rated else None)
                value.props("outlined dense clearable")
                note = ui.input("Why", value=row["person_note"]).props("outlined dense")
            with part("div", "bar"):
                button("Save", icon="check", look="small primary").props("type=submit")
                said = text(
                    "span",
                    f"by {row['person_name'] or 'a person'}" if rated else "",
                    "chip",
                )
                said.set_visibility(bool(rated))

        async def save() -> None:
            with told_of_errors():
                await self._visitor.admit("admin")
                await self._visitor.book.evaluation.reviews.overrule(
                    self._run, row["id"], value.value,
                    name=self._name.value or "", note=note.value or "",
                )  # fmt: skip
                said.set_text("taken back" if value.value is None else "saved")
                said.set_visibility(True)
                await self._draw_agreement()

        form.on("submit.prevent", save)


_USUAL: Final = ("naive", "ensemble")


async def show_comparison(place: CharacterPlace) -> None:
    """Two lists of methods, a question, and a column for each reply."""
    methods = registry.names("method")
    text("p", "One question, two methods; nothing of it is kept.", "quiet")
    with part("form", "panel") as form:
        with part("div", "pair"):
            chosen = [
                ui.select(methods, value=name, label=label).props("outlined dense options-dense")
                for label, name in zip(("First method", "Second method"), _USUAL, strict=True)
            ]
        with part("div", "pair"):
            field = ui.input("Question").props("outlined dense")
            ask = button("Compare", icon="compare_arrows", look="primary").props("type=submit")
    columns = named(part("div", "columns"), aria_live="polite")
    asking: list[asyncio.Task[None]] = []

    async def compare() -> None:
        question = (field.value or "").strip()
        if not question:
            warn("Ask something")
            return
        columns.clear()
        ask.disable()
        try:
            await place.visitor.admit()
            with columns:
                boxes = [(select.value, _column(select.value)) for select in chosen]
            asking.extend(
                asyncio.create_task(_fill(place, name, question, box)) for name, box in boxes
            )
            await asyncio.gather(*asking)
        finally:
            asking.clear()
            if not ask.is_deleted:
                ask.enable()

    def leave() -> None:
        for task in asking:  # nobody waits for the answers any more
            task.cancel()

    form.on("submit.prevent", once(compare))
    ui.context.client.on_delete(leave)


def _column(method: str) -> ui.element:
    with named(part("section", "panel"), aria_label=method) as whole:
        text("h2", method)
        ui.spinner(size="2em")
    return whole


async def _fill(place: CharacterPlace, method: str, question: str, box: ui.element) -> None:
    """Ask by one method; a failure stands in its column."""
    outcome: Reply | OffbookError
    try:
        outcome = await _ask(place, method, question)
    except OffbookError as error:
        outcome = error
    box.clear()
    with box:
        text("h2", method)
        if isinstance(outcome, OffbookError):
            failed(outcome)
            return
        reply = outcome.as_json()
        show_words(part("div", "answered"), outcome.text)
        text("p", facts_of(reply), "quiet")
        show_why(place, why_of(reply, place.character.name, is_stored=False))


async def _ask(place: CharacterPlace, method: str, question: str) -> Reply:
    command = place.visitor.command(method=method)
    async with priced(command, place.character, with_cost=False):
        talk = await conversation_of(command, place.character, place.visitor.principal)
        return await talk.ask(question)
