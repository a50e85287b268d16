"""Evaluations as they are kept: runs, cells as they finish, ratings as they are given.

Takes: rows whose keys are the columns of ``stores.evaluation_tables``.  Gives: them back, in pages
of ascending keys, so that a run of any size is read without holding it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, Table, and_, delete, func, select, tuple_, update

from offbook.errors import UnknownName
from offbook.stores.characters import nearest
from offbook.stores.evaluation_tables import cells, ratings, runs
from offbook.stores.leases import STALE_SECONDS, Owner, is_running
from offbook.stores.schema import documents, memory_fragments
from offbook.stores.statements import batches, insert_missing, mark_unpurged, to_json

PAGE: Final = 200
"""Cells in one page: each holds what its reply rested on, some 10 KB."""

CELL_KEY: Final = ("subject", "question", "variant", "repeat")
RATING_KEY: Final = ("subject", "variant", "repeat", "metric", "unit", "judge", "sample")

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
    row = {name: getattr(run, name) for name in StoredRun.__slots__}
    conn.execute(runs.insert(), row)


def get_run(conn: Connection, run: str) -> StoredRun | None:
    """The run of this id."""
    found = _runs(conn, runs.c.id == run)
    return found[0] if found else None


def require_run(conn: Connection, run: str) -> StoredRun:
    """The run of this id.

    Raises:
        UnknownName: there is none; the hint names the nearest.
    """
    found = get_run(conn, run)
    if found is None:
        known = list(conn.scalars(select(runs.c.id).order_by(runs.c.created.desc())))
        otherwise = "`offbook eval list` shows the runs" if known else "begin one: offbook eval run"
        raise UnknownName(f"there is no run {run!r}", nearest(run, known, otherwise))
    return found


def list_runs(conn: Connection, benchmark: str | None = None) -> list[StoredRun]:
    """The runs, or those of a benchmark, newest first."""
    return _runs(conn, *([] if benchmark is None else [runs.c.benchmark == benchmark]))


def change_run(conn: Connection, run: str, **values: Any) -> None:
    """Set columns of a run: ``status``, ``record``, ``judges``, ``usage``."""
    conn.execute(update(runs).where(runs.c.id == run).values(**values))


def remove_run(conn: Connection, run: str) -> bool:
    """Delete a run with its cells and ratings; the caller purges the store afterwards."""
    mark_unpurged(conn)
    return bool(conn.execute(delete(runs).where(runs.c.id == run)).rowcount)


def _runs(conn: Connection, *conditions: Any) -> list[StoredRun]:
    columns = [runs.c[name] for name in StoredRun.__slots__]
    chosen = select(*columns).where(*conditions).order_by(runs.c.created.desc(), runs.c.id.desc())
    return [StoredRun(*row) for row in conn.execute(chosen)]


# -- who works on it ---------------------------------------------------------------------------


def take(conn: Connection, run: str, owner: Owner, now: float) -> Owner | None:
    """Take a run to work on.

    Returns:
        Who works on it already; None: nobody does, and it is taken.
    """
    c = runs.c
    row = conn.execute(select(c.owner, c.host, c.pid, c.heartbeat).where(c.id == run)).one_or_none()
    if row is not None and row.owner not in (None, owner.id):
        stale = now - (row.heartbeat or 0.0) > STALE_SECONDS
        gone = row.host == owner.host and not is_running(row.pid)
        if not (stale or gone):
            return Owner(row.owner, row.host, row.pid)
    held = {"owner": owner.id, "host": owner.host, "pid": owner.pid, "heartbeat": now}
    conn.execute(update(runs).where(c.id == run).values(**held))
    return None


def give_sign(conn: Connection, run: str, owner: Owner, now: float, usage: Row) -> None:
    """A sign of life of who works on a run, and what it has cost so far."""
    chosen = and_(runs.c.id == run, runs.c.owner == owner.id)
    conn.execute(update(runs).where(chosen).values(heartbeat=now, usage=dict(usage)))


def leave(conn: Connection, run: str, owner: Owner) -> None:
    """Give a run back; one that another has taken over is left alone."""
    none = {"owner": None, "host": None, "pid": None, "heartbeat": None}
    chosen = and_(runs.c.id == run, runs.c.owner == owner.id)
    conn.execute(update(runs).where(chosen).values(**none))


# -- cells and ratings -------------------------------------------------------------------------


def add_cells(conn: Connection, rows: Sequence[Row]) -> None:
    """Store finished cells; one that is there already stays as it is."""
    conn.execute(insert_missing(conn, cells), [dict(row) for row in rows])


def add_ratings(conn: Connection, rows: Sequence[Row]) -> None:
    """Store ratings; one that is there already stays, and with it what a person said of it."""
    conn.execute(insert_missing(conn, ratings), [dict(row) for row in rows])


def cell_keys(conn: Connection, run: str) -> list[Key]:
    """The keys of the stored cells, in the order of the keys."""
    return _keys(conn, cells, CELL_KEY, cells.c.run_id == run)


def rating_keys(conn: Connection, run: str, judge: str) -> list[Key]:
    """The keys of the stored ratings of a judge, missing ones among them."""
    return _keys(conn, ratings, RATING_KEY, ratings.c.run_id == run, ratings.c.judge == judge)


def cells_at(conn: Connection, run: str, keys: Sequence[Key]) -> list[Row]:
    """The cells of these keys that are stored, in the order of the keys."""
    places = tuple_(*(cells.c[name] for name in CELL_KEY))
    found: dict[Key, Row] = {}
    for piece in batches(keys, PAGE):
        chosen = select(cells).where(cells.c.run_id == run, places.in_(piece))
        for row in conn.execute(chosen).mappings():
            found[tuple(row[name] for name in CELL_KEY)] = dict(row)
    return [found[key] for key in keys if key in found]


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
    at = tuple_(c.subject, c.variant, c.repeat, c.unit)
    found: list[Row] = []
    for piece in batches(places, PAGE):
        chosen = select(ratings).where(c.run_id == run, c.judge == judge, at.in_(piece))
        ordered = chosen.order_by(*(c[name] for name in RATING_KEY))
        found += [dict(row) for row in conn.execute(ordered).mappings()]
    return found


def count_cells(conn: Connection, run: str) -> tuple[int, int]:
    """How many cells are stored, and how many of them failed."""
    counted = select(func.count(), func.count(cells.c.error)).where(cells.c.run_id == run)
    total, failed = conn.execute(counted).one()
    return total, failed


def count_ratings(conn: Connection, run: str) -> dict[str, tuple[int, int, int]]:
    """Of each judge: how many ratings, how many of them are missing, how many overruled."""
    c = ratings.c
    counted = (
        select(c.judge, func.count(), func.count(c.missing), func.count(c.person))
        .where(c.run_id == run)
        .group_by(c.judge)
        .order_by(c.judge)
    )
    return {row[0]: (row[1], row[2], row[3]) for row in conn.execute(counted)}


def overrule(
    conn: Connection, run: str, key: Key, *, value: float | None, name: str, note: str
) -> bool:
    """Put a person's value beside the judge's; None takes it back. Whether there is such a one."""
    here = [ratings.c[column] == part for column, part in zip(RATING_KEY, key, strict=True)]
    said = {"person": value, "person_name": name, "person_note": note}
    changed = conn.execute(update(ratings).where(ratings.c.run_id == run, *here).values(**said))
    return bool(changed.rowcount)


def remove_failed(conn: Connection, run: str) -> int:
    """Delete the cells that failed, so that they are asked again; how many there were."""
    failed = and_(cells.c.run_id == run, cells.c.error.is_not(None))
    return conn.execute(delete(cells).where(failed)).rowcount


def remove_missing(conn: Connection, run: str, judge: str) -> int:
    """Delete missing ratings that no person filled in, so that they are asked for again."""
    c = ratings.c
    missing = and_(c.run_id == run, c.judge == judge, c.missing.is_not(None), c.person.is_(None))
    return conn.execute(delete(ratings).where(missing)).rowcount


def knowledge_digest(conn: Connection, character: str) -> str:
    """SHA-256 of what a character knows: its documents in their order, and authored memories."""
    digest = hashlib.sha256()
    c = documents.c
    told = select(c.name, c.digest).where(c.character_id == character).order_by(c.ordinal, c.id)
    m = memory_fragments.c
    authored = (
        select(m.id)
        .where(m.character_id == character, m.principal_id.is_(None))
        .order_by(m.ordinal, m.id)
    )
    for row in (*conn.execute(told), *conn.execute(authored)):
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
