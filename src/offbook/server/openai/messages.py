"""From a list of messages to a conversation: turns, what is asked now, and what the client adds."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal

from offbook.agent.history import SILENCE
from offbook.agent.replay import Transcript
from offbook.prompts.reply import ReplyOptions
from offbook.server.failures import RequestRefused
from offbook.server.openai.body import ChatMessage, Role
from offbook.server.openai.groups import SPEAK, Group, set_apart
from offbook.text.tokens import count_tokens, truncate_to_tokens
from offbook.types import Turn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from offbook.settings.model import ServerSettings
    from offbook.types import Character

TASK: Final = re.compile(r"\s*###\s*Task:?\s", re.IGNORECASE)
"""How Open WebUI begins what it asks for itself, and a chat with passages of its own."""
_LISTED: Final = re.compile(r"\s*<attached_files>")
_CONVERSATION: Final = re.compile(
    r"<chat_history>|###\s*(?:Chat History|Previous Summary|Messages Being Compacted)\b",
    re.IGNORECASE,
)
_PASSAGE: Final = "<source"
_PASSAGE_ENDS: Final = "</source>"
_BLANKS: Final = 20
"""So many are looked at beside a tag."""


def split_enclosed(text: str) -> tuple[str, str]:
    """The person's own words, and what the client put in front of them; empty where it is nothing.

    What stands in front is taken as far as it may go: a passage or the name of a file that holds
    the closing tag itself must not speak as the person, nor must passages that nobody's words
    follow.
    """
    end = _end_of_passages(text)
    if end or _LISTED.match(text):
        end = max(end, _end_of(text, "attached_files"))
    return (text[end:].strip(), text[:end].strip()) if end else (text, "")


def _end_of_passages(text: str) -> int:
    if TASK.match(text) is None:
        return 0
    head, opened, _ = text.partition("<context>")
    # In a call of the client's own the tags may stand in the conversation that it is about.
    return 0 if not opened or _CONVERSATION.search(head) else _end_of(text, "context")


def _end_of(text: str, tag: str) -> int:
    """Where an element ends for certain: behind its last closing tag; 0 where there is none.

    Where passages are elements themselves, the closing tag follows the last one's; where the
    opening tag has a line to itself, so has the closing one: others are the person's.
    """
    closing = f"</{tag}>"
    opened, closed = text.find(f"<{tag}>"), text.rfind(closing)
    if not 0 <= opened < closed:
        return 0
    signs: list[Callable[[int], bool]] = []
    if text.startswith(_PASSAGE, _after_blanks(text, opened + len(tag) + 2)):
        signs.append(
            lambda place: text[max(0, place - _BLANKS) : place].rstrip().endswith(_PASSAGE_ENDS)
        )
    if _is_alone(text, opened, len(tag) + 2):
        signs.append(lambda place: _is_alone(text, place, len(closing)))
    for is_its_own in signs:
        place = closed
        while place > opened and not is_its_own(place):
            place = text.rfind(closing, 0, place)
        if place > opened:
            return place + len(closing)
    return closed + len(closing)


def _after_blanks(text: str, start: int) -> int:
    return start + len(text[start : start + _BLANKS]) - len(text[start : start + _BLANKS].lstrip())


def _is_alone(text: str, start: int, length: int) -> bool:
    """Whether what stands there has a line to itself, but for blanks."""
    end = start + length
    before = text[max(0, start - _BLANKS) : start].rstrip(" \t\r")
    after = text[end : end + _BLANKS].lstrip(" \t\r")
    return before[-1:] in ("", "\n") and after[:1] in ("", "\n")


_MOST_SAID: Final = 100_000
"""Characters that a character answers at once, as in the native API: whoever talks says less, and
looking for what more of them mean would keep others waiting."""
_EXAMPLE: Final = "example_"
_GO_ON: Final = re.compile(r"\W{0,9}continue\b", re.IGNORECASE)
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
        given: What tools gave since the person spoke last, which is nobody's wish. What they gave
            before is in the reply that followed.
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


def read_messages(
    messages: Sequence[ChatMessage], group: Group | None = None, own: Sequence[str] = ()
) -> ReadMessages:
    """Read the messages of a client; in a group, of whose members ``own`` are the character's."""
    shown = [message for message in messages if not (message.name or "").startswith(_EXAMPLE)]
    plain: list[ChatMessage] = []
    enclosed: list[str] = []
    for message in shown:
        words, beside = split_enclosed(message.text) if message.role == "user" else ("", "")
        plain.append(replace(message, text=words) if beside else message)
        enclosed += [beside] if beside else []
    order, spoken = _order(plain), _spoken(plain)
    if group is not None:
        spoken = set_apart(spoken, group, own)
    if spoken and spoken[-1].role == "assistant" and SPEAK.match(_last_system(plain)):
        spoken.append(ChatMessage("user", ""))  # a reply of its own, though nobody said more
    names = [m.name for m in plain if m.role == "user" and m.name]
    kinds = dict.fromkeys(kind for message in plain for kind in message.others)
    return ReadMessages(
        transcript=_made_anew(_transcript(spoken)),
        system=_said_by("system", plain),
        given=_from_tools(plain),
        enclosed=tuple(enclosed),
        examples=len(messages) - len(plain),
        name=names[-1] if names else None,
        order=order,
        warnings=tuple(f"parts of type {kind} are ignored: characters read text" for kind in kinds),
    )


def _spoken(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """What the person and the character said; what came with a call of a tool is no reply."""
    followed = zip(messages, (*messages[1:], None), strict=True)
    return [
        message
        for message, following in followed
        if message.role in ("user", "assistant")
        and not message.calls
        and not (message.role == "assistant" and following is not None and following.calls)
    ]


def _from_tools(messages: Sequence[ChatMessage]) -> tuple[str, ...]:
    """What was called since the person spoke last, each with what it gave."""
    last = max((i for i, m in enumerate(messages) if m.role == "user"), default=-1)
    called = {call.id: call for message in messages for call in message.calls if call.id}
    told: list[str] = []
    for message in messages[last + 1 :]:
        call = called.get(message.call)
        if message.role != "tool" or not (_says(message) or call):
            continue
        text = message.text.strip()
        told.append(f"{call.name}({call.arguments}) gave:\n{text}" if call else text)
    return tuple(told)


def require_short(transcript: Transcript) -> None:
    """Refuse what nobody says to anybody."""
    length = len(transcript.said) + len(transcript.begun) + len(transcript.replaced)
    if length > _MOST_SAID:
        raise RequestRefused(
            f"what is said last is {length} characters long",
            f"at most {_MOST_SAID} are answered at once; long texts can be added as documents",
            param="messages",
            code="context_length_exceeded",
        )


def _order(messages: Sequence[ChatMessage]) -> str | None:
    text = _last_system(messages)
    before = next((m.role for m in reversed(messages) if m.role != "system" and _says(m)), None)
    if not text or _GO_ON.match(text) or SPEAK.match(text):
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
    runs = [
        (whose, [message.text for message in run])
        for whose, run in groupby(spoken, key=lambda message: (message.role, message.speaker))
    ]
    begun = ""
    if runs and runs[-1][0][0] == "assistant" and messages[-1].role == "assistant":
        # Blanks at its end tell where it goes on.
        begun = "\n\n".join(runs.pop()[1]).lstrip()
    turns: list[Turn] = []
    pending: list[Turn] = []
    for (role, speaker), texts in runs:
        text = "\n\n".join(text.strip() for text in texts)
        if role == "user":
            pending.append(Turn(text, "", speaker))
            continue
        answered = pending.pop() if pending else Turn("", "")
        turns += [*pending, replace(answered, answered=text)]
        pending = []
    last = pending.pop() if pending else Turn(SILENCE, "")
    return Transcript((*turns, *pending), last.said, begun, speaker=last.speaker)


def _made_anew(transcript: Transcript) -> Transcript:
    """The words that were answered, instead of those that ask for the reply to be otherwise."""
    last = transcript.turns[-1] if transcript.turns else Turn("", "")
    if transcript.said not in _OTHERWISE or not last.said:
        return transcript
    wish = transcript.said
    return Transcript(transcript.turns[:-1], last.said, replaced=last.answered, wish=wish)


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


Policy = Literal["user_context", "merge", "ignore"]
POLICIES: Final[tuple[Policy, ...]] = ("user_context", "merge", "ignore")
SETTING: Final = "server.client_system"
_IN_FRONT: Final = "what the client put in front of the words of a message"
_FROM_TOOLS: Final = "what tools gave"


def policy_of(character: Character, settings: ServerSettings) -> Policy:
    """The policy of a character: that of the settings for it, its own, or that for all."""
    policies = dict(entry.split("=", 1) for entry in settings.client_system_of)
    chosen = policies.get(character.id, character.settings.get(SETTING))
    return next((policy for policy in POLICIES if policy == chosen), settings.client_system)


def wishes_of(
    read: ReadMessages, parameters: Mapping[str, Any], policy: Policy, budget_tokens: int
) -> tuple[ReplyOptions, list[str]]:
    """What the actor is told of the client's system messages, and warnings for the client.

    What tools gave, and what the client put in front of the person's words, is context at the most:
    passages of web pages and files give no directions.
    """
    effect, warnings = _within(budget_tokens, "\n\n".join(read.system), "the system messages")
    left, parts = budget_tokens - count_tokens(effect), [effect] if policy == "user_context" else []
    for what, texts in ((_FROM_TOOLS, read.given), (_IN_FRONT, read.enclosed)):
        beside, cut = _within(left, "\n\n".join(texts), what)
        left -= count_tokens(beside)
        parts += [beside] if policy != "ignore" else []
        warnings += [*cut, *([_worth(f"{what} is", policy)] if texts else [])]
    if read.examples:
        warnings.append(
            f"{read.examples} example messages are left out: the character has a voice of its own"
        )
    if read.system and policy != "merge":
        warnings.append(_worth("system messages are", policy))
    wishes = ReplyOptions(
        parameters,
        directions=effect if policy == "merge" else "",
        person="\n\n".join(part for part in parts if part),
        called=read.name or "",
        introduced=read.name is not None,
    )
    return wishes, warnings


def _within(budget_tokens: int, text: str, what: str) -> tuple[str, list[str]]:
    """What fits of a text, and a warning where that is not all."""
    if count_tokens(text) <= budget_tokens:
        return text, []
    return truncate_to_tokens(text, budget_tokens), [
        f"of {what} the first {budget_tokens} tokens are used"
    ]


def _worth(what: str, policy: Policy) -> str:
    treated = "ignored" if policy == "ignore" else "told to the character as context, not as orders"
    return f"{what} {treated} ({SETTING})"
