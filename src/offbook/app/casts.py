"""The people of a book as ``cast`` shows them: how often they are named, where, and whom they meet.

Takes: texts and their cast.  Gives: rows, the most named first.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, combinations
from typing import TYPE_CHECKING, Any, Final

from offbook.documents.sections import Section, sections

if TYPE_CHECKING:
    from offbook.documents.readers import ReadDocument
    from offbook.names.cast import Cast

STRETCHES: Final = 24
"""Equal parts of a book, of each of which is told how often somebody is named in it."""
MOST_MET: Final = 8
_PARAGRAPH: Final = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Met:
    """Somebody who is named in the same paragraphs, and in how many."""

    name: str
    times: int


@dataclass(frozen=True, slots=True)
class CastRow:
    """One of the people of a book, as ``cast`` shows them.

    ``lines`` counts what they say, ``by_model`` those of them that a model gave to them. ``first``
    and ``last`` are where they are named, ``most`` where most: the heading path, or ``@offset``
    where no heading stands before; of several documents with its name in front. ``appears`` counts
    the mentions in each of ``STRETCHES`` equal parts of the book.
    """

    name: str
    aliases: tuple[str, ...]
    gender: str
    mentions: int
    lines: int
    by_model: int
    first: str
    last: str
    most: str
    meets: tuple[Met, ...]
    appears: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """The shape of ``cast --json``."""
        return asdict(self)


def rows_of(cast: Cast, texts: Sequence[ReadDocument]) -> list[CastRow]:
    """Count who is named where, who says how much, and who meets whom."""
    places = Places(texts)
    lines = Counter(quotation.speaker for quotation in cast.quotations)
    by_model = Counter(each.speaker for each in cast.quotations if each.basis == "model")
    named: dict[int, list[tuple[int, int]]] = {}
    together: dict[tuple[int, int], set[int]] = {}
    for mention in cast.mentions:
        named.setdefault(mention.member, []).append((mention.text, mention.start))
        together.setdefault(places.paragraph(mention.text, mention.start), set()).add(
            mention.member
        )
    met: dict[int, Counter[int]] = {}
    for people in together.values():
        for one, other in combinations(people, 2):
            met.setdefault(one, Counter())[other] += 1
            met.setdefault(other, Counter())[one] += 1
    rows = []
    for number, member in enumerate(cast.members):
        mentions = sorted(named.get(number, ()))
        beside = sorted(met.get(number, Counter()).items(), key=lambda each: (-each[1], each[0]))
        appears = Counter(places.stretch(*place) for place in mentions)
        shown = [places.told(*place) for place in mentions] or [""]
        rows.append(
            CastRow(
                name=member.name,
                aliases=tuple(alias for alias in member.aliases if alias != member.name),
                gender=member.gender,
                mentions=len(mentions),
                lines=lines[number],
                by_model=by_model[number],
                first=shown[0],
                last=shown[-1],
                most=Counter(shown).most_common(1)[0][0],
                meets=tuple(Met(cast.members[who].name, times) for who, times in beside[:MOST_MET]),
                appears=tuple(appears[stretch] for stretch in range(STRETCHES)),
            )
        )
    return sorted(rows, key=lambda row: (-row.mentions, -row.lines, row.name))


class Places:
    """Where an offset of a text is: in which paragraph, under which heading, how far on."""

    def __init__(self, texts: Sequence[ReadDocument]) -> None:
        self._names = [text.name for text in texts]
        self._breaks = [[m.end() for m in _PARAGRAPH.finditer(text.text)] for text in texts]
        self._sections: list[list[Section]] = [sections(text.text) for text in texts]
        self._starts = [[one.title_start for one in each] for each in self._sections]
        *self._before, self._whole = accumulate((len(text.text) for text in texts), initial=0)

    def paragraph(self, text: int, offset: int) -> tuple[int, int]:
        """Return which text and which paragraph of it."""
        return text, bisect_right(self._breaks[text], offset)

    def stretch(self, text: int, offset: int) -> int:
        """Return which of `STRETCHES` equal parts of the book."""
        return (self._before[text] + offset) * STRETCHES // max(1, self._whole)

    def told(self, text: int, offset: int) -> str:
        """The heading path, or the offset, as ``--as-of`` takes it behind a document's name."""
        under = bisect_right(self._starts[text], offset) - 1
        path = ", ".join(self._sections[text][under].headings) if under >= 0 else ""
        document = self._names[text] if len(self._names) > 1 else ""
        if not path:
            return f"{document}@{offset}"
        return f"{document}#{path}" if document else path
