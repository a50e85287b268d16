"""The offline judge of replies: it exists to run the machinery, and measures nothing.

Takes: the inputs of the judge's prompts.  Gives: ratings by rules: declining phrases, names and
numbers that are or are not in what the reply may rest on, words in common with a right answer.
Source: ours. Every record, table and picture marks its scores (``evaluation.record.OFFLINE_MARK``).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from offbook.language.words import search_terms, words
from offbook.models.offline.modernity import is_later
from offbook.prompts.interviewing import Preference, RepliesToCompare
from offbook.prompts.judging import (
    BinaryRating,
    ContainedVerdict,
    GroundedReply,
    RatingOfTen,
    ReplyToJudge,
    ReplyWithAnswers,
)

DECLINES: Final = re.compile(
    r"\b(?:never heard|no knowledge|know nothing|know of no|means? nothing to me|do(?:es)? not know"
    r"|don['’]t know|(?:can|could) tell you nothing|(?:can ?not|can['’]t|could not|couldn['’]t)"
    r" (?:tell|say|name|give|recall|answer)|nothing comes to my mind|nothing to tell you"
    r"|no answer|knew nothing|for the first time|have no (?:view|reason|idea)"
    r"|what .{1,40} may be, I do not know"
    r"|formed no opinion|no such story)\b"
    r"|不知道|没听说|没有听说|从未听|不清楚|不认识|无法回答",
    re.IGNORECASE,
)
"""What a character says who does not know."""
_PARTICULAR: Final = re.compile(r"(?<![.!?…:\"“]\s)(?<!^)\b[A-Z][\w'’-]+|\d+|[\u4e00-\u9fff]{2,4}")
_YEAR: Final = re.compile(r"\b1\d{3}\b|\b20\d{2}\b")
_CONTAINED: Final = 0.6
_YEAR_WITHOUT_ANY: Final = 1900


def knowledge_exposure(inputs: ReplyToJudge) -> RatingOfTen:
    """More for every particular, and more yet where the description has it too."""
    particulars = _particulars(inputs.reply)
    known = set(search_terms(inputs.description))
    shared = sum(not known.isdisjoint(search_terms(each)) for each in particulars)
    declines = _declines(inputs.reply)
    rating = min(10, (1 if declines else 3) + (len(particulars) + 1) // 2 + shared)
    return RatingOfTen(
        analysis=f"{len(particulars)} particulars, {shared} of them in the description"
        + ("; it declines" if declines else ""),
        rating=rating,
    )


def knowledge_hallucination(inputs: ReplyToJudge) -> RatingOfTen:
    """More for every particular that neither the question nor the description has."""
    carried = set(search_terms(f"{inputs.description} {inputs.question}"))
    unknown = [p for p in _particulars(inputs.reply) if carried.isdisjoint(search_terms(p))]
    later = _later_words(inputs.reply, inputs.description)
    rating = 1 if _declines(inputs.reply) else min(10, 1 + len(unknown) // 2 + 2 * len(later))
    told = ", ".join([*unknown[:5], *later[:5]]) or "nothing"
    return RatingOfTen(analysis=f"not carried by description or question: {told}", rating=rating)


def unknown_rejection(inputs: ReplyToJudge) -> BinaryRating:
    """A question about later times has to be declined, any other has to be answered."""
    later = _later_words(inputs.question, inputs.description)
    declines = _declines(inputs.reply)
    told = f"words of later times: {', '.join(later)}" if later else "no words of later times"
    return BinaryRating(
        analysis=f"{told}; the reply {'declines' if declines else 'answers'}",
        rating=int(declines == bool(later)),
    )


def answer_contained(inputs: ReplyWithAnswers) -> ContainedVerdict:
    """Yes where most words of an answer stand in the reply."""
    share = _share_of_answer(inputs)
    return ContainedVerdict(
        analysis=f"{share:.0%} of the words of the nearest answer",
        rating="yes" if share >= _CONTAINED else "no",
    )


def answer_quality(inputs: ReplyWithAnswers) -> RatingOfTen:
    """The share of an answer's words that stand in the reply."""
    share = _share_of_answer(inputs)
    return RatingOfTen(
        analysis=f"{share:.0%} of the words of the nearest answer", rating=1 + round(9 * share)
    )


def hallucination_score(inputs: GroundedReply) -> RatingOfTen:
    """The share of the reply's words that neither passages, question nor answers have."""
    carried = set(search_terms(" ".join((*inputs.passages, *inputs.answers, inputs.question))))
    own = set(search_terms(inputs.reply))
    added = sorted(own - carried)
    share = 0.0 if _declines(inputs.reply) else len(added) / len(own) if own else 0.0
    return RatingOfTen(
        analysis=f"{len(added)} of {len(own)} words are added: {', '.join(added[:8]) or 'none'}",
        rating=1 + round(9 * share),
    )


def compare_replies(inputs: RepliesToCompare) -> Preference:
    """The reply with most in common with question and description; then the first."""
    asked = set(search_terms(f"{inputs.question} {inputs.description}"))

    def weight(place: int) -> tuple[bool, int, int, int]:
        text = inputs.replies[place].text
        terms = set(search_terms(text))
        return not _declines(text), len(terms & asked), len(terms), -place

    best = max(range(len(inputs.replies)), key=weight)
    shared = weight(best)[1]
    return Preference(
        analysis=f"{shared} words in common with the question and the description",
        best=inputs.replies[best].label,
    )


def _declines(reply: str) -> bool:
    return DECLINES.search(reply) is not None


def _particulars(text: str) -> list[str]:
    """Names and numbers, once each: what somebody who knows nothing would not say."""
    return list(dict.fromkeys(match.group() for match in _PARTICULAR.finditer(text)))


def _later_words(text: str, description: str) -> list[str]:
    """Words for what came after the last year that the description names."""
    year = max((int(found) for found in _YEAR.findall(description)), default=_YEAR_WITHOUT_ANY)
    return [word for word in dict.fromkeys(words(text)) if word.isalpha() and _is_later(word, year)]


@lru_cache(maxsize=1 << 14)
def _is_later(word: str, year: int) -> bool:
    return is_later(word, year)


def _share_of_answer(inputs: ReplyWithAnswers) -> float:
    own = set(search_terms(inputs.reply))
    shares = []
    for answer in inputs.answers:
        wanted = set(search_terms(answer)) or set(words(answer))
        shares.append(len(wanted & (own | set(words(inputs.reply)))) / len(wanted or own or {""}))
    return max(shares, default=0.0)
