"""``offbook reembed NAME``: vectors anew from the stored text, after a change of embedder.

Takes: a character.  Gives: a complete new set of vectors; the old one is kept until then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.cli.globals import (
    BudgetCalls,
    BudgetUsd,
    CharacterName,
    Concurrency,
    Json,
    settings_for,
)

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.app.reembedding import ReembedReport


def command(
    name: CharacterName,
    as_json: Json = False,
    concurrency: Concurrency = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> None:
    """Make the vectors anew with the configured embedder."""
    from offbook.cli.progress import shown
    from offbook.cli.running import cost, print_json, say, with_offbook

    settings = settings_for(
        limits__concurrency=concurrency,
        limits__budget_calls=budget_calls,
        limits__budget_usd=budget_usd,
    )

    async def body(book: Offbook) -> ReembedReport:
        with shown(book.meter) as progress:
            return await book.reembed(name, progress=progress)

    report = with_offbook(settings, body)
    if report.quarantined:
        say(
            f"offbook: warning: {report.embedder!r} refuses {report.quarantined} chunks of "
            f"{report.character!r}; they have no vector, and words alone find them"
        )
    if as_json:
        print_json(report.as_json())
    else:
        say(f"{report.vectors} vectors by {report.embedder!r}; {cost(report.usage)}")
