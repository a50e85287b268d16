"""Two personas: a client that brings system messages of its own, and the character that is here.

Takes: what the client's system messages say, and the policy.  Gives: what the actor is told of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from offbook.language.tokens import count_tokens, truncate_to_tokens
from offbook.prompts.reply import Wishes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from offbook.server.openai.transcript import ReadMessages
    from offbook.settings.server import ServerSettings
    from offbook.types import Character

Policy = Literal["user_context", "merge", "ignore"]
POLICIES: Final[tuple[Policy, ...]] = ("user_context", "merge", "ignore")
SETTING: Final = "server.client_system"
_IN_FRONT: Final = "what the client put in front of the words of a message"
_GIVEN: Final = "what tools gave"


def policy_of(character: Character, settings: ServerSettings) -> Policy:
    """The policy of a character: that of the settings for it, its own, or that for all."""
    told = dict(entry.split("=", 1) for entry in settings.client_system_of)
    wanted = told.get(character.id, character.settings.get(SETTING))
    return next((policy for policy in POLICIES if policy == wanted), settings.client_system)


def wishes_of(
    read: ReadMessages, parameters: Mapping[str, Any], policy: Policy, budget_tokens: int
) -> tuple[Wishes, list[str]]:
    """What the actor is told of the client's system messages, and warnings for the client.

    What tools gave, and what the client put in front of the person's words, is context at the most:
    passages of web pages and files give no directions.

    Args:
        read: The client's messages.
        parameters: Sampling parameters.
        policy: What system messages are worth.
        budget_tokens: For the system messages, then for what tools gave, and then for what stood in
            front of words.
    """
    told, warnings = _within(budget_tokens, "\n\n".join(read.system), "the system messages")
    left, parts = budget_tokens - count_tokens(told), [told] if policy == "user_context" else []
    for what, texts in ((_GIVEN, read.given), (_IN_FRONT, read.enclosed)):
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
    wishes = Wishes(
        parameters,
        directions=told if policy == "merge" else "",
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
    told = "ignored" if policy == "ignore" else "told to the character as context, not as orders"
    return f"{what} {told} ({SETTING})"
