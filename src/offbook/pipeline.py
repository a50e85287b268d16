"""THE FLOW: documents become knowledge, a question becomes a reply.

Takes: what was read, or a question.  Gives: reports, recalls, replies.  Only the order is here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook import registry
from offbook.context.assembly import assemble
from offbook.language.encodings import token_counter
from offbook.memory.talk import NOBODYS, Talk
from offbook.methods.knowledge import Knowledge
from offbook.prompts.ask import ask, stream_text
from offbook.prompts.reply import NO_WISHES, REPLY, Wishes

if TYPE_CHECKING:
    from offbook.documents.readers import ReadDocument
    from offbook.graph.loading import GraphSize
    from offbook.ingestion.reports import DocumentReport, ProgressListener
    from offbook.prompts.reply import ReplyInputs
    from offbook.protocols import ChatModel, Embedder, Method, Store
    from offbook.retrieval.point import Point
    from offbook.settings import SettingsModel
    from offbook.types import Character, Message, Recall

    History = Sequence[Message]


@dataclass(frozen=True, slots=True)
class Stage:
    """What the stages work with: settings, a store, and a model for each role."""

    settings: SettingsModel
    store: Store
    actor: ChatModel
    extractor: ChatModel
    judge: ChatModel
    embedder: Embedder

    @property
    def method(self) -> Method:
        """The configured method."""
        return registry.load("method", self.settings.method)()  # type: ignore[no-any-return]


async def ingest(
    stage: Stage,
    character: str,
    readings: Sequence[ReadDocument],
    progress: ProgressListener,
    waiting: Callable[[], None],
    order: Sequence[str] = (),
) -> tuple[list[DocumentReport], GraphSize]:
    """Make the character know what was read, as far as the method needs it indexed."""
    # Here and not above: a question needs none of it, and should not wait for it.
    from offbook.ingestion.indexing import build_indexes
    from offbook.ingestion.lease import ingestion_lease
    from offbook.ingestion.storing import take_in
    from offbook.ingestion.tally import tally

    store, needs = stage.store, stage.method.needs(stage.settings)
    async with ingestion_lease(store, character, waiting):
        # 1 -- documents and chunks ------------------------------------------------------------
        reports = await take_in(stage, character, readings, order)
        # 2 -- graph, profile, what chunks reveal, vectors, and summaries of what is alike ------
        size = await build_indexes(stage, character, needs, progress)
        # 3 -- what was put aside is counted and shown -----------------------------------------
        return await tally(store, character, reports, needs.chunkings), size


async def recall(
    stage: Stage,
    character: Character,
    question: str,
    history: History = (),
    point: Point | None = None,
    talk: Talk = NOBODYS,
) -> Recall:
    """What the reply to ``question`` may rest on; ``character`` is as it is at ``point``."""
    seen = stage.settings, stage.store, stage.embedder, tuple(history), stage.extractor, point, talk
    return await Knowledge(character, *seen).recalled_by(stage.method, question)


def reply_inputs(
    stage: Stage, who: Character, found: Recall, history: History, wishes: Wishes = NO_WISHES
) -> ReplyInputs:
    """What the actor is told."""
    count = token_counter(stage.settings.tokens.encoding)
    return assemble(found, who.voice, history, stage.settings.context, count, wishes, who.settings)


async def reply(
    stage: Stage,
    who: Character,
    found: Recall,
    history: History = (),
    sample: int = 0,
    wishes: Wishes = NO_WISHES,
) -> str:
    """The character's reply, whole; further samples are other replies to the same question."""
    asked = stage.actor, REPLY, reply_inputs(stage, who, found, history, wishes)
    told = {**stage.settings.reply.parameters(), **wishes.parameters}
    seen, most, number = found.documents(), stage.settings.answers.retries, sample or wishes.sample
    return await ask(
        *asked, sample=number, documents=seen, parameters=told, retries=most, ended=wishes.ended
    )


def stream_reply(
    stage: Stage, who: Character, found: Recall, history: History = (), wishes: Wishes = NO_WISHES
) -> AsyncIterator[str]:
    """The character's reply in pieces; closing the iterator cancels the call."""
    inputs = reply_inputs(stage, who, found, history, wishes)
    told = {**stage.settings.reply.parameters(), **wishes.parameters}
    asked, seen, end = (stage.actor, REPLY, inputs), found.documents(), wishes.ended
    return stream_text(*asked, sample=wishes.sample, documents=seen, parameters=told, ended=end)
