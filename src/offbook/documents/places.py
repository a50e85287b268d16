"""Edits of a file's text, and the map that leads from the text as read back to it. Source: ours.

A map is a row of pieces ``(offset in the text, origin)``, by offset. An origin that is a number is
an offset in the file's characters (a line break is one) and grows with the text up to the next
piece; one in words names a page or part, and holds for all of its piece.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

Edit = tuple[int, int, str]
"""What of a text is replaced (start, end), and by what."""

Places = Sequence[tuple[int, int | str]]
"""Pieces of a map, see the module; empty where nothing is known."""

UNCHANGED: Places = ((0, 0),)


def edited(text: str, edits: Iterable[Edit]) -> tuple[str, Places]:
    """Apply edits that do not overlap; return the new text, and the map from it to ``text``."""
    pieces: list[str] = []
    places: list[tuple[int, int | str]] = [(0, 0)]
    done = size = 0
    for start, end, new in sorted(edits):
        if start < done:
            raise ValueError(f"the edit at {start} begins before the one in front of it ends")
        pieces += text[done:start], new
        size += start - done + len(new)
        done = end
        if len(new) != end - start:
            places.append((size, end))
    pieces.append(text[done:])
    first = 1 if len(places) > 1 and places[1][0] == 0 else 0
    return "".join(pieces), tuple(places[first:])


def place_of(places: Places, offset: int) -> int | str | None:
    """Where in the file the character at ``offset`` of the text stands; None where not known."""
    index = bisect_right(places, offset, key=lambda piece: piece[0]) - 1
    if index < 0:
        return None
    start, origin = places[index]
    if isinstance(origin, str):
        return origin
    reached = origin + offset - start
    # What the file does not hold stands where the next piece begins.
    after = places[index + 1][1] if index + 1 < len(places) else reached
    return min(reached, after) if isinstance(after, int) else reached


def named(places: Places, offset: int) -> str:
    """Name what of the file stands at ``offset``, as "page 12"; "" where it stands there, too."""
    origin = place_of(places, offset)
    if isinstance(origin, str):
        return origin
    return "" if origin in (None, offset) else f"at {origin} in the file"


def span_of(places: Places, start: int, end: int) -> tuple[int, int] | None:
    """The offsets in the file of ``text[start:end]``, not empty; None where it has none."""
    first, last = place_of(places, start), place_of(places, end - 1)
    return (first, last + 1) if isinstance(first, int) and isinstance(last, int) else None


def through(outer: Places, inner: Places) -> Places:
    """The map that leads through ``outer`` (to offsets) and then through ``inner``."""
    if inner == UNCHANGED:
        return outer
    return tuple(_merged(_through(outer, inner)))


def _through(outer: Places, inner: Places) -> Iterator[tuple[int, int | str]]:
    for index, (start, origin) in enumerate(outer):
        if not isinstance(origin, int):
            raise TypeError(f"the outer map leads to {origin!r}, not to an offset")
        size = outer[index + 1][0] - start if index + 1 < len(outer) else None
        if (place := place_of(inner, origin)) is not None:
            yield start, place
        first = bisect_right(inner, origin, key=lambda piece: piece[0])
        for begin, value in inner[first:]:
            if size is not None and begin - origin >= size:
                break
            yield start + begin - origin, value


def _merged(pieces: Iterable[tuple[int, int | str]]) -> Iterator[tuple[int, int | str]]:
    """Leave out pieces that say what the one before them says."""
    last: int | str | None = None
    for start, origin in pieces:
        if origin != last or isinstance(origin, int):
            yield start, origin
        last = origin
