"""``offbook remember NAME FILE.jsonl``: add memories, and score what waits.

Takes: a file of ``{"said", "answered", "at": optional}``, one a line.  Gives: how many are new, and
what could not be scored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from offbook.cli.globals import (
    BaseUrl,
    BudgetCalls,
    BudgetUsd,
    CharacterName,
    Concurrency,
    Json,
    Model,
    Preset,
    settings_of_call,
)

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.app.remembering import RememberReport


def command(
    name: CharacterName,
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="Memories, one a line; none: only score what waits."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="End with 1 when something could not be scored.")
    ] = False,
    as_json: Json = False,
    model: Model = None,
    base_url: BaseUrl = None,
    preset: Preset = None,
    concurrency: Concurrency = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> int:
    """Add memories: what was said to the character, and what it answered.

    What is stored already is not stored or paid for again.
    """
    from offbook.cli.progress import shown
    from offbook.cli.running import with_offbook

    settings = settings_of_call(
        preset=preset,
        model=model,
        base_url=base_url,
        limits__concurrency=concurrency,
        budget_calls=budget_calls,
        budget_usd=budget_usd,
    )

    async def body(book: Offbook) -> RememberReport:
        with shown(book.meter) as progress:
            return await book.memories.remember(name, file, progress=progress)

    report = with_offbook(settings, body)
    _print(report, as_json)
    return 1 if strict and report.waiting else 0


def _print(report: RememberReport, as_json: bool) -> None:
    from offbook.cli.running import cost, print_json, say
    from offbook.retrieval.memories import counted

    for message in report.messages:
        say(f"offbook: warning: {message}")
    if as_json:
        print_json(report.as_json())
        return
    known = f", {report.known} known already" if report.known else ""
    say(f"{counted(report.added)} added{known}; {report.scored} scored, {report.embedded} embedded")
    say(cost(report.usage))
