"""Chapters of a plain text become headings; contents and title page go. Source: ours.

A line is a heading where its label ("CHAPTER V.", "第一章", "IV") belongs to a series: labels of
one kind whose numbers go up, each on a line of its own. Bare numbers need three, from one on.
Levels go by the kinds that there are, the widest first. A title on the next line, or in the next
block where most of the series have one, is taken into the heading.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from offbook.documents.aside import (
    LONGEST_LINE,
    Labelled,
    Line,
    closes,
    contents,
    lines_of,
    title_page,
)
from offbook.documents.labels import NARROWEST, label_of
from offbook.documents.places import Edit

_LEAST_BARE: Final = 3
_MOST_LINES: Final = 5
_BRIEF: Final = 40
"""Characters of a heading that ends before a printed line is full."""
_OPENERS: Final = tuple("\"'“‘«「『")


class Found(NamedTuple):
    """What was found in a text: edits of it, and what to say of them."""

    edits: list[Edit]
    messages: list[str]


def chapters(text: str, level: int) -> Found:
    """Find chapters, contents and title page; ``level`` is that of the widest heading."""
    lines = list(lines_of(text))
    labelled = [
        Labelled(index, label) for index, line in enumerate(lines) if (label := label_of(line.text))
    ]
    aside = contents(lines, labelled)
    listed = {index for first, last in aside for index in range(first, last)}
    series = _series(lines, [each for each in labelled if each.at not in listed])
    recognized = Found([], [])
    if not series:
        return recognized
    _set_aside(recognized, lines, aside, series)
    ranks = sorted({each.label.rank for each in series})
    for each, title in zip(series, _titles(lines, series), strict=True):
        marks = "#" * min(6, level + ranks.index(each.label.rank)) + " "
        mark = "" if each.label.title else "."
        recognized.edits.extend(_heading(lines[each.at : each.at + title + 1], marks, mark))
    first, last = (lines[series[index].at].text for index in (0, -1))
    some = repr(first) if len(series) == 1 else f"{first!r} to {last!r}"
    recognized.messages.append(f"recognized as headings: {len(series)} ({some})")
    return recognized


def _set_aside(
    recognized: Found,
    lines: Sequence[Line],
    aside: Sequence[tuple[int, int]],
    series: Sequence[Labelled],
) -> None:
    """Take contents and title page out of the text, and say so."""
    for first, last in aside:
        recognized.edits.append((lines[first].raw, lines[last - 1].end, ""))
        recognized.messages.append(f"set aside: contents of {last - first} lines")
    front = min([series[0].at, *(first for first, _ in aside)])
    # One chapter by itself may stand in anything; a book has several.
    size = title_page(lines, front) if len(series) > 1 else 0
    if size:
        recognized.edits.append((lines[0].raw, lines[size - 1].end, ""))
        title = " / ".join(line.text for line in lines[:size])
        recognized.messages.append(f"set aside: the title page ({title[:120]})")


def _series(lines: Sequence[Line], labelled: Sequence[Labelled]) -> list[Labelled]:
    """Of the labelled lines those that are headings, in order."""
    kinds: dict[str, list[Labelled]] = defaultdict(list)
    for each in labelled:
        line, label = lines[each.at], each.label
        # Bare numbers stand between blank lines; words may follow the end of a sentence.
        alone = each.at + 1 == len(lines) or lines[each.at + 1].opens
        before = line.opens or (each.at > 0 and closes(lines[each.at - 1].text))
        if label.rank == NARROWEST and not (line.opens and alone):
            continue
        ended = not label.title or len(line.text) <= _BRIEF or closes(line.text)
        if before and (alone or ended or _rest(lines, each)):
            kinds[label.kind].append(each)
    known = [each for kind, members in kinds.items() if kind for each in _ascending(members)]
    bare = _ascending(kinds.get("", []))
    if len(bare) >= _LEAST_BARE and bare[0].label.number == 1:
        known += bare
    numbered = [each for each in known if each.label.number != 0]
    return sorted(known, key=lambda each: each.at) if numbered else []


def _ascending(members: Sequence[Labelled]) -> list[Labelled]:
    """Those whose number is one more than the one before, or begins anew; 0 and None go along."""
    taken: list[Labelled] = []
    last: int | None = None
    for each in members:
        number = each.label.number
        if not number or last is None or number in (1, last + 1, last + 2):
            taken.append(each)
            last = number or last
    labels = {each.label.number for each in taken}
    if len(taken) == 1 and taken[0].label.number is None:
        return []
    return taken if len(labels) > 1 or len(taken) <= 1 or None in labels or 1 in labels else []


def _rest(lines: Sequence[Line], heading: Labelled) -> int:
    """Lines behind a heading that go on with its title, in the same block; 0 where none do."""
    behind = []
    for line in lines[heading.at + 1 : heading.at + 1 + _MOST_LINES]:
        if line.opens:
            break
        behind.append(line.text)
    fits = 0 < len(behind) < _MOST_LINES and all(len(text) <= LONGEST_LINE for text in behind)
    prose = any(closes(text) and text[-1] not in "?!" and not text.isupper() for text in behind)
    return len(behind) if fits and not prose and not any(map(label_of, behind)) else 0


def _titles(lines: Sequence[Line], series: Sequence[Labelled]) -> list[int]:
    """How many lines behind each heading are its title."""
    sizes = [_rest(lines, each) for each in series]
    next_block = [
        0 if size or each.label.title else _title_block(lines, each.at + 1)
        for each, size in zip(series, sizes, strict=True)
    ]
    of_kind = Counter(each.label.kind for each in series)
    having = Counter(each.label.kind for each, size in zip(series, next_block, strict=True) if size)
    most = {kind for kind, times in having.items() if times > 1 and 2 * times >= of_kind[kind]}
    return [
        size or (behind if each.label.kind in most else 0)
        for each, size, behind in zip(series, sizes, next_block, strict=True)
    ]


def _title_block(lines: Sequence[Line], start: int) -> int:
    """How many lines the block from ``start`` has, if it can be a title; else 0."""
    block = [lines[start].text] if start < len(lines) and lines[start].opens else []
    while block and start + len(block) < len(lines) and not lines[start + len(block)].opens:
        block.append(lines[start + len(block)].text)
    if not 0 < len(block) <= 2 or sum(map(len, block)) > LONGEST_LINE:
        return 0
    first, last = block[0], block[-1]
    if first.startswith(_OPENERS) or first[0].islower() or label_of(first):
        return 0
    # "My dear Anna," begins a letter.
    return 0 if last.endswith(",") or (closes(last) and not last.isupper()) else len(block)


def _heading(lines: Sequence[Line], marks: str, mark: str) -> Iterator[Edit]:
    """Edits that make one heading of a line and those of its title."""
    yield lines[0].raw, lines[0].start, marks
    for before, line in itertools.pairwise(lines):
        yield before.end, line.start, f"{mark if before.text[-1].isalnum() else ''} "
        mark = ""
