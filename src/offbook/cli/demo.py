"""``offbook demo``: the shipped character answers seven questions, two of the novella a last one.

Takes: an open home.  Gives: each reply, and in one line what it rests on. It fits on two screens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import typer

from offbook.cli import novella
from offbook.cli.options import GLOBALS, Json, settings_for
from offbook.cli.output import (
    called,
    cost,
    counted,
    felt,
    print_json,
    say_offline,
    with_offbook,
    write,
)
from offbook.cli.prose import Prose, note_line

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.demo import AskedFor
    from offbook.types import ContextItem, Message, Reply

DemoText = Literal["person", "book"]

_EMBEDDED: Final = {
    "chat.model": "offline",
    "extract.model": "offline",
    "judge.model": "offline",
    "embed.model": "builtin",
    "preset": "default",
}
_SHOWS_A_TRAIT: Final = {
    # One of the questions is after a trait, and offline the judgements cost no call.
    "ensemble.gs": "live",
    "ensemble.ae": True,
}
_BY_PASSAGES: Final = {"method": "naive"}
"""What answers from a book at once, as `create --from` leaves it."""
_KIND: Final[Mapping[AskedFor, str]] = {
    "unstated trait": "attribute",
    "emotion": "memory",
    "told, and no longer so": "memory",
}
"""The kind of what a question is asked for, where it is not a sentence of the documents."""


def demo_command(
    which: DemoText = typer.Argument(
        "person", metavar="WHICH", help="Edmond Dantès, or two people of a novella."
    ),
    configured: bool = typer.Option(
        False, "--configured", help="With the configured model, instead of the embedded."
    ),
    as_json: Json = False,
) -> None:
    """Build the shipped character and ask it seven questions.

    `offbook demo book` makes two people of the shipped novella and asks each the same question at
    two of its chapters.
    """

    def settings(more: Mapping[str, Any]) -> Any:
        return settings_for({} if configured else _embedded(more))

    if as_json:
        more, collect = (
            (_SHOWS_A_TRAIT, _collect) if which == "person" else (_BY_PASSAGES, novella.collect)
        )
        print_json(with_offbook(settings(more), collect))
    elif which == "book":
        with_offbook(settings(_BY_PASSAGES), novella.talk)
    else:
        character = with_offbook(settings(_SHOWS_A_TRAIT), _talk)
        with_offbook(settings(_BY_PASSAGES), novella.standing)
        write(f"\nNow talk yourself: {called()} chat {character}\n")


def _embedded(more: Mapping[str, Any]) -> dict[str, Any]:
    """What makes the demo the same everywhere, but for flags of its own command line."""
    from offbook.settings.model import SettingsModel

    method = SettingsModel.model_fields["method"].default
    flags = {**_EMBEDDED, "method": method, **more}
    return {name: value for name, value in flags.items() if name not in GLOBALS.flags}


async def _talk(book: Offbook) -> str:
    """Show it to a person; the character's id."""
    from offbook.demo import DEMO_QUESTIONS, DEMO_USER

    say_offline(book.runtime().actor)
    character, report = await book.demo_character()
    row = report.documents[0]
    chunks = counted(row.chunks, "chunk")
    write(f"{character.name}: {row.name} {row.status}, {chunks}, {cost(report.usage)}\n")
    talk = await book.session(character.id, user=DEMO_USER, keep=False)
    for question in DEMO_QUESTIONS:
        before = talk.history
        write(f"\n[{question.label}]\n> {question.question}\n")
        prose = Prose(character.name, is_data=False)
        async for piece in talk.say(question.question):
            prose.write(piece)
        prose.end()
        if talk.last is not None:
            write(note_line(f"rests on: {_grounds(talk.last, question.label, before)}"))
    return character.id


async def _collect(book: Offbook) -> dict[str, Any]:
    """The same as one document: what was ingested, and each reply in the shape of ``ask``."""
    from offbook.demo import DEMO_QUESTIONS, DEMO_USER

    character, report = await book.demo_character()
    talk = await book.session(character.id, user=DEMO_USER, keep=False)
    replies = []
    for question in DEMO_QUESTIONS:
        reply = await talk.ask(question.question)
        replies.append({"label": question.label, **reply.as_json()})
    model = book.settings.values.chat.model
    return {"model": model, "ingest": report.as_json(), "replies": replies}


def _grounds(reply: Reply, label: AskedFor, before: Sequence[Message]) -> str:
    """What a reply rests on, with what the question was asked for first."""
    from offbook.cli.evidence import in_line
    from offbook.methods.knowledge import with_antecedent

    recall = reply.recall
    full = " ".join(with_antecedent(recall.question, before).split())
    parts = [f"read as “{full}”"] if label == "follow-up" else []
    if label == "alias":
        parts += [line for item in recall.context for line in _aliases(item, recall.question)]
    held = [item for item in recall.context if item.kind == _KIND.get(label)]
    if held:
        parts.append(_named(max(held, key=lambda item: item.score)))
    else:
        parts.append(in_line(reply))
    return "; ".join(parts)


def _aliases(item: ContextItem, question: str) -> list[str]:
    """Other names that the question uses."""
    from offbook.text.words import fold

    if item.kind != "entity":
        return []
    name, _, aliases = item.title.partition(" (")
    used = [a for a in aliases.removesuffix(")").split(", ") if a and fold(a) in fold(question)]
    return [f"{alias} is {name}" for alias in used if fold(name) not in fold(question)]


def _named(item: ContextItem) -> str:
    """A trait, a memory with how it was felt, what was told."""
    if item.kind == "attribute":
        return f"{item.title.lower()}: {item.text}"
    if item.emotion is not None:
        return f"a memory, felt with {felt(item.emotion, 2)}: {item.text}"
    return item.text
