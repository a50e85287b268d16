"""``offbook alias NAME add A B``, ``remove A B``, ``undo ID``: a person's word on who is who.

Takes: two names, or the id of a decision.  Gives: what is recorded, and who bears the names now.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from offbook.cli.globals import BudgetCalls, BudgetUsd, CharacterName, Json, settings_for
from offbook.errors import UsageError

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.app.reports import AliasReport

_WORDS = {"add": ("A", "B"), "remove": ("A", "B"), "undo": ("ID",)}


def command(
    name: CharacterName,
    action: Annotated[str, typer.Argument(metavar="add|remove|undo", help="What to do.")],
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="A B | ID",
            help="Two names; for `undo` the id of a decision, see `show NAME decisions`.",
        ),
    ],
    as_json: Json = False,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> None:
    """Say who is who: A is B (add), A is not B (remove), or undo a decision.

    Later ingestions respect it. Of a name that no text has, `add` makes a further name.
    """
    from offbook.cli.progress import shown
    from offbook.cli.running import print_json, with_offbook

    _check(action, words)
    settings = settings_for(limits__budget_calls=budget_calls, limits__budget_usd=budget_usd)

    async def body(book: Offbook) -> AliasReport:
        with shown(book.meter) as progress:
            if action == "undo":
                return await book.undo_decision(name, words[0], progress=progress)
            return await book.alias(name, *words, same=action == "add", progress=progress)

    run: Callable[[Offbook], Awaitable[AliasReport]] = body
    report = with_offbook(settings, run)
    if as_json:
        print_json(report.as_json())
    _say(report, costs=not as_json)


def _check(action: str, words: list[str]) -> None:
    if action not in _WORDS:
        raise UsageError(f"{action!r} is nothing to do with an alias", "add, remove or undo")
    wanted = _WORDS[action]
    if len(words) != len(wanted):
        raise UsageError(
            f"alias {action} takes {len(wanted)}, not {len(words)}: {', '.join(wanted)}",
            f"offbook alias NAME {action} {' '.join(wanted)}; quote a name that has blanks",
        )


def _say(report: AliasReport, *, costs: bool) -> None:
    """Messages in any case; what was done only for people."""
    from offbook.cli.running import cost, say, shortened

    for message in report.messages:
        say(f"offbook: {message}")
    if not costs:
        return
    said = f"{report.a!r} {'is' if report.same else 'is not'} {report.b!r}"
    say(
        {
            "recorded": f"recorded (id {report.id}): {said}",
            "unchanged": f"stood already (id {report.id}): {said}",
            "withdrawn": f"taken back: {said}",
            "overruled": f"overruled {report.undone} (id {report.id}): {said}",
        }[report.status]
    )
    for entity in report.entities:
        also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
        say(f"  {shortened(entity.name + also, 160)}")
    say(cost(report.usage))
