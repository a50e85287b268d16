"""What a judge is asked about one reply, and how an analysis and a rating are read of its answer.

A rating that is missing, off the scale, ambiguous or without an analysis makes the answer invalid:
it is asked for again and then missing. None is moved, rescaled or guessed.
Paper: RoleRAG (001), section 4.2 and Figures 8-10 (three scales; temperature 0.2); AMADEUS (003),
section 5.2 (ACC, ACC_L, HS). The wordings are ours; what is judged stands in fences.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from offbook.errors import InvalidAnswer
from offbook.prompts.notation import spans
from offbook.prompts.prompt import Json, Prompt

M = TypeVar("M", bound="BaseModel")

_WORDS: Final = {
    word: float(number)
    for number, words in enumerate(
        (
            *("zero 零 〇", "one 一", "two 二 两", "three 三", "four 四", "five 五"),
            *("six 六", "seven 七", "eight 八", "nine 九", "ten 十"),
        )
    )
    for word in words.split()
}
_NUMBER: Final = (
    r"(?:\d+(?:[.,]\d+)?|[零〇一二两三四五六七八九十](?![零〇一二两三四五六七八九十点])"
    r"|(?:zero|one|two|three|four|five|six|seven|eight|nine|ten)\b)"
)
_ANOTHER: Final = (
    r"(?![^\S\n]*[-–—~,;/、]?[^\S\n]*(?:\b(?:or|and|to)\b|或者?|和|至|到)?[^\S\n]*"
    rf"(?:\b(?:rather|maybe|perhaps|even|possibly)\b )?{_NUMBER})(?![\w%+]|[.,]\d|\s*[%/])"
)
_BEGINS: Final = rf"(?<![\w.,/+−<>≤≥~-])(?P<value>{_NUMBER})"
_OF: Final = r"\s*(?:/|out of|von|sur|de)\s*(?P<top>\d+)(?!\d)"
_ENDS: Final = rf"\s*(?:分|点|점|points?\b)?{_ANOTHER}"
_RATED: Final = f"{_BEGINS}(?:{_OF})?{_ENDS}"
"""A number, perhaps with the top of its scale; not one of several, nor a part of another."""
_CLOSES: Final = r"(?=\s*(?:$|[.。;!)(\n,]|[-–—]\s*[^\W\d]|because\b|因为))"
_LABEL: Final = (
    r"(?:rating|score|grade|mark|verdict|评分|評分|评级|打分|得分|分数|分數|等级|評価|評点|スコア"
    r"|점수|평점|bewertung|puntuación|calificación|оценка)"
)
_LEAD: Final = r"^[ >•\d.)-]{0,12}(?:(?:the|my|your|final|overall|最终|最後の|总体|总)\s*)*"
_BETWEEN: Final = r"\s*(?:\([^)\n]*\))?\s*(?:(?:is|:|=|为|是|[-–—]|→)\s*|\n\s*)?"
_INLINE: Final = r"\s*(?:\([^)\n]*\))?\s*(?:of|is|as|would be|:|=|为|是)?\s*"
_FLAGS: Final = re.IGNORECASE | re.MULTILINE
_TIERS: Final = (
    (re.compile(_LEAD + _LABEL + _BETWEEN + _RATED + _CLOSES, _FLAGS),),
    (
        re.compile(rf"{_LABEL}{_INLINE}{_RATED}", _FLAGS),
        re.compile(_BEGINS + _OF + _ENDS, _FLAGS),
        re.compile(
            rf"\b(?:give|rate|rated|assign)\s(?:\w+\s){{0,4}}?(?:an?\s)?{_RATED}{_CLOSES}", _FLAGS
        ),
        re.compile(
            rf"[给打评][^\n。,\d]{{0,6}}?(?P<value>{_NUMBER})(?:/(?P<top>\d+))?\s*分", _FLAGS
        ),
    ),
    (re.compile(rf"(?:\A|\n)\s*{_RATED}\W*\Z", re.IGNORECASE),),
)
"""Where a rating may stand, the surest place first; the first tier that holds any decides."""
_LABELLED: Final = re.compile(_LEAD + _LABEL + r"\s*(?:\([^)\n]*\))?\s*[:=]", _FLAGS)
_WHOLE: Final = re.compile(rf"\W*?{_RATED}[^\w%]*", re.IGNORECASE)
_DECORATION: Final = str.maketrans(dict.fromkeys('*_`#"“”「」『』【】[]', " "))
_OBJECT: Final = re.compile(r"\{\s*[\"'“]?\w+[\"'”]?\s*[:：]")
_TAG: Final = re.compile(r"<\s*(/?)\s*([A-Za-z_]{2,20})\s*>")
_BLANKS: Final = re.compile(r"\s+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_ANALYSIS: Final = re.compile(r"^\W*(?:analysis|分析|理由)\s*[:：]?\s*", re.IGNORECASE)
_SAYS: Final = {
    **dict.fromkeys(("yes", "true", "是", "是的", "包含", "对", "はい", "예"), "yes"),
    **dict.fromkeys(("no", "false", "否", "不", "不是", "不包含", "いいえ", "아니요"), "no"),
}
_SAID: Final = "|".join(sorted(map(re.escape, _SAYS), key=len, reverse=True))
_YES_NO_TIERS: Final = (
    (
        re.compile(
            _LEAD + r"(?:contained|answer|verdict|judge?ment|conclusion|rating|contains the answer"
            rf"|结论|答案|判断|判定){_BETWEEN}(?P<value>{_SAID})(?!\w){_CLOSES}",
            _FLAGS,
        ),
    ),
    (re.compile(rf"(?:\A|\n)\W*(?P<value>{_SAID})(?=\W*\Z|[.,:;!—–-]|\s+[—–-]\s)", re.IGNORECASE),),
)
_LETTER_TIERS: Final = (
    (
        re.compile(
            rf"{_LEAD}(?i:best|winner|preferred|choice|answer|最佳)(?: (?i:reply))?{_BETWEEN}"
            rf"(?:(?i:reply) )?(?P<value>[A-Z])(?!\w){_CLOSES}",
            re.MULTILINE,
        ),
    ),
    (re.compile(r"(?:\A|\n)\W*(?P<value>[A-Z])\W*\Z"),),
)
_SAYS_NONE: Final = r"(?:null|none|n/?a|(?:it )?can(?:not|'t| not) be judged|无法判断|無法判斷)"
_UNJUDGED: Final = re.compile(rf"\W*{_SAYS_NONE}\W*", re.IGNORECASE)
_UNJUDGED_LINE: Final = re.compile(rf"{_LEAD}{_LABEL}{_BETWEEN}{_SAYS_NONE}(?!\w).*$", _FLAGS)
_KEYS: Final = {
    "分析": "analysis",
    "理由": "analysis",
    "评分": "rating",
    "評分": "rating",
    "得分": "rating",
    "分数": "rating",
    "score": "rating",
}


@dataclass(frozen=True, slots=True)
class Range:
    """What a rating may be; calling it reads one that stands alone, such as 8, "8/10" or 八分."""

    low: int
    high: int
    whole: bool = True

    def __call__(self, value: Any) -> Any:
        """The number that ``value`` means; ValueError where it is none on this scale."""
        if isinstance(value, str):
            match = _WHOLE.fullmatch(_plain(value))
            if match is None:
                raise ValueError(f"not one number from {self.low} to {self.high}")
            return self.checked(match["value"], match["top"])
        if isinstance(value, bool) and (self.low, self.high) != (0, 1):
            raise ValueError("true and false are no rating here")
        if isinstance(value, bool | int | float):
            is_whole = float(value).is_integer()
            return self.checked(str(int(value)) if is_whole else repr(value), None)
        return value

    def checked(self, value: str, top: str | None) -> int | float:
        """The value of a number as it was written.

        Args:
            value: Digits, or a word for a number.
            top: The top of the scale as the judge wrote it ("/10"), if it did.

        Raises:
            ValueError: it is not on this scale, or the judge took another one.
        """
        number = _WORDS.get(value.casefold())
        number = float(value.replace(",", ".")) if number is None else number
        if top is not None and int(top) != self.high:
            raise ValueError(f"{value}/{top} is on another scale; give {self.low} to {self.high}")
        if not self.low <= number <= self.high:
            raise ValueError(f"{value} is not from {self.low} to {self.high}")
        if self.whole and not number.is_integer():
            raise ValueError(f"{value} is not a whole number")
        return int(number) if self.whole else number


class Judged(Json[M]):
    """An answer with an analysis: JSON, or free text where an endpoint gives none.

    Args:
        model: The pydantic model.
        read: Makes the fields of the model from free text; raises InvalidAnswer where it cannot.
    """

    __slots__ = ("read",)

    def __init__(self, model: type[M], read: Callable[[str], Mapping[str, Any]]) -> None:
        super().__init__(model)
        self.read: Final = read

    def parse(self, text: str) -> M:
        """The value of the JSON object in ``text``; without one, of the text.

        Raises:
            InvalidAnswer: there is none, or the text around the object says something else.
            IncompleteAnswer: it was cut off.
        """
        if not text.strip() or _OBJECT.search(text):
            value = super().parse(text)
            self._refuse_another(value, text)
            return value
        return self._validate(self.read(text), text)

    def _refuse_another(self, value: M, text: str) -> None:
        """Raise InvalidAnswer where a rating stands outside of the object, and differs."""
        around = text
        for span in spans(text):
            around = around.replace(span, "\n")
        if not _LETTER.search(around):
            return
        try:
            said = self._validate(self.read(f"Judged.\n{around}"), text)
        except InvalidAnswer:
            return
        if said.model_copy(update={"analysis": ""}) != value.model_copy(update={"analysis": ""}):
            raise InvalidAnswer("there are different ratings in and around the JSON", answer=text)


def plain_keys(value: Any) -> Any:
    """The keys of an object in lower case and English, for models that answer in their own way.

    Raises:
        ValueError: two keys are then the same.
    """
    if not isinstance(value, dict):
        return value
    keys = [str(key).strip().casefold() for key in value]
    plain = {_KEYS.get(key, key): part for key, part in zip(keys, value.values(), strict=True)}
    if len(plain) != len(value):
        raise ValueError(f"a property stands twice: {', '.join(map(str, value))}")
    return plain


def rating_in(text: str, scale: Range) -> dict[str, Any]:
    """Read analysis and rating in free text.

    A rating that stands alone behind its label at the beginning of a line counts before one in
    the middle of a sentence, and that before a bare number in the last line. Equal ratings may
    be repeated; two different ones in places that count alike are none.

    Raises:
        InvalidAnswer: there is none, or several, or it is off the scale, or nothing but it.
    """

    def value(match: re.Match[str]) -> int | float:
        try:
            return scale.checked(match["value"], match["top"])
        except ValueError as error:
            raise InvalidAnswer(f"the rating {error}", answer=text) from None

    missing = (
        f"the answer holds no rating; end it with a line 'Rating: N', N from {scale.low} to "
        f"{scale.high}"
    )
    plain, surest = _plain(text), _TIERS[0][0]
    if len(_LABELLED.findall(plain)) > len(surest.findall(plain)):
        # What stands behind the label is no rating: none is looked for elsewhere.
        raise InvalidAnswer(missing, answer=text)
    return _said(text, _TIERS, value, missing)


def verdict_in(text: str) -> dict[str, Any]:
    """Read analysis and yes or no in free text.

    Raises:
        InvalidAnswer: there is no yes or no, or both, or nothing but it.
    """
    missing = "the answer says neither yes nor no; end it with a line 'Rating: yes' or 'Rating: no'"
    return _said(text, _YES_NO_TIERS, lambda match: _SAYS[match["value"].casefold()], missing)


def labelled_letter(text: str) -> dict[str, Any]:
    """Read analysis and the letter that free text ends in: ``Best: B``.

    Raises:
        InvalidAnswer: there is none, or several, or nothing but it.
    """
    missing = "the answer names no label; end it with a line 'Best: X'"
    named = _said(text, _LETTER_TIERS, lambda match: match["value"], missing)
    return {"analysis": named["analysis"], "best": named["rating"]}


def yes_or_no(value: Any) -> Any:
    """``yes`` or ``no`` for the ways of saying it; anything else as it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return _SAYS.get(value.strip(" .!。*_`\"'").casefold(), value)
    return value


def require_analysis(_: object, answer: Any) -> None:
    """Refuse a rating without a word of analysis: the analysis is what the rating rests on."""
    if not _LETTER.search(answer.analysis):
        raise InvalidAnswer("the analysis is empty; write it first, then the rating")


def _plain(text: str) -> str:
    untagged = _TAG.sub(lambda tag: "\n" if tag[1] else f"\n{tag[2]}: ", text)
    undecorated = unicodedata.normalize("NFKC", untagged).translate(_DECORATION)
    return _BLANKS.sub(_one_blank, undecorated).strip()


def _one_blank(blanks: re.Match[str]) -> str:
    return "\n" if "\n" in blanks[0] else " "


def _said(
    text: str,
    tiers: Sequence[Sequence[re.Pattern[str]]],
    value: Callable[[re.Match[str]], Any],
    missing: str,
) -> dict[str, Any]:
    """Read what stands in the surest places, and the analysis around the last of them."""
    plain = _plain(text)
    tries = ([m for pattern in tier for m in pattern.finditer(plain)] for tier in tiers)
    matches = next(filter(None, tries), None)
    if matches is None:
        raise InvalidAnswer(missing, answer=text)
    values = list(dict.fromkeys(map(value, matches)))
    if len(values) > 1:
        given = " and ".join(map(str, values))
        raise InvalidAnswer(f"the answer holds different ratings: {given}; give one", answer=text)
    last = max(matches, key=lambda match: match.start())
    before, after = plain[: last.start()].rstrip(), plain[last.end() :].lstrip(" .。,;!)")
    if not _LETTER.search(_ANALYSIS.sub("", before) + after):
        raise InvalidAnswer(
            "there is a rating and no analysis; write the analysis first", answer=text
        )
    # A rating in the middle of a sentence is a part of the analysis.
    apart = last[0].startswith("\n") or last.start() == 0 or plain[last.start() - 1] == "\n"
    around = f"{before}\n{after}" if apart else plain
    return {"analysis": _ANALYSIS.sub("", around.strip()).strip(), "rating": values[0]}


def rating_or_none_in(text: str) -> dict[str, Any]:
    """Read analysis and rating in free text; the rating is None where it says that none can be.

    Raises:
        InvalidAnswer: as `rating_in`; or it says that none can be, and rates besides.
    """
    plain = _plain(text)
    if not _UNJUDGED_LINE.search(plain):
        return rating_in(text, TEN)
    analysis = _ANALYSIS.sub("", _UNJUDGED_LINE.sub("", plain).strip())
    if any(pattern.search(analysis) for pattern in _TIERS[0]):
        raise InvalidAnswer("the answer gives a rating and says that there is none", answer=text)
    return {"analysis": analysis, "rating": None}


def of_ten_or_none(value: Any) -> Any:
    """A rating from 1 to 10 as it stands alone; None for the ways of saying that there is none."""
    is_none = value is None or (isinstance(value, str) and _UNJUDGED.fullmatch(_plain(value)))
    return None if is_none else TEN(value)


In = TypeVar("In")
Out = TypeVar("Out", bound=BaseModel)

TEMPERATURE: Final = 0.2
"""Of every judgement (RoleRAG section 4.2, after Ditto)."""

TEN: Final = Range(1, 10)
BINARY: Final = Range(0, 1)


class Analysed(BaseModel):
    """What every judgement begins with."""

    analysis: str = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, value: object) -> object:
        return plain_keys(value)


class RatingOfTen(Analysed):
    """A rating from 1 to 10."""

    rating: Annotated[int, Field(ge=1, le=10), BeforeValidator(TEN)]


class RatingOrNone(Analysed):
    """A rating from 1 to 10, or null where what the judge was shown does not suffice."""

    rating: Annotated[
        Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] | None, BeforeValidator(of_ten_or_none)
    ]


class BinaryRating(Analysed):
    """0 or 1."""

    rating: Annotated[int, Field(ge=0, le=1), BeforeValidator(BINARY)]


class ContainedVerdict(Analysed):
    """Yes or no."""

    rating: Annotated[Literal["yes", "no"], BeforeValidator(yes_or_no)]


@dataclass(frozen=True, slots=True)
class ReplyToJudge:
    """A reply of a character; ``description`` says who that is, and may be empty."""

    character: str
    description: str
    question: str
    reply: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A piece of text that the actor or the judge is shown; ``kind`` is that of a context item."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ReplyWithEvidence:
    """A reply, right answers where there are any, and what the character's texts say of it."""

    character: str
    description: str
    question: str
    reply: str
    answers: tuple[str, ...] = ()
    evidence: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplyWithFacts:
    """A reply at a point in a story; ``facts`` say what is past or to come, who was where."""

    character: str
    question: str
    reply: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TurnToJudge:
    """A reply within a conversation; ``earlier`` are turns before it that bear on it."""

    character: str
    description: str
    question: str
    reply: str
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplyWithAnswers:
    """A reply, and the answers of which any is right."""

    character: str
    question: str
    reply: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GroundedReply:
    """A reply, all that the actor was given for it, and right answers where there are any."""

    character: str
    question: str
    reply: str
    answers: tuple[str, ...]
    context: tuple[Shown, ...]


def judgement(
    name: str,
    inputs: type[In],
    answer: Json[Out],
    source: str,
    check: Callable[[In, Out], object] = require_analysis,
) -> Prompt[In, Out]:
    """Make a prompt of the judge, with what all of them have in common."""
    return Prompt(
        name=name,
        role="judge",
        stage="judging",
        inputs=inputs,
        answer=answer,
        source=source,
        parameters={"temperature": TEMPERATURE},
        check=check,
    )


_OF_TEN: Final = Judged(RatingOfTen, partial(rating_in, scale=TEN))
_TEN_OR_NONE: Final = Judged(RatingOrNone, rating_or_none_in)

KNOWLEDGE_EXPOSURE: Final = judgement(
    "knowledge_exposure", ReplyWithEvidence, _TEN_OR_NONE, "RoleRAG section 4.2, KE"
)
"""How much of what the character knows and has lived through shows in the reply?"""

KNOWLEDGE_HALLUCINATION: Final = judgement(
    "knowledge_hallucination", ReplyWithEvidence, _TEN_OR_NONE, "RoleRAG section 4.2, KH"
)
"""How much of the reply is made up, or beyond what the character can know? 1 is nothing."""

UNKNOWN_REJECTION: Final = judgement(
    "unknown_rejection",
    ReplyToJudge,
    Judged(BinaryRating, partial(rating_in, scale=BINARY)),
    "RoleRAG section 4.2, UQR",
)
"""Does the reply keep within what the character can know?"""

SPACETIME: Final = judgement(
    "spacetime",
    ReplyWithFacts,
    Judged(ContainedVerdict, verdict_in),
    "TimeChara (Ahn et al. 2024), spatiotemporal consistency",
)
"""Does the reply know what the character knows at that point, and no more?"""

PERSONA_KEPT: Final = judgement("persona_kept", TurnToJudge, _OF_TEN, "ours")
"""How much is this turn of a long conversation the character's own?"""

CONSISTENT: Final = judgement(
    "consistent", TurnToJudge, Judged(ContainedVerdict, verdict_in), "ours"
)
"""Does the reply agree with what the character said earlier in the conversation?"""

ANSWER_CONTAINED: Final = judgement(
    "answer_contained",
    ReplyWithAnswers,
    Judged(ContainedVerdict, verdict_in),
    "AMADEUS section 5.2, ACC",
)
"""Does the reply contain the right answer?"""

ANSWER_QUALITY: Final = judgement(
    "answer_quality", ReplyWithAnswers, _OF_TEN, "AMADEUS section 5.2, ACC_L"
)
"""How well does the reply reflect the right answer?"""

HALLUCINATION_SCORE: Final = judgement(
    "hallucination_score", GroundedReply, _OF_TEN, "AMADEUS section 5.2, HS"
)
"""How much does the reply add to or distort what the actor was given? 1 is nothing."""
