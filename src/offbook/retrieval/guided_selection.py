"""Guided selection: the passages from which something of the character can be inferred.

Takes: passages by similarity to the question, best first, and a judge, or the judgements that were
stored at ingestion.  Gives: the first M that are judged to reveal something, in rank order; where
none does, the M + 1 most similar.
Paper: AMADEUS (003), section 4.2 and Algorithm 1. The judgements do not depend on one another: they
are asked for in windows side by side, and the outcome is that of one after the other. An answer
that cannot be used is no verdict: it is told apart from a no. Ours: where what chunks reveal is
stored, a look-up takes the place of the calls (docs/amadeus.md, "Live, indexed, off").
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from offbook.errors import AnswerError, IndexMissing, InputRefused
from offbook.models.batching import run_all
from offbook.models.failures import why_without
from offbook.prompts.ask import RETRIES, ask
from offbook.prompts.traits import REVEALS_TRAIT, PassageInputs
from offbook.retrieval.facets import BEARS, asks_for_facets, bearing
from offbook.stores import chunks, jobs

if TYPE_CHECKING:
    from offbook.names.story import Reach
    from offbook.protocols import ChatModel
    from offbook.stores.chunks import ChunkJudgement
    from offbook.stores.connection import Connection
    from offbook.types import Character, Passage


def check_traits(conn: Connection, character: Character, chunking: str) -> None:
    """Refuse to select where chunks would be passed over in silence.

    Chunks that no answer could be got for are not missed: that was reported.

    Raises:
        IndexMissing: some chunks were not judged yet.
    """
    missing = set(chunks.unjudged(conn, character.id, chunking))
    if missing:
        aside = jobs.list_jobs(conn, character.id, kind=jobs.TRAITS, statuses={"quarantined"})
        missing -= {job.subject for job in aside}
    if missing:
        total = chunks.count(conn, character.id, chunking)
        raise IndexMissing(
            f"what {len(missing)} of {total} chunks of {character.name!r} reveal is not judged yet",
            f"build it: offbook ingest {character.id} --method amadeus --set amadeus.gs=indexed",
        )


def judgements_of(
    conn: Connection, character: str, passages: Sequence[Passage], reach: Reach | None
) -> dict[str, ChunkJudgement]:
    """Chunk id -> its judgement; of a chunk of which a part is known there is none.

    What it reveals was read from the whole of it.
    """
    ids = [passage.chunk.id for passage in passages]
    judgements = chunks.get_judgements(conn, character, ids)
    if reach is not None:
        whole = {chunk.id: chunk for chunk in chunks.get_chunks(conn, character, ids)}
        for passage in passages:
            if whole.get(passage.chunk.id) != passage.chunk:
                judgements.pop(passage.chunk.id, None)
    return judgements


def verdicts_for(
    question: str, passages: Sequence[Passage], judgements: Mapping[str, ChunkJudgement]
) -> list[bool | None]:
    """Whether each passage reveals something that bears on a question, by what was stored of it.

    Where it cannot be told what a question asks for (which it can in English only), whatever is
    revealed bears on it, and the nearest passages that reveal something are selected.

    Args:
        question: What is asked.
        passages: By similarity, best first.
        judgements: By chunk.

    Returns:
        One for each passage; None where nothing was stored.
    """
    stored = [judgements.get(passage.chunk.id) for passage in passages]
    if not asks_for_facets(question):
        return [None if judgement is None else judgement.reveals for judgement in stored]
    texts: list[str] = []
    owners: list[int] = []
    for place, judgement in enumerate(stored):
        attributes = judgement.attributes if judgement is not None and judgement.reveals else ()
        texts += [attribute.text for attribute in attributes]
        owners += [place] * len(attributes)
    much = bearing(question, texts)
    bears = {owner for owner, share in zip(owners, much, strict=True) if share >= BEARS}
    return [
        None if judgement is None else judgement.reveals and place in bears
        for place, judgement in enumerate(stored)
    ]


T = TypeVar("T")

Judge = Callable[[T], Awaitable[bool]]
"""Whether something can be inferred from a passage; raises where no verdict could be got."""


@dataclass(frozen=True, slots=True)
class Selection(Generic[T]):
    """What was selected for one question.

    Args:
        chosen: The passages in rank order; where the slot stayed empty, the most similar ones.
        is_fallback: Whether the slot stayed empty.
        looked_at: How many passages the sequential algorithm looks at (t of Algorithm 1).
        unjudged: Passages without a verdict among those that were looked at, and why.
    """

    chosen: tuple[T, ...]
    is_fallback: bool
    looked_at: int
    unjudged: tuple[tuple[T, str], ...] = ()

    @property
    def found_nothing(self) -> bool | None:
        """Whether no passage was found to reveal anything; None where not one could be judged."""
        return None if self.looked_at == len(self.unjudged) else self.is_fallback


async def select_live(
    ranked: Sequence[T], judge: Judge[T], *, n: int, m: int, window: int
) -> Selection[T]:
    """Select by asking about each passage, ``window`` of them side by side.

    As soon as the slot is full, no further call goes out; those that are out are waited for.

    Raises:
        ModelError: the endpoint failed for good.
        BudgetReached: the next call would go over the budget.
    """
    looking = _Looking(ranked[:n], judge, m)
    for start in range(0, len(looking.passages), window):
        if looking.is_decided:
            break
        await looking.ask(start, min(start + window, len(looking.passages)))
    reasons = {place: why for place, why in looking.verdicts.items() if isinstance(why, str)}
    verdicts = {place: verdict is True for place, verdict in looking.verdicts.items()}
    return _selection(ranked, verdicts, reasons, n, m)


def select_stored(
    ranked: Sequence[T],
    verdicts: Sequence[bool | None],
    *,
    n: int,
    m: int,
) -> Selection[T]:
    """Select by verdicts that are known; no call is made."""
    known = {place: verdict is True for place, verdict in enumerate(verdicts[:n])}
    reasons = {
        place: "no judgement of it is stored"
        for place, verdict in enumerate(verdicts[:n])
        if verdict is None
    }
    return _selection(ranked, known, reasons, n, m)


def trait_judge(
    model: ChatModel, character: Character, question: str, retries: int = RETRIES
) -> Judge[Passage]:
    """Make a judge that asks a model whether a passage reveals something for ``question``."""

    async def judge(passage: Passage) -> bool:
        chunk = passage.chunk
        inputs = PassageInputs(character.name, chunk.heading_path, chunk.text, question)
        documents = frozenset({f"{character.id}/{chunk.document}"})
        answer = await ask(model, REVEALS_TRAIT, inputs, documents=documents, retries=retries)
        return answer.reveals

    return judge


class _DecidedError(Exception):
    """The slot is full: nothing more has to be asked."""


@dataclass(slots=True)
class _Looking(Generic[T]):
    """The verdicts so far: yes, no, or why there is none."""

    passages: Sequence[T]
    judge: Judge[T]
    m: int
    verdicts: dict[int, bool | str] = field(default_factory=dict)

    @property
    def is_decided(self) -> bool:
        """Whether M passages say yes, and all before the last of them have been looked at."""
        yes = 0
        for place in range(len(self.passages)):
            if place not in self.verdicts:
                return False
            yes += self.verdicts[place] is True
            if yes == self.m:
                return True
        return True

    async def ask(self, start: int, stop: int) -> None:
        """Look at the passages of a window."""
        try:
            await run_all([partial(self._look, place) for place in range(start, stop)])
        except _DecidedError:
            # `run_all` has let the calls that were out come home, and sent no others.
            return

    async def _look(self, place: int) -> None:
        try:
            self.verdicts[place] = await self.judge(self.passages[place])
        except (AnswerError, InputRefused) as error:
            self.verdicts[place] = why_without(error)
        if self.is_decided:
            raise _DecidedError


def _selection(
    ranked: Sequence[T],
    verdicts: Mapping[int, bool],
    reasons: Mapping[int, str],
    n: int,
    m: int,
) -> Selection[T]:
    """The outcome of Algorithm 1 for these verdicts, by place in the ranking."""
    most = min(n, len(ranked))
    chosen: list[T] = []
    looked_at = 0
    while looked_at < most and len(chosen) < m:
        if verdicts[looked_at]:
            chosen.append(ranked[looked_at])
        looked_at += 1
    unjudged = tuple(
        (ranked[place], reasons[place]) for place in range(looked_at) if place in reasons
    )
    return Selection(
        chosen=tuple(chosen or ranked[: m + 1]),
        is_fallback=not chosen,
        looked_at=looked_at,
        unjudged=unjudged,
    )
