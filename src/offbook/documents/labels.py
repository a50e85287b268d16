"""Labels of parts and chapters: "CHAPTER V.", "Book the First", "第一章", "IV". Source: ours.

Takes: a line.  Gives: what kind of part it names, which one, and where its title begins.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from offbook.text.grammar import word_set

_KINDS: Final = (
    "volume vol tome tomo tom band том 卷",
    "book livre libro livro buch boek bok книга",
    "part partie parte teil theil deel del część часть act acte acto ato atto akt aufzug bedrijf"
    " действие 部 册 集 篇 幕 부 권 막",
    "chapter chap chapitre capítulo capitulo capitolo kapitel kapittel hoofdstuk rozdział kapitola"
    " bölüm глава letter lettre carta lettera brief письмо canto stave episode session day night"
    " 章 回 話 话 折 장 화",
    "scene scène escena cena scena szene auftritt сцена явление section abschnitt 节 節 場 场",
)
"""Words for parts of a work, from the widest to the narrowest."""
_RANK: Final = {word: rank for rank, words in enumerate(_KINDS) for word in words.split()}
NARROWEST: Final = len(_KINDS)
"""The rank of bare numbers."""
CHAPTER: Final = _RANK["chapter"]

_ALONE: Final = word_set(
    "prologue epilogue preface foreword introduction interlude afterword postscript conclusion"
    " prolog epilog vorwort nachwort einleitung préface avant-propos épilogue prólogo epílogo"
    " prefacio prologo epilogo prefazione voorwoord пролог эпилог предисловие послесловие"
    " 序 序章 序幕 楔子 引子 前言 尾声 尾聲 终章 終章 后记 後記"
    " プロローグ エピローグ 프롤로그 에필로그"
)
_ONES: Final = """one first
two second
three third
four fourth
five fifth
six sixth
seven seventh
eight eighth
nine ninth
ten tenth
eleven eleventh
twelve twelfth
thirteen thirteenth
fourteen fourteenth
fifteen fifteenth
sixteen sixteenth
seventeen seventeenth
eighteen eighteenth
nineteen nineteenth""".splitlines()
_TENS: Final = """twenty twentieth
thirty thirtieth
forty fortieth
fifty fiftieth
sixty sixtieth
seventy seventieth
eighty eightieth
ninety ninetieth""".splitlines()
_WORDS: Final = {
    **{word: number for number, words in enumerate(_ONES, 1) for word in words.split()},
    **{word: 10 * number for number, words in enumerate(_TENS, 2) for word in words.split()},
}
_UNITS: Final = "|".join(word for words in _ONES[:9] for word in words.split())
_ROMAN: Final = re.compile(r"M{0,3}(?:CM|CD|D?C{0,4})(?:XC|XL|L?X{0,4})(?:IX|IV|V?I{0,4})\Z")
_LETTERS: Final = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_HAN: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_UNITS: Final = {"十": 10, "百": 100, "千": 1000}

_BEHIND: Final = r"(?![\w'’])[ \t]*(?P<mark>[.:：—–-]*)[ \t]*(?P<title>.*)"
_LATIN: Final = "|".join(sorted((w for w in _RANK if w[0] < "⺀"), key=len, reverse=True))
_FORWARD: Final = re.compile(
    rf"(?:the\s+)?(?P<kind>{_LATIN})\b\.?\s+(?:the\s+|no\.?\s*)?"
    rf"(?P<number>\d{{1,4}}|[^\W\d_]+(?:[- ](?:{_UNITS})\b)?){_BEHIND}",
    re.IGNORECASE,
)
_BACKWARD: Final = re.compile(
    rf"(?:the\s+)?(?P<number>\d{{1,4}}|[^\W\d_]+)(?:st|nd|rd|th|\.)?\s+(?P<kind>{_LATIN}){_BEHIND}",
    re.IGNORECASE,
)
_EAST: Final = re.compile(
    r"[第제]\s*(?P<number>\d{1,4}|[零〇一二三四五六七八九十百千两兩]{1,9})\s*(?P<kind>[^\s\d])"
    r"(?P<mark>[\s:：、.．　]*)(?P<title>[^。]{0,60})"
)
_BARE: Final = re.compile(
    r"(?P<number>\d{1,3}|[IVXLC]{1,9})(?P<mark>\.?)(?:[ \t]+(?P<title>\S.*))?"
)
_NAMED: Final = re.compile(
    r"(?:the\s+)?(?P<name>[^\W\d_]+(?:-[^\W\d_]+)?)" + _BEHIND, re.IGNORECASE
)
_LONGEST: Final = 160
_MOST_DIGITS: Final = 9
_MARKS: Final = ".,:：—–-"
_EASTERN: Final = ("第", "제")
_NUMERALS: Final = tuple("IVXLC0123456789")


class Label(NamedTuple):
    """What a line says of itself: its kind ("" for a bare number), rank and number, and a title.

    ``number`` is 0 for a prologue and its like, None for a word that is not known. ``size`` counts
    the characters in front of the title, which may be empty.
    """

    kind: str
    rank: int
    number: int | None
    size: int
    title: str


def label_of(line: str) -> Label | None:
    """Read the label that a line begins with; None where it is no heading by its looks."""
    if len(line) > _LONGEST:
        return None
    line = line.rstrip()
    words = [word.strip(_MARKS).lower() for word in line.split(None, 3)[:3]]
    if line[:1] in _EASTERN:
        return _of_east(line)
    if any(word in _RANK for word in words) and (label := _of_kind(line)):
        return label
    if any(word in _ALONE for word in words[:2]) and (label := _of_name(line)):
        return label
    return _of_number(line) if line[:1] in _NUMERALS else None


def same_part(wanted: str, title: str) -> bool:
    """Whether two lines name the same part; a bare number, in either, is any kind of part."""
    one, other = label_of(wanted) or label_of(wanted.upper()), label_of(title)
    if one is None or other is None or not one.number or one.title:
        return False
    return one.number == other.number and (one.kind == other.kind or not (one.kind and other.kind))


def _of_kind(line: str) -> Label | None:
    for pattern in (_FORWARD, _BACKWARD):
        match = pattern.fullmatch(line)
        if match is None:
            continue
        kind, number = match["kind"].lower(), number_of(match["number"])
        # A number that is not known is one word, and nothing stands behind it.
        if (number is not None or not match["title"]) and _is_title(match["mark"], match["title"]):
            return Label(kind, _RANK[kind], number, match.start("title"), match["title"])
    return None


def _of_east(line: str) -> Label | None:
    match = _EAST.fullmatch(line)
    if match is None or match["kind"] not in _RANK:
        return None
    title = match["title"]
    return Label(
        match["kind"], _RANK[match["kind"]], number_of(match["number"]), match.start("title"), title
    )


def _of_name(line: str) -> Label | None:
    match = _NAMED.fullmatch(line)
    if match is None or match["name"].lower() not in _ALONE:
        return None
    if match["title"] and not match["mark"]:
        return None
    return Label(match["name"].lower(), CHAPTER, 0, match.start("title"), match["title"])


def _of_number(line: str) -> Label | None:
    match = _BARE.fullmatch(line)
    if match is None:
        return None
    title = match["title"] or ""
    number = number_of(match["number"])
    if number is None or (title and (match["number"].isdigit() or not match["mark"])):
        return None
    if not _is_title(match["mark"], title):
        return None
    return Label("", NARROWEST, number, match.start("title") if title else len(line), title)


def _is_title(mark: str, title: str) -> bool:
    """Whether what stands behind a label can be a title, and is not the rest of a sentence."""
    if not title or mark.strip("."):
        return True
    return not title[0].islower() and (bool(mark) or title[-1] not in ".!?,;")


def number_of(word: str) -> int | None:
    """The number that a word or numeral says; None where it is not known."""
    if word.isdecimal():
        return int(unicodedata.normalize("NFKC", word)) if len(word) <= _MOST_DIGITS else None
    if all(c in _HAN or c in _HAN_UNITS for c in word):
        return _han(word)
    upper = word.upper()
    if _ROMAN.match(upper) and (word.isupper() or word.islower()):
        return _roman(upper)
    parts = [_WORDS.get(part) for part in re.split("[- ]", word.lower())]
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _roman(letters: str) -> int:
    values = [_LETTERS[letter] for letter in letters]
    following = [*values[1:], 0]
    return sum(-one if one < two else one for one, two in zip(values, following, strict=True))


def _han(word: str) -> int:
    if not any(c in _HAN_UNITS for c in word):
        return int("".join(str(_HAN[c]) for c in word))
    total, digit = 0, 0
    for c in word:
        if c in _HAN_UNITS:
            total, digit = total + max(digit, 1) * _HAN_UNITS[c], 0
        else:
            digit = _HAN[c]
    return total + digit
