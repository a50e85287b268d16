"""What is said in a text: spans in quotation marks, after dashes, and after names of speakers.

Takes: text.  Gives: paragraphs, and the pieces of speech in them with their offsets. The marks in
the text decide the style, one for a text. Source: ours; the printers' customs of English, German,
French, Spanish, Russian, Chinese and Japanese.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_PAIRS: Final = ("“”", "‘’", '""', "''", "«»", "»«", "„“", "‚‘", "「」", "『』")
_WIDE: Final = "「『“"
"""Marks that may open without a blank in front."""
_LOW: Final = (("„“", "“”"), ("‚‘", "‘’"))
"""What closes behind a low mark is no opening mark."""
_TOGETHER: Final = frozenset(("“”", '""'))
"""Marks that stand for each other within one text."""
_BLANKS: Final = re.compile(r"\n[ \t\r]*(?:\n[ \t\r]*)+")
_BREAK: Final = re.compile("\n")
_LINES: Final = re.compile(r"[ \t\r]*\n\s*")
_SENTENCE_END: Final = ".!?:\"'”’»*_…—-。！？：」』"
_DASH: Final = re.compile(r"(?:—|–|―|--|-(?=[ \u00a0]))[ \u00a0]*(?=\S)")
_INSERT: Final = re.compile(
    r"(?:(?<=[,.!?…»])\s+(?:—|–|―|--)\s*|\s(?:—|–|―)(?=\w))(?=[^\W\d_A-ZÀ-ÞА-Я])"
)
_RESUMES: Final = re.compile(r"(?:—|–|―|--)[,.;:]?\s*")
_APOSTROPHIC: Final = re.compile(
    r"(?:tis|twas|twere|twill|twould|twixt|em|ere|un|im|er|bout|cause|cos|neath|gainst|til|till|n)\b"
    r"|\d\ds?\b",
    re.IGNORECASE,
)
_FEW: Final = 3
_MANY: Final = 0.05
"""From which share of paragraphs on dashes at their start are those of a dialogue."""
_SHORT: Final = 6
"""Words up to which a quotation in the middle of a sentence is a name or a term."""

_GAP: Final = r"[ \t]*(?:\n[ \t]*){0,2}"
"""Between a label and the speech: a blank, or a line end, or a blank line."""
_LABELS: Final = (
    re.compile(
        r"^[ \t>*_]*(?:[\[(<]?\d[\d:., /T-]*(?:[AP]M)?[\])>]?[ \t]*[-–]?[ \t]*)?[<*_]*"
        r"(?P<name>[^\W\d_][\w .'’-]{0,40}?)[*_>]*(?:[ \t]*[(\[][^)\]\n]{0,60}[)\]])?"
        rf"(?:(?::[*_]*|(?<=>))(?=\s)|：){_GAP}(?=\S)",
        re.MULTILINE,
    ),
    re.compile(
        r"^[ \t]*[*_]*(?P<name>(?:(?:MRS?|DR|ST|CAPT|COL|GEN|LT|REV|SGT)\. )?"
        r"[A-ZÀ-Þ][A-ZÀ-Þ .'’-]{1,40}?)[*_]*"
        r"(?:,?[ \t]*[_*]?[(\[][^)\]\n]{0,80}[)\]][_*]?)?\.[*_]*(?=\s)" + _GAP + r"(?=\S)",
        re.MULTILINE,
    ),
)
"""Names at the start of lines: with a colon, after a time or not, and in capitals with a stop."""
_NAMES: Final = 2
_LABELLED: Final = 6
_REPEATED: Final = 0.6
_SAID: Final = 0.4
"""Of a play or log: speakers and speeches at least, shares of labels that come again and of text
that is said."""
_KEYS: Final = 3
"""So many labels in each block of lines, none of them twice, are keys of records."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of speech within one paragraph, marks included.

    ``continues`` says that it goes on from the paragraph before, whose last piece nobody closed.
    """

    start: int
    end: int
    paragraph: int
    continues: bool = False


def paragraphs_of(text: str) -> list[tuple[int, int]]:
    """Offsets of the paragraphs: between blank lines, or single lines where none is wrapped."""
    blocks = _between(text, _BLANKS, 0, len(text))
    inner = [match.start() for start, end in blocks for match in _BREAK.finditer(text, start, end)]
    open_ends = sum(text[offset - 1] not in _SENTENCE_END for offset in inner)
    if 2 * open_ends >= len(inner):
        return blocks
    return [line for start, end in blocks for line in _between(text, _LINES, start, end)]


def _between(text: str, breaks: re.Pattern[str], start: int, end: int) -> list[tuple[int, int]]:
    """The stretches of ``text[start:end]`` between breaks, without outer white space."""
    spans: list[tuple[int, int]] = []
    for match in [*breaks.finditer(text, start, end), None]:
        stop = match.start() if match else end
        piece = text[start:stop]
        if stripped := piece.strip():
            first = start + len(piece) - len(piece.lstrip())
            spans.append((first, first + len(stripped)))
        start = match.end() if match else end
    return spans


def quotations_of(text: str, paragraphs: list[tuple[int, int]]) -> list[Piece]:
    """The pieces of speech in reading order."""
    marks = _marks_of(text)
    dashes = sum(bool(_DASH.match(text, start)) for start, _ in paragraphs)
    by_dash = dashes >= _FEW and dashes >= _MANY * len(paragraphs)
    pieces: list[Piece] = []
    unclosed = False
    for number, (start, end) in enumerate(paragraphs):
        dash = _DASH.match(text, start) if by_dash else None
        if dash:
            pieces += [Piece(s, e, number) for s, e in _after_dash(text, dash.end(), end)]
            unclosed = False
            continue
        spans = list(_marked(text, start, end, marks))
        goes_on = unclosed and bool(spans) and spans[0][0] == start
        unclosed = bool(spans) and not spans[-1][2]
        for s, e, closed in spans:
            continues = goes_on and s == start
            if continues or _is_speech(text, start, s, e, closed):
                pieces.append(Piece(s, e, number, continues))
    return pieces


def _marks_of(text: str) -> dict[str, str]:
    """The opening marks of speech in a text, each with those that close it."""
    counts = Counter(
        {pair: len(_opening(pair[0]).findall(text)) for pair in _PAIRS if pair[0] in text}
    )
    for low, high in _LOW:
        if 2 * counts[low] > counts[high]:
            del counts[high]
    if not counts or not max(counts.values()):
        return {}
    best = max(counts, key=lambda pair: counts[pair])
    pairs = _TOGETHER if best in _TOGETHER else {best}
    closers = {pair[0]: pair[1] for pair in pairs}
    return {mark: close + "”" if mark == "„" else close for mark, close in closers.items()}


def _opening(mark: str) -> re.Pattern[str]:
    """Where a mark opens a quotation; apostrophes that begin words are followed by small ones."""
    if mark in _WIDE:
        return re.compile(mark)
    follows = "[A-Z]" if mark == "'" else r"\s?\w" if mark == "«" else r"\w"
    return re.compile(rf"(?<![^\s(\[—–-]){mark}(?={follows})")


def _marked(
    text: str, start: int, end: int, marks: dict[str, str]
) -> Iterator[tuple[int, int, bool]]:
    """Spans in quotation marks of one paragraph, and whether each is closed."""
    if not marks:
        return
    mark_pattern = re.compile("[" + "".join({*marks, *"".join(marks.values())}) + "]")
    opened = -1
    for match in mark_pattern.finditer(text, start, end):
        index, mark = match.start(), match[0]
        before = text[index - 1] if index > start else " "
        after = text[index + 1] if index + 1 < end else " "
        may_open = mark in marks and _may_open(mark, before, after, text, index)
        if opened < 0:
            opened = index if may_open else -1
        elif mark in marks[text[opened]] and _closes(text, opened, index, end, start):
            yield opened, index + 1, True
            opened = -1
        elif may_open and before.isspace():
            yield opened, index, False
            opened = index
    if opened >= 0:
        yield opened, end, False


def _may_open(mark: str, before: str, after: str, text: str, index: int) -> bool:
    """Whether an opening mark opens: it stands before a word, and an apostrophe in none."""
    blank = after.isspace() and not (mark == "«" or (mark == '"' and before.isspace()))
    if blank or (before.isalnum() and mark not in _WIDE):
        return False
    return mark not in "'’‘" or not _APOSTROPHIC.match(text, index + 1)


def _closes(text: str, opened: int, index: int, end: int, start: int) -> bool:
    """Whether a mark of the closing kind closes: of an apostrophe, by what stands around it."""
    before, after = text[index - 1], text[index + 1 : index + 2]
    if text[index] == '"':
        return not before.isspace() or not after.strip()
    if text[index] not in "'’‘":
        return True
    if after.isalnum() or before.isspace():
        return False
    if not before.isalnum():
        return True
    in_sentence = opened > start and text[start:opened].rstrip()[-1:].isalnum()
    later = re.compile(rf"(?<=[^\w\s]){text[index]}(?!\w)|(?<=\s){text[opened]}").search(
        text, index + 1, end
    )
    return in_sentence or later is None or later[0] != text[index]


def _is_speech(text: str, start: int, opened: int, end: int, closed: bool) -> bool:
    """Whether words in marks are said: no title, name or term within a sentence."""
    before = text[start:opened].rstrip()[-1:]
    words = text[opened + 1 : end - 1 if closed else end].strip()
    if not any(map(str.isalnum, words)):
        return False
    if not before or not closed or words[-1] in ".!?…—-。！？」":
        return True
    short = words.count(" ") < _SHORT
    if before.isalnum():
        return not short or (words[-1] in ",;:" and words[0].isupper())
    return not short or words[-1] in ",;:，" or " " in words or not words.isascii()


def labelled_speech(text: str) -> list[tuple[tuple[int, int], int, int]]:
    """The speeches of a play or a log: where the name of the speaker stands, and what is said.

    Empty for a text whose lines do not begin with names, again and again: ``HAMLET. ...``,
    ``Name: ...``, ``[20:15] Name: ...``.
    """
    return max((_labelled(text, label) for label in _LABELS), key=len)


def _labelled(text: str, label: re.Pattern[str]) -> list[tuple[tuple[int, int], int, int]]:
    labels = [match for match in label.finditer(text) if text[match.end() :].strip()]
    counts = Counter(match["name"] for match in labels)
    again = sum(count for count in counts.values() if count > 1)
    names = sum(count > 1 for count in counts.values())
    if names < _NAMES or again < _LABELLED or again < _REPEATED * len(labels):
        return []
    blocks = [[match["name"] for match in group] for group in _by_block(text, labels)]
    differ = all(len(set(group)) == len(group) for group in blocks)
    if differ and len(labels) >= _KEYS * len(blocks):
        return []  # records: "Class: a fighter", "Home: a barn", for each of several
    ends = [*(match.start() for match in labels[1:]), len(text)]
    speeches: list[tuple[tuple[int, int], int, int]] = []
    for match, end in zip(labels, ends, strict=True):
        start = match.end()
        blank = _BLANKS.search(text, start, end)
        stop = blank.start() if blank else end
        stop = start + len(text[start:stop].rstrip())
        if stop > start:
            speeches.append((match.span("name"), start, stop))
    said = sum(end - start for _, start, end in speeches)
    return speeches if said > _SAID * len(text) else []


def _by_block(text: str, found: list[re.Match[str]]) -> list[list[re.Match[str]]]:
    """Matches in order, together where no blank line parts them."""
    blocks: list[list[re.Match[str]]] = []
    for before, match in zip([None, *found], found, strict=False):
        if before is None or _BLANKS.search(text, before.end(), match.start()):
            blocks.append([])
        blocks[-1].append(match)
    return blocks


def _after_dash(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The speech of a paragraph that a dash opens, without what a narrator puts in."""
    while start < end:
        insert = _INSERT.search(text, start, end)
        stop = insert.start() if insert else end
        stop = start + len(text[start:stop].rstrip())
        if stop > start:
            yield start, stop
        resumed = _RESUMES.search(text, insert.end(), end) if insert else None
        start = resumed.end() if resumed else end
