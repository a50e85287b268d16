"""What a character knows of names, and what it remembers; both are searched and corrected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.errors import OffbookError
from offbook.server.native.access import readable
from offbook.stores import memories
from offbook.stores.conversations import is_scene
from offbook.ui.elements import (
    button,
    confirmed,
    failed,
    listed,
    live_part,
    notice,
    part,
    plural,
    search_field,
    text,
    told_of_errors,
    warn,
)
from offbook.ui.why import strongest

if TYPE_CHECKING:
    from offbook.app.documents import AliasReport
    from offbook.types import MemoryFragment
    from offbook.ui.frame import CharacterPlace

_SHOWN: Final = 100
_PERSON: Final = "person"


async def show_names(place: CharacterPlace) -> None:
    """Fields for two names, everybody with their names, and the decisions so far."""
    await _Names(place).show()


class _Names:
    """The names on one page."""

    def __init__(self, place: CharacterPlace) -> None:
        self._place = place
        self._visitor = place.visitor
        self._wanted = ""

    async def show(self) -> None:
        self._rows = await self._read("entities")
        if self._place.may_change:
            self._form()
        self._said = live_part()
        search_field("Search names", self._search)
        self._list = part("div")
        text("h2", "Decisions")
        text("p", "Who said that two names are, or are not, the same. Any can be undone.", "quiet")
        self._decisions = part("div")
        self._draw()
        await self._draw_decisions()

    async def _read(self, rows: str) -> list[dict[str, Any]]:
        rows_read: list[dict[str, Any]] = await self._visitor.book.show(
            self._place.character.id, rows
        )
        return rows_read

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
            await self._place.admit_change()
            id_ = self._place.character.id
            work = self._visitor.commanded(lambda command: command.alias(id_, a, b, same=same))
            await self._told(await work)
            self._a.value = self._b.value = ""

    async def _undo(self, decision: str) -> None:
        with told_of_errors():
            await self._place.admit_change()
            id_ = self._place.character.id
            work = self._visitor.commanded(lambda command: command.undo_decision(id_, decision))
            await self._told(await work)

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

    def _search(self, wanted: str) -> None:
        self._wanted = wanted
        self._draw()

    def _draw(self) -> None:
        matching = [row for row in self._rows if self._is_wanted(row)]
        matching.sort(key=lambda row: (-row["mentions"], row["name"]))
        self._list.clear()
        with self._list:
            if not matching:
                notice("Nobody has such a name." if self._wanted else "The graph is empty.")
                return
            listed(matching, _SHOWN, self._entity, "; search for them")

    def _is_wanted(self, row: dict[str, Any]) -> bool:
        return any(self._wanted in name.casefold() for name in (row["name"], *row["aliases"]))

    def _entity(self, row: dict[str, Any]) -> None:
        with part("div", "main"):
            text("h3", row["name"])
            with part("div", "chips"):
                for alias in row["aliases"]:
                    text("span", alias, "chip")
        text("span", f"{row['type']} · {plural(row['mentions'], 'mention')}", "quiet")
        if self._place.may_change:
            button(
                "Use",
                lambda: self._take(row["name"]),
                look="small",
                label=f"Use the name {row['name']}",
            )

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
            listed(decisions, _SHOWN, self._decision)

    def _decision(self, row: dict[str, Any]) -> None:
        async def undo() -> None:
            await self._undo(row["id"])

        sign, look = ("=", "good") if row["same"] else ("≠", "warn")
        with part("div", "main"):
            text("h3", f"{row['a']} {sign} {row['b']}")
            text("p", row["reason"], "quiet")
        text("span", row["by"], f"chip {look}")
        if self._place.may_change:
            button(
                "Undo",
                undo,
                icon="undo",
                look="small",
                label=f"Undo: {row['a']} {sign} {row['b']}",
            )


_MEMORIES_SHOWN: Final = 60


async def show_memories(place: CharacterPlace) -> None:
    """The memories that the visitor may see, newest first, and a search."""
    await _Memories(place).show()


class _Memories:
    """The memories on one page."""

    def __init__(self, place: CharacterPlace) -> None:
        self._place = place
        self._visitor = place.visitor
        self._wanted = ""
        self._drawn: list[MemoryFragment] | None = None

    async def show(self) -> None:
        text("p", "A conversation becomes memory; what was authored came with a file.", "quiet")
        search_field("Search memories", self._search)
        self._list = part("div")
        await self._draw()

    async def _search(self, wanted: str) -> None:
        self._wanted = wanted
        with told_of_errors():
            await self._draw()

    async def _found(self) -> list[MemoryFragment]:
        whose = self._visitor.principal
        stored: list[MemoryFragment] = await self._visitor.book.store.read(
            memories.list_memories, self._place.character.id, principal=whose
        )
        return [
            fragment
            for fragment in reversed(stored)
            if self._wanted in f"{fragment.said}\n{fragment.answered}".casefold()
        ]

    async def _draw(self) -> None:
        matching = await self._found()
        # What did not change stays: a button that is drawn anew while it is pressed does nothing.
        if matching == self._drawn:
            return
        self._drawn = matching
        self._list.clear()
        with self._list:
            if not matching:
                notice("Nothing is remembered" + (" of that." if self._wanted else " yet."))
                return
            listed(matching, _MEMORIES_SHOWN, self._row, "; search for them")

    def _row(self, fragment: MemoryFragment) -> None:
        async def forget() -> None:
            await self._forget(fragment)

        with part("div", "main"):
            speaker = f"{fragment.speaker}: " if fragment.speaker else ""
            said = f"{speaker}{fragment.said}"
            if fragment.kind is None and fragment.answered:
                text("p", said, "quiet")
            text("p", fragment.answered or said)
            with part("div", "chips"):
                origin = "authored" if fragment.session is None else "a conversation"
                if fragment.session is not None and is_scene(fragment.session):
                    origin = "heard in company"
                text("span", origin, "chip")
                if fragment.kind is not None:
                    text("span", fragment.kind.replace("_", " "), "chip")
                if fragment.superseded_by is not None:
                    text("span", "no longer so", "chip warn")
                for name, level in strongest(fragment.emotion, 3):
                    text("span", f"{name} {level:g}", "chip warn")
        if self._may_forget(fragment):
            button(
                "Forget",
                forget,
                icon="delete_outline",
                look="small danger",
                label=f"Forget: {(fragment.said or fragment.answered)[:60]}",
            )

    def _may_forget(self, fragment: MemoryFragment) -> bool:
        """Their own memories are theirs to forget; authored ones belong to whoever may write."""
        return self._is_own(fragment) or (fragment.principal is None and self._visitor.may_write)

    def _is_own(self, fragment: MemoryFragment) -> bool:
        return fragment.principal == self._visitor.principal

    async def _forget(self, fragment: MemoryFragment) -> None:
        consequence = "It goes from the whole database; the words of conversations stay in these."
        page = ui.context.client.content  # its row may be gone before the answer comes
        if not await confirmed("Forget this memory?", consequence, "Forget"):
            return
        with page, told_of_errors():
            await self._visitor.admit("chat" if self._is_own(fragment) else "write")
            command = self._visitor.command()
            await command.memories.forget(self._place.character.id, [fragment.id])
            await self._draw()
