"""Emphasis and quotations of a reply, as parts of a page: never HTML, never a link.

Takes: the words of a model, a card or a person.  Gives: runs of them with how each is shown. All
else of Markdown, and all of HTML, stays the text that it is. Every pattern is bounded, so that
whatever somebody writes is read in time linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from offbook.ui.elements import part, text

if TYPE_CHECKING:
    from nicegui import ui

_MOST: Final = 600
"""Letters of one emphasis or quotation: a longer one is a mark that nobody closed."""
_DEPTH: Final = 3
_MARKED: Final = re.compile(
    rf"\*\*\*(?=[^\s*])(?P<both>[^\n*]{{1,{_MOST}}})(?<=\S)\*\*\*"
    rf"|\*\*(?=\S)(?P<strong>[^\n]{{1,{_MOST}}}?)(?<=\S)\*\*"
    rf"|(?<![*\w])\*(?=[^\s*])(?P<em>[^\n*]{{1,{_MOST}}})(?<=\S)\*(?![*\w])"
    rf"|(?<![_\w])_(?=[^\s_])(?P<low>[^\n_]{{1,{_MOST}}})(?<=\S)_(?![_\w])"
    rf"|(?P<quote>“[^”\n]{{1,{_MOST}}}”|„[^“”\n]{{1,{_MOST}}}[“”]|«[^»\n]{{1,{_MOST}}}»"
    rf"|「[^」\n]{{1,{_MOST}}}」|(?<!\w)\"(?=\S)[^\"\n]{{1,{_MOST}}}\"(?!\w))"
)


@dataclass(frozen=True, slots=True)
class Run:
    """Letters of a text that are shown alike, without the marks around them."""

    start: int
    end: int
    is_strong: bool = False
    is_emphasis: bool = False
    is_quotation: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a text that is marked, with the number that it is marked by."""

    start: int
    end: int
    number: int


def runs_of(words: str) -> list[Run]:
    """Cut a text into what is shown alike; together they are all of it but marks of emphasis."""
    return list(_runs(words, Run(0, len(words)), 0))


def _runs(words: str, within: Run, depth: int) -> Iterator[Run]:
    place = within.start
    marked = _MARKED.finditer(words, within.start, within.end) if depth < _DEPTH else ()
    for match in marked:
        if match.start() > place:
            yield replace(within, start=place, end=match.start())
        kind = match.lastgroup or ""
        low, high = match.span(kind)
        inner = replace(
            within,
            start=low,
            end=high,
            is_strong=within.is_strong or kind in ("strong", "both"),
            is_emphasis=within.is_emphasis or kind in ("em", "low", "both"),
            is_quotation=within.is_quotation or kind == "quote",
        )
        if kind == "quote":  # its marks are words of the text
            yield replace(inner, end=low + 1)
            yield from _runs(words, replace(inner, start=low + 1, end=high - 1), depth + 1)
            yield replace(inner, start=high - 1)
        else:
            yield from _runs(words, inner, depth + 1)
        place = match.end()
    if place < within.end:
        yield replace(within, start=place)


def show_words(box: ui.element, words: str, marks: Sequence[Mark] = ()) -> None:
    """Show a text in its box; a stretch that is marked leads to what has the same number."""
    runs = _joined(runs_of(words))
    with box:
        place = 0
        for mark in marks:
            _show(words, runs, place, mark.start)
            how = {"role": "button", "tabindex": "0", "data_support": str(mark.number)}
            with part("span", "rests", **how):
                _show(words, runs, mark.start, mark.end)
            place = mark.end
        _show(words, runs, place, len(words))


def _joined(runs: Sequence[Run]) -> list[Run]:
    """Runs that stand beside one another and are shown alike, as one."""
    joined: list[Run] = []
    for run in runs:
        last = joined[-1] if joined else None
        if last is not None and replace(last, start=last.end, end=run.end) == run:
            joined[-1] = replace(last, end=run.end)
        else:
            joined.append(run)
    return joined


def _show(words: str, runs: Sequence[Run], start: int, end: int) -> None:
    for run in runs:
        low, high = max(run.start, start), min(run.end, end)
        if low >= high:
            continue
        tag = "strong" if run.is_strong else "em" if run.is_emphasis else "span"
        classes = "quotation" if run.is_quotation else ""
        if run.is_strong and run.is_emphasis:
            classes += " leaning"
        text(tag, words[low:high], classes)
