"""``offbook ask NAME QUESTION``: one reply.

Takes: a question.  Gives: the reply on standard output, and with ``--json`` what it rests on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from offbook.app import Offbook


def command(
    name: CharacterName,
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    method: MethodName = None,
    strategy: Strategy = None,
    session: Annotated[
        str | None, typer.Option(help="The conversation that this belongs to.")
    ] = None,
    user: Annotated[str | None, typer.Option(help="Who asks; conversations are theirs.")] = None,
    as_of: AsOf = None,
    as_json: Json = False,
    model: Model = None,
    base_url: BaseUrl = None,
    preset: Preset = None,
    budget_calls: BudgetCalls = None,
    budget_usd: BudgetUsd = None,
) -> None:
    """Ask one question."""
    from offbook.cli.running import grounds, print_json, say, with_offbook, write

    settings = settings_of_call(
        method=method,
        strategy=strategy,
        preset=preset,
        model=model,
        base_url=base_url,
        budget_calls=budget_calls,
        budget_usd=budget_usd,
    )

    async def body(book: Offbook) -> None:
        # Before the database closes: what goes on behind the conversation may take a moment.
        reply = await book.ask(name, question, session=session, user=user, as_of=as_of)
        if as_json:
            print_json(reply.as_json())
            return
        write(reply.text + "\n")
        say("\n".join(["rests on:", *grounds(reply.recall)]))

    with_offbook(settings, body)
