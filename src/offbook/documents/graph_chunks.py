"""The content-defined ``graph`` chunking: an edit changes at most the two chunks that it touches.

Chunks have mostly 300 to 900 tokens and never cross a section.
Paper: RoleRAG (001), section 3.1 (chunks for extraction). Differs: boundaries come from the text
near them, not from the distance to the beginning; the paper's windows are ``FixedSplitter``.

A section is a row of atoms: its lines; a line of more than ``most`` tokens by sentences. Whether an
atom is *marked* depends on a hash of its own text only. A marked atom ends a chunk if more than
``spacing`` tokens lie strictly between it and the next marked atom (the section's end counts as
one), and at least ``spacing`` tokens up to it.

Why an edit stays local: the rule looks at an atom's own mark and at the gap to the next one, never
at where chunks began. An edit in atom j can change j's mark and the gap of the marked atom i before
it, so only the boundaries behind i and j. They cannot both vanish: if both were boundaries, the gap
behind i, in which j does not count, was wide before the edit and is as wide after it. They cannot
both appear, by the same argument backwards. So one boundary appears, vanishes, or moves from i to j
or back: two chunks before, two after. The distance from the section's beginning concerns its first
boundary alone. What this costs is size: it cannot be bounded above by a local rule (a row of equal
lines has all marks or none), so runs of more than ``longest`` tokens without a boundary are cut by
a second rule, the least hash between ``least`` and ``most`` tokens on; there an edit may change
chunks up to the end of that run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple
from zlib import crc32

from offbook.documents.acts import paragraphs
from offbook.documents.chunk_ids import Span, make_chunks
from offbook.documents.sections import bodies, sections, trimmed
from offbook.documents.windows import WindowCutter, counted_in, ruler
from offbook.errors import ConfigurationError
from offbook.text.encodings import token_counter
from offbook.text.sentences import sentences
from offbook.text.tokens import WIDE
from offbook.types import Chunk, Document

_WORD: Final = re.compile(f"[{WIDE}]|[^\\s{WIDE}]+")
_WORDS_AN_ATOM: Final = 32
_HASHES: Final = 2**64


class Atom(NamedTuple):
    """What is never cut: offsets, tokens, and a number in [0, 1) drawn from its text."""

    start: int
    end: int
    tokens: int
    draw: float


class GraphSplitter:
    """Content-defined chunks, see the module.

    Args:
        least: Chunks should have at least so many tokens, and
        most: at most so many; a paragraph with more is cut at its sentences.
        spacing: Tokens that must lie between a boundary and the next marked atom.
        mean_gap: Mean tokens from one marked atom to the next.
        encoding: The tiktoken encoding whose tokens count; None for the built-in estimate.
        name: The name of the chunking.
    """

    def __init__(
        self,
        least: int = 300,
        most: int = 900,
        spacing: int = 150,
        mean_gap: int = 250,
        encoding: str | None = None,
        name: str = "graph",
    ) -> None:
        if not 0 < least <= most or spacing < 0 or mean_gap < 1:
            raise ConfigurationError(
                f"chunks of {least!r} to {most!r} tokens with {spacing!r} between boundaries and "
                f"marks every {mean_gap!r} cannot be made",
                "least and mean_gap must be positive, most at least as large as least",
            )
        self._least, self._most, self._longest = least, most, 2 * most
        self._spacing, self._mean_gap, self.name = spacing, mean_gap, name
        self._encoding, self._count = encoding, token_counter(encoding)

    def split(self, document: Document) -> Sequence[Chunk]:
        """Chunks in the order of the text."""
        parts = (
            (headings, self._spans(list(self._atoms(document.text[start:end], start))))
            for headings, start, end in bodies(sections(document.text))
        )
        return make_chunks(document, self.name, parts)

    def parameters(self, document: Document) -> dict[str, Any]:
        """The sizes in force, in tokens."""
        return {
            "least": self._least,
            "most": self._most,
            "longest": self._longest,
            "spacing": self._spacing,
            "mean_gap": self._mean_gap,
            **counted_in("tokens", self._encoding),
        }

    def _atoms(self, text: str, offset: int, level: int = 0) -> Iterator[Atom]:
        """The atoms of a stretch, in order; together they hold all that is not white space.

        Lines; what is too long is divided further, last by its mere length.
        """
        dividers = (_lines, sentences, _phrases, self._windows)
        for start, end in dividers[level](text):
            part = text[start:end]
            tokens = self._count(part)
            if tokens > self._most and level + 1 < len(dividers):
                yield from self._atoms(part, offset + start, level + 1)
            else:
                digest = blake2b(part.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                draw = int.from_bytes(digest, "big") / _HASHES
                yield Atom(offset + start, offset + end, tokens, draw)

    def _windows(self, phrase: str) -> list[Span]:
        rule = ruler(phrase, "tokens", self._encoding)
        return WindowCutter(phrase, rule, self._most, 0).cut(0, len(phrase))

    def _spans(self, atoms: list[Atom]) -> Iterator[Span]:
        """Offsets of the chunks of a section."""
        first = 0
        for behind in [*self._boundaries(atoms), len(atoms)]:
            for low, high in self._bounded(atoms, first, behind):
                yield atoms[low].start, atoms[high - 1].end
            first = behind

    def _boundaries(self, atoms: list[Atom]) -> list[int]:
        """Indices of the atoms that begin a chunk, but the first."""
        boundaries: list[int] = []
        before = sum(atom.tokens for atom in atoms)
        gap = 0
        for index in range(len(atoms) - 1, -1, -1):
            tokens = atoms[index].tokens
            if self._is_marked(atoms[index]):
                if gap > self._spacing and before >= self._spacing:
                    boundaries.append(index + 1)
                gap = 0
            else:
                gap += tokens
            before -= tokens
        return boundaries[::-1]

    def _is_marked(self, atom: Atom) -> bool:
        """Whether the atom's own text marks it: the likelier, the longer it is."""
        return atom.draw < 1 - math.exp(-atom.tokens / self._mean_gap)

    def _bounded(self, atoms: list[Atom], first: int, behind: int) -> Iterator[tuple[int, int]]:
        """``atoms[first:behind]``, cut by the second rule if they have more than ``longest``."""
        left = sum(atom.tokens for atom in atoms[first:behind])
        cutting = left > self._longest
        while cutting and left > self._most:
            cut, spent, size, best = first + 1, atoms[first].tokens, 0, 2.0
            for index in range(first, behind):
                size += atoms[index].tokens
                if size > self._most:
                    break
                good = size >= self._least and left - size >= self._least
                if best > 1 or (good and atoms[index].draw <= best):
                    cut, spent, best = index + 1, size, atoms[index].draw if good else 2.0
            yield first, cut
            first, left = cut, left - spent
        yield first, behind


def _lines(text: str) -> Iterator[Span]:
    """Offsets of the lines that are not blank, without white space at their ends."""
    return paragraphs(text, 0, len(text), "\n")


def _phrases(sentence: str) -> Iterator[Span]:
    """Pieces of an endless sentence, cut behind words that are chosen by their own text."""
    start = 0
    for match in _WORD.finditer(sentence):
        if crc32(match[0].encode("utf-8", "surrogatepass")) % _WORDS_AN_ATOM == 0:
            yield trimmed(sentence, start, match.end())
            start = match.end()
    if start < len(sentence):
        yield trimmed(sentence, start, len(sentence))
