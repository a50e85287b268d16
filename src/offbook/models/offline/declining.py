"""What a character says when the context does not hold the answer.

Takes: a question and what is missing.  Gives: one or two short sentences that name what was asked
and admit that it is unknown; always the same for the same question. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from zlib import crc32

from offbook.language import grammar
from offbook.language.clauses import Token, tokens_of
from offbook.language.questions import Question
from offbook.language.verbs import is_base, is_past
from offbook.language.words import fold

_OUTSIDE: Final = (
    "I have never heard of {it}.",
    "{It}? The name means nothing to me.",
    "I know nothing of {it}.",
    "Of {it} I have no knowledge at all.",
)
_OUTSIDE_THING: Final = (
    "I have never heard of {it}.",
    "{It}? The word means nothing to me.",
    "What {it} may be, I do not know.",
)
_NAME: Final = (
    "Of {it} I can tell you nothing.",
    "About {it} nothing comes to my mind.",
    "I can tell you nothing of {it}.",
    "{It}? I can tell you nothing of that name.",
)
_THING: Final = (
    "Of {it} I can tell you nothing.",
    "Nothing comes to my mind about {it}.",
    "I can tell you nothing of {it}, and I will not make it up.",
    "You ask about {it}; I have nothing to tell you of that.",
)
_POSSESSION: Final = (
    "I can tell you nothing of any {it}.",
    "I know of no {it} that I could tell you about.",
)
_BY_KIND: Final[dict[str, tuple[str, ...]]] = {
    "who": ("Who that was, I cannot tell you.", "I could not give you a name."),
    "when": ("When that was, I cannot say.", "I could not name you the time."),
    "where": ("Where that was, I cannot say.", "I could not name you the place."),
    "why": ("Why that is so, I cannot tell you.", "I have no reason to give you."),
    "how_many": ("I could not give you the number.", "How much or how many, I cannot say."),
    "how": ("How that is done, I cannot tell you.", "I could not tell you how."),
    "yes_no": ("I cannot say yes or no to that.", "To that I have no answer."),
    "opinion": ("I have formed no opinion on that.", "I have no view of that to give you."),
    "tell": ("There is nothing of that kind I could tell you.", "I have no such story to tell."),
}
_HOW: Final = re.compile(
    r"\bhow (?:do|did|does|would|could|can|should|will|to|are|is|was|were|have|has|had)\b"
)
"""Asks for a way; "how important" does not."""
_ADJECTIVES: Final = ("al", "ous", "ive", "ful", "ic", "less", "able", "ible", "ary", "ing", "ed")
_COMMON: Final = frozenset(
    (
        *("old", "new", "young", "good", "bad", "great", "small", "large", "big", "long", "short"),
        *(
            "own",
            "quick",
            "simple",
            "real",
            "true",
            "early",
            "late",
            "fine",
            "rich",
            "poor",
            "free",
        ),
        *("deep", "wide", "strong", "weak", "hard", "soft", "high", "low", "happy", "sad", "dear"),
    )
)
_QUALITIES: Final = (
    *("ity", "tion", "sion", "ness", "ism", "cy", "ance", "ence", "ment", "ship", "hood"),
    *("ure", "dom"),
)
"""Endings of what one hardly has: "any ingenuity" is not said."""
_UNFINISHED: Final = frozenset(("of", "to", "where", "when", "which", "who", "whom", "that", "for"))
"""What follows a noun that says nothing without it ("the ability *to*")."""
_ARTICLES: Final = frozenset(("a", "an", "the", "this", "these", "those"))
_OWN: Final = frozenset(("your", "my", "our", "his", "her", "their", "any", "some"))
_PLAIN: Final = frozenset(("others", "else", "front", "spite", "terms", "regard", "regards"))
"""Words that name nothing, and parts of prepositions ("in front of")."""
_ANY: Final = ("That I do not know.", "I do not know, and I will not guess.")
_EMPTY: Final = (
    "I am {name}, but nothing comes back to me that would answer that.",
    "Nothing comes to my mind about that.",
    "I have nothing to go on there, so I will say nothing of it.",
)
_HEARD: Final = (
    "I had never heard of {it} until you told me.",
    "{It}? I hear of that for the first time, and from you.",
    "Of {it} I knew nothing before you spoke.",
)
_LISTENING: Final = (
    "I hear you.",
    "You tell me something new.",
    "That I did not know of you.",
)
_NO_MORE: Final = (
    "That is all I can tell you of it.",
    "I have told you what I know of it.",
    "There is no more of it that I could tell you.",
)
_OTHER_LANGUAGE: Final = (
    "What I remember is written in another language than the one you ask in, and I find nothing"
    " in it for these words."
)


def decline(question: Question, missing: Sequence[str], names: Sequence[str] = ()) -> str:
    """Admit that the answer is unknown.

    It says that nothing can be told, not that the thing does not exist: the context is what a
    search found, and it may have missed what the character does know.

    Args:
        question: What was asked.
        missing: Words of the question that the context does not hold, the weightiest first.
        names: Names among them; they are named first.
    """
    pick = crc32(fold(question.text).encode())
    if names:
        templates: Sequence[str] = _NAME if len(names) == 1 else _NAME[:-1]
        shown = [with_article(question.text, name) for name in names]
        return _fill(templates[pick % len(templates)], _listed(shown))
    found = next(filter(None, (noun_phrase(question.text, word) for word in missing)), None)
    if found is not None:
        phrase, owned = found
        templates = _POSSESSION if owned else _THING
        return _fill(templates[pick % len(templates)], phrase)
    graded = question.kind == "how" and not _HOW.search(fold(question.text))
    choices = _ANY if graded else _BY_KIND.get(question.kind, _ANY)
    return choices[pick % len(choices)]


def decline_outside(question: Question, entities: Sequence[str]) -> str:
    """Decline what the boundary of the character's knowledge shuts out."""
    shown = [_as_asked(question.text, entity) for entity in entities if entity][:3]
    if not shown:
        return decline(question, ())
    pick = crc32(fold(question.text).encode())
    templates = _OUTSIDE_THING if shown[0].startswith(("a ", "an ", "any ")) else _OUTSIDE
    return _fill(templates[pick % len(templates)], _listed(shown))


def hear(told: str) -> str:
    """What is said to somebody who tells of what is theirs, and asks for nothing."""
    return _LISTENING[crc32(fold(told).encode()) % len(_LISTENING)]


def hear_first(question: Question, entities: Sequence[str]) -> str:
    """What is said to somebody who tells of what the boundary shuts out: it is heard, not known."""
    shown = [_as_asked(question.text, entity) for entity in entities if entity][:3]
    pick = crc32(fold(question.text).encode())
    return _fill(_HEARD[pick % len(_HEARD)], _listed(shown)) if shown else decline(question, ())


def _as_asked(text: str, entity: str) -> str:
    """What is shut out with its article: "an aeroplane"; a name as it is."""
    if not entity.rsplit(maxsplit=1)[-1].islower():
        return with_article(text, entity)
    phrase, owned = noun_phrase(text, entity.rsplit(maxsplit=1)[-1]) or (entity, False)
    return f"any {phrase}" if owned else phrase


def no_more(question: Question) -> str:
    """What is said where more is asked for, and all there is was told."""
    pick = crc32(fold(question.text).encode())
    return _NO_MORE[pick % len(_NO_MORE)]


def nothing_to_go_on(question: Question, character: str) -> str:
    """What is said where there is neither context nor profile."""
    pick = crc32(fold(question.text).encode())
    return _EMPTY[pick % len(_EMPTY)].format(name=character)


def other_language() -> str:
    """What is said where the texts are in another language than the question."""
    return _OTHER_LANGUAGE


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _fill(template: str, phrase: str) -> str:
    return template.format(it=phrase, It=phrase[:1].upper() + phrase[1:])


def with_article(text: str, name: str) -> str:
    """A name as the question has it: "the Titanic" where it says so."""
    return f"the {name}" if re.search(rf"\bthe {re.escape(name)}", text, re.IGNORECASE) else name


def noun_phrase(text: str, word: str) -> tuple[str, bool] | None:
    """The noun phrase of ``text`` around ``word``, and whether it is said to be somebody's.

    "the car you drove" gives "the car", "your refrigerator" gives "refrigerator", owned. None
    where it is no noun, or one that is nothing without what follows it ("the ability to").
    """
    tokens = tokens_of(text)
    at = next((i for i, token in enumerate(tokens) if token.text == word), None)
    if at is None or word.lower() in _PLAIN:
        return None
    begin, first, last = _extent(tokens, at)
    if last < len(tokens) and tokens[last].low in _UNFINISHED:
        return None
    noun = tokens[last - 1].low
    if first == last or is_base(noun) or noun.endswith(_ADJECTIVES):
        return None
    words = " ".join(token.text for token in tokens[first:last])
    before = tokens[begin - 1].low if begin else ""
    if before in ("a", "an"):
        return ("an " if words[0] in "aeiouAEIOU" else "a ") + words, False
    if before in _ARTICLES:
        return f"{before} {words}", False
    if before in _OWN:
        return None if noun.endswith(_QUALITIES) else (words, True)
    led = before in grammar.PREPOSITIONS - {"to"} or before in grammar.AMBIGUOUS_PREPOSITIONS
    return (words, False) if led and not word.lower().endswith(("ing", "ed")) else None


def _extent(tokens: list[Token], at: int) -> tuple[int, int, int]:
    """Where the noun phrase around ``at`` begins, where it does without its grade, and its end.

    "Your favourite movie" is about any movie, "your biggest mistake" about any mistake.
    """
    first, last = at, at + 1
    while (
        last < len(tokens)
        and last - at < 3
        and not tokens[last - 1].low.endswith("s")
        and _may_go_on(tokens[last])
    ):
        last += 1
    while first > 0 and at - first < 3 and _is_adjective(tokens[first - 1]):
        first -= 1
    begin = first
    while begin > 0 and _is_grade(tokens[begin - 1]):
        begin -= 1
    while first < last and _is_grade(tokens[first]):
        first += 1
    return begin, first, last


def _is_grade(token: Token) -> bool:
    graded = token.low.endswith("est") and len(token.low) > 4
    return graded or token.low in ("favorite", "favourite", "most", "first", "last", "best")


def _is_adjective(token: Token) -> bool:
    shaped = token.low.endswith(_ADJECTIVES) or "-" in token.text or token.is_capital
    return _may_go_on(token) and (shaped or token.low in _COMMON) and not _is_grade(token)


def _may_go_on(token: Token) -> bool:
    """Whether a word can stand beside a noun in its phrase."""
    return (
        token.is_word
        and not token.quoted
        and token.low not in grammar.FUNCTION
        and token.low not in grammar.AUXILIARIES
        and not token.low.endswith("ly")
        and not is_past(token.low)
    )
