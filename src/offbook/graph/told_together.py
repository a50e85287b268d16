"""From where on the texts show that two names are one person's.

Takes: the chunks of a story, and which of them are known at a point.  Gives: whether a decision on
two names holds there already. Source: ours (methods.md 5: a secret identity does not leak).

1. Where a sentence says it ("Tom Wren was the Grey Fox"), from the first such sentence on: whatever
   spoke of both before that kept the secret.
2. Else, for a person's word, from the first sentence that names both: a chunk has many sentences,
   and may well speak of both because they are two to everybody.
3. Else from the first chunk that speaks of both.
4. Where no chunk of the whole story does, nothing will be revealed: a person's word holds as soon
   as both are known. A model's does not: it may know from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from offbook.graph.equal_names import name_key
from offbook.language.sentences import sentences
from offbook.language.tokens import WIDE

if TYPE_CHECKING:
    from offbook.types import Chunk

_UNBROKEN: Final = re.compile(f"[{WIDE}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Scripts that put no blank between words: a name may begin or end anywhere in them."""
_BEING: Final = (
    "is|was|are|were|am|be|been|being|becomes|became|alias"
    "|ist|war|wurde|est|etait|fut|es|era|fue|это|был|была"
)
_ACCENTED_IS: Final = re.compile(r"\b[èéÈÉ](?!\w)")
"""Italian and Portuguese; a key has no accents, and without its own it is "and"."""
_BREAK: Final = re.compile(r"[,;:!?…()，、；：！？（）–—]+")
"""Between clauses: in "asked Tom Wren, was the Grey Fox there" nobody is anybody."""
_BETWEEN: Final = (
    "the|really|truly|actually|indeed|in truth|in fact|also|now|once|himself|herself|called|named"
    "|known as|no other than|none other than|nobody but|nobody else than|no one else than"
    "|der|die|das|niemand anderes als|kein anderer als|keine andere als|in wahrheit"
    "|le|la|nul autre que|el|il|lo|en realidad|in realta"
)
_SAYS: Final = rf"(?:(?:, )?(?:who|that|which) |, (?=alias ))?(?:{_BEING}) (?:(?:{_BETWEEN}) )*"
_SAYS_UNBROKEN: Final = "(?:就是|便是|正是|是|乃|即|は|が)"


class ToldTogether:
    """Which chunks speak of which names, read once for all groups.

    Args:
        chunks: Of the whole story, by id.
        known: Those up to the point.
    """

    def __init__(self, chunks: Mapping[str, Chunk], known: Collection[str]) -> None:
        self._chunks = chunks
        self._known = frozenset(known)
        self._places: dict[str, frozenset[str]] = {}
        self._sentences: dict[str, list[tuple[str, str]]] = {}

    def holds(self, a: str, b: str, *, by_person: bool) -> bool:
        """Whether a decision that two names are one holds at the point; names by their keys."""
        together = self._speaking_of(a) & self._speaking_of(b)
        if not together:
            return by_person
        named = {c: s for c in together if (s := self._naming(c, a, b))}
        says = _saying(a, b)
        told = {chunk for chunk, found in named.items() if any(map(says.search, found))}
        if not told and by_person:
            told = set(named)
        return not self._known.isdisjoint(told or together)

    def _speaking_of(self, key: str) -> frozenset[str]:
        if key not in self._places:
            sought = _sought(key)
            self._places[key] = frozenset(
                chunk for chunk, text in self._plain.items() if key and sought in text
            )
        return self._places[key]

    def _naming(self, chunk: str, a: str, b: str) -> list[str]:
        """The sentences of a chunk that name both, by the keys of their clauses."""
        if chunk not in self._sentences:
            text = self._chunks[chunk].text
            self._sentences[chunk] = [
                (f" {name_key(sentence)} ", _clauses(sentence))
                for sentence in (text[start:end] for start, end in sentences(text))
            ]
        one, other = _sought(a), _sought(b)
        return [told for key, told in self._sentences[chunk] if one in key and other in key]

    @cached_property
    def _plain(self) -> dict[str, str]:
        chunks = self._chunks.values()
        return {chunk.id: f" {name_key(chunk.text_with_headings)} " for chunk in chunks}


def _sought(key: str) -> str:
    """What a text holds that speaks of a name: a whole word, where its script has words."""
    return key if _UNBROKEN.search(key) else f" {key} "


def _clauses(sentence: str) -> str:
    """A sentence as a key, with a comma between its clauses."""
    clauses = _BREAK.split(_ACCENTED_IS.sub("est", sentence))
    return f" {' , '.join(map(name_key, clauses))} "


def _saying(a: str, b: str) -> re.Pattern[str]:
    """What a sentence holds that says that one name is the other."""
    one, other = re.escape(a), re.escape(b)
    if _UNBROKEN.search(a + b):
        return re.compile(rf"{one} ?{_SAYS_UNBROKEN} ?{other}|{other} ?{_SAYS_UNBROKEN} ?{one}")
    return re.compile(rf" {one} {_SAYS}{other} | {other} {_SAYS}{one} ")
