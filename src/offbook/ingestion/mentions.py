"""What chunks state of entities and relations, with vectors, before names are normalized.

The extraction is that of the graph: who has the one does not pay for the other.
Paper: LightRAG (Guo et al. 2024, arXiv 2410.05779), section 3.1, without its summaries of
descriptions; a relation is embedded with its keywords where it has any (``graph.keywords``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.ingestion.embedding import embed_missing, entity_text, relation_text, without_vector
from offbook.ingestion.extraction import Extraction
from offbook.ingestion.graph_index import asking_about, begin_extraction
from offbook.ingestion.reports import put_aside
from offbook.stores import graph, jobs

if TYPE_CHECKING:
    from offbook.ingestion.embedding import Texts
    from offbook.ingestion.reports import ProgressListener
    from offbook.runtime import Runtime
    from offbook.stores.connection import Connection


async def index_mentions(
    runtime: Runtime, character: str, progress: ProgressListener, *, extract: bool = True
) -> None:
    """Extract and embed what is missing.

    Args:
        runtime: The store, the extractor, the embedder and the settings.
        character: Id of the character.
        progress: Called after every step.
        extract: Whether chunks that were not extracted yet are; not so right after a graph was
            built, which has done it.

    Raises:
        EmbedderMismatch: the stored vectors are from another embedder.
        ModelError: the endpoint failed for good; what was done is kept.
        BudgetReached: likewise.
    """
    store = runtime.store

    name, story, pending = await store.read(begin_extraction, runtime, character)
    if extract:
        asking = asking_about(runtime, character, name, story)
        every = tuple(story.chunks.values())
        await Extraction(runtime, character, every, pending, asking, progress).run()
    mentions = await store.read(lambda conn: graph.list_raw_entities(conn, character))
    relations = await store.read(lambda conn: graph.list_relations(conn, character))
    chunk_of = {m.id: m.chunk for m in mentions} | {r.id: r.chunk for r in relations}
    of_mentions = {one.id: entity_text(one.name, one.description) for one in mentions}
    of_relations = {one.id: relation_text(one) for one in relations}
    texts: Texts = {"raw_entity": of_mentions, "relation": of_relations}
    _, refused = await embed_missing(runtime, character, texts, progress)

    def note(conn: Connection) -> None:
        """Put aside what the embedder refuses: it is found by what it is connected with alone."""
        jobs.remove_kind(conn, character, jobs.MENTIONS)
        put_aside(
            conn,
            character,
            jobs.MENTIONS,
            [
                (one, story.chunks[chunk_of[one]].document, without_vector(text, refused[one]))
                for one, text in (of_mentions | of_relations).items()
                if one in refused
            ],
        )

    await store.write(note)
