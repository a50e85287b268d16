"""The tree of summaries over the chunks of a character, brought up to date.

Clusters whose members are as they were keep their summary; the outcome is the same as if all that
remains had been summarized at once. A partition depends on the nodes alone, not on the order in
which they came. A node is in one cluster, and a cluster of one goes up as it is.
Paper: RAPTOR (Sarthi et al. 2024, arXiv 2401.18059), section 3. In the place of its mixtures of
Gaussians, whose clusters all move when one text is added: centres are chosen by a hash of their
names, as content-defined chunking chooses its cuts; the rest goes to the centre it is most like.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from offbook.errors import AnswerError, InputRefused
from offbook.ingestion.embedding import check_active, embed_missing
from offbook.ingestion.extraction import clean, has_words
from offbook.ingestion.reports import Steps, put_aside
from offbook.models.batching import run_all
from offbook.prompts.ask import ask
from offbook.prompts.summaries import SUMMARIZE_CLUSTER, ClusterInputs
from offbook.stores import characters, chunks, documents, jobs, summaries, vectors
from offbook.stores.statements import batches
from offbook.text.encodings import token_counter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from offbook.ingestion.embedding import Texts
    from offbook.ingestion.reports import ProgressListener
    from offbook.runtime import Runtime
    from offbook.settings.methods import RaptorSettings
    from offbook.stores.connection import Connection
    from offbook.stores.summaries import Summary
    from offbook.text.encodings import TokenCounter


_BLOCK: Final = 1024
"""Rows that are compared with all centres at once."""
_DIGITS: Final = 9
"""Equal vectors are equally like a centre, however the machine orders its sums."""
_FULL: Final = 2
"""A cluster holds this many times the usual number of nodes at most."""
_SPAN: Final = 2**64


def clusters(
    names: Sequence[str],
    matrix: NDArray[np.float32],
    tokens: Sequence[int],
    settings: RaptorSettings,
    salt: int = 0,
) -> list[list[int]]:
    """Return the rows of each cluster, ascending, in the order of their first rows.

    A centre is a node whose hash says so, whatever else there is: a new node that is none changes
    the cluster that it goes to, a new centre those from which it draws nodes, and nothing else.

    Args:
        names: A lasting name of each node, all different.
        matrix: A vector of each, float32, rows of length 1; one of zeros is like nothing.
        tokens: How large each is; one larger than ``settings.cluster_tokens`` is alone.
        settings: Nodes of a cluster on average, and the tokens that it may have.
        salt: Another one gives other centres.
    """
    nodes = _Nodes(names, matrix.astype(np.float64), tokens, settings, salt)
    cells = [[row] for row in np.flatnonzero(~matrix.any(axis=1)).tolist()]
    if rows := np.flatnonzero(matrix.any(axis=1)).tolist():
        cells += nodes.divide(rows, depth=0)
    return sorted(cells)


@dataclass(frozen=True, slots=True)
class _Nodes:
    """What is divided; arguments as those of :func:`clusters`."""

    names: Sequence[str]
    vectors: NDArray[np.float64]
    tokens: Sequence[int]
    settings: RaptorSettings
    salt: int

    def divide(self, rows: list[int], depth: int) -> list[list[int]]:
        """Divide rows until each cell may be one cluster."""
        most, size = self.settings, sum(self.tokens[row] for row in rows)
        if len(rows) == 1 or (len(rows) <= _FULL * most.size and size <= most.cluster_tokens):
            return [sorted(rows)]
        hashes = {row: _hash(self.names[row], self.salt, depth) for row in rows}
        order = sorted(rows, key=lambda row: (hashes[row], self.names[row]))
        # On the first step how low a centre's hash is depends on the settings alone. A cell that is
        # too large is divided further by how large it is: that concerns its own nodes only.
        clusters = max(len(rows) / most.size, size / most.cluster_tokens)
        share = clusters / len(rows) if depth else 1 / most.size
        centres = [row for row in order if hashes[row] < share * _SPAN]
        # Two at least, or nothing would be divided.
        cells = self._around(centres if len(centres) > 1 else order[:2], rows)
        if len(cells) == 1:
            # All are alike: cut in halves of the order of hashes, which is as lasting as the names.
            half = len(order) // 2
            cells = [order[:half], order[half:]]
        return [part for cell in cells for part in self.divide(cell, depth + 1)]

    def _around(self, centres: list[int], rows: list[int]) -> list[list[int]]:
        """Put each row to the centre it is most like; of equals the one of the lowest hash."""
        around = self.vectors[centres].T
        cells: dict[int, list[int]] = {}
        for block in batches(rows, _BLOCK):
            likeness = np.round(self.vectors[block] @ around, _DIGITS)
            for row, centre in zip(block, likeness.argmax(axis=1).tolist(), strict=True):
                cells.setdefault(centre, []).append(row)
        return list(cells.values())


def _hash(name: str, salt: int, depth: int) -> int:
    text = f"{salt} {depth} {name}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A chunk, or a summary of others.

    Args:
        id: Of the chunk or the summary.
        anchor: The chunk beneath it that stands for it: a summary that is written anew because a
            passage was added keeps its anchor, and with it mostly its place in the levels above.
        level: 0 for a chunk.
        text: What is summarized of it.
        tokens: Its length.
        place: Where its first chunk stands in the story: document and offset.
        chunks: Ids of the chunks beneath it.
        vector: Its vector; None where there is none.
    """

    id: str
    anchor: str
    level: int
    text: str
    tokens: int
    place: tuple[int, int]
    chunks: tuple[str, ...]
    vector: NDArray[np.float32] | None


def _cluster_id(nodes: Sequence[Node]) -> str:
    """Name the members and their order: what is summarized already is known by it."""
    text = json.dumps([node.id for node in nodes])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def _order(anchor: str) -> bytes:
    """Give an order that has nothing to do with where texts stand."""
    return hashlib.blake2b(anchor.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _in_reading_order(nodes: Iterable[Node]) -> list[Node]:
    """Sort nodes by where their first chunk stands."""
    return sorted(nodes, key=lambda node: (node.place, node.id))


@dataclass(slots=True)
class TreeBuilding:
    """One run.

    Args:
        runtime: The store, the extractor, the embedder and the settings.
        character: Id of the character.
        progress: Called after every summary.
    """

    runtime: Runtime
    character: str
    progress: ProgressListener
    _known: dict[str, Summary] = field(default_factory=dict)
    _aside: dict[str, tuple[str, str]] = field(default_factory=dict)
    _document_of: dict[str, str] = field(default_factory=dict)
    _name: str = ""
    _count: TokenCounter = field(init=False)

    def __post_init__(self) -> None:
        self._count = token_counter(self.runtime.settings.tokens.encoding)

    async def run(self) -> None:
        """Summarize the clusters that are new, level after level.

        Raises:
            EmbedderMismatch: the stored vectors are from another embedder.
            ModelError: the endpoint failed for good; what arrived is stored.
            BudgetReached: likewise.
        """
        nodes = await self.runtime.store.read(self._leaves)
        current: set[str] = set()
        for level in range(1, self.runtime.settings.raptor.levels + 1):
            groups = {_cluster_id(cell): cell for cell in self._cells(nodes, level)}
            several = {name: cell for name, cell in groups.items() if len(cell) > 1}
            if not several:
                break
            steps = Steps(f"summarizing level {level}", self.progress)
            new = [
                partial(self._ask, n, c, steps) for n, c in several.items() if n not in self._known
            ]
            steps.begin(len(new))
            await run_all(new)
            made = {name: cell for name, cell in several.items() if name in self._known}
            vector_of = await self._embed(list(made))
            current |= made.keys()
            nodes = _in_reading_order(
                [
                    *(cell[0] for cell in groups.values() if len(cell) == 1),
                    *(self._node(name, cell, vector_of.get(name)) for name, cell in made.items()),
                ]
            )
        await self.runtime.store.write(lambda conn: self._finish(conn, current))

    def _leaves(self, conn: Connection) -> list[Node]:
        """Read the chunks as nodes, in reading order; those of signs only are none."""
        check_active(conn, self.character, self.runtime.embedder)
        splitter = self.runtime.settings.raptor.splitter
        self._name = characters.require(conn, self.character).name
        self._known = {summary.id: summary for summary in summaries.list_all(conn, self.character)}
        leaves = chunks.list_chunks(conn, self.character, chunking=splitter)
        self._document_of = {chunk.id: chunk.document for chunk in leaves}
        order = {info.id: n for n, info in enumerate(documents.list_all(conn, self.character))}
        ids, matrix = vectors.load_matrix(conn, self.character, "chunk", splitter)
        vector_of = dict(zip(ids, matrix, strict=True))
        return _in_reading_order(
            Node(
                id=chunk.id,
                anchor=chunk.id,
                level=0,
                text=chunk.text_with_headings,
                tokens=self._count(chunk.text_with_headings),
                place=(order[chunk.document], chunk.start),
                chunks=(chunk.id,),
                vector=vector_of.get(chunk.id),
            )
            for chunk in leaves
            if has_words(chunk)
        )

    def _cells(self, nodes: Sequence[Node], level: int) -> list[list[Node]]:
        """Cluster the nodes below a level; those without a vector are in no cluster."""
        embedded = [node for node in nodes if node.vector is not None]
        if not embedded:
            return []
        cells = clusters(
            [node.anchor for node in embedded],
            np.stack([node.vector for node in embedded if node.vector is not None]),
            [node.tokens for node in embedded],
            self.runtime.settings.raptor,
            salt=level,
        )
        return [[embedded[row] for row in cell] for cell in cells]

    async def _ask(self, name: str, cell: Sequence[Node], steps: Steps) -> None:
        """Ask about one cluster, and store the answer or put it aside."""
        beneath = tuple(chunk for node in cell for chunk in node.chunks)
        sources = {self._document_of[chunk] for chunk in beneath}
        try:
            answer = await ask(
                self.runtime.extractor,
                SUMMARIZE_CLUSTER,
                ClusterInputs(self._name, tuple(node.text for node in cell)),
                documents=frozenset(f"{self.character}/{document}" for document in sources),
                retries=self.runtime.settings.answers.retries,
            )
        except (AnswerError, InputRefused) as error:
            what = f"{len(cell)} passages that are alike have no summary: {error.message}"
            self._aside[name] = self._document_of[beneath[0]], what
        else:
            level, members = 1 + max(node.level for node in cell), tuple(node.id for node in cell)
            made = summaries.Summary(name, level, clean(answer.summary), members, beneath)
            await self.runtime.store.write(lambda conn: summaries.put(conn, self.character, [made]))
            self._known[name] = made
        steps.add(1)

    def _node(self, name: str, cell: Sequence[Node], vector: NDArray[np.float32] | None) -> Node:
        """Make a node of the next level of a summary."""
        summary = self._known[name]
        return Node(
            id=name,
            anchor=min((node.anchor for node in cell), key=_order),
            level=summary.level,
            text=summary.text,
            tokens=self._count(summary.text),
            place=cell[0].place,
            chunks=summary.chunks,
            vector=vector,
        )

    async def _embed(self, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors of summaries; of one that the embedder refuses there is none."""
        texts: Texts = {"summary": {name: self._known[name].text for name in ids}}
        filled = await embed_missing(self.runtime, self.character, texts)
        for name, why in filled.refused.items():
            document = self._document_of[self._known[name].chunks[0]]
            self._aside[name] = document, f"a summary has no vector: {why}"
        stored, matrix = await self.runtime.store.read(
            lambda conn: vectors.load_matrix(conn, self.character, "summary")
        )
        return dict(zip(stored, matrix, strict=True))

    def _finish(self, conn: Connection, current: set[str]) -> None:
        """Delete what is of no cluster any more, and note what stayed open."""
        summaries.remove(
            conn, self.character, [name for name in self._known if name not in current]
        )
        jobs.remove_kind(conn, self.character, jobs.SUMMARIZE)
        rows = [(subject, document, why) for subject, (document, why) in self._aside.items()]
        put_aside(conn, self.character, jobs.SUMMARIZE, rows)
        shape = self.runtime.settings.raptor.shape()
        basis = summaries.built_from(self._document_of, shape)
        summaries.note_built(conn, self.character, basis)
