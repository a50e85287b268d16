"""``offbook demo``: the shipped character answers five questions, and shows what each rests on.

Takes: nothing; no key, no network.  Gives: the replies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli.globals import GLOBALS, Json, settings_for

if TYPE_CHECKING:
    from offbook.app import Offbook

_EMBEDDED = {
    "chat.model": "offline",
    "extract.model": "offline",
    "judge.model": "offline",
    "embed.model": "builtin",
    "preset": "default",
}
_IS_OFFLINE = """\
This is the offline backend: rules, no language model, no key, no network. It answers
with sentences of the persona document. `offbook doctor` says how to use a real model
(hosted, Ollama, vLLM).
"""


def command(
    configured: Annotated[
        bool,
        typer.Option("--configured", help="With the configured model, instead of the embedded."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Build the shipped character and ask it five questions."""
    from offbook.cli.running import print_json, with_offbook

    settings = settings_for(**({} if configured else _embedded()))
    if as_json:
        print_json(with_offbook(settings, _collect))
    else:
        with_offbook(settings, _talk)


def _embedded() -> dict[str, Any]:
    """What makes the demo the same everywhere, but for flags of its own command line."""
    from offbook.settings.model import SettingsModel

    flags = {**_EMBEDDED, "method": SettingsModel.model_fields["method"].default}
    return {k.replace(".", "__"): v for k, v in flags.items() if k not in GLOBALS.flags}


async def _talk(book: Offbook) -> None:
    from offbook.cli.running import cost, grounds, write
    from offbook.demo import DEMO_QUESTIONS
    from offbook.ingestion.reports import counted
    from offbook.settings.model import OFFLINE

    if book.settings.values.chat.model == OFFLINE:
        write(_IS_OFFLINE)
    character, report = await book.demo_character()
    row = report.documents[0]
    chunks = counted(row.chunks, "chunk")
    write(f"\n{character.name}: {row.name} {row.status}, {chunks}, {cost(report.usage)}\n")
    talk = await book.session(character.id, keep=False)
    for question in DEMO_QUESTIONS:
        write(f"\n[{question.label}]\n> {question.question}\n")
        async for piece in talk.say(question.question):
            write(piece)
        write("\n")
        if talk.last is not None:
            write("\n".join(["rests on:", *grounds(talk.last.recall)]) + "\n")
    write(f"\nNow talk yourself: offbook chat {character.id}\n")


async def _collect(book: Offbook) -> dict[str, Any]:
    """The same as one document: what was ingested, and each reply in the shape of ``ask``."""
    from offbook.demo import DEMO_QUESTIONS

    character, report = await book.demo_character()
    talk = await book.session(character.id, keep=False)
    replies = []
    for question in DEMO_QUESTIONS:
        reply = await talk.ask(question.question)
        replies.append({"label": question.label, **reply.as_json()})
    model = book.settings.values.chat.model
    return {"model": model, "ingest": report.as_json(), "replies": replies}
