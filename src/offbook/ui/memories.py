"""What a character remembers: authored memories, and those of the visitor's conversations.

Takes: words to search for.  Gives: memories with how the character felt; any can be forgotten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nicegui import ui

from offbook.stores import memories
from offbook.ui.asking import confirmed
from offbook.ui.elements import button, named, notice, part, text, told_of_errors

if TYPE_CHECKING:
    from offbook.types import MemoryFragment
    from offbook.ui.frame import CharacterPlace

_SHOWN: Final = 60


async def show_memories(place: CharacterPlace) -> None:
    """The memories that the visitor may see, newest first, and a search."""
    page = _Memories(place)
    await page.show()


class _Memories:
    """The memories on one page.

    Args:
        place: The character.
    """

    def __init__(self, place: CharacterPlace) -> None:
        self._place = place
        self._visitor = place.visitor
        self._wanted = ""
        self._drawn: list[MemoryFragment] | None = None

    async def show(self) -> None:
        text("p", "A conversation becomes memory; what was authored came with a file.", "quiet")
        search = ui.input("Search memories", on_change=lambda event: self._search(event.value))
        search.props("outlined dense clearable debounce=250 type=search").classes("search")
        self._list = part("div")
        await self._draw()

    async def _search(self, wanted: str | None) -> None:
        self._wanted = (wanted or "").casefold().strip()
        with told_of_errors():
            await self._draw()

    async def _found(self) -> list[MemoryFragment]:
        whose = self._visitor.principal
        found: list[MemoryFragment] = await self._visitor.book.store.read(
            lambda conn: memories.list_memories(conn, self._place.character.id, principal=whose)
        )
        return [
            fragment
            for fragment in reversed(found)
            if self._wanted in f"{fragment.said}\n{fragment.answered}".casefold()
        ]

    async def _draw(self) -> None:
        found = await self._found()
        # What did not change stays: a button that is drawn anew while it is pressed does nothing.
        if found == self._drawn:
            return
        self._drawn = found
        self._list.clear()
        with self._list:
            if not found:
                notice("Nothing is remembered" + (" of that." if self._wanted else " yet."))
                return
            with part("ul", "rows"):
                for fragment in found[:_SHOWN]:
                    self._row(fragment)
            if len(found) > _SHOWN:
                text("p", f"and {len(found) - _SHOWN} more; search for them", "quiet")

    def _row(self, fragment: MemoryFragment) -> None:
        async def forget() -> None:
            await self._forget(fragment)

        with part("li"):
            with part("div", "main"):
                text("p", fragment.said, "quiet")
                text("p", fragment.answered)
                with part("div", "chips"):
                    origin = "authored" if fragment.session is None else "a conversation"
                    text("span", origin, "chip")
                    for name, level in strongest(fragment.emotion):
                        text("span", f"{name} {level}", "chip warn")
            if self._may_forget(fragment):
                made = button("Forget", forget, icon="delete_outline", look="small danger")
                named(made, aria_label=f"Forget: {fragment.said[:60]}")

    def _may_forget(self, fragment: MemoryFragment) -> bool:
        """Their own memories are theirs to forget; authored ones belong to whoever may write."""
        return self._is_own(fragment) or (fragment.principal is None and self._visitor.may_write)

    def _is_own(self, fragment: MemoryFragment) -> bool:
        return fragment.principal == self._visitor.principal

    async def _forget(self, fragment: MemoryFragment) -> None:
        told = "It goes from the whole database; the words of conversations stay in these."
        page = ui.context.client.content  # its row may be gone before the answer comes
        if not await confirmed("Forget this memory?", told, "Forget"):
            return
        with page, told_of_errors():
            await self._visitor.admit("chat" if self._is_own(fragment) else "write")
            command = self._visitor.command()
            await command.memories.forget(self._place.character.id, [fragment.id])
            await self._draw()


def strongest(emotion: Any) -> list[tuple[str, int]]:
    """The three feelings that stand out."""
    levels = sorted((emotion or {}).items(), key=lambda pair: -pair[1])
    return [(name, level) for name, level in levels[:3] if level > 1]
