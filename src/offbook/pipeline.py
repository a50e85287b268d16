"""THE FLOW: documents become knowledge, a question becomes a reply.

Takes: what was read, or a question.  Gives: reports, recalls, replies.  Only the order is here;
docs/architecture.md, "The path of a question", shows what calls it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from offbook import registry
from offbook.context.assembly import assemble, begun_with, lore_beside, lore_of
from offbook.memory.turns import NO_CONVERSATION, ConversationContext
from offbook.methods.knowledge import UNWRITTEN, Knowledge
from offbook.methods.standing import character_at, standing_of, with_life
from offbook.prompts.ask import ask, stream_text
from offbook.prompts.reply import DEFAULT_OPTIONS, REPLY, ReplyOptions, doubt_of
from offbook.stores.characters import being_read
from offbook.text.encodings import token_counter
from offbook.types import LoreQuery, Skipped, traits_of

if TYPE_CHECKING:
    from offbook.documents.readers import ReadDocument
    from offbook.graph.assembly import GraphSize
    from offbook.ingestion.reports import DocumentReport, ProgressListener
    from offbook.prompts.reply import ReplyInputs
    from offbook.protocols import Method
    from offbook.retrieval.point import Point
    from offbook.runtime import Runtime
    from offbook.settings.model import ReplySettings
    from offbook.types import Character, Message, Recall

    History = Sequence[Message]


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
    recalled = with_life(knowledge, await method.recall(knowledge, question))
    skipped = (*recalled.skipped, *being_read(character, runtime.settings.method))
    if character.profile is None and method.needs(runtime.settings).profile:
        skipped = (*skipped, Skipped("profile", character.name, UNWRITTEN))
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
        beyond_tokens=settings.beyond(window),
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


def sampling(settings: ReplySettings, options: ReplyOptions) -> dict[str, Any]:
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
        parameters=sampling(runtime.settings.reply, options),
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
        parameters=sampling(runtime.settings.reply, options),
        doubt=doubt_of(inputs) if runtime.settings.reply.style else None,
        ended=options.ended,
    )
