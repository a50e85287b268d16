"""Ratings as judges give them: a structured answer, or free text that ends in a rating.

Takes: the text of a judge.  Gives: an analysis and a rating on its scale; ``parse(write(v)) == v``.
A rating that is missing, off the scale, ambiguous or without an analysis makes the answer invalid:
it is asked for again and then missing. None is moved, rescaled or guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from offbook.errors import InvalidAnswer
from offbook.prompts.answers import Json
from offbook.prompts.notation import spans

if TYPE_CHECKING:
    from pydantic import BaseModel

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
    re.compile(
        _LEAD + r"(?:contained|answer|verdict|judge?ment|conclusion|rating|contains the answer"
        rf"|结论|答案|判断|判定){_BETWEEN}(?P<value>{_SAID})(?!\w){_CLOSES}",
        _FLAGS,
    ),
    re.compile(rf"(?:\A|\n)\W*(?P<value>{_SAID})(?=\W*\Z|[.,:;!—–-]|\s+[—–-]\s)", re.IGNORECASE),
)
_LETTER_TIERS: Final = (
    re.compile(
        rf"{_LEAD}(?i:best|winner|preferred|choice|answer|最佳)(?: (?i:reply))?{_BETWEEN}"
        rf"(?:(?i:reply) )?(?P<value>[A-Z])(?!\w){_CLOSES}",
        re.MULTILINE,
    ),
    re.compile(r"(?:\A|\n)\W*(?P<value>[A-Z])\W*\Z"),
)
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

    def __call__(self, given: Any) -> Any:
        """The number that ``given`` means; ValueError where it is none on this scale."""
        if isinstance(given, str):
            match = _WHOLE.fullmatch(_plain(given))
            if match is None:
                raise ValueError(f"not one number from {self.low} to {self.high}")
            return self.checked(match["value"], match["top"])
        if isinstance(given, bool) and (self.low, self.high) != (0, 1):
            raise ValueError("true and false are no rating here")
        if isinstance(given, bool | int | float):
            is_whole = float(given).is_integer()
            return self.checked(str(int(given)) if is_whole else repr(given), None)
        return given

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
        return self.model.model_validate(self.read(text))

    def _refuse_another(self, value: M, text: str) -> None:
        """Raise InvalidAnswer where a rating stands outside of the object, and differs."""
        around = text
        for span in spans(text):
            around = around.replace(span, "\n")
        if not _LETTER.search(around):
            return
        try:
            said = self.model.model_validate(self.read(f"Judged.\n{around}"))
        except InvalidAnswer:
            return
        if said.model_copy(update={"analysis": ""}) != value.model_copy(update={"analysis": ""}):
            raise InvalidAnswer("there are different ratings in and around the JSON", answer=text)


def plain_keys(given: Any) -> Any:
    """The keys of an object in lower case and English, for models that answer in their own way.

    Raises:
        ValueError: two keys are then the same.
    """
    if not isinstance(given, dict):
        return given
    keys = [str(key).strip().casefold() for key in given]
    plain = {_KEYS.get(key, key): part for key, part in zip(keys, given.values(), strict=True)}
    if len(plain) != len(given):
        raise ValueError(f"a property stands twice: {', '.join(map(str, given))}")
    return plain


def rating_in(text: str, scale: Range) -> dict[str, Any]:
    """Analysis and rating in free text.

    A rating that stands alone behind its label at the beginning of a line counts before one in
    the middle of a sentence, and that before a bare number in the last line. Equal ratings may
    be repeated; two different ones in places that count alike are none.

    Raises:
        InvalidAnswer: there is none, or several, or it is off the scale, or nothing but it.
    """
    plain = _plain(text)
    for place, tier in enumerate(_TIERS):
        found = [match for pattern in tier for match in pattern.finditer(plain)]
        if place == 0 and len(_LABELLED.findall(plain)) > len(found):
            # What stands behind the label is no rating: none is looked for elsewhere.
            break
        if found:
            return _only(plain, list(_numbers(found, scale, text)), text)
    raise InvalidAnswer(
        f"the answer holds no rating; end it with a line 'Rating: N', "
        f"N from {scale.low} to {scale.high}",
        answer=text,
    )


def verdict_in(text: str) -> dict[str, Any]:
    """Analysis and yes or no in free text.

    Raises:
        InvalidAnswer: there is no yes or no, or both, or nothing but it.
    """
    plain = _plain(text)
    for tier in _YES_NO_TIERS:
        if found := list(tier.finditer(plain)):
            said = [(match, _SAYS[match["value"].casefold()]) for match in found]
            return _only(plain, said, text)
    raise InvalidAnswer(
        "the answer says neither yes nor no; end it with a line 'Rating: yes' or 'Rating: no'",
        answer=text,
    )


def labelled_letter(text: str) -> dict[str, Any]:
    """Analysis and the letter that free text ends in: ``Best: B``.

    Raises:
        InvalidAnswer: there is none, or several, or nothing but it.
    """
    plain = _plain(text)
    for tier in _LETTER_TIERS:
        if found := list(tier.finditer(plain)):
            named = _only(plain, [(match, match["value"]) for match in found], text)
            return {"analysis": named["analysis"], "best": named["rating"]}
    raise InvalidAnswer("the answer names no label; end it with a line 'Best: X'", answer=text)


def yes_or_no(given: Any) -> Any:
    """``yes`` or ``no`` for the ways of saying it; anything else as it is."""
    if isinstance(given, bool):
        return "yes" if given else "no"
    if isinstance(given, str):
        return _SAYS.get(given.strip(" .!。*_`\"'").casefold(), given)
    return given


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


def _numbers(
    found: list[re.Match[str]], scale: Range, text: str
) -> Iterator[tuple[re.Match[str], Any]]:
    for match in found:
        try:
            yield match, scale.checked(match["value"], match["top"])
        except ValueError as error:
            raise InvalidAnswer(f"the rating {error}", answer=text) from None


def _only(plain: str, said: Sequence[tuple[re.Match[str], Any]], text: str) -> dict[str, Any]:
    """The one value that all matches give, and what stands around the last of them."""
    values = list(dict.fromkeys(value for _, value in said))
    if len(values) > 1:
        told = " and ".join(str(value) for value in values)
        raise InvalidAnswer(f"the answer holds different ratings: {told}; give one", answer=text)
    last = max((match for match, _ in said), key=lambda match: match.start())
    before, after = plain[: last.start()].rstrip(), plain[last.end() :].lstrip(" .。,;!)")
    if not _LETTER.search(_ANALYSIS.sub("", before) + after):
        raise InvalidAnswer(
            "there is a rating and no analysis; write the analysis first", answer=text
        )
    # A rating in the middle of a sentence is a part of the analysis.
    apart = last[0].startswith("\n") or last.start() == 0 or plain[last.start() - 1] == "\n"
    around = f"{before}\n{after}" if apart else plain
    return {"analysis": _ANALYSIS.sub("", around.strip()).strip(), "rating": values[0]}
