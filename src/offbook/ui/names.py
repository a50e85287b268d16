"""Who is who: the names of everybody in the graph, put together and parted by a person's word.

Takes: two names.  Gives: who bears them now; each word can be taken back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.errors import OffbookError
from offbook.server.native.access import readable
from offbook.ui.elements import (
    button,
    failed,
    named,
    notice,
    part,
    plural,
    text,
    told_of_errors,
    warn,
)

if TYPE_CHECKING:
    from offbook.app.reports import AliasReport
    from offbook.ui.frame import CharacterPlace

_SHOWN: Final = 100
_PERSON: Final = "person"


async def show_names(place: CharacterPlace) -> None:
    """Fields for two names, everybody with their names, and the decisions so far."""
    page = _Names(place)
    await page.show()


class _Names:
    """The names on one page.

    Args:
        place: The character.
    """

    def __init__(self, place: CharacterPlace) -> None:
        self._place = place
        self._visitor = place.visitor
        self._wanted = ""

    async def show(self) -> None:
        self._rows = await self._read("entities")
        if self._visitor.may_write:
            self._form()
        self._said = named(part("div"), role="status", aria_live="polite")
        search = ui.input("Search names", on_change=lambda event: self._search(event.value))
        search.props("outlined dense clearable debounce=200 type=search").classes("search")
        self._list = part("div")
        text("h2", "Decisions")
        text("p", "Who said that two names are, or are not, the same. Any can be undone.", "quiet")
        self._decisions = part("div")
        self._draw()
        await self._draw_decisions()

    async def _read(self, rows: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await self._visitor.book.show(self._place.character.id, rows)
        return found

    def _form(self) -> None:
        with part("div", "panel"):
            text("h2", "Two names")
            with part("div", "pair"):
                self._a = ui.input("A name").props("outlined dense")
                self._b = ui.input("Another name").props("outlined dense")

                async def merge() -> None:
                    await self._say(same=True)

                async def split() -> None:
                    await self._say(same=False)

                button("One and the same", merge, icon="merge", look="primary")
                button("Not the same", split, icon="call_split")

    async def _say(self, *, same: bool) -> None:
        a, b = (self._a.value or "").strip(), (self._b.value or "").strip()
        if not a or not b:
            warn("Give two names")
            return
        with told_of_errors():
            await self._visitor.admit("write")
            command = self._visitor.command()
            await self._told(await command.alias(self._place.character.id, a, b, same=same))
            self._a.value = self._b.value = ""

    async def _undo(self, decision: str) -> None:
        with told_of_errors():
            await self._visitor.admit("write")
            command = self._visitor.command()
            await self._told(await command.undo_decision(self._place.character.id, decision))

    async def _told(self, report: AliasReport) -> None:
        """Say what was recorded, and who bears the names now."""
        self._rows = await self._read("entities")
        self._draw()
        await self._draw_decisions()
        self._said.clear()
        with self._said:
            are = "are one and the same" if report.same else "are not the same"
            bearers = "; ".join(" = ".join((k.name, *k.aliases)) for k in report.entities)
            notice(f"{report.a} and {report.b} {are}: {report.status}", bearers)
            for message in readable(report.messages, whole=self._visitor.may_administer):
                text("p", message, "quiet")

    # -- lists ---------------------------------------------------------------------------------

    def _search(self, wanted: str | None) -> None:
        self._wanted = (wanted or "").casefold().strip()
        self._draw()

    def _draw(self) -> None:
        found = [row for row in self._rows if self._is_wanted(row)]
        found.sort(key=lambda row: (-row["mentions"], row["name"]))
        self._list.clear()
        with self._list:
            if not found:
                notice("Nobody has such a name." if self._wanted else "The graph is empty.")
                return
            with part("ul", "rows"):
                for row in found[:_SHOWN]:
                    self._entity(row)
            if len(found) > _SHOWN:
                text("p", f"and {len(found) - _SHOWN} more; search for them", "quiet")

    def _is_wanted(self, row: dict[str, Any]) -> bool:
        return any(self._wanted in name.casefold() for name in (row["name"], *row["aliases"]))

    def _entity(self, row: dict[str, Any]) -> None:
        with part("li"):
            with part("div", "main"):
                text("h3", row["name"])
                with part("div", "chips"):
                    for alias in row["aliases"]:
                        text("span", alias, "chip")
            text("span", f"{row['type']} · {plural(row['mentions'], 'mention')}", "quiet")
            if self._visitor.may_write:
                take = button("Use", lambda: self._take(row["name"]), look="small")
                named(take, aria_label=f"Use the name {row['name']}")

    def _take(self, name: str) -> None:
        """Put a name into the first field that is free; it may be far above."""
        field = self._b if self._a.value else self._a
        field.value = name
        one, other = self._a.value, self._b.value
        ui.notify(f"{one} and {other}?" if one and other else f"{name} and …", position="top")

    async def _draw_decisions(self) -> None:
        try:
            decisions = await self._read("decisions")
        except OffbookError as error:
            self._decisions.clear()
            with self._decisions:
                failed(error)
            return
        decisions.sort(key=lambda row: row["by"] != _PERSON)
        self._decisions.clear()
        with self._decisions:
            if not decisions:
                text("p", "None yet.", "quiet")
                return
            with part("ul", "rows decisions"):
                for row in decisions[:_SHOWN]:
                    self._decision(row)
            if len(decisions) > _SHOWN:
                text("p", f"and {len(decisions) - _SHOWN} more", "quiet")

    def _decision(self, row: dict[str, Any]) -> None:
        async def undo() -> None:
            await self._undo(row["id"])

        sign, look = ("=", "good") if row["same"] else ("≠", "warn")
        with part("li"):
            with part("div", "main"):
                text("h3", f"{row['a']} {sign} {row['b']}")
                text("p", row["reason"], "quiet")
            text("span", row["by"], f"chip {look}")
            if self._visitor.may_write:
                made = button("Undo", undo, icon="undo", look="small")
                named(made, aria_label=f"Undo: {row['a']} {sign} {row['b']}")
