"""From a list of messages to a conversation: turns, what is asked now, and what the client adds.

Takes: messages in any order of roles.  Gives: a ``ReadMessages``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from offbook.agent.replay import Transcript
from offbook.server.failures import RequestRefused
from offbook.server.openai.body import ChatMessage, Role
from offbook.server.openai.enclosed import split_enclosed
from offbook.types import Turn

SILENCE: Final = "…"
"""What is said by someone who says nothing, as clients have them do that let a character go on."""

_MOST_SAID: Final = 100_000
"""Characters that a character answers at once, as in the native API: whoever talks says less, and
looking for what more of them mean would keep others waiting."""
_EXAMPLE: Final = "example_"
_GO_ON: Final = re.compile(r"\W{0,9}continue\b", re.IGNORECASE)
_SPEAK: Final = re.compile(r"\W{0,9}write the next reply only as\b", re.IGNORECASE)
"""How SillyTavern says in a group whose turn it is."""
_FOR_THE_PERSON: Final = re.compile(
    r"\W{0,9}write your next reply from the point of view of\b", re.IGNORECASE
)
"""How it asks for the person's words."""

_OTHERWISE: Final = ("More Concise", "Add Details")
"""What Open WebUI sends behind a reply that is to be made anew. Its person sees the new one in the
place of the other, and none of these words."""


@dataclass(frozen=True, slots=True)
class ReadMessages:
    """What a client sent, read.

    Args:
        transcript: Turns, what is said, and words that the reply begins with.
        system: System messages, without examples: the client's wishes.
        given: What tools gave, which is nobody's wish.
        enclosed: What the client put in front of the person's words, such as passages of its own
            retrieval: whoever wrote them, they are not the client's wishes.
        examples: How many messages were examples of how a character speaks.
        name: What the person is called, where the client says so.
        order: A system message that stands last and after a reply, or asks for the person's words:
            the client's own request, such as for a summary.
        warnings: What of the messages has no effect.
    """

    transcript: Transcript
    system: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    enclosed: tuple[str, ...] = ()
    examples: int = 0
    name: str | None = None
    order: str | None = None
    warnings: tuple[str, ...] = ()


def read_messages(messages: Sequence[ChatMessage]) -> ReadMessages:
    """Read the messages of a client.

    Raises:
        RequestRefused: what is said last holds no text, but pictures or the like.
    """
    told = [message for message in messages if not (message.name or "").startswith(_EXAMPLE)]
    own, enclosed = _without_enclosed(told)
    order, spoken = _order(own), [m for m in own if m.role in ("user", "assistant")]
    if spoken and spoken[-1].role == "assistant" and _SPEAK.match(_last_system(own)):
        spoken.append(ChatMessage("user", ""))  # a reply of its own, though nobody said more
    names = [m.name for m in own if m.role == "user" and m.name]
    return ReadMessages(
        transcript=_made_anew(_transcript(spoken)),
        system=_said_by("system", own),
        given=_said_by("tool", own),
        enclosed=tuple(enclosed),
        examples=len(messages) - len(own),
        name=names[-1] if names else None,
        order=order,
        warnings=_warnings(own),
    )


def _without_enclosed(messages: Sequence[ChatMessage]) -> tuple[list[ChatMessage], list[str]]:
    """Messages with nothing but what was said in them, and what stood beside it."""
    own: list[ChatMessage] = []
    enclosed: list[str] = []
    for message in messages:
        said, beside = (
            split_enclosed(message.text) if message.role == "user" else (message.text, "")
        )
        own.append(replace(message, text=said) if beside else message)
        enclosed += [beside] if beside else []
    return own, enclosed


def require_short(transcript: Transcript) -> None:
    """Refuse what nobody says to anybody.

    Raises:
        RequestRefused: what is to be answered is too long.
    """
    said = len(transcript.said) + len(transcript.begun) + len(transcript.replaced)
    if said > _MOST_SAID:
        raise RequestRefused(
            f"what is said last is {said} characters long",
            f"at most {_MOST_SAID} are answered at once; long texts can be added as documents",
            param="messages",
            code="context_length_exceeded",
        )


def _order(messages: Sequence[ChatMessage]) -> str | None:
    text = _last_system(messages)
    before = next((m.role for m in reversed(messages) if m.role != "system" and _says(m)), None)
    if not text or _GO_ON.match(text) or _SPEAK.match(text):
        return None
    return text if before == "assistant" or _FOR_THE_PERSON.match(text) else None


def _last_system(messages: Sequence[ChatMessage]) -> str:
    """The system message that stands behind all that was said; empty where none does."""
    last = next((message for message in reversed(messages) if _says(message)), None)
    return last.text.strip() if last is not None and last.role == "system" else ""


def _said_by(role: Role, messages: Sequence[ChatMessage]) -> tuple[str, ...]:
    return tuple(m.text.strip() for m in messages if m.role == role and _says(m))


def _says(message: ChatMessage) -> bool:
    return bool(message.text.strip())


def _transcript(messages: Sequence[ChatMessage]) -> Transcript:
    """Turns of messages of the two roles, several of one role in a row taken together."""
    if messages:
        _require_text(messages)
    spoken = [m for m in messages if m.text.strip()]
    joined = [
        (role, "\n\n".join(message.text.strip() for message in run))
        for role, run in groupby(spoken, key=lambda message: message.role)
    ]
    begun = ""
    if joined and joined[-1][0] == "assistant" and _is_last(messages):
        joined.pop()
        begun = _begun(spoken)
    said = joined.pop()[1] if joined and joined[-1][0] == "user" else SILENCE
    turns: list[Turn] = []
    pending = ""
    for role, text in joined:
        if role == "user":
            pending = text
        else:
            turns.append(Turn(pending, text))
            pending = ""
    return Transcript(tuple(turns), said, begun)


def _made_anew(transcript: Transcript) -> Transcript:
    """The words that were answered, instead of those that ask for the reply to be otherwise."""
    last = transcript.turns[-1] if transcript.turns else Turn("", "")
    if transcript.said not in _OTHERWISE or not last.said:
        return transcript
    wish = transcript.said
    return Transcript(transcript.turns[:-1], last.said, replaced=last.answered, wish=wish)


def _is_last(messages: Sequence[ChatMessage]) -> bool:
    """Whether a reply that stands last is to be gone on with: nobody said nothing after it."""
    return messages[-1].role == "assistant"


def _begun(spoken: Sequence[ChatMessage]) -> str:
    """The last reply as it came: blanks at its end tell where it goes on."""
    last: list[str] = []
    for message in reversed(spoken):
        if message.role != "assistant":
            break
        last.append(message.text)
    return "\n\n".join(reversed(last)).lstrip()


def _require_text(messages: Sequence[ChatMessage]) -> None:
    last = messages[-1]
    if last.role == "user" and last.others and not last.text.strip():
        kinds = ", ".join(last.others)
        raise RequestRefused(
            f"the last message holds no text, only {kinds}",
            "characters read text: say it in words",
            param="messages",
            code="unsupported_content",
        )


def _warnings(messages: Sequence[ChatMessage]) -> tuple[str, ...]:
    kinds = dict.fromkeys(kind for message in messages for kind in message.others)
    return tuple(f"parts of type {kind} are ignored: characters read text" for kind in kinds)
