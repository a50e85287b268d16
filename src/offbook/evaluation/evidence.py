"""What a character's texts say of a question and a reply, for a judge that does not know them.

It is looked up by words alone, in all that the character was made of, whatever its method gave to
the reply: every method is held against the same texts. No model is asked.
Source: ours; the index is that of ``retrieval.search`` (BM25).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from offbook.retrieval.search import LexicalIndex, Searcher, encode_terms
from offbook.stores import documents, memories
from offbook.text.sentences import sentences
from offbook.types import ContextItem, Source

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Question
    from offbook.evaluation.record import Cell
    from offbook.protocols import Store
    from offbook.stores.connection import Connection

LENGTH: Final = 600
"""Characters of a passage, about; a longer sentence stays whole."""
EACH: Final = 4
"""Passages for the question with its right answers, and as many for the reply."""


@dataclass(slots=True)
class Evidence:
    """Looks up passages; each character's texts are read once."""

    store: Store
    _read: dict[str, tuple[Searcher, dict[str, ContextItem]]] = field(default_factory=dict)

    async def of(self, cell: Cell, question: Question) -> tuple[ContextItem, ...]:
        """The passages that bear on a reply, in the order of the texts."""
        if cell.character not in self._read:
            items = await self.store.read(_passages, cell.character)
            blobs = [encode_terms(item.text) for item in items]
            by_name = {str(place): item for place, item in enumerate(items)}
            lexical = LexicalIndex.from_blobs(list(by_name), blobs)
            self._read[cell.character] = Searcher(lexical=lexical), by_name
        searcher, by_name = self._read[cell.character]
        texts = (" ".join((question.text, *question.answers)), cell.reply or "")
        hits = [
            hit for text in texts for hit in searcher.search(text, None, mode="lexical", k=EACH)
        ]
        return tuple(by_name[name] for name in sorted({hit.id for hit in hits}, key=int))


def _passages(conn: Connection, character: str) -> list[ContextItem]:
    """All that a character was made of, in passages: its documents, then authored memories."""
    items: list[ContextItem] = []
    for info in documents.list_all(conn, character):
        document = documents.require(conn, character, info.id)
        begins, ends = 0, 0
        for start, end in [*sentences(document.text), (len(document.text),) * 2]:
            if end - begins > LENGTH or start == len(document.text):
                text = document.text[begins:ends].strip()
                if text:
                    source = Source(info.id, "", begins, ends)
                    items.append(ContextItem("knowledge", info.name, text, 0.0, (source,)))
                begins = start
            ends = end
    for each in memories.list_memories(conn, character):
        if each.session is None:
            text = f"{each.said}\n{each.answered}"
            items.append(ContextItem("memory", "", text, 0.0, memory=each.id))
    return items
