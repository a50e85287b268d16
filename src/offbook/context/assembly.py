"""What the model that replies (the actor) is told: pieces of context, within a budget, each once.

Takes: the character, what was recalled, the conversation so far.  Gives: ``ReplyInputs``, the
stable part first and what changes with every question last, so that a provider's prefix cache
works; of pieces of context those that fit and that are news, and the others with the reason.
Manner, reminder and greetings of a character card
belong to every conversation: they are told to the actor as material about the character; nothing in
them changes a setting. Source: ours.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from offbook import registry
from offbook.context.speech import fitting_lines, mood_sentence, repeated_phrases, style_card
from offbook.models.builtin import embed_texts
from offbook.prompts.reply import DEFAULT_OPTIONS, ReplyInputs, ReplyOptions
from offbook.retrieval.passages import cut_to, place_of
from offbook.retrieval.search import IndexCache
from offbook.settings.model import ContextSettings, ReplySettings
from offbook.text.encodings import TokenCounter
from offbook.text.sentences import sentences
from offbook.text.tokens import count_tokens, truncate_to_tokens
from offbook.text.words import search_terms
from offbook.types import (
    DEFAULT_USER,
    ContextItem,
    Finding,
    LoreEntries,
    LoreFile,
    Message,
    Recall,
    Skipped,
)

if TYPE_CHECKING:
    from offbook.protocols import Lore, Macros, Store
    from offbook.stores.connection import Connection
    from offbook.types import Character


def fit_items(
    items: Sequence[ContextItem], budget_tokens: int, count: TokenCounter = count_tokens
) -> tuple[tuple[ContextItem, ...], tuple[Skipped, ...]]:
    """The items that fit, in the given order, and the others with the reason."""
    fitting: list[ContextItem] = []
    skipped: list[Skipped] = []
    left = budget_tokens
    for item in items:
        cost = count(item.text)
        if cost <= left:
            fitting.append(item)
            left -= cost
        elif not fitting:
            fitting.append(cut_to(item, shortened(item.text, left, count)))
            left = 0
        else:
            why = f"{cost} tokens, {left} of {budget_tokens} left (context.budget_tokens)"
            skipped.append(Skipped(item.kind, item.title, why))
    return tuple(fitting), tuple(skipped)


def shortened(text: str, budget_tokens: int, count: TokenCounter = count_tokens) -> str:
    """A beginning of ``text`` that fits the budget: whole sentences, or words of a longer one."""
    allowed = budget_tokens
    short = truncate_to_tokens(text, allowed)
    while short and (excess := count(short) - budget_tokens) > 0:
        allowed -= max(1, excess)
        short = truncate_to_tokens(text, allowed)
    if len(short) == len(text):
        return short
    ends = [end for _, end in sentences(text[: len(short) + _NEXT]) if end <= len(short)]
    return text[: ends[-1]] if ends else short


def fit_history(
    history: Sequence[Message], budget_tokens: int, count: TokenCounter = count_tokens
) -> tuple[Message, ...]:
    """The latest messages that fit, oldest first.

    They begin with what the person said, unless the conversation itself began with a greeting, and
    all of it is shown.
    """
    fitting: list[Message] = []
    left = budget_tokens
    for message in reversed(history):
        cost = count(message.content)
        if cost > left:
            break
        fitting.append(message)
        left -= cost
    fitting.reverse()
    while len(fitting) < len(history) and fitting and fitting[0].role == "assistant":
        fitting.pop(0)
    return tuple(fitting)


_NEXT: Final = 40
"""Characters behind a cut that tell whether a sentence ends there."""
LEAST: Final = 24
"""Tokens below which an item is not worth shortening while another may have them: a sentence."""


def fit_shares(
    kinds: Mapping[str, Sequence[ContextItem]],
    budget_tokens: int,
    shares: Mapping[str, float],
    count: TokenCounter = count_tokens,
) -> tuple[tuple[ContextItem, ...], tuple[Skipped, ...]]:
    """The items that fit, kind after kind, and the others with the reason.

    Args:
        kinds: Items of each kind, best first; the order of the kinds is kept.
        budget_tokens: For the texts of all of them together.
        shares: What each kind may use of the budget, in proportion; positive.
        count: Counts the tokens of a text.
    """
    costs = {kind: [count(item.text) for item in items] for kind, items in kinds.items()}
    demands = [sum(costs[kind]) for kind in kinds]
    allowed = divided(demands, budget_tokens, [shares[kind] for kind in kinds])
    chosen: list[ContextItem] = []
    skipped: list[Skipped] = []
    for kind, allowance in zip(kinds, allowed, strict=True):
        fitting = _fit(kinds[kind], costs[kind], allowance, count)
        for item, cost, text in zip(kinds[kind], costs[kind], fitting, strict=True):
            if text or not item.text:
                chosen.append(cut_to(item, text))
            else:
                why = (
                    f"{cost} tokens; {allowance} of {budget_tokens} (context.budget_tokens) are "
                    f"for {kind}, and better ones have them"
                )
                skipped.append(Skipped(item.kind, item.title, why))
    return tuple(chosen), tuple(skipped)


def divided(demands: Sequence[int], total: int, shares: Sequence[float]) -> list[int]:
    """A total divided in proportion, nobody getting more than it wants.

    What one does not want is divided among the others. While there is enough for it, everybody who
    wants something gets something.

    Args:
        demands: What each could use.
        total: What there is.
        shares: The proportion, positive.
    """
    granted = [0] * len(demands)
    left = max(0, total)
    for place in sorted(range(len(demands)), key=shares.__getitem__, reverse=True):
        granted[place] = min(1, demands[place], left)
        left -= granted[place]
    while left > 0 and (
        open_ := [place for place, most in enumerate(demands) if granted[place] < most]
    ):
        weight, before = sum(shares[place] for place in open_), left
        for place in open_:
            part = max(1, int(before * shares[place] / weight))
            more = min(part, demands[place] - granted[place], left)
            granted[place] += more
            left -= more
    return granted


def _fit(
    items: Sequence[ContextItem], costs: Sequence[int], allowance: int, count: TokenCounter
) -> list[str]:
    """The texts of the items within an allowance; empty for those that are left out."""
    chosen: list[int] = []
    taken = 0
    for place, cost in enumerate(costs):
        least = min(cost, LEAST)
        if taken + least <= allowance or (not chosen and allowance > 0):
            chosen.append(place)
            taken += least
    granted = divided([costs[place] for place in chosen], allowance, [1.0] * len(chosen))
    texts = [""] * len(items)
    for place, tokens in zip(chosen, granted, strict=True):
        text = items[place].text
        texts[place] = text if costs[place] <= tokens else shortened(text, tokens, count)
    return texts


_SHOWN: Final = 60


def named(item: ContextItem) -> str:
    """The title of an item, or how it begins: what is left out has to be told from others."""
    line = " ".join(item.text.split())
    return item.title or (line if len(line) <= _SHOWN else f"{line[: _SHOWN - 3]}...")


def passages_joined(
    items: Sequence[ContextItem],
) -> tuple[list[ContextItem], list[Skipped]]:
    """The passages, those that overlap as one, so that no words are shown twice.

    By their sources, not their words: two documents may say the same. What is joined stands where
    the best of them stood, and is one stretch of the document still.
    """
    joined: list[ContextItem] = []
    skipped: list[Skipped] = []
    for item in items:
        with_it = [place for place, other in enumerate(joined) if _overlap(other, item)]
        if not with_it:
            joined.append(item)
            continue
        union = item
        for place in with_it[::-1]:
            union = _union(joined.pop(place), union)
        joined.insert(with_it[0], union)
        why = "it overlaps a passage that is shown, which has it all"
        skipped.append(Skipped(item.kind, item.title, why))
    return joined, skipped


def _overlap(one: ContextItem, other: ContextItem) -> bool:
    """Whether two pieces share a stretch of a document, letter by letter."""
    a, b = place_of(one), place_of(other)
    if a is None or b is None or a.document != b.document:
        return False
    return max(a.start, b.start) < min(a.end, b.end)


def _union(better: ContextItem, other: ContextItem) -> ContextItem:
    """One piece of two that overlap; title, score and chunk are the better one's."""
    (first,), (second,) = better.sources, other.sources
    start, end = min(first.start, second.start), max(first.end, second.end)
    before = other.text[: first.start - start]
    behind = other.text[len(other.text) - (end - first.end) :] if end > first.end else ""
    source = replace(first, start=start, end=end)
    return replace(better, text=f"{before}{better.text}{behind}", sources=(source,))


def sentences_once(
    items: Iterable[ContextItem], shown: Iterable[str]
) -> tuple[list[ContextItem], list[Skipped]]:
    """The items without the sentences that ``shown`` texts or earlier items say already.

    A sentence is said where all its terms stand in a sentence that is shown, or in two in a row:
    descriptions are seldom word by word what the passages say.
    """
    said = [window for text in shown for window in _windows(text)]
    news: list[ContextItem] = []
    skipped: list[Skipped] = []
    for item in items:
        parts = [_plain(item.text[start:end]) for start, end in sentences(item.text)]
        terms = {part: _terms(part) for part in parts}
        new = [
            part
            for part, words in terms.items()
            if not (words and any(words <= window for window in said))
        ]
        if new:
            news.append(item if len(new) == len(parts) else replace(item, text=" ".join(new)))
            said += _windows(" ".join(new))
        else:
            why = "all of it is said in what is shown"
            skipped.append(Skipped(item.kind, item.title, why))
    return news, skipped


def _windows(text: str) -> list[frozenset[str]]:
    """The terms of each two sentences in a row."""
    terms = [_terms(text[start:end]) for start, end in sentences(text)]
    return [one | after for one, after in zip(terms, [*terms[1:], frozenset()], strict=True)]


_NEGATED: Final = re.compile(
    r"\b(?:not|no|nor|never|neither|none|nobody|nothing|cannot|without)\b|n['’]t\b", re.IGNORECASE
)


def _terms(text: str) -> frozenset[str]:
    """The terms of a sentence; that it is negated, which no search looks for, is one."""
    return frozenset((*search_terms(text), *(["not"] if _NEGATED.search(text) else ())))


def _plain(text: str) -> str:
    return " ".join(text.split())


_KNOWLEDGE: Final = "knowledge"
_KEPT_BOOKS: Final = 32
"""Characters whose books stay loaded; a server rarely has more that talk at once."""

_loaded: IndexCache[str, Lore | None] = IndexCache(_KEPT_BOOKS)


async def lore_of(store: Store, character: Character) -> Lore | None:
    """Load the lorebooks of a character, ready for questions; None where it has none."""

    async def load() -> Lore | None:
        files = await store.read(_lore_files, character.id)
        if not files:
            return None
        made: Lore = await asyncio.to_thread(
            registry.load("lore", "world_info"), character, files, embed_texts
        )
        return made

    return await _loaded.get(store, character.id, character.revision, load)


def _lore_files(conn: Connection, character: str) -> list[LoreFile]:
    """Return the lorebooks of a character, a card's own in front."""
    from offbook.stores import cards, documents

    books = [file for file in cards.list_files(conn, character) if file.kind != "card"]
    books.sort(key=lambda file: file.kind != "card_lorebook")
    stored = [documents.require(conn, character, file.document) for file in books]
    return [
        LoreFile(file.raw, document.id, document.text, document.ordinal)
        for file, document in zip(books, stored, strict=True)
    ]


def lore_beside(
    lore: LoreEntries, context: Sequence[ContextItem]
) -> tuple[tuple[ContextItem, ...], tuple[Skipped, ...]]:
    """Join what a method found and what lorebooks say to the same, no words twice.

    A passage that says no more than an entry gives way to it: the entry has a name and a reason.
    """
    entries = [_plain(item.text) for item in lore.items]
    items: list[ContextItem] = []
    skipped = list(lore.skipped)
    for item in context:
        if item.kind == _KNOWLEDGE and any(_plain(item.text) in words for words in entries):
            skipped.append(Skipped(_KNOWLEDGE, item.title, "an entry of a lorebook says all of it"))
        else:
            items.append(item)
    shown = [_plain(item.text) for item in items if item.kind == _KNOWLEDGE]
    for item in lore.items:
        words = _plain(item.text)
        if any(words in text for text in shown):
            skipped.append(Skipped(_KNOWLEDGE, item.title, "all of it stands in what is shown"))
        else:
            items.append(item)
            shown.append(words)
    return tuple(items), tuple(skipped)


SETTING: Final = "card"
_PERSON: Final = "{{user}}"
_CHANGING: Final = ("{{random", "{{pick", "{{roll", "{{time", "{{date", "{{weekday")
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

    def wish(
        self, text: str, user: str = "", persona: str = "", session: str = "", turn: str = ""
    ) -> str:
        """A wish of the card for the prompt, macros replaced, as far as it may be told."""
        if not text:
            return ""
        return truncate_to_tokens(self._expanded(text, user, persona, session, turn), _MOST_TOKENS)

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
        for place, text in enumerate(self.greetings):
            if self._may_be(text, said, user, session):
                return place
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
        called = f", who is called {user}" if user else ""
        return f'What is told of "{DEFAULT_USER}" is told of whoever talks to you{called}.'

    def _addressed(self, sample: str, user: str) -> str:
        """A sample, which may be a part of a line, with the person's name in it."""
        for line in self.spoken:
            parts = line.split(_PERSON)
            place = DEFAULT_USER.join(parts).find(sample)
            if place < 0:
                continue
            made = sample
            for number in range(len(parts) - 1, 0, -1):
                start = len(DEFAULT_USER.join(parts[:number])) - place
                if 0 <= start <= len(sample) - len(DEFAULT_USER):
                    made = made[:start] + user + made[start + len(DEFAULT_USER) :]
            return made
        return sample

    def _may_be(self, text: str, said: str, user: str | None, session: str | None) -> bool:
        """Whether ``said`` is a greeting, but for what changes from one conversation to another."""
        if session is None and any(macro in text.lower() for macro in _CHANGING):
            return False
        return self._expanded(text, user, session=session or "") == said

    def _expanded(
        self, text: str, user: str | None, persona: str = "", session: str = "", turn: str = ""
    ) -> str:
        expanded: Macros = registry.load("macros", "tavern")
        who = user or DEFAULT_USER
        return expanded(
            text, char=self.char, user=who, persona=persona, seed=session, turn=turn
        ).strip()


NO_WORDS: Final = CardWords()


def untold(words: CardWords) -> tuple[Finding, ...]:
    """What of a card's wishes is too long to be told to the actor."""
    findings: list[Finding] = []
    for name in ("system_prompt", "post_history_instructions"):
        tokens = count_tokens(getattr(words, name))
        if tokens > _MOST_TOKENS:
            message = f"it takes {tokens} tokens; a model is told the first {_MOST_TOKENS} of them"
            findings.append(Finding("wish-long", "warning", name, message, "shorten it"))
    return tuple(findings)


def begun_with(
    settings: Mapping[str, Any], history: Sequence[Message], user: str | None
) -> int | None:
    """Which greeting, from 0, a conversation began with; None where that is not known."""
    first = history[0] if history else None
    if first is None or first.role != "assistant":
        return None
    return card_words(settings).number_of(first.content, user)


def card_words(settings: Mapping[str, Any]) -> CardWords:
    """The words among the settings of a character; what is no text there counts as none."""
    stored = settings.get(SETTING)
    if not isinstance(stored, Mapping):
        return NO_WORDS
    texts = {
        name: value
        for name in ("document", "char", "system_prompt", "post_history_instructions")
        if isinstance(value := stored.get(name), str)
    }
    return CardWords(
        **texts,
        greetings=_texts(stored.get("greetings")),
        spoken=_texts(stored.get("spoken")),
        names_person=stored.get("names_person") is True,
    )


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


_GENDER: Final = "gender"
"""Where in a character's own settings the gender of its pronouns stands."""
_NAMES: Final = "names"
"""Where the names stand by which a book calls it."""


_LIFE: Final = ("episode", "scene")
"""Kinds of context that change with the point in the story alone."""
DEFAULT_REPLY: Final = ReplySettings()


def _pieces(recall: Recall) -> dict[str, Any]:
    """What was recalled, by where it stands: ``context`` is what changes with the question."""
    life = tuple(item for item in recall.context if item.kind in _LIFE)
    return {
        "profile": "\n\n".join(item.text for item in recall.context if item.kind == "profile"),
        "life": life,
        "point": life[-1].title if recall.as_of and life else recall.as_of or "",
        "context": tuple(i for i in recall.context if i.kind not in ("profile", *_LIFE)),
    }


def assemble(
    recall: Recall,
    voice: Sequence[str],
    history: Sequence[Message],
    settings: ContextSettings,
    count: TokenCounter = count_tokens,
    options: ReplyOptions = DEFAULT_OPTIONS,
    overrides: Mapping[str, Any] | None = None,
    reply: ReplySettings = DEFAULT_REPLY,
) -> ReplyInputs:
    """The inputs of the reply prompt.

    Args:
        recall: What the method found, already within its budget of tokens.
        voice: Speech samples of the character, in the order of its documents.
        history: The conversation so far, oldest first, without the question.
        settings: Budgets.
        count: Counts the tokens of a text.
        options: What whoever asks wants of the reply.
        overrides: The character's own settings, with the words of its card and its gender.
        reply: Whether the actor is told how the character speaks and feels, and what it said more
            than once of late.
    """
    card = card_words(overrides or {})
    wish = partial(
        card.wish,
        user=options.called,
        persona=options.persona,
        session=options.session,
        turn=str(len(history) + options.earlier),
    )
    meant = card.about_the_person(options.called)
    shown = fit_history(history, settings.history_tokens, count)
    spoken = [message.content for message in shown if message.role == "assistant"]
    turn = (len(history) + options.earlier) // 2
    lines = card.voice(voice, options.called)
    return ReplyInputs(
        character=recall.character,
        **_pieces(recall),
        voice=fitting_lines(recall.question, lines, settings.voice_samples, turn),
        history=shown,
        question=recall.question,
        directions=options.directions,
        person="\n\n".join(filter(None, (options.person, options.persona, meant))),
        called=options.called if options.introduced else "",
        begun=options.begun,
        replaced=options.replaced,
        wish=options.wish,
        manner=wish(card.system_prompt),
        reminder=wish(card.post_history_instructions),
        gender=(overrides or {}).get(_GENDER, ""),
        names=_texts((overrides or {}).get(_NAMES)),
        stance=recall.stance,
        style=style_card(lines) if reply.style else "",
        mood=mood_sentence(recall.mood) if reply.style else "",
        repeated=repeated_phrases(spoken) if reply.style else (),
        company=options.company,
    )
