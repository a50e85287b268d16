"""Evaluations as they are kept: runs, cells as they finish, ratings as they are given.

Pages are of ascending keys, so that a run of any size is read without holding it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Select,
    Table,
    and_,
    delete,
    exists,
    func,
    select,
    true,
    tuple_,
    update,
)

from offbook.errors import UnknownName
from offbook.stores.characters import nearest
from offbook.stores.leases import FREE, Owner, held_by, holder
from offbook.stores.schema import cells, documents, memory_fragments, ratings, runs
from offbook.stores.statements import (
    add_missing,
    batches,
    columns_of,
    mark_unpurged,
    of,
    read_as,
    row_of,
    to_json,
)
from offbook.stores.text_versions import forgotten, memory_name

PAGE: Final = 200
"""Cells in one page: each holds what its reply rested on, some 10 KB."""

CELL_KEY: Final = ("subject", "question", "variant", "repeat")
RATING_KEY: Final = ("subject", "variant", "repeat", "metric", "unit", "judge", "sample")

FORGOTTEN: Final = "forgotten"

Row = Mapping[str, Any]
Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as it is stored; ``format`` says how its record is written.

    ``judges`` is every judge that was asked, by name, with where it answered.
    """

    id: str
    benchmark: str
    created: str
    status: str
    format: int
    record: Mapping[str, Any]
    judges: Mapping[str, str]
    usage: Mapping[str, Any]


# -- runs --------------------------------------------------------------------------------------


UNJUDGED = "cannot be judged"
"""How the reason of a rating begins where the judge said that nothing can be said."""


def free_id(conn: Connection, benchmark: str) -> str:
    """An id that no run has: ``benchmark-1``, ``benchmark-2`` ..."""
    c = runs.c
    taken = conn.scalars(select(c.id).where(c.benchmark == benchmark)).all()
    numbers = [int(tail) for name in taken if (tail := name.rpartition("-")[2]).isdigit()]
    number = max(numbers, default=0) + 1
    while conn.execute(select(c.id).where(c.id == f"{benchmark}-{number}")).first() is not None:
        number += 1
    return f"{benchmark}-{number}"


def add_run(conn: Connection, run: StoredRun) -> None:
    """Store a new run."""
    conn.execute(runs.insert(), row_of(run))


def require_run(conn: Connection, run: str) -> StoredRun:
    """Return the run of this id.

    Raises:
        UnknownName: there is none; the hint names the nearest.
    """
    stored = _runs(conn, runs.c.id == run)
    if not stored:
        known = list(conn.scalars(select(runs.c.id).order_by(runs.c.created.desc())))
        otherwise = "`offbook eval list` shows the runs" if known else "begin one: offbook eval run"
        raise UnknownName(f"there is no run {run!r}", nearest(run, known, otherwise))
    return stored[0]


def list_runs(conn: Connection, benchmark: str | None = None) -> list[StoredRun]:
    """The runs, or those of a benchmark, newest first."""
    return _runs(conn, true() if benchmark is None else runs.c.benchmark == benchmark)


def change_run(conn: Connection, run: str, **values: Any) -> None:
    """Set columns of a run: ``status``, ``record``, ``judges``, ``usage``."""
    conn.execute(update(runs).where(runs.c.id == run).values(**values))


def remove_run(conn: Connection, run: str) -> bool:
    """Delete a run with its cells and ratings; the caller purges the store afterwards."""
    mark_unpurged(conn)
    return bool(conn.execute(delete(runs).where(runs.c.id == run)).rowcount)


def _runs(conn: Connection, *conditions: Any) -> list[StoredRun]:
    chosen = select(*columns_of(StoredRun, runs)).where(*conditions)
    return read_as(conn, StoredRun, chosen.order_by(runs.c.created.desc(), runs.c.id.desc()))


# -- who works on it ---------------------------------------------------------------------------


def claim(conn: Connection, run: str, owner: Owner) -> Owner | None:
    """Claim a run to work on.

    Returns:
        Who works on it already; None: nobody does, and it is claimed.
    """
    other = holder(conn, runs, runs.c.id == run, owner)
    if other is None:
        change_run(conn, run, **held_by(owner))
    return other


def heartbeat(conn: Connection, run: str, owner: Owner, usage: Row) -> None:
    """Give a sign of life of who works on a run, with what it has cost so far."""
    held = and_(runs.c.id == run, runs.c.owner == owner.id)
    conn.execute(update(runs).where(held).values(heartbeat=time.time(), usage=dict(usage)))


def release(conn: Connection, run: str, owner: Owner) -> None:
    """Give a run back; one that another has taken over is left alone."""
    held = and_(runs.c.id == run, runs.c.owner == owner.id)
    conn.execute(update(runs).where(held).values(**FREE))


# -- cells and ratings -------------------------------------------------------------------------


def add_cells(conn: Connection, rows: Sequence[Row]) -> list[Row]:
    """Store finished cells, without what was forgotten while they were being answered.

    A reply may say over again what it rested on: one that came too late is not kept, and counts as
    failed. A cell that is there already stays as it is.

    Returns:
        The rows as they are to be stored.
    """
    supported = [_still_supported(conn, row) for row in rows]
    add_missing(conn, cells, supported)
    return supported


def add_ratings(conn: Connection, rows: Sequence[Row]) -> None:
    """Store ratings; what a judge wrote of a text that is forgotten meanwhile is left out.

    One that is there already stays, and with it what a person said of it.
    """
    supported = [{**row, **unquoted(row)} if _gone(conn, row) else dict(row) for row in rows]
    add_missing(conn, ratings, supported)


def unquoted(row: Row) -> dict[str, Any]:
    """Return what is left of a judge's words, and of an answer that could not be used: its kind."""
    return {"analysis": "", "missing": row["missing"] and row["missing"].partition(":")[0]}


def _still_supported(conn: Connection, row: Row) -> Row:
    gone = _gone(conn, row)
    if not gone:
        return dict(row)

    def is_gone(item: Row) -> bool:
        held = {source["document"] for source in item["sources"]}
        if item["memory"] is not None:
            held.add(memory_name(item["memory"]))
        return not held or not gone.isdisjoint(held)

    context = [item for item in row["context"] if not is_gone(item)]
    lost = len(row["context"]) - len(context)
    return {**row, "context": context, "forgotten": lost, "reply": None, "error": FORGOTTEN}


def _gone(conn: Connection, row: Row) -> set[str]:
    return forgotten(conn, row["character_id"], row["documents"])


def cell_keys(conn: Connection, run: str) -> list[Key]:
    """The keys of the stored cells, in the order of the keys."""
    return _keys(conn, cells, CELL_KEY, cells.c.run_id == run)


def rating_keys(conn: Connection, run: str, judge: str) -> list[Key]:
    """The keys of the stored ratings of a judge, missing ones among them."""
    return _keys(conn, ratings, RATING_KEY, ratings.c.run_id == run, ratings.c.judge == judge)


def cells_at(conn: Connection, run: str, keys: Sequence[Key]) -> list[Row]:
    """The cells of these keys that are stored, in the order of the keys."""
    places = tuple_(*(cells.c[name] for name in CELL_KEY))
    by_key: dict[Key, Row] = {}
    for piece in batches(keys, PAGE):
        chosen = select(cells).where(cells.c.run_id == run, places.in_(piece))
        for row in conn.execute(chosen).mappings():
            by_key[tuple(row[name] for name in CELL_KEY)] = dict(row)
    return [by_key[key] for key in keys if key in by_key]


def cells_after(conn: Connection, run: str, key: Key | None, size: int = PAGE) -> list[Row]:
    """The next page of cells behind a key; None: the first."""
    return _page(conn, cells, CELL_KEY, select(cells).where(cells.c.run_id == run), key, size)


def ratings_after(
    conn: Connection, run: str, judge: str | None, key: Key | None, size: int = 5 * PAGE
) -> list[Row]:
    """The next page of ratings, of one judge or of all."""
    chosen = select(ratings).where(ratings.c.run_id == run)
    if judge is not None:
        chosen = chosen.where(ratings.c.judge == judge)
    return _page(conn, ratings, RATING_KEY, chosen, key, size)


def ratings_at(conn: Connection, run: str, judge: str, places: Sequence[Key]) -> list[Row]:
    """The ratings of a judge at these places: ``(subject, variant, repeat, unit)``."""
    c = ratings.c
    place = tuple_(c.subject, c.variant, c.repeat, c.unit)
    rows: list[Row] = []
    for piece in batches(places, PAGE):
        chosen = select(ratings).where(c.run_id == run, c.judge == judge, place.in_(piece))
        ordered = chosen.order_by(*(c[name] for name in RATING_KEY))
        rows += [dict(row) for row in conn.execute(ordered).mappings()]
    return rows


def count_cells(conn: Connection, run: str) -> tuple[int, int]:
    """How many cells are stored, and how many of them failed."""
    counted = select(func.count(), func.count(cells.c.error)).where(cells.c.run_id == run)
    total, failed = conn.execute(counted).one()
    return total, failed


def count_ratings(conn: Connection, run: str) -> dict[str, tuple[int, int, int]]:
    """Of each judge: how many ratings, how many of them are missing, how many overruled."""
    c = ratings.c
    missing = func.count(c.missing).filter(~c.missing.startswith(UNJUDGED))
    counted = (
        select(c.judge, func.count(), missing, func.count(c.person))
        .where(c.run_id == run)
        .group_by(c.judge)
        .order_by(c.judge)
    )
    return {row[0]: (row[1], row[2], row[3]) for row in conn.execute(counted)}


def overrule(
    conn: Connection, run: str, key: Key, *, value: float | None, name: str, note: str
) -> bool:
    """Put a person's value beside the judge's; None takes it back. Whether there is such a one."""
    match = [ratings.c[column] == part for column, part in zip(RATING_KEY, key, strict=True)]
    values = {"person": value, "person_name": name, "person_note": note}
    changed = conn.execute(update(ratings).where(ratings.c.run_id == run, *match).values(**values))
    return bool(changed.rowcount)


def remove_failed(conn: Connection, run: str) -> int:
    """Delete the cells that failed, so that they are asked again; how many there were.

    A rating of a whole interview was given without their answers, and goes with them.
    """
    c, r = cells.c, ratings.c
    failed = and_(c.run_id == run, c.error.is_not(None))
    beside = and_(c.subject == r.subject, c.variant == r.variant, c.repeat == r.repeat)
    of_one = exists().where(c.run_id == run, beside, c.question == r.unit)
    stale = and_(r.run_id == run, exists().where(failed, beside), ~of_one, r.person.is_(None))
    conn.execute(delete(ratings).where(stale))
    return conn.execute(delete(cells).where(failed)).rowcount


def remove_missing(conn: Connection, run: str, judge: str) -> int:
    """Delete missing ratings that no person filled in, so that they are asked for again."""
    c = ratings.c
    wanting = and_(c.missing.is_not(None), ~c.missing.startswith(UNJUDGED), c.person.is_(None))
    missing = and_(c.run_id == run, c.judge == judge, wanting)
    return conn.execute(delete(ratings).where(missing)).rowcount


def knowledge_digest(conn: Connection, character: str) -> str:
    """SHA-256 of what a character knows: its documents in their order, and authored memories."""
    digest = hashlib.sha256()
    c, m = documents.c, memory_fragments.c
    named = select(c.name, c.digest).where(of(documents, character)).order_by(c.ordinal, c.id)
    authored = select(m.id).where(of(memory_fragments, character, principal_id=None))
    authored = authored.order_by(m.ordinal, m.id)
    for row in (*conn.execute(named), *conn.execute(authored)):
        digest.update(to_json(list(row)).encode())
    return digest.hexdigest()


def _keys(conn: Connection, table: Table, key: Sequence[str], *conditions: Any) -> list[Key]:
    columns = [table.c[name] for name in key]
    chosen = select(*columns).where(*conditions).order_by(*columns)
    return [tuple(row) for row in conn.execute(chosen)]


def _page(
    conn: Connection,
    table: Table,
    key: Sequence[str],
    chosen: Select[Any],
    after: Key | None,
    size: int,
) -> list[Row]:
    columns = [table.c[name] for name in key]
    if after is not None:
        chosen = chosen.where(tuple_(*columns) > tuple_(*after))
    rows = conn.execute(chosen.order_by(*columns).limit(size)).mappings()
    return [dict(row) for row in rows]
