"""``offbook recall NAME QUESTION``: what would be retrieved; no reply is generated.

Takes: a question.  Gives: the pieces of context with their sources.
"""

from __future__ import annotations

from typing import Annotated

import typer

from offbook.cli.globals import (
    AsOf,
    BaseUrl,
    BudgetCalls,
    BudgetUsd,
    CharacterName,
    Json,
    MethodName,
    Model,
    Preset,
    Strategy,
    settings_of_call,
)


def command(
    name: CharacterName,
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    method: MethodName = None,
    strategy: Strategy = None,
    session: Annotated[
        str | None, typer.Option(help="The conversation in which it is asked; it stays as it is.")
    ] = None,
    user: Annotated[str | None, typer.Option(help="Whose memories come back.")] = None,
    as_of: AsOf = None,
    as_json: Json = False,
    model: Model = None,
    base_url: BaseUrl = None,
    preset: Preset = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> None:
    """Show what a question brings back, without asking for a reply."""
    from offbook.cli.running import grounds, print_json, with_offbook, write

    settings = settings_of_call(
        method=method,
        strategy=strategy,
        preset=preset,
        model=model,
        base_url=base_url,
        budget_calls=budget_calls,
        budget_usd=budget_usd,
    )
    found, usage = with_offbook(
        settings,
        lambda book: book.recall(name, question, session=session, user=user, as_of=as_of),
    )
    if as_json:
        print_json(found.as_json(usage))
        return
    write("\n".join(grounds(found)) + "\n")
