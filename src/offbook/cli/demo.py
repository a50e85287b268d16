"""``offbook demo``: the shipped character answers five questions, and shows what each rests on.

Takes: nothing; no key, no network.  Gives: the replies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli.globals import settings_for

if TYPE_CHECKING:
    from offbook.app import Offbook

_OFFLINE = {"chat__model": "offline", "embed__model": "builtin"}


def command(
    configured: Annotated[
        bool,
        typer.Option("--configured", help="With the configured model, instead of the embedded."),
    ] = False,
) -> None:
    """Build the shipped character and ask it five questions."""
    from offbook.cli.running import say, with_offbook

    flags: dict[str, Any] = {} if configured else dict(_OFFLINE)
    settings = settings_for(**flags)
    if settings.values.chat.model == "offline":
        say(
            "This is the offline backend: rules, no language model, no key, no network. It answers"
            "\nwith sentences of the persona document. `offbook doctor` says how to use a real"
            " model\n(hosted, Ollama, vLLM)."
        )
    with_offbook(settings, _talk)


async def _talk(book: Offbook) -> None:
    from offbook.cli.running import cost, grounds, say, write
    from offbook.demo import DEMO_QUESTIONS

    character, report = await book.demo_character()
    row = report.documents[0]
    say(f"\n{character.name}: {row.name} {row.status}, {row.chunks} chunks, {cost(report.usage)}")
    talk = await book.session(character.id, keep=False)
    for question in DEMO_QUESTIONS:
        write(f"\n[{question.label}]\n> {question.question}\n")
        async for piece in talk.say(question.question):
            write(piece)
        write("\n")
        if talk.last is not None:
            write("\n".join(["rests on:", *grounds(talk.last.recall)]) + "\n")
    write(f"\nNow talk yourself: offbook chat {character.id}\n")
