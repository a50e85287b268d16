"""Where a history belongs: by its hash chain, and by its words where its head was cut off."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update

from offbook.stores import chains, characters, conversations
from offbook.stores.schema import conversations as rows
from offbook.types import Turn

TALK = tuple(Turn(f"Question {n}", f"Answer {n}") for n in range(4))


def keep(conn, session: str, turns=TALK, principal: str = "owner") -> list[str]:
    """Store a conversation; the ids of its turns."""
    if characters.find(conn, "ada") is None:
        characters.create(conn, "Ada")
    conversations.begin(conn, "ada", session, principal)
    parent, ids = conversations.BEGINNING, []
    for turn in turns:
        parent = conversations.add_turn(
            conn, "ada", session, turn.said, turn.answered, parent=parent
        )
        ids.append(parent)
    return ids


async def test_a_chain_has_the_ids_of_stored_turns(store):
    ids = await store.write(keep, "s")
    assert chains.chain_of(TALK) == ids


async def test_the_deepest_stored_turn_is_found(store):
    ids = await store.write(keep, "s")
    longer = chains.chain_of((*TALK, Turn("More", "Yes")))
    found = await store.read(chains.deepest, "ada", "owner", longer)
    assert found == chains.Link("s", ids[-1], 3, 3)
    for whose, named in (("other", None), ("owner", "t")):
        assert await store.read(
            chains.deepest, "ada", whose, longer, named
        ) is None  # fmt: skip
    assert await store.read(chains.deepest, "ada", "owner", []) is None


async def test_of_two_the_one_that_has_not_gone_on_is_taken(store):
    def make(conn) -> None:
        keep(conn, "ends", TALK[:2])
        keep(conn, "went-on", TALK)

    await store.write(make)
    ids = chains.chain_of(TALK[:2])
    found = await store.read(chains.deepest, "ada", "owner", ids)
    assert found is not None
    assert found.session == "ends"


async def test_of_two_that_end_alike_the_one_that_was_spoken_in_last_is_taken(store):
    def make(conn, last: str) -> list[str]:
        for session in ("a", "b"):
            ids = keep(conn, session)
            spoken = f"{2031 if session == last else 2030}-01-01T00:00:00+00:00"
            here = rows.c.id == session
            conn.execute(update(rows).where(here).values(updated=spoken))
        return ids

    for last in ("b", "a"):
        ids = await store.write(make, last)
        found = await store.read(chains.deepest, "ada", "owner", ids)
        assert found is not None
        assert found.session == last


async def test_a_history_without_its_head_is_found_by_its_words(store):
    ids = await store.write(keep, "s")

    async def end(*turns: Turn, principal: str = "owner", session: str | None = None) -> list[str]:
        found = await store.read(chains.ending_with, "ada", principal, turns, session)
        return [link.turn for link in found]

    assert await end(*TALK[2:]) == ids[2:]
    assert await end(*TALK[1:3]) == ids[1:3], "the last one is answered anew"
    assert await end(Turn("", "Answer 2"), TALK[3]) == ids[2:]
    assert await end(*TALK[:2]) == [], "it went on too far since"
    assert await end(Turn("Another", "Answer 2"), TALK[3]) == []
    assert await end(Turn("Question 2", "Another"), TALK[3]) == []
    assert await end(Turn("Before", "all"), *TALK) == []
    assert await end(*TALK[2:], principal="other") == []
    assert await end(*TALK[2:], session="t") == []
    assert await end() == []


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), max_size=5))
def test_a_chain_depends_on_all_that_came_before(told):
    history = [Turn(*pair) for pair in told]
    ids = chains.chain_of(history)
    assert len(set(ids)) == len(ids) == len(history)
    assert chains.chain_of(history[:-1]) == ids[:-1]
    other = chains.chain_of([Turn("x" * 9, "y"), *history])[1:]
    assert not set(other) & set(ids)


async def test_a_history_that_is_brought_is_stored_as_if_it_had_been_said(store):
    def make(conn) -> tuple[list[str], list[str]]:
        keep(conn, "said")
        begun = keep(conn, "brought", TALK[:1])
        told = chains.bring(conn, "ada", "brought", TALK[1:], begun[-1], {"note": 1})
        keep(conn, "new", ())
        return [*begun, *told], chains.bring(conn, "ada", "new", TALK, "", {"note": 1})

    after, anew = await store.write(make)
    assert after == anew == chains.chain_of(TALK)

    def stored(conn, session: str) -> list[tuple[object, ...]]:
        known = conversations.list_turns(conn, "ada", session)
        return [(t.id, t.parent, t.ordinal, t.said, t.answered) for t in known]

    said, brought, new = await store.read(
        lambda conn: [stored(conn, name) for name in ("said", "brought", "new")]
    )
    assert said == brought == new
    again = await store.write(chains.bring, "ada", "new", TALK, "", {"note": 2})
    assert again == anew
    turns = await store.read(conversations.list_turns, "ada", "new")
    assert [turn.recall for turn in turns] == [{"note": 1, "skipped": []}] * len(TALK)
