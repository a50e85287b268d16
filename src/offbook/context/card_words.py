"""The words of a character card that belong to every conversation: manner, reminder, greetings.

Takes: a card, or the settings of a character that has one.  Gives: texts with macros replaced. They
are told to the actor as material about the character; nothing in them changes a setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from offbook.language.tokens import truncate_to_tokens

if TYPE_CHECKING:
    from offbook.cards.card import Card

SETTING: Final = "card"
DEFAULT_USER: Final = "User"
_MOST_TOKENS: Final = 1_000
"""Of the card's wishes for the prompt: a card is no way to crowd out what was recalled."""


@dataclass(frozen=True, slots=True)
class CardWords:
    """What of a card is said or told in a conversation, macros and all.

    ``document`` is the id of the document that the card became.
    """

    document: str = ""
    char: str = ""
    greetings: tuple[str, ...] = ()
    system_prompt: str = ""
    post_history_instructions: str = ""

    def manner(self, user: str | None = None) -> str:
        """What the card wishes for in front of the conversation."""
        return self._told(self.system_prompt, user)

    def reminder(self, user: str | None = None) -> str:
        """What the card wishes for behind the conversation."""
        return self._told(self.post_history_instructions, user)

    def greeting(self, number: int, user: str | None = None) -> str:
        """The greeting of this number, 1 to ``len(greetings)``."""
        return self._expanded(self.greetings[number - 1], user)

    def as_json(self) -> dict[str, Any]:
        """What is stored among the settings of the character."""
        return {**asdict(self), "greetings": list(self.greetings)}

    def _told(self, text: str, user: str | None) -> str:
        return truncate_to_tokens(self._expanded(text, user), _MOST_TOKENS) if text else ""

    def _expanded(self, text: str, user: str | None) -> str:
        from offbook.cards.macros import MacroValues, expand

        # What stands there without the card stays there, whatever the card asks for.
        values = MacroValues(self.char, user or DEFAULT_USER, original="")
        return expand(text, values).text.strip()


NO_WORDS: Final = CardWords()


def words_of(card: Card, document: str) -> CardWords:
    """The words of a card; SillyTavern's note at a depth of the chat is a reminder, too."""
    depth = card.extensions.get("depth_prompt")
    note = depth.get("prompt") if isinstance(depth, dict) else None
    reminders = [card.post_history_instructions, note if isinstance(note, str) else ""]
    return CardWords(
        document=document,
        char=_bare(card.spoken_name),
        greetings=tuple(filter(None, map(_bare, (card.first_mes, *card.alternate_greetings)))),
        system_prompt=_bare(card.system_prompt),
        post_history_instructions="\n\n".join(filter(None, map(_bare, reminders))),
    )


def _bare(text: str) -> str:
    """A text without what no database stores, and blanks at its ends."""
    return text.replace("\0", "").strip()


def card_words(settings: Mapping[str, Any]) -> CardWords:
    """The words among the settings of a character; what is no text there counts as none."""
    kept = settings.get(SETTING)
    if not isinstance(kept, Mapping):
        return NO_WORDS
    texts = {
        name: value
        for name in ("document", "char", "system_prompt", "post_history_instructions")
        if isinstance(value := kept.get(name), str)
    }
    found = kept.get("greetings")
    greetings = found if isinstance(found, list) else []
    return CardWords(**texts, greetings=tuple(text for text in greetings if isinstance(text, str)))
