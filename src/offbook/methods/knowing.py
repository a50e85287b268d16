"""Whether a character of a story knows a fact at a point: by search, or by one small call.

Takes: a character as a method sees it, a fact.  Gives: a judgement. Without a paid model it is
free: the fact is looked for in what they witnessed and in what they did not. A model is shown the
record of their life so far and the passages of theirs that fit the fact best.
Source: ours; docs/boundary.md, "Characters of a story".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from offbook.context.life import life_so_far
from offbook.errors import IndexMissing, UsageError
from offbook.methods.knowledge import Knowledge
from offbook.methods.standing import standing_of
from offbook.models.beside import worked_out
from offbook.prompts.ask import ask
from offbook.prompts.knowing import KNOWING, KnowingInputs
from offbook.retrieval.search import IndexCache
from offbook.retrieval.witnessing import FactIndex, Judgement
from offbook.stores.characters import NAMES
from offbook.types import traits_of

if TYPE_CHECKING:
    from offbook.retrieval.point import Point
    from offbook.retrieval.standing import Standing
    from offbook.runtime import Runtime
    from offbook.types import Character

_PASSAGES: Final = 5
_KEPT: Final = 4
"""Stories whose windows stay in memory for each store."""
_indexes: Final[IndexCache[str, FactIndex]] = IndexCache(_KEPT)


async def judge(
    runtime: Runtime, character: Character, fact: str, point: Point | None = None
) -> Judgement:
    """Say whether a character knows a fact at a point.

    Raises:
        UsageError: the documents are about the character alone: all that they tell is theirs.
        AnswerError: no answer of the model could be used.
        ModelError: the endpoint failed for good.
    """
    standing = await standing_of(runtime.store, character, runtime.settings, point)
    if standing is None:
        raise UsageError(
            f"{character.name!r} is nobody of a story: what its documents tell, it knows",
            "make a character of a book: offbook create --from BOOK NAME",
        )
    knowledge = Knowledge(
        character=character,
        settings=runtime.settings,
        store=runtime.store,
        embedder=runtime.embedder,
        reranker=runtime.reranker,
        point=point,
        standing=standing,
    )
    if traits_of(runtime.extractor).free:
        return await _searched(knowledge, standing, fact)
    settings = runtime.settings
    life = life_so_far(standing, settings.context.life_tokens, knowledge.count)
    hits = await knowledge.search(fact, settings.naive.splitter, _PASSAGES)
    passages = tuple(knowledge.passage(hit) for hit in hits)
    inputs = KnowingInputs(
        character=character.name,
        names=tuple(character.settings.get(NAMES, ())),
        fact=fact,
        point="" if point is None else point.text,
        record=life.items,
        passages=passages,
    )
    sources = {source for item in (*life.items, *passages) for source in item.sources}
    names = frozenset(f"{character.id}/{source.document}" for source in sources)
    answer = await ask(
        runtime.extractor, KNOWING, inputs, documents=names, retries=settings.answers.retries
    )
    how = answer.how if answer.knows else "absent"
    return Judgement(answer.knows, how, answer.because.strip())


async def _searched(knowledge: Knowledge, standing: Standing, fact: str) -> Judgement:
    from offbook.ingestion.documents import stored_documents
    from offbook.ingestion.story import viewpoint_of

    store, character = knowledge.store, knowledge.character

    async def load() -> FactIndex:
        view = await viewpoint_of(store, character, knowledge.settings)
        if view is None:
            raise IndexMissing("the story has changed meanwhile", "ask once more")
        texts = await store.read(stored_documents, character.id)
        return await worked_out(FactIndex, view.story, view.cast, texts)

    index = await _indexes.get(store, character.id, character.revision, load)
    return index.judge(standing, fact)
