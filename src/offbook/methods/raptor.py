"""RAPTOR: passages, and summaries of passages that are alike, searched on all levels together.

Takes: a question.  Gives: the chunks and summaries that are most like it, best first; the sources
of a summary are all chunks beneath it. At a point in the story a summary of anything that comes
later is not there.
Paper: RAPTOR (Sarthi et al. 2024, arXiv 2401.18059), section 3, collapsed tree. Left out: reduction
of dimensions and soft clusters, in whose place stand clusters that an edit leaves alone
(``ingestion.summary_tree``), and the traversal of the tree, which the paper found to be worse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from offbook.errors import IndexMissing
from offbook.retrieval.passages import check_embedder, check_split, query_vector
from offbook.retrieval.point import known_parts, order_of
from offbook.retrieval.search import (
    ANALYZER,
    DenseIndex,
    IndexCache,
    LexicalIndex,
    RetrievalMode,
    Searcher,
    encode_terms,
)
from offbook.stores import chunks as chunk_rows
from offbook.stores import summaries, vectors
from offbook.types import ContextItem, IndexRequirements, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.methods.knowledge import Knowledge
    from offbook.names.story import Reach
    from offbook.protocols import Embedder, Store
    from offbook.settings import SettingsModel
    from offbook.settings.methods import RaptorSettings
    from offbook.stores.connection import Connection
    from offbook.stores.summaries import Summary
    from offbook.types import Character, Chunk, Recall


KEPT_TREES: Final = 4
"""Trees kept in memory for each store; the one not used for longest goes first."""


@dataclass(frozen=True, slots=True)
class CollapsedTree:
    """All nodes of a tree, to be searched together.

    Args:
        searcher: Over summaries, the highest level first, and chunks in reading order.
        chunks: By id, cut at the point in the story.
        summaries: By id.
    """

    searcher: Searcher
    chunks: Mapping[str, Chunk]
    summaries: Mapping[str, Summary]

    def item(self, name: str, score: float) -> ContextItem:
        """A node as a piece of knowledge."""
        if (summary := self.summaries.get(name)) is None:
            chunk = self.chunks[name]
            return ContextItem(
                "knowledge", chunk.heading_path, chunk.text, score, (_source(chunk),)
            )
        beneath = set(summary.chunks)
        chunks = [chunk for chunk in self.chunks.values() if chunk.id in beneath]
        sources = tuple(map(_source, chunks))
        return ContextItem("knowledge", _title(chunks), summary.text, score, sources)


_Key = tuple[str, str, RetrievalMode, "Reach | None"]
"""Character, what shapes the tree, how it is searched, and what of it is known."""
_kept: Final[IndexCache[_Key, CollapsedTree]] = IndexCache(KEPT_TREES)


async def search_tree(
    store: Store,
    embedder: Embedder,
    character: Character,
    question: str,
    settings: SettingsModel,
    *,
    reach: Reach | None = None,
) -> list[ContextItem]:
    """The ``raptor.k`` nodes that fit ``question`` best, best first.

    Raises:
        IndexMissing: the tree was not built, or is not that of the chunks.
        EmbedderMismatch: the stored vectors are from another embedder.
    """
    mode = settings.retrieval.mode
    if mode != "lexical":
        check_embedder(character, embedder)
    load = partial(store.read, _load, character, settings.raptor, mode, reach)
    key = (character.id, str(settings.raptor.shape()), mode, reach)
    tree = await _kept.get(store, key, character.revision, load)
    if tree.searcher.dense is None and tree.searcher.lexical is None:
        return []
    vector = None if mode == "lexical" else await query_vector(embedder, character, question)
    hits = tree.searcher.search(question, vector, mode=mode, k=settings.raptor.k)
    return [tree.item(hit.id, hit.score) for hit in hits]


def check_tree(conn: Connection, character: Character, settings: RaptorSettings) -> None:
    """Refuse to search a tree that was not finished, or that stands on other chunks.

    What no summary could be got for is no part of it; that was reported.

    Raises:
        IndexMissing: the hint is the command that builds it.
    """
    check_split(conn, character, settings.splitter)
    hint = f"build it: offbook ingest {character.id} --method raptor"
    built = summaries.built(conn, character.id)
    if built is None:
        raise IndexMissing(f"{character.name!r} has no tree of summaries yet", hint)
    ids = chunk_rows.list_ids(conn, character.id, settings.splitter)
    if built != summaries.built_from(ids, settings.shape()):
        raise IndexMissing(
            f"the tree of summaries of {character.name!r} is of other chunks than there are now, "
            "or of other settings",
            hint,
        )


def _load(
    conn: Connection,
    character: Character,
    settings: RaptorSettings,
    mode: RetrievalMode,
    reach: Reach | None,
) -> CollapsedTree:
    check_tree(conn, character, settings)
    splitter = settings.splitter
    chunks = {c.id: c for c in chunk_rows.list_chunks(conn, character.id, chunking=splitter)}
    whole = set(chunks)
    if reach is not None:
        order = order_of(conn, character.id)
        cut = {name: known_parts(chunk, order, reach) for name, chunk in chunks.items()}
        whole = {name for name, chunk in chunks.items() if cut[name] == [chunk]}
        chunks = {
            name: max(parts, key=lambda part: len(part.text))
            for name, parts in cut.items()
            if parts
        }
    # The highest level first: of what fits equally, the widest view.
    stored_summaries = summaries.list_all(conn, character.id)[::-1]
    known = {
        summary.id: summary for summary in stored_summaries if whole.issuperset(summary.chunks)
    }
    texts = {name: summary.text for name, summary in known.items()}
    texts |= {name: chunk.text_with_headings for name, chunk in chunks.items()}
    dense = lexical = None
    if mode != "lexical":
        dense = _dense(conn, character.id, splitter, list(texts), blank=mode == "hybrid")
    if mode != "dense" and texts:
        stored = chunk_rows.list_terms(conn, character.id, splitter)
        terms = {r.chunk: r.terms for r in stored if r.analyzer == ANALYZER and r.chunk in whole}
        blobs = [terms.get(name) or encode_terms(text) for name, text in texts.items()]
        lexical = LexicalIndex.from_blobs(list(texts), blobs)
    return CollapsedTree(Searcher(dense, lexical), chunks, known)


def _dense(
    conn: Connection, character: str, splitter: str, names: Sequence[str], *, blank: bool
) -> DenseIndex | None:
    """The vectors of nodes; one that has none is like nothing, or left out."""
    parts: list[NDArray[np.float32]] = []
    rows: dict[str, int] = {}
    for ids, matrix in (
        vectors.load_matrix(conn, character, "summary"),
        vectors.load_matrix(conn, character, "chunk", splitter),
    ):
        rows |= {name: len(rows) + row for row, name in enumerate(ids)}
        parts.append(matrix)
    matrix = np.concatenate(parts)
    if blank:
        matrix = np.concatenate([matrix, np.zeros((1, matrix.shape[1]), np.float32)])
    named = [name for name in names if blank or name in rows]
    if not named or matrix.shape[1] == 0:
        return None
    return DenseIndex(named, matrix[[rows.get(name, len(matrix) - 1) for name in named]])


def _source(chunk: Chunk) -> Source:
    return Source(chunk.document, chunk.id, chunk.start, chunk.end)


def _title(chunks: Sequence[Chunk]) -> str:
    """The headings that all chunks beneath a summary stand under."""
    common: list[str] = []
    for parts in zip(*(chunk.headings for chunk in chunks), strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return f"summary: {', '.join(common)}" if common else "summary"


class Raptor:
    """The nodes of a tree of summaries, whatever their level."""

    name = "raptor"

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """The chunks with their vectors, by which they are clustered, and the summaries."""
        return IndexRequirements((settings.raptor.splitter,), vectors=True, summaries=True)

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """What fits the question best, as much of it as the budget holds."""
        nodes = await search_tree(
            knowledge.store,
            knowledge.embedder,
            knowledge.character,
            knowledge.in_full(question),
            knowledge.settings,
            reach=knowledge.reach,
        )
        return knowledge.recall(self.name, question, nodes)
