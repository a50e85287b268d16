"""``offbook reembed NAME``: vectors anew from the stored text, after a change of embedder.

Takes: a character.  Gives: a complete new set of vectors; the old one is kept until then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.cli.globals import BudgetCalls, CharacterName, Json, settings_for

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.types import Usage


def command(name: CharacterName, as_json: Json = False, budget_calls: BudgetCalls = None) -> None:
    """Make the vectors anew with the configured embedder."""
    from offbook.cli.progress import shown
    from offbook.cli.running import cost, print_json, say, with_offbook

    async def body(book: Offbook) -> tuple[int, Usage]:
        with shown(book.meter) as progress:
            return await book.reembed(name, progress=progress)

    settings = settings_for(limits__budget_calls=budget_calls)
    count, usage = with_offbook(settings, body)
    if as_json:
        print_json({"character": name, "vectors": count, "usage": usage.as_json()})
    else:
        say(f"{count} vectors by {settings.values.embed.model!r}; {cost(usage)}")
