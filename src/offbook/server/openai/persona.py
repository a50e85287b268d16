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
    from offbook.types import Character

Policy = Literal["user_context", "merge", "ignore"]
POLICIES: Final[tuple[Policy, ...]] = ("user_context", "merge", "ignore")
SETTING: Final = "server.client_system"


def policy_of(character: Character, default: Policy) -> Policy:
    """The policy of a character: its own, or that of the settings."""
    own = character.settings.get(SETTING)
    return next((policy for policy in POLICIES if policy == own), default)


def wishes_of(
    read: ReadMessages, parameters: Mapping[str, Any], policy: Policy, budget_tokens: int
) -> tuple[Wishes, list[str]]:
    """What the actor is told of the client's system messages, and warnings for the client.

    Args:
        read: The client's messages.
        parameters: Sampling parameters.
        policy: What system messages are worth.
        budget_tokens: For the system messages.
    """
    told, warnings = "\n\n".join(read.system), []
    if read.examples:
        warnings.append(
            f"{read.examples} example messages are left out: the character has a voice of its own"
        )
    if told and count_tokens(told) > budget_tokens:
        told = truncate_to_tokens(told, budget_tokens)
        warnings.append(f"of the system messages the first {budget_tokens} tokens are used")
    called = read.name or ""
    name = f"They are called {called}." if called else ""
    if told and policy != "merge":
        what = "told to the character as context, not as orders"
        warnings.append(
            f"system messages are {what if policy == 'user_context' else 'ignored'} ({SETTING})"
        )
    if policy == "merge":
        return Wishes(parameters, directions=told, person=name, called=called), warnings
    person = told if policy == "user_context" else ""
    both = "\n\n".join(part for part in (name, person) if part)
    return Wishes(parameters, person=both, called=called), warnings
