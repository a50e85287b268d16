"""Text completions: a dialogue written out as one text, as clients without messages send it.

Takes: the prompt, the texts to stop at, the character's names.  Gives: messages.  A dialogue has
lines that begin with a name or a role; its last one is the character's, empty or begun. What stands
in front of the first is the client's own, as a system message. Any other text is said as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from offbook.server.openai.body import MessageBody, Role
from offbook.text.words import fold

_ASSISTANT: Final = ("assistant", "ai")
_OTHERS: Final = ("system", "user", "human")
_LAST: Final = re.compile(r"(?:\A|\n)[ \t]*([^\n:]{1,60}):[ \t]*\Z")
_LONGEST_STOP: Final = 80
"""Characters of a text to stop at that may be the beginning of somebody's line."""


def messages_of_prompt(
    prompt: str, stop: str | Sequence[str] | None, names: Iterable[str]
) -> list[MessageBody]:
    """The messages that a prompt holds; the whole as one, where it is no dialogue."""
    own = [*names, *_ASSISTANT]
    last = _LAST.search(prompt)
    if last is not None:
        own.append(last[1].strip())
    others = [*_OTHERS, *_named_in(stop)]
    begins = _beginnings([*own, *others])
    places = list(begins.finditer(prompt))
    mine = set(map(fold, own))
    if not any(fold(place[1]) in mine for place in places):
        return [_message("user", prompt)]
    messages = [_message("system", prompt[: places[0].start()])]
    ends = [*(place.start() for place in places[1:]), len(prompt)]
    for place, end in zip(places, ends, strict=True):
        who = fold(place[1])
        role: Role = "assistant" if who in mine else "system" if who == "system" else "user"
        messages.append(_message(role, prompt[place.end() : end]))
    spoken = [message for message in messages if any(part.text for part in message.content)]
    # Of names alone nobody has said anything: the character begins.
    return spoken or [_message("user", "")]


def _named_in(stop: str | Sequence[str] | None) -> list[str]:
    """The names that a client stops at: a line of theirs is not the character's."""
    texts = [stop] if isinstance(stop, str) else list(stop or ())
    lines = [text.strip() for text in texts if len(text) <= _LONGEST_STOP]
    return [line[:-1].strip() for line in lines if line.endswith(":") and line.strip(":")]


def _beginnings(names: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted({name for name in names if name}, key=len, reverse=True)
    return re.compile(rf"^[ \t]*({'|'.join(map(re.escape, longest_first))}):", re.I | re.M)


def _message(role: Role, text: str) -> MessageBody:
    # Blanks behind words that are begun tell where they go on.
    content = text.lstrip() if role == "assistant" else text.strip()
    return MessageBody.model_validate({"role": role, "content": content if text.strip() else None})
