"""The words of a character card that belong to every conversation: manner, reminder, greetings.

Takes: a card, or the settings of a character that has one.  Gives: texts with macros replaced. They
are told to the actor as material about the character; nothing in them changes a setting.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from offbook.language.tokens import count_tokens, truncate_to_tokens

if TYPE_CHECKING:
    from offbook.cards.card import Card
    from offbook.cards.findings import Finding
    from offbook.types import Message

SETTING: Final = "card"
_PERSON: Final = "{{user}}"
_PERSON_MACRO: Final = re.compile(r"\{\{\s*user\s*\}\}|<user>", re.IGNORECASE)
_CHANGING: Final = ("{{random", "{{pick", "{{roll", "{{time", "{{date", "{{weekday")
_MOST_SPOKEN: Final = 50
_LONGEST_SPOKEN: Final = 2_000
_MOST_TOKENS: Final = 1_000
"""Of the card's wishes for the prompt: a card is no way to crowd out what was recalled."""


@dataclass(frozen=True, slots=True)
class CardWords:
    """What of a card is said or told in a conversation, macros and all.

    ``document`` is the id of the document that the card became; ``spoken`` are those of the
    character's lines in the example dialogue that name the person, who stands there as a macro;
    ``names_person`` is whether texts of the card speak of the person, whom the documents that they
    became call by the name that macros have for nobody in particular.
    """

    document: str = ""
    char: str = ""
    greetings: tuple[str, ...] = ()
    system_prompt: str = ""
    post_history_instructions: str = ""
    spoken: tuple[str, ...] = ()
    names_person: bool = False

    def manner(
        self, user: str | None = None, persona: str = "", turn: str = "", session: str = ""
    ) -> str:
        """What the card wishes for in front of the conversation."""
        return self._told(self.system_prompt, user, persona, turn, session)

    def reminder(
        self, user: str | None = None, persona: str = "", turn: str = "", session: str = ""
    ) -> str:
        """What the card wishes for behind the conversation."""
        return self._told(self.post_history_instructions, user, persona, turn, session)

    def greeting(self, number: int, user: str | None = None, session: str = "") -> str:
        """The greeting of this number, 1 to ``len(greetings)``."""
        return self._expanded(self.greetings[number - 1], user, session=session)

    def number_of(
        self, greeting: str, user: str | None = None, session: str | None = None
    ) -> int | None:
        """Which of the greetings, from 0, this one is; None where it is none of them.

        One in which something is left to chance is known only where ``session`` is.
        """
        said = greeting.strip()
        for at, text in enumerate(self.greetings):
            if self._may_be(text, said, user, session):
                return at
        return None

    def voice(self, samples: Sequence[str], user: str | None = None) -> tuple[str, ...]:
        """Speech samples in which the person has their name, where it is known."""
        if not user or not self.spoken:
            return tuple(samples)
        return tuple(self._addressed(sample, user) for sample in samples)

    def about_the_person(self, user: str | None = None) -> str:
        """Who is meant by the name that the card's texts have for the person; empty: by none."""
        if not self.names_person:
            return ""
        from offbook.cards.macros import DEFAULT_USER

        called = f", who is called {user}" if user else ""
        return f'What is told of "{DEFAULT_USER}" is told of whoever talks to you{called}.'

    def as_json(self) -> dict[str, Any]:
        """What is stored among the settings of the character."""
        return {**asdict(self), "greetings": list(self.greetings), "spoken": list(self.spoken)}

    def _addressed(self, sample: str, user: str) -> str:
        """A sample, which may be a part of a line, with the person's name in it."""
        from offbook.cards.macros import DEFAULT_USER

        for line in self.spoken:
            parts = line.split(_PERSON)
            at = DEFAULT_USER.join(parts).find(sample)
            if at < 0:
                continue
            made = sample
            for number in range(len(parts) - 1, 0, -1):
                start = len(DEFAULT_USER.join(parts[:number])) - at
                if 0 <= start <= len(sample) - len(DEFAULT_USER):
                    made = made[:start] + user + made[start + len(DEFAULT_USER) :]
            return made
        return sample

    def _may_be(self, text: str, said: str, user: str | None, session: str | None) -> bool:
        """Whether ``said`` is a greeting, but for what changes from one conversation to another."""
        if session is None and any(macro in text.lower() for macro in _CHANGING):
            return False
        return self._expanded(text, user, session=session or "") == said

    def _told(self, text: str, user: str | None, persona: str, turn: str, session: str) -> str:
        if not text:
            return ""
        return truncate_to_tokens(self._expanded(text, user, persona, session, turn), _MOST_TOKENS)

    def _expanded(
        self, text: str, user: str | None, persona: str = "", session: str = "", turn: str = ""
    ) -> str:
        from offbook.cards.macros import DEFAULT_USER, MacroValues, expand

        now = datetime.now()  # noqa: DTZ005 - the time on the person's clock
        # What stands there without the card stays there, whatever the card asks for.
        values = MacroValues(
            self.char, user or DEFAULT_USER, persona, original="", now=now, seed=session, turn=turn
        )
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
        spoken=_spoken(card),
        names_person=_names_person(card),
    )


def untold(words: CardWords) -> tuple[Finding, ...]:
    """What of a card's wishes is too long to be told to the actor."""
    from offbook.cards.findings import Finding

    told: list[Finding] = []
    for name in ("system_prompt", "post_history_instructions"):
        tokens = count_tokens(getattr(words, name))
        if tokens > _MOST_TOKENS:
            message = f"it takes {tokens} tokens; a model is told the first {_MOST_TOKENS} of them"
            told.append(Finding("wish-long", "warning", name, message, "shorten it"))
    return tuple(told)


def begun_with(
    settings: Mapping[str, Any], history: Sequence[Message], user: str | None
) -> int | None:
    """Which greeting, from 0, a conversation began with; None where that is not known."""
    first = history[0] if history else None
    if first is None or first.role != "assistant":
        return None
    return card_words(settings).number_of(first.content, user)


def _spoken(card: Card) -> tuple[str, ...]:
    from offbook.cards.persona import voice_samples

    # What is put in for a macro is never read again: the macro stays where it stands for itself.
    said = voice_samples(card, user=_PERSON, limit=_MOST_SPOKEN)
    return tuple(_bare(line) for line in said if _PERSON in line and len(line) <= _LONGEST_SPOKEN)


def _names_person(card: Card) -> bool:
    texts = [card.description, card.personality, card.scenario, card.mes_example]
    texts += [entry.content for entry in card.book.entries] if card.book else []
    return any(_PERSON_MACRO.search(text) for text in texts)


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
    return CardWords(
        **texts,
        greetings=_texts(kept.get("greetings")),
        spoken=_texts(kept.get("spoken")),
        names_person=kept.get("names_person") is True,
    )


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()
