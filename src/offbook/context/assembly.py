"""What the actor is told: the stable part first, what changes with every question last.

Takes: the character, what was recalled, the conversation so far.  Gives: ``ReplyInputs``, in the
order that lets a provider's prefix cache work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from offbook.context.card_words import CardWords, card_words
from offbook.context.token_budget import fit_history
from offbook.language.encodings import TokenCounter
from offbook.language.tokens import count_tokens
from offbook.prompts.reply import NO_WISHES, ReplyInputs, Wishes
from offbook.settings.model import ContextSettings
from offbook.types import Message, Recall

_GENDER: Final = "gender"
"""Where in a character's own settings the gender of its pronouns stands."""


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
        own: The character's own settings, with the words of its card and its gender.
    """
    profile = "\n\n".join(item.text for item in recall.context if item.kind == "profile")
    volatile = tuple(item for item in recall.context if item.kind != "profile")
    card = card_words(own or {})
    said = len(history) + wishes.earlier
    told = wishes.called, wishes.persona, str(said), wishes.session
    return ReplyInputs(
        character=recall.character,
        profile=profile,
        voice=card.voice(voice[: settings.voice_samples], wishes.called),
        history=fit_history(history, settings.history_tokens, count),
        context=volatile,
        question=recall.question,
        directions=wishes.directions,
        person=_person(card, wishes),
        called=wishes.called if wishes.introduced else "",
        begun=wishes.begun,
        replaced=wishes.replaced,
        wish=wishes.wish,
        manner=card.manner(*told),
        reminder=card.reminder(*told),
        gender=(own or {}).get(_GENDER, ""),
    )


def _person(card: CardWords, wishes: Wishes) -> str:
    """What is told of whoever asks, and whom the texts of the card mean."""
    meant = card.about_the_person(wishes.called)
    return "\n\n".join(part for part in (wishes.person, wishes.persona, meant) if part)
