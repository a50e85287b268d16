"""THE FLOW: documents become knowledge, a question becomes a reply.

Takes: what was read, or a question.  Gives: reports, recalls, replies.  Only the order is here;
docs/architecture.md, "The path of a question", shows what calls it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from offbook import registry
from offbook.context.assembly import assemble, begun_with, lore_beside, lore_of
from offbook.context.life import life_so_far, meant_episodes
from offbook.memory.turns import NO_CONVERSATION, ConversationContext
from offbook.methods.knowledge import UNWITNESSED, Knowledge, character_at, standing_of
from offbook.prompts.ask import ask, stream_text
from offbook.prompts.reply import DEFAULT_OPTIONS, REPLY, ReplyOptions, doubt_of
from offbook.stores.characters import NAMES
from offbook.text.encodings import token_counter
from offbook.types import (
    Boundary,
    BoundaryReason,
    ContextItem,
    LoreQuery,
    Skipped,
    traits_of,
)

if TYPE_CHECKING:
    from offbook.documents.readers import ReadDocument
    from offbook.graph.assembly import GraphSize
    from offbook.ingestion.reports import DocumentReport, ProgressListener
    from offbook.prompts.reply import ReplyInputs
    from offbook.protocols import Method
    from offbook.retrieval.point import Point
    from offbook.retrieval.standing import Standing
    from offbook.retrieval.witnessing import Judgement
    from offbook.runtime import Runtime
    from offbook.settings.model import ReplySettings
    from offbook.types import Character, Message, Recall

    History = Sequence[Message]

_CHARS_A_TOKEN: Final = 4
"""About so many, in English prose; what is told is what a choice would cost, and no account."""
_UNWRITTEN: Final = (
    "it could not be written: the model refused the passages it is made from, or gave no answer "
    "that could be used"
)
"""What the model said stands in the job and the report of the ingestion; it may quote prompts."""

_WITHOUT_LIFE: Final = frozenset(("vanilla", "whole"))
"""Methods that show nothing, or all texts: beside these the life so far is nothing new."""


async def ingest(
    runtime: Runtime,
    character: str,
    readings: Sequence[ReadDocument],
    progress: ProgressListener,
    waiting: Callable[[], None],
    order: Sequence[str] = (),
) -> tuple[list[DocumentReport], GraphSize]:
    """Make the character know what was read, as far as the method needs it indexed."""
    # Here and not above: a question needs none of it, and should not wait for it.
    from offbook.ingestion.documents import take_in
    from offbook.ingestion.indexing import build_indexes
    from offbook.ingestion.lease import ingestion_lease
    from offbook.ingestion.reports import tally

    store, needs = runtime.store, runtime.needs
    async with ingestion_lease(store, character, waiting):
        # 1 -- documents and chunks ------------------------------------------------------------
        reports = await take_in(runtime, character, readings, order)
        # 2 -- graph, profile, what chunks reveal, vectors, and summaries of what is alike ------
        size = await build_indexes(runtime, character, needs, progress)
        # 3 -- what was put aside is counted and shown -----------------------------------------
        return await tally(store, character, reports, needs.chunkings), size


async def recall(
    runtime: Runtime,
    character: Character,
    question: str,
    history: History = (),
    point: Point | None = None,
    conversation: ConversationContext = NO_CONVERSATION,
) -> Recall:
    """Recall what the reply may rest on; one of a book is made as it is at ``point`` here."""
    standing = await standing_of(runtime.store, character, runtime.settings, point)
    character = await character_at(runtime.store, character, standing, point)
    knowledge = Knowledge(
        character=character,
        settings=runtime.settings,
        store=runtime.store,
        embedder=runtime.embedder,
        reranker=runtime.reranker,
        history=tuple(history),
        extractor=runtime.extractor,
        point=point,
        conversation=conversation,
        free=traits_of(runtime.actor).free,
        standing=standing,
    )
    # 1 -- what the method finds -----------------------------------------------------------------
    method: Method[Knowledge] = registry.load("method", runtime.settings.method)()
    recalled = await method.recall(knowledge, question)
    if standing is not None or NAMES in character.settings:
        recalled = replace(recalled, voice=character.voice)
    if standing is not None and method.name not in _WITHOUT_LIFE:
        recalled = _with_life(knowledge, standing, recalled)
    skipped = recalled.skipped
    if standing is None and character.profile is None and method.needs(runtime.settings).profile:
        skipped = (*skipped, Skipped("profile", character.name, _UNWRITTEN))
    # 2 -- how whoever asks is tied to the character ---------------------------------------------
    context = recalled.context
    if runtime.settings.reply.style and method.needs(runtime.settings).graph:
        shown = {item.text for item in context}
        context += tuple(item for item in await knowledge.asker() if item.text not in shown)
    # 3 -- what the character's lorebooks have to say beside it ----------------------------------
    lore = await lore_of(runtime.store, character)
    if lore is not None and (query := _lore_query(knowledge, question)).budget_tokens:
        entries = await asyncio.to_thread(lore.recall, query, knowledge.count)
        context, left_out = lore_beside(entries, context)
        skipped = (*skipped, *left_out)
    return replace(recalled, context=context, skipped=skipped)


def _with_life(knowledge: Knowledge, standing: Standing, recalled: Recall) -> Recall:
    """Put what a character of a story has lived through so far in front of what was found.

    A passage of the last scene, which is shown, is not shown twice.
    """
    life = life_so_far(standing, knowledge.settings.context.life_tokens, knowledge.count)
    question = knowledge.in_full(recalled.question)
    meant = meant_episodes(life.older, question, recalled.emotion)
    shown = [s for item in life.items if item.kind == "scene" for s in item.sources]
    beside: list[ContextItem] = []
    skipped = [*recalled.skipped, *life.skipped]
    for item in recalled.context:
        if (
            item.kind == "knowledge"
            and item.sources
            and all(
                any(
                    s.document == n.document and n.start <= s.start and s.end <= n.end
                    for n in shown
                )
                for s in item.sources
            )
        ):
            skipped.append(Skipped(item.kind, item.title, "it stands in the last scene"))
        else:
            beside.append(item)
    if not knowledge.free:
        why = f"some {standing.chars // _CHARS_A_TOKEN:,} tokens a turn: --method whole shows it"
        skipped.append(Skipped("knowledge", "all that is told up to the point", why))
    untold = [each for each in skipped if each.kind == UNWITNESSED]
    return replace(
        recalled,
        context=(
            *life.items,
            *beside,
            *meant,
            *(ContextItem("unwitnessed", each.title, each.why, 1.0) for each in untold[:1]),
        ),
        boundary=_untold(recalled.boundary, untold),
        skipped=tuple(each for each in skipped if each.kind != UNWITNESSED),
    )


def _untold(boundary: Boundary | None, untold: Sequence[Skipped]) -> Boundary | None:
    """Say in the verdict that what is asked may be of what the character did not witness."""
    if not untold:
        return boundary
    reason = BoundaryReason(untold[0].title, untold[0].why)
    if boundary is None:
        return Boundary("partly", (reason,))
    verdict = "partly" if boundary.verdict == "in" else boundary.verdict
    return Boundary(verdict, (*boundary.reasons, reason))


async def knows(
    runtime: Runtime, character: Character, fact: str, point: Point | None = None
) -> Judgement:
    """Judge whether a character of a story knows a fact at a point; free without a paid model."""
    from offbook.methods.knowing import judge

    knowledge = Knowledge(
        character=character,
        settings=runtime.settings,
        store=runtime.store,
        embedder=runtime.embedder,
        reranker=runtime.reranker,
        extractor=runtime.extractor,
        point=point,
        standing=await standing_of(runtime.store, character, runtime.settings, point),
    )
    return await judge(knowledge, fact)


def _lore_query(knowledge: Knowledge, question: str) -> LoreQuery:
    conversation, settings = knowledge.conversation, knowledge.settings.lore
    window = knowledge.settings.chat.context_tokens
    greeting = conversation.greeting
    if greeting is None and not conversation.earlier:
        greeting = begun_with(knowledge.character.settings, knowledge.history, conversation.called)
    return LoreQuery(
        question=knowledge.in_full(question),
        history=knowledge.history,
        message=question,
        until=knowledge.until,
        user=conversation.called,
        persona=conversation.persona,
        earlier=conversation.earlier,
        greeting=greeting,
        budget_tokens=settings.budget(window),
        most_tokens=settings.most_for_a_book(window),
        scan_depth=settings.scan_depth,
        similar=settings.similar,
        least=settings.least,
    )


def reply_inputs(
    runtime: Runtime,
    character: Character,
    recalled: Recall,
    history: History,
    options: ReplyOptions = DEFAULT_OPTIONS,
) -> ReplyInputs:
    """Put together what the actor is told."""
    return assemble(
        recalled,
        character.voice if recalled.voice is None else recalled.voice,
        history,
        runtime.settings.context,
        token_counter(runtime.settings.tokens.encoding),
        options,
        character.settings,
        runtime.settings.reply,
    )


def _sampling(settings: ReplySettings, options: ReplyOptions) -> dict[str, Any]:
    """Merge the parameters that are set; those of one request come first."""
    fixed = settings.model_dump(include={"temperature", "max_tokens"}, exclude_none=True)
    return {**fixed, **options.parameters}


async def reply(
    runtime: Runtime,
    character: Character,
    recalled: Recall,
    history: History = (),
    sample: int = 0,
    options: ReplyOptions = DEFAULT_OPTIONS,
) -> str:
    """Get the character's reply, whole; further samples are other replies to the same question."""
    inputs = reply_inputs(runtime, character, recalled, history, options)
    return await ask(
        runtime.actor,
        REPLY,
        inputs,
        sample=sample or options.sample,
        documents=recalled.documents(),
        parameters=_sampling(runtime.settings.reply, options),
        doubt=doubt_of(inputs) if runtime.settings.reply.style else None,
        retries=runtime.settings.answers.retries,
        ended=options.ended,
    )


def stream_reply(
    runtime: Runtime,
    character: Character,
    recalled: Recall,
    history: History = (),
    options: ReplyOptions = DEFAULT_OPTIONS,
) -> AsyncIterator[str]:
    """Get the character's reply in pieces; closing the iterator cancels the call."""
    inputs = reply_inputs(runtime, character, recalled, history, options)
    return stream_text(
        runtime.actor,
        REPLY,
        inputs,
        sample=options.sample,
        documents=recalled.documents(),
        parameters=_sampling(runtime.settings.reply, options),
        doubt=doubt_of(inputs) if runtime.settings.reply.style else None,
        ended=options.ended,
    )
