"""The point in the story as a slider over chapters, above a conversation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from offbook.retrieval.point import chapters_of
from offbook.ui.elements import named, part, text, told_of_errors

if TYPE_CHECKING:
    from offbook.ui.frame import CharacterPlace

_ALL: Final = "all of it"
_PLACE: Final = "(event) => emit(Number(event.target.value))"


async def show_story_point(
    place: CharacterPlace, stand_at: Callable[[str | None], Awaitable[None]]
) -> None:
    """A slider whose last place is the whole story; nothing where there are no chapters.

    Args:
        place: The character.
        stand_at: Goes to the end of a chapter, by its point; None: to the end of the story.
    """
    chapters = await place.visitor.book.store.read(chapters_of, place.character.id)
    if len(chapters) < 2:
        return
    last = len(chapters)
    words = [f"up to the end of {chapter.title}" for chapter in chapters[:-1]] + [_ALL]
    text("span", "The story", "quiet")
    slider = named(part("input"), type="range", step="1", min="1", max=str(last))
    state = named(text("span", _ALL, "point"), role="status", aria_live="polite")

    def show(number: int) -> int:
        number = min(max(1, number), last)
        named(slider, value=str(number), aria_valuetext=words[number - 1])
        state.set_text(words[number - 1])
        return number

    async def go(event: Any) -> None:
        number = show(int(event.args))
        with told_of_errors():
            await stand_at(None if number == last else chapters[number - 1].point)

    named(slider, aria_label=f"How far {place.character.name} knows the story")
    show(last)
    slider.on("input", lambda event: show(int(event.args)), js_handler=_PLACE)
    slider.on("change", go, js_handler=_PLACE)
