"""Whether the graph is as a decision says, where several bear one name."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from offbook.app.aliases import listed_decisions
from offbook.protocols import Store
from offbook.stores import characters, chunks, documents, graph
from offbook.stores.graph import EntityGroup, GraphAnswer
from offbook.types import RawEntity
from tests.stores import data

NAMES = "Miss Bennet", "Jane Bennet", "Miss Bennet", "Elizabeth Bennet"


def put(conn: Connection, *groups: tuple[str, ...]) -> None:
    """Four mentions; a look at the whole set the first two apart from the last two."""
    characters.create(conn, "Ada")
    document = data.document("d", "Miss Bennet was two in turn.")
    documents.put(conn, "ada", document)
    made = data.split(document, "graph")
    chunks.replace_chunks(conn, "ada", "d", "graph", {}, made)
    at = made[0].id
    told = [RawEntity(f"m{n}", at, n, name, "character", "") for n, name in enumerate(NAMES)]
    graph.put_raw_entities(conn, "ada", told)
    answer = {"names": list(NAMES), "parts": [[0, 1], [3, 2]], "reason": "two sisters"}
    graph.put_answers(conn, "ada", [GraphAnswer("split", "k", answer, (at,))])
    rows = [EntityGroup(of[0], of[0], "character", "", of) for of in groups]
    graph.put_groups(conn, "ada", rows)


@pytest.mark.parametrize(
    ("groups", "holds"),
    [
        ([("m0", "m1"), ("m2", "m3")], True),
        ([("m0", "m1"), ("m2",), ("m3",)], True),
        ([("m0", "m1", "m2", "m3")], False),
    ],
    ids=["two sisters", "one who is neither", "one"],
)
async def test_two_parts_that_share_a_name_are_one_only_where_they_are_joined(
    sqlite_store: Store, groups, holds
):
    await sqlite_store.write(lambda conn: put(conn, *groups))
    (listed,) = await sqlite_store.read(lambda conn: listed_decisions(conn, "ada"))
    assert (listed.decision.a, listed.decision.b) == ("Miss Bennet", "Elizabeth Bennet")
    assert listed.holds == holds
