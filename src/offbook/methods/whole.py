"""Whole: the texts as they are, in order, in front of every question.

Takes: a question.  Gives: all texts up to the point in the story, and the memories that the
question means. The texts stand where the summary of other methods does, in the system message and
in the same bytes turn after turn, so that a provider's prefix cache reads them once.
Source: ours; the long-context baseline of retrieval papers, and the rival to beat on short texts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from offbook.context.assembly import fit_history
from offbook.errors import UsageError
from offbook.retrieval.memories import EMBEDDED_CHARS, Felt
from offbook.retrieval.passages import check_embedder
from offbook.retrieval.point import documents_until
from offbook.settings.model import UNKNOWN_WINDOW_TOKENS
from offbook.stores import documents
from offbook.types import ContextItem, IndexRequirements, Source

if TYPE_CHECKING:
    from offbook.methods.knowledge import Knowledge
    from offbook.settings import SettingsModel
    from offbook.stores.connection import Connection
    from offbook.types import Document, Position, Recall

_BESIDE: Final = 2_000
"""Tokens for all but texts and conversation: rules, voice, memories, question and reply."""


class Whole:
    """All texts, and memories; nothing is selected but these."""

    name = "whole"

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """Memories that are scored and have vectors; of the documents their texts alone."""
        del settings
        return IndexRequirements(vectors=False, memories=True, statements=True)

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """Recall the texts, and the memories that the ensemble would be given.

        Raises:
            UsageError: the texts are too long for the model's window.
        """
        check_embedder(knowledge.character, knowledge.embedder)
        texts = await knowledge.store.read(_texts, knowledge.character.id, knowledge.until)
        _check_fit(knowledge, texts)
        full, settings = knowledge.in_full(question), knowledge.settings.ensemble
        vectors = await knowledge.embedder.embed([full[:EMBEDDED_CHARS]], "query")
        near = await knowledge.meant_memories(full, Felt(vectors[0], None), settings.memory_score)
        memories = {"memories": (settings.memory_share, near.items[: settings.memories])}
        recalled = knowledge.divided_recall(self.name, question, memories, skipped=near.skipped)
        # Beside the budget: what is left out of the texts is what other methods are for.
        whole = [
            ContextItem("profile", text.name, text.text, 1.0, (Source(text.id, "", 0, text.chars),))
            for text in texts
        ]
        return replace(recalled, context=(*whole, *recalled.context))


def _texts(conn: Connection, character: str, until: Position | None) -> list[Document]:
    """Return the documents in their order, up to a point."""
    infos = documents.list_all(conn, character)
    stored = [documents.require(conn, character, info.id) for info in infos]
    return stored if until is None else documents_until(stored, until)


def _check_fit(knowledge: Knowledge, texts: list[Document]) -> None:
    if knowledge.free:
        return
    settings, count = knowledge.settings, knowledge.count
    window = settings.chat.context_tokens
    room = (window or 4 * UNKNOWN_WINDOW_TOKENS) - _BESIDE
    earlier = fit_history(knowledge.history, settings.context.history_tokens, count)
    room -= sum(count(message.content) for message in earlier)
    length = sum(count(text.text) for text in texts)
    if length > room:
        known = f"{window or 4 * UNKNOWN_WINDOW_TOKENS:,} tokens" + ("" if window else " (assumed)")
        raise UsageError(
            f"the texts of {knowledge.character.name!r} have {length:,} tokens, and the model's "
            f"window of {known} has room for {max(0, room):,} beside conversation and reply",
            "set chat.context_tokens to the window that the model has, or use --method ensemble",
        )
