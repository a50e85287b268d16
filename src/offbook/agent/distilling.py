"""Turns are distilled into statements, behind the conversation: one call for several turns.

Takes: turns that are stored and embedded.  Gives: statements with the turns as evidence; a later
one supersedes earlier ones that it contradicts. Turns of an unusable answer stay as they are, and
are asked about again with the next ones. Source: ours; docs/memory.md, "What is distilled from
turns".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from offbook.agent.mood import time_of
from offbook.errors import AnswerError, InputRefused
from offbook.memory.turns import says_something
from offbook.models.beside import worked_out
from offbook.prompts.ask import ask
from offbook.prompts.distilling import DISTIL_TURNS, DistilTurnsInputs
from offbook.retrieval.memories import View, memory_index
from offbook.retrieval.memory_search import Meant, rank
from offbook.retrieval.point import known_points
from offbook.stores import conversations, jobs, memories, memory_statements
from offbook.text.tokens import truncate_to_tokens
from offbook.text.words import fold, search_terms
from offbook.types import MemoryFragment, Turn, traits_of

if TYPE_CHECKING:
    from offbook.prompts.distilling import Statement
    from offbook.runtime import Runtime
    from offbook.stores.connection import Connection
    from offbook.types import Character, Position

PER_CALL: Final = 4
"""Turns of one call; twice as many where an answer before could not be used."""
RESTED: Final = timedelta(minutes=10)
"""After so long a conversation rests: what is left of it is distilled."""
_KNOWN: Final = 12
"""Statements that are shown as known: those nearest to the turns."""
_TURN_TOKENS: Final = 600
_RESTATES: Final = 0.8
"""The share of its words in one piece of a reply's ground from which an own word restates that."""
_PIECE: Final = 4_000
"""Characters of a long text that count as a piece: a whole book has the words of any taste."""
_OF_MODELS: Final = re.compile(
    r"(?-i:(?<!['’])\bAI\b)"
    r"|\b(?:an ai|artificial intelligence|(?:large )?language model|chat ?bot|virtual assistant)\b"
    r"|人工智能|语言模型|語言模型",
    re.IGNORECASE,
)
"""The letters "ai" are a word of French, Italian and others: the capitals count."""


def distils(runtime: Runtime) -> bool:
    """Whether turns are distilled: a model is there to ask, and the method tells statements."""
    wanted = runtime.settings.memory.distil and runtime.needs.statements
    return wanted and not traits_of(runtime.extractor).free


async def distil(runtime: Runtime, character: Character, *, now: datetime | None = None) -> Outcome:
    """Distil some turns of the conversation that is most due, if any is: one call.

    Raises:
        ModelError: the endpoint failed for good; the turns wait.
        BudgetReached: likewise.
    """
    now = now or datetime.now(UTC)
    due = await runtime.store.read(_due, character.id, now)
    if due is None:
        return Outcome()
    batch = await runtime.store.read(_read, character.id, due)
    known = await _known(runtime, character, batch)
    inputs = DistilTurnsInputs(
        character.name,
        tuple(_shown(one, batch.recalls) for one in batch.turns),
        tuple(one.said or one.answered for one in known),
        tuple((one.at or "")[:10] for one in batch.turns),
    )
    try:
        answer = await ask(
            runtime.extractor,
            DISTIL_TURNS,
            inputs,
            documents=batch.documents,
            retries=runtime.settings.answers.retries,
        )
    except (AnswerError, InputRefused) as error:
        await runtime.store.write(_put_aside, character.id, due.session, error.message)
        return Outcome(why=error.message)
    statements = [one for one in answer.statements if _is_new(one, batch)]
    made = await runtime.store.write(
        lambda conn: _keep(conn, character.id, batch, known, statements)
    )
    return Outcome(made)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Ids of the statements that are new; ``why`` the turns of a call stay undistilled."""

    made: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Due:
    session: str
    turns: int


@dataclass(frozen=True, slots=True)
class _Batch:
    """The memories of some turns, what each reply rested on, and all documents of these.

    ``until`` is the first point in the story at which one of them was held, if any was.
    """

    turns: Sequence[MemoryFragment]
    recalls: Mapping[str, Mapping[str, Any]]
    documents: frozenset[str]
    until: Position | None = None


def _due(conn: Connection, character: str, now: datetime) -> _Due | None:
    """The conversation with most turns that wait, else one that rests."""
    waiting = memory_statements.undistilled(conn, character)
    noted = jobs.list_jobs(conn, character, kind=jobs.DISTIL) if waiting else []
    failed = {job.subject: job.attempts for job in noted}
    rested: _Due | None = None
    for talk in sorted(waiting, key=lambda talk: -talk.turns):
        attempts = failed.get(talk.session, 0)
        due = _Due(talk.session, PER_CALL if not attempts else 2 * PER_CALL)
        if talk.turns >= PER_CALL * (attempts + 1):
            return due
        last = time_of(talk.last)
        if not attempts and (last is None or now - last >= RESTED):
            rested = due
    return rested


def _read(conn: Connection, character: str, due: _Due) -> _Batch:
    turns = memory_statements.undistilled_turns(
        conn, character, due.session, due.turns, last=due.turns > PER_CALL
    )
    ids = [one.turn for one in turns if one.turn is not None]
    documents = conversations.documents_of_turns(conn, character, due.session, ids)
    recalls = conversations.recalls(conn, character, due.session, ids)
    places = {place for recall in recalls.values() if (place := recall.get("as_of"))}
    points = [point for point in known_points(conn, character, places).values() if point]
    return _Batch(
        turns,
        recalls,
        frozenset(f"{character}/{document}" for document in documents),
        min(points, default=None),
    )


def _shown(turn: MemoryFragment, recalls: Mapping[str, Mapping[str, Any]]) -> Turn:
    answered = turn.answered if says_something(recalls.get(turn.turn or "")) else ""
    return Turn(
        truncate_to_tokens(turn.said, _TURN_TOKENS),
        truncate_to_tokens(answered, _TURN_TOKENS),
        turn.speaker,
    )


async def _known(runtime: Runtime, character: Character, batch: _Batch) -> list[MemoryFragment]:
    """The statements nearest to these turns, which they may repeat or contradict.

    Of turns that were held at points in the story those that were told by the first of these.
    """
    revision = 0 if batch.until is None else character.revision
    view = View(character.id, batch.turns[0].principal, batch.until, revision)
    index = await memory_index(runtime.store, view)
    best: dict[str, float] = {}
    for turn in batch.turns:
        row = index.rows.get(turn.id)
        if row is None:
            continue
        meant = Meant(turn.said, index.matrix[row], None)
        for one in await worked_out(rank, index, meant, _KNOWN, statements=True):
            best[one.id] = max(best.get(one.id, -1.0), one.relevance)
    nearest = sorted(best, key=lambda name: -best[name])[:_KNOWN]
    nearby: list[MemoryFragment] = await runtime.store.read(memories.get, character.id, nearest)
    return nearby


def _is_new(statement: Statement, batch: _Batch) -> bool:
    """Whether an own word says more than any piece that its replies rested on; others always do.

    It needs a reply that was shown, and what a model says of itself is nobody's word.
    """
    if statement.kind != "own_word":
        return True
    recalls = [batch.recalls.get(batch.turns[number - 1].turn or "") for number in statement.turns]
    if not any(map(says_something, recalls)) or _OF_MODELS.search(statement.text):
        return False
    terms = set(search_terms(statement.text))
    least = max(2.0, _RESTATES * len(terms))  # one word alone says nothing of a taste for it
    texts = [item["text"] for recall in recalls for item in (recall or {}).get("context", ())]
    pieces = {text[n : n + _PIECE] for text in texts for n in range(0, len(text), _PIECE // 2)}
    return all(len(terms.intersection(search_terms(piece))) < least for piece in pieces)


def _keep(
    conn: Connection,
    character: str,
    batch: _Batch,
    known: Sequence[MemoryFragment],
    statements: Sequence[Statement],
) -> tuple[str, ...]:
    """Store statements; nothing where a turn was forgotten or distilled meanwhile."""
    turns = memories.get(conn, character, [one.id for one in batch.turns])
    if len(turns) < len(batch.turns) or any(one.retired is not None for one in turns):
        return ()
    existing = {one.id for one in memories.get(conn, character, [one.id for one in known])
            if one.retired is None}  # fmt: skip
    texts = {(not one.said, fold(one.said or one.answered)): one.id
             for one in known if one.id in existing}  # fmt: skip
    made: list[str] = []
    for one in statements:
        sources = [turns[number - 1] for number in sorted(set(one.turns))]
        places = [(turn.session or "", turn.turn or "") for turn in sources]
        # What the other says and the character's own word neither repeat nor end each other.
        is_own_word = one.kind == "own_word"
        notes = {
            number: note.id
            for number, note in enumerate(known, 1)
            if note.id in existing and (note.kind == "own_word") == is_own_word
        }
        same = texts.get((is_own_word, fold(one.text))) or notes.get(one.same_as or 0)
        if same is None:
            new = _fragment(one, sources[-1])
            memories.add(conn, character, [new])
            texts[is_own_word, fold(one.text)] = same = new.id
            made.append(new.id)
        memory_statements.add_evidence(conn, character, same, places)
        replaced = {notes[number] for number in one.replaces if number in notes} - {same}
        memories.retire(conn, character, sorted(replaced), superseded_by=same)
        existing -= replaced
    memories.retire(conn, character, [one.id for one in turns])
    jobs.enqueue(conn, character, jobs.REMEMBER, made)
    jobs.remove_one(conn, character, jobs.DISTIL, batch.turns[0].session or "")
    return tuple(made)


def _fragment(statement: Statement, turn: MemoryFragment) -> MemoryFragment:
    """A statement as a memory: as old as the last turn that it was told in, and felt as that."""
    is_own_word = statement.kind == "own_word"
    said, answered = ("", statement.text) if is_own_word else (statement.text, "")
    return MemoryFragment(
        memories.memory_id(said, answered, principal=f"{turn.principal}/{turn.turn}"),
        said,
        answered,
        turn.emotion,
        turn.at,
        turn.session,
        turn.turn,
        turn.principal,
        statement.kind,
    )


def _put_aside(conn: Connection, character: str, session: str, why: str) -> None:
    jobs.enqueue(conn, character, jobs.DISTIL, [session])
    jobs.start(conn, character, jobs.DISTIL, [session])
    jobs.quarantine(conn, character, jobs.DISTIL, [session], why)
