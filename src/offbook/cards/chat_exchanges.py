"""Who speaks in a chat log, and what of it can become memories: what was said, what was answered.

Takes: a chat log, and whose memories they are.  Gives: exchanges; a greeting answers nothing, and
hidden messages, narrators, swipes that are not shown, and what a model thought aloud are no part of
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from offbook.cards.chatlog import ChatLog
from offbook.models.thinking import strip_thinking


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
    wanted = [set(name.casefold().split()) for name in names if name.strip()]
    whole = [one for one in there if set(one.casefold().split()) in wanted]
    if whole:
        return whole[0]
    near = [
        one
        for one in there
        if any(own <= (part := set(one.casefold().split())) or part <= own for own in wanted)
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
    own = (character or log.character_name).strip().casefold()
    alone = len(speakers(log)) <= 1
    said: list[str] = []
    asked: str | None = None
    answered: list[tuple[str, int]] = []
    found: list[Exchange] = []

    def close() -> None:
        if said and answered:
            text = "\n\n".join(part for part, _ in answered)
            index = answered[-1][1]
            found.append(Exchange("\n\n".join(said), text, log.messages[index].at or asked, index))
            said.clear()
        answered.clear()

    for index, message in enumerate(log.messages):
        text = message.text.strip()
        if message.hidden or not text:
            continue
        is_own = alone or message.name.strip().casefold() == own
        if is_own and not message.is_user and not message.told:
            if text := strip_thinking(text).strip():
                answered.append((text, index))
            continue
        if answered:
            close()
        asked = message.at or (asked if said else None)
        said.append(text if message.is_user or message.told else f"{message.name}: {text}")
    close()
    return tuple(found)
