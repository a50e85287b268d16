"""``offbook demo``: the shipped character answers five questions, and shows what each rests on.

Takes: nothing; no key, no network.  Gives: the replies.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from offbook.cli.globals import GLOBALS, Json, settings_for

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.types import ContextItem, Message, Recall

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

_LINE = 120


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
        before = talk.history
        write(f"\n[{question.label}]\n> {question.question}\n")
        async for piece in talk.say(question.question):
            write(piece)
        write("\n")
        if talk.last is not None:
            found = talk.last.recall
            write("".join(f"{line}\n" for line in _shown(found, before)))
            write("\n".join(["rests on:", *grounds(replace(found, skipped=()))]) + "\n")
            if found.skipped:
                write(
                    f"  left out: {counted(len(found.skipped), 'piece')}; /why in a chat says why\n"
                )
    write(f"\nNow talk yourself: {_called()} chat {character.id}\n")


def _called() -> str:
    """This very command as a person can call it: `make demo` has it on no path."""
    own = Path(sys.argv[0])
    on_path = own.name != "offbook" or shutil.which("offbook") is not None
    return "offbook" if on_path else shlex.quote(str(own))


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


def _shown(found: Recall, before: Sequence[Message]) -> list[str]:
    """What of a recall the question was asked for, a line each; only what is there."""
    from offbook.retrieval.follow_up import with_antecedent

    lines = [line for item in found.context for line in _telling(item, found.question)]
    if found.boundary is not None and found.boundary.verdict != "in":
        reasons = "; ".join(each.reason for each in found.boundary.reasons)
        lines.append(f"beyond what {found.character} knows: {reasons}")
    full = with_antecedent(found.question, before)
    if full != found.question:
        lines.append(f"refers back, and is read as: {' '.join(full.split())}")
    return [f"* {line}" for line in lines]


def _telling(item: ContextItem, question: str) -> list[str]:
    """An alias that the question uses, a trait, a memory with how it was felt."""
    from offbook.cli.running import felt, shortened
    from offbook.language.words import fold

    if item.kind == "entity":
        name, _, aliases = item.title.partition(" (")
        used = [a for a in aliases.removesuffix(")").split(", ") if a and fold(a) in fold(question)]
        return [f"{alias} is {name}" for alias in used if fold(name) not in fold(question)]
    if item.kind == "attribute":
        return [f"{item.title.lower()}: {shortened(item.text, _LINE)}"]
    if item.kind == "memory" and item.emotion is not None:
        return [f"a memory, felt with {felt(item.emotion, 2)}: {shortened(item.text, _LINE)}"]
    return []
