"""Who speaks in a chat log, and what of it can become memories: what was said, what was answered.

Takes: a chat log, and whose memories they are.  Gives: exchanges; a greeting answers nothing, and
hidden messages, narrators, swipes that are not shown, and what a model thought aloud are no part of
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from offbook.cards.chatlog import ChatLog, chatlog_from, read_chatlog, write_chatlog
from offbook.cards.findings import Findings
from offbook.cards.lenient_json import decode_text
from offbook.errors import UnreadableCard, UsageError
from offbook.foreign_files import ChatRead, ChatTurn
from offbook.text.thinking import strip_thinking

_BEGINNING: Final = 100_000
_MOST_WARNINGS: Final = 10


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was said to the character and what it answered; ``message`` is the answer's index."""

    said: str
    answered: str
    at: str | None
    message: int


def speakers(log: ChatLog) -> tuple[str, ...]:
    """The characters that say something in a log, by their names as they stand there first."""
    names: dict[str, str] = {}
    for message in log.messages:
        if not message.is_user and not message.hidden and not message.told:
            name = message.name.strip()
            names.setdefault(name.casefold(), name)
    return tuple(names.values())


def speaker_of(log: ChatLog, names: Sequence[str]) -> str | None:
    """Who of the characters in a log is called by one of ``names``; None where that is not clear.

    In a log of one character it is that one, however it is called there. In a group it is the one
    of the name, or the only one of whose name a part is ours, or that has a part of ours.
    """
    there = speakers(log)
    if len(there) <= 1:
        return there[0] if there else None
    name_words = [set(name.casefold().split()) for name in names if name.strip()]
    whole = [one for one in there if set(one.casefold().split()) in name_words]
    if whole:
        return whole[0]
    near = [
        one
        for one in there
        if any(
            words <= (part := set(one.casefold().split())) or part <= words for words in name_words
        )
    ]
    return near[0] if len(near) == 1 else None


def exchanges(log: ChatLog, character: str | None = None) -> tuple[Exchange, ...]:
    """The log as pairs of what was said to the character and what it answered.

    In a group, what others say before an answer is part of what was said, with their names.

    Args:
        log: The chat log.
        character: Whose memories they are, as the log calls it (``speaker_of``); None: those of the
            character of the log.
    """
    speaker = (character or log.character_name).strip().casefold()
    alone = len(speakers(log)) <= 1
    questions: list[str] = []
    asked_time: str | None = None
    answered: list[tuple[str, int]] = []
    pairs: list[Exchange] = []

    def close() -> None:
        if questions and answered:
            text = "\n\n".join(part for part, _ in answered)
            index = answered[-1][1]
            pairs.append(
                Exchange("\n\n".join(questions), text, log.messages[index].at or asked_time, index)
            )
            questions.clear()
        answered.clear()

    for index, message in enumerate(log.messages):
        text = message.text.strip()
        if message.hidden or not text:
            continue
        is_own = alone or message.name.strip().casefold() == speaker
        if is_own and not message.is_user and not message.told:
            if text := strip_thinking(text).strip():
                answered.append((text, index))
            continue
        if answered:
            close()
        asked_time = message.at or (asked_time if questions else None)
        questions.append(text if message.is_user or message.told else f"{message.name}: {text}")
    close()
    return tuple(pairs)


class ChatLogs:
    """Reads and writes conversations in chat logs (``protocols.ChatReader``)."""

    def read(self, source: Path | bytes, name: str, character: str | None) -> ChatRead | None:
        """Read what is said to ``character`` and what it answers; None: it is no chat log.

        Raises:
            UnreadableCard: it is a chat log, and is damaged or too large.
            UsageError: nothing is answered in it, or it is of several characters, and which of
                them is meant is not clear.
        """
        beginning = _beginning(source)
        if not _may_be_chat(beginning):
            return None
        try:
            log = read_chatlog(source)
        except UnreadableCard:
            if '"mes"' in beginning:
                raise
            return None
        speaker = _speaker(log, name, character)
        pairs = exchanges(log, speaker)
        if not pairs:
            raise UsageError(
                f"{name!r} is a chat log in which nothing is answered",
                "memories are what was said to the character and what it answered",
            )
        speaker = speaker or log.character_name or "a character"
        notes = [
            f"a chat log of {speaker!r} ({log.source_format}): {len(log.messages)} messages, "
            f"{len(pairs)} exchanges"
        ]
        notes += [
            f"{each.path}: {each.message}" if each.path else each.message
            for each in log.warnings[:_MOST_WARNINGS]
        ]
        if len(log.warnings) > _MOST_WARNINGS:
            notes.append(f"{len(log.warnings) - _MOST_WARNINGS} more lines like these")
        turns = (ChatTurn(each.said, each.answered, each.at) for each in pairs)
        return ChatRead(tuple(turns), tuple(notes))

    def write(self, turns: Sequence[ChatTurn], *, user: str, character: str) -> bytes:
        """Write turns as SillyTavern's JSON lines, every reply to the same words a swipe."""
        return write_chatlog(chatlog_from(turns, user=user, character=character))


def _beginning(source: Path | bytes) -> str:
    if isinstance(source, bytes):
        return decode_text(source[:_BEGINNING], Findings())
    try:
        with source.open("rb") as file:
            return decode_text(file.read(_BEGINNING), Findings())
    except OSError:
        return ""  # whoever reads it as memories says why


def _may_be_chat(text: str) -> bool:
    """Whether the beginning of a file is no memory, but JSON all the same."""
    begun = text.lstrip()[:_BEGINNING]
    if begun[:1] not in ("{", "["):
        return False
    first = begun.split("\n", 1)[0]
    return not any(f'"{key}"' in first for key in ("said", "answered"))


def _speaker(log: ChatLog, name: str, character: str | None) -> str | None:
    """Who in a log is the character: nobody else's words become its memories.

    Raises:
        UsageError: there are several, and none is called as the character.
    """
    there = speakers(log)
    if character is None or len(there) <= 1:
        return there[0] if len(there) == 1 else None
    speaker = speaker_of(log, [character])
    if speaker is None:
        names = ", ".join(repr(one[:60]) for one in there[:8])
        raise UsageError(
            f"{name!r} is a chat of several characters, and it is not clear who is {character!r}",
            f"they are called {names}; change the name in the log to {character!r}",
        )
    return speaker
