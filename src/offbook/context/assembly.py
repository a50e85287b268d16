"""What the actor is told: the stable part first, what changes with every question last.

Takes: the character, what was recalled, the conversation so far.  Gives: ``ReplyInputs``, in the
order that lets a provider's prefix cache work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from offbook.context.card_words import card_words
from offbook.context.token_budget import fit_history
from offbook.language.encodings import TokenCounter
from offbook.language.tokens import count_tokens
from offbook.prompts.reply import NO_WISHES, ReplyInputs, Wishes
from offbook.settings.model import ContextSettings
from offbook.types import Message, Recall


def assemble(
    recall: Recall,
    voice: Sequence[str],
    history: Sequence[Message],
    settings: ContextSettings,
    count: TokenCounter = count_tokens,
    wishes: Wishes = NO_WISHES,
    own: Mapping[str, Any] | None = None,
) -> ReplyInputs:
    """The inputs of the reply prompt.

    Args:
        recall: What the method found, already within its budget of tokens.
        voice: Speech samples of the character, in the order of its documents.
        history: The conversation so far, oldest first, without the question.
        settings: Budgets.
        count: Counts the tokens of a text.
        wishes: What whoever asks wishes of the reply.
        own: The character's own settings, with the words of its card.
    """
    profile = "\n\n".join(item.text for item in recall.context if item.kind == "profile")
    volatile = tuple(item for item in recall.context if item.kind != "profile")
    card = card_words(own or {})
    return ReplyInputs(
        character=recall.character,
        profile=profile,
        voice=tuple(voice[: settings.voice_samples]),
        history=fit_history(history, settings.history_tokens, count),
        context=volatile,
        question=recall.question,
        directions=wishes.directions,
        person=wishes.person,
        begun=wishes.begun,
        manner=card.manner(),
        reminder=card.reminder(),
    )
