"""A persona document with people under several names, and what of its graph is stored.

Takes: a number of sections.  Gives: a text; the rows of the graph without accidents of a run.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

CAST = ("Ana Bell", "Ana", "Bo Carter", "Carter", "Cora Dunn", "Dunn", "Ebbe Frost", "Ebbe")
PLACES = ("Port Vale", "Grey Harbour", "North Light")
TABLES = {
    "raw entities": "SELECT chunk_id, ordinal, id, name, type, description, start"
    " FROM raw_entities ORDER BY chunk_id, ordinal",
    "relations": "SELECT chunk_id, ordinal, id, source, target, description, strength"
    " FROM relations ORDER BY chunk_id, ordinal",
    "groups": "SELECT id, name, type, description FROM entity_groups ORDER BY id",
    "members": "SELECT group_id, raw_entity_id FROM entity_members ORDER BY 1, 2",
    "decisions": 'SELECT id, a, b, same, "by", reason, evidence FROM decisions ORDER BY id',
    "answers": "SELECT kind, key, answer, chunks FROM graph_answers ORDER BY kind, key",
    "summaries": "SELECT id, level, text, members FROM summaries ORDER BY id",
    "trees": "SELECT built_from FROM summary_trees",
    "profile": "SELECT id, profile FROM characters ORDER BY id",
    "open": "SELECT kind, subject, status FROM jobs WHERE status != 'done' ORDER BY 1, 2",
}


def chronicle(count: int) -> str:
    """A document of so many sections; each makes a chunk of its own and names four of the cast."""
    parts = ["# The keeper of North Light"]
    for number in range(count):
        a, b, c, d = (CAST[(number * 3 + step * 5) % len(CAST)] for step in range(4))
        place = PLACES[number % len(PLACES)]
        parts.append(
            f"## Year {number}\n\n{a} met {b} at {place} in the spring of year {number}. "
            f"{c} told {d} of storm number {number * 7}. {a} alone believed it."
        )
    return "\n\n".join(parts) + "\n"


def graph_rows(database: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What is stored of graphs in a database."""
    connection = sqlite3.connect(database)
    try:
        return {name: connection.execute(query).fetchall() for name, query in TABLES.items()}
    finally:
        connection.close()


def names_and_ties(rows: dict[str, list[tuple[Any, ...]]]) -> tuple[Any, ...]:
    """Entities and relations by what they say, whatever their ids."""
    homes = dict(rows["members"])
    names = {key: name for key, name, _, _ in rows["groups"]}
    groups = sorted((name, kind, told) for _, name, kind, told in rows["groups"])
    mentions = {raw: names[group] for group, raw in rows["members"]}
    ties = sorted((chunk, a, b, told) for chunk, _, _, a, b, told, _ in rows["relations"])
    assert homes
    return groups, sorted(mentions.items()), ties
