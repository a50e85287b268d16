"""Vectors anew from the stored text, after a change of embedder.

Takes: a character and the configured embedder.  Gives: a report; until the new vectors are
complete, the old ones answer.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from offbook.app.waiting import told_on_stderr
from offbook.ingestion.embedding import reembed as run_reembedding
from offbook.ingestion.lease import ingestion_lease
from offbook.ingestion.tally import tally

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.ingestion.reports import ProgressListener
    from offbook.types import Character, Usage


@dataclass(frozen=True, slots=True)
class ReembedReport:
    """What re-embedding did.

    ``vectors`` were made in this run, of chunks, mentions, entities and memories; ``quarantined``
    chunks are refused by the embedder.
    """

    character: str
    embedder: str
    vectors: int
    quarantined: int
    usage: Usage

    def as_json(self) -> dict[str, Any]:
        """The shape of ``reembed --json``."""
        return {**asdict(self), "usage": self.usage.as_json()}


async def reembed(book: Offbook, character: Character, progress: ProgressListener) -> ReembedReport:
    """Make the vectors of ``character`` anew.

    Raises:
        ModelError: the endpoint failed for good; the old vectors answer as before, and another
            run goes on where this one stopped.
    """
    store, limits = book.store, book.settings.values.limits
    embedder, batch = book.stage().embedder, book.settings.values.embed.batch
    async with ingestion_lease(store, character.id, told_on_stderr(character.name)):
        run = await run_reembedding(
            store, embedder, character.id, batch, limits.concurrency, progress
        )
        await tally(store, character.id, [], ())
    return ReembedReport(
        character.name, embedder.name, run.made, len(run.refused), book.meter.usage()
    )
