"""What a character says when the context does not hold the answer.

Takes: a question and what is missing.  Gives: one or two short sentences that name what was asked
and admit that it is unknown; always the same for the same question. Source: ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from zlib import crc32

from offbook.language import grammar
from offbook.language.clauses import Token, tokens_of
from offbook.language.questions import Question
from offbook.language.verbs import is_base
from offbook.language.words import fold

_OUTSIDE: Final = (
    "I have never heard of {it}.",
    "{It}? The name means nothing to me.",
    "I know nothing of {it}.",
    "Of {it} I have no knowledge at all.",
)
_NAME: Final = (
    "Of {it} I can tell you nothing.",
    "{It}? I can tell you nothing of that name.",
    "About {it} nothing comes to my mind.",
    "I can tell you nothing of {it}.",
)
_THING: Final = (
    "Of {it} I can tell you nothing.",
    "Nothing comes to my mind about {it}.",
    "I can tell you nothing of {it}, and I will not make it up.",
    "You ask about {it}; I have nothing to tell you of that.",
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
_ADJECTIVES: Final = ("al", "ous", "ive", "ful", "ic", "less", "able", "ible", "ary", "ing", "ed")
_ANY: Final = ("That I do not know.", "I do not know, and I will not guess.")
_EMPTY: Final = (
    "I am {name}, but nothing comes back to me that would answer that.",
    "Nothing comes to my mind about that.",
    "I have nothing to go on there, so I will say nothing of it.",
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
        return _fill(_NAME[pick % len(_NAME)], _listed(names))
    phrase = next(filter(None, (phrase_of(question.text, word) for word in missing)), "")
    if phrase:
        return _fill(_THING[pick % len(_THING)], phrase)
    choices = _BY_KIND.get(question.kind, _ANY)
    return choices[pick % len(choices)]


def decline_outside(question: Question, entities: Sequence[str]) -> str:
    """Decline what the boundary of the character's knowledge shuts out."""
    shown = [entity for entity in entities if entity][:3]
    if not shown:
        return decline(question, ())
    pick = crc32(fold(question.text).encode())
    return _fill(_OUTSIDE[pick % len(_OUTSIDE)], _listed(shown))


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


def phrase_of(text: str, word: str) -> str:
    """The noun phrase of ``text`` around ``word``; empty where it is no noun.

    "the car you drove" gives "the car", "your refrigerator" gives "any refrigerator".
    """
    tokens = tokens_of(text)
    at = next((i for i, token in enumerate(tokens) if token.text == word), None)
    if at is None:
        return ""
    first = at
    while first > 0 and at - first < 3 and _is_modifier(tokens, first - 1):
        first -= 1
    last = at + 1
    while (
        last < len(tokens)
        and last - at < 3
        and not tokens[last - 1].low.endswith("s")
        and _is_modifier(tokens, last)
    ):
        last += 1
    before = tokens[first - 1].low if first else ""
    if is_base(tokens[last - 1].low) or tokens[last - 1].low.endswith(_ADJECTIVES):
        return ""
    words = " ".join(
        token.text for token in tokens[first:last] if token.low not in ("favorite", "favourite")
    )
    if before in ("a", "an", "the", "this", "that", "these", "those"):
        return f"{before} {words}"
    if before in ("your", "my", "our", "his", "her", "their", "any", "some"):
        return f"any {words}"
    led = before in grammar.PREPOSITIONS - {"to"} or before in grammar.AMBIGUOUS_PREPOSITIONS
    return words if led and not word.lower().endswith(("ing", "ed")) else ""


def _is_modifier(tokens: list[Token], index: int) -> bool:
    token = tokens[index]
    return (
        token.is_word
        and not token.quoted
        and token.low not in grammar.FUNCTION
        and token.low not in grammar.AUXILIARIES
        and not token.low.endswith("ly")
    )
