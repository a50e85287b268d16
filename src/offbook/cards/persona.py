"""From a card to what a character is built from: a persona document, greetings, voice, lore.

Takes: a card, and what its macros stand for.  Gives: Markdown for ingestion, first messages, and
samples of speech. What a card's maker says to people (notes, tags, version) is in none of them, as
the V2 specification asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from offbook.cards.card import Card
from offbook.cards.lorebook import Lorebook
from offbook.cards.macros import MacroValues, expand
from offbook.cards.raw_json import Json
from offbook.types import DEFAULT_USER

_START: Final = re.compile(r"^[ \t]*<START>[ \t]*$", re.IGNORECASE | re.MULTILINE)
_SPEAKER: Final = re.compile(
    r"[ \t]*(\{\{(?:char|user)\}\}|<(?:char|bot|user)>|[^\W\d_][\w .'’-]{0,40}?)"
    r"[ \t]*[:：][ \t]*(.*)",
    re.IGNORECASE | re.DOTALL,
)
_HEADING: Final = re.compile(r"^(#{1,6})(?=[ \t])", re.MULTILINE)
_SCRIPT: Final = re.compile(r"<(?:script|style)\b[^>]*+>", re.IGNORECASE)
_SCRIPT_END: Final = re.compile(r"</(?:script|style)\s*+>", re.IGNORECASE)
_COMMENT: Final = re.compile(r"<!--")
_COMMENT_END: Final = re.compile(r"-->")
_TAG: Final = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*+(?:\s[^<>]*+)?/?>")
_TURN: Final = re.compile(
    r"(?<=\S)[ \t]*(?=(?:\{\{(?:user|char)\}\}|<(?:user|bot|char)>)[ \t]*[:：])", re.IGNORECASE
)
"""Before a turn that stands in the line of another one."""
_LIST: Final = re.compile(r"^[ \t]*\[([^\[\]]{3,4000})\][ \t]*$", re.MULTILINE)
_PROPERTY: Final = re.compile(r"([^=:\n]{1,80})[=:](.+)", re.DOTALL)
_OF_GENRES: Final = frozenset({"genre", "genres", "tag", "tags", "style"})
"""Properties of a text, and of nobody in it."""
_MANY_BREAKS: Final = re.compile(r"\n{3,}")
_PERSON: Final = "{{user}}"
_PERSON_MACRO: Final = re.compile(r"\{\{\s*user\s*\}\}|<user>", re.IGNORECASE)
_MOST_SPOKEN: Final = 50
_LONGEST_SPOKEN: Final = 2_000
"""A voice sample is never longer, so that a longer line is in none."""
_SPEECH_HEADING: Final = "Example dialogue"


def persona_document(card: Card, *, user: str = DEFAULT_USER) -> str:
    """The card's description of the character as Markdown, macros replaced, markup taken out.

    Headings of the card stand below those of the document; the example dialogue is a section of
    its own, whose lines are ``Name: text``.
    """
    values = MacroValues(card.spoken_name, user)
    sections = {"": card.description, "Personality": card.personality, "Scenario": card.scenario}
    parts = [f"# {_one_line(card.name)}"]
    if card.nickname and card.nickname != card.name:
        parts.append(f"{_one_line(card.name)} is called {_one_line(card.nickname)}.")
    for title, text in sections.items():
        body = told_text(text, values)
        if body:
            parts += [f"## {title}", body] if title else [body]
    turns = chain.from_iterable(_blocks(card, values))
    lines = [f"{speaker}: {words}" for speaker, words in turns]
    if lines:
        parts += [f"## {_SPEECH_HEADING}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def plain_text(text: str, values: MacroValues) -> str:
    """``text`` without macros, scripts and tags, its headings two levels deeper."""
    made = strip_markup(expand(_START.sub("", text), values).text)
    made = _HEADING.sub(lambda match: "#" * min(6, len(match[1]) + 2), made)
    return _MANY_BREAKS.sub("\n\n", made.replace("\r\n", "\n").replace("\0", "")).strip()


def told_text(text: str, values: MacroValues) -> str:
    """``plain_text`` of what tells of somebody, who is also shown by dialogue and lists in it.

    What the person says in a dialogue is left out: it is nothing that the character says or knows.
    Lists of properties in brackets become a line each.
    """
    return plain_text(_LIST.sub(_properties, _without_person(text, values)), values)


def _without_person(text: str, values: MacroValues) -> str:
    """The text without the person's turns, where turns of the character stand there too."""
    names = {"char": ("char", "bot", values.char.lower()), "user": ("user", values.user.lower())}
    lines, is_told, has_turns = list[str](), True, False
    for line in _TURN.sub("\n", text).splitlines():
        match = _SPEAKER.match(line)
        name = match[1].strip("{}<> ").lower() if match else ""
        own = match[2] if match and name in names["char"] else None
        has_turns = has_turns or own is not None
        if name in names["user"]:
            is_told = False
        elif own is not None or not line.strip():
            is_told = True
        if is_told:
            lines.append(line if own is None else own)
    return "\n".join(lines) if has_turns else text


def _properties(match: re.Match[str]) -> str:
    """The properties of a list, or the list as it is where it has none."""
    pairs = [_PROPERTY.fullmatch(part.strip()) for part in match[1].split(";") if part.strip()]
    if not pairs or not all(pairs):
        return match[0]
    lines = [
        f"{pair[1].strip()}: {pair[2].replace(chr(34), '').strip().rstrip('.')}."
        for pair in pairs
        if pair is not None and pair[1].strip().lower() not in _OF_GENRES
    ]
    return "\n".join(lines)


def strip_markup(text: str) -> str:
    """``text`` without HTML: scripts and styles go whole, of other tags their content stays."""
    if "<" not in text:
        return text
    text = _without(text, _SCRIPT, _SCRIPT_END)
    return _TAG.sub("", _without(text, _COMMENT, _COMMENT_END))


def _without(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """``text`` without what stands between the two; what is never closed stays."""
    parts, offset = list[str](), 0
    while (start := opening.search(text, offset)) and (end := closing.search(text, start.end())):
        parts.append(text[offset : start.start()])
        offset = end.end()
    return "".join((*parts, text[offset:]))


def _one_line(text: str) -> str:
    return " ".join(text.replace("\0", "").split()).lstrip("#").strip() or "Unnamed"


def voice_samples(card: Card, *, user: str = DEFAULT_USER, limit: int = 8) -> tuple[str, ...]:
    """What the character says in the example dialogue, in its order, none twice."""
    values = MacroValues(card.spoken_name, user)
    names = {card.name.lower(), card.spoken_name.lower()}
    turns = chain.from_iterable(_blocks(card, values))
    lines = [text for speaker, text in turns if speaker.lower() in names]
    return tuple(dict.fromkeys(lines))[: max(0, limit)]


def example_dialogues(
    card: Card, *, user: str = DEFAULT_USER
) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The example dialogues, one a block after ``<START>``: speaker and what is said."""
    values = MacroValues(card.spoken_name, user)
    return tuple(_blocks(card, values))


def _blocks(card: Card, values: MacroValues) -> Iterator[tuple[tuple[str, str], ...]]:
    blocks = (tuple(_lines(block, card, values)) for block in _START.split(card.mes_example))
    return filter(None, blocks)


def _lines(block: str, card: Card, values: MacroValues) -> Iterator[tuple[str, str]]:
    """Speaker and words of each turn in a block; a line without a speaker goes on."""
    speaker, lines = "", list[str]()
    for line in block.splitlines():
        match = _SPEAKER.match(line)
        name = _speaker_name(match[1], card, values) if match else None
        if match is None or name is None:
            lines.append(line)
            continue
        yield from _turn(speaker, lines, values)
        speaker, lines = name, [match[2]]
    yield from _turn(speaker, lines, values)


def _turn(speaker: str, lines: list[str], values: MacroValues) -> Iterator[tuple[str, str]]:
    text = " ".join(plain_text("\n".join(lines), values).split())
    if speaker and text:
        yield speaker, text


def _speaker_name(name: str, card: Card, values: MacroValues) -> str | None:
    """Who speaks: the character, the person, or None where the line is no turn."""
    bare = name.strip("{}<> ").lower()
    if bare in ("char", "bot") or bare in (card.name.lower(), card.spoken_name.lower()):
        return _one_line(card.spoken_name)
    return values.user if bare in ("user", "you", values.user.lower()) else None


def lore_document(book: Lorebook, values: MacroValues, *, title: str = "Lore") -> str:
    """The enabled entries of a lorebook as Markdown, one a section, decorators taken off.

    This is what recall by meaning and the graph are built from; recall by keys uses the entries.
    Entries that are kept back until something is the case are not in it: they are known when the
    entry itself is recalled. Empty where no entry that is enabled says anything.
    """
    parts = [f"# {_one_line(book.name or title)}"]
    says_something = False
    for entry in book.entries:
        body = told_text(entry.text, values) if entry.enabled else ""
        says_something = says_something or bool(body)
        if body and not entry.is_guarded:
            parts += [f"## {_one_line(expand(entry.title, values).text)}", body]
    return "\n\n".join(parts) + "\n" if says_something else ""


def conversation_words(card: Card) -> Json:
    """Return what of a card is said or told in every conversation, macros and all.

    SillyTavern's note at a depth of the chat is a reminder, too. Of the character's lines in the
    example dialogue it has those that name the person, who stands there as a macro: what is put in
    for a macro is never read again, so the macro stays where it stands for itself.
    """
    depth = card.extensions.get("depth_prompt")
    note = depth.get("prompt") if isinstance(depth, dict) else None
    reminders = [card.post_history_instructions, note if isinstance(note, str) else ""]
    lines = voice_samples(card, user=_PERSON, limit=_MOST_SPOKEN)
    texts = [card.description, card.personality, card.scenario, card.mes_example]
    texts += [entry.content for entry in card.book.entries] if card.book else []
    return {
        "char": _storable(card.spoken_name),
        "greetings": _storable_texts((card.first_mes, *card.alternate_greetings)),
        "system_prompt": _storable(card.system_prompt),
        "post_history_instructions": "\n\n".join(_storable_texts(reminders)),
        "spoken": _storable_texts(
            line for line in lines if _PERSON in line and len(line) <= _LONGEST_SPOKEN
        ),
        "names_person": any(_PERSON_MACRO.search(text) for text in texts),
    }


def _storable_texts(texts: Iterable[str]) -> list[str]:
    return [text for text in map(_storable, texts) if text]


def _storable(text: str) -> str:
    """Return a text without what no database stores, and blanks at its ends."""
    return text.replace("\0", "").strip()
