"""What is forgotten, replaced or put in another order, and the graph after it."""

from __future__ import annotations

from typing import Any

import pytest

from offbook.errors import ModelError
from offbook.stores import graph, vectors
from offbook.stores.graph import GraphAnswer
from tests.app.graph_book import STORY, GraphBook

MORE = {"three.md": "Cora Dunn met Quixwarble. Bo hid from Quixwarble."}


async def forget(keeper: GraphBook, document: str) -> Any:
    keeper.forget_calls()
    return await keeper.book.forget("keeper", document)


async def picture(keeper: GraphBook) -> list[Any]:
    return [await keeper.book.show("keeper", part) for part in ("entities", "relations", "aliases")]


async def answers(keeper: GraphBook) -> list[GraphAnswer]:
    found: list[GraphAnswer] = await keeper.book.store.read(
        lambda conn: graph.list_answers(conn, "keeper")
    )
    return found


async def test_a_group_that_lost_a_mention_costs_one_merge_at_most(pairs):
    keeper = pairs
    await keeper.ingest({"four.md": "Bo left Galway. Cora left Galway."})
    await keeper.ingest({"five.md": "Bo fears the sea. Cora fears the sea."})
    report = await forget(keeper, "two.md")
    calls = dict(keeper.model.calls)
    assert calls.pop("profile") == 1
    merged = [
        entity.names
        for request in keeper.model.asked
        if request.origin[0].name == "merge_entities"
        for entity in request.origin[1].entities
    ]
    assert sorted(merged) == [("Bo",), ("Cora Dunn", "Cora")]
    assert calls.pop("merge_entities") == 1
    assert set(calls) <= {"same_entity"}
    assert "extract" not in keeper.model.calls
    assert report.usage.calls > 0
    assert "Sparrow" not in await keeper.entities()


async def test_when_the_endpoint_fails_what_was_to_go_is_gone_and_the_graph_still_serves(keeper):
    await keeper.ingest(MORE)
    await keeper.ingest({"four.md": "Cora Dunn left Galway."})

    def fail(request):
        raise ModelError("the endpoint is down")

    keeper.model._fail = fail
    with pytest.raises(ModelError) as caught:
        await forget(keeper, "three.md")
    assert caught.value.exit_code == 4
    assert "'three.md' is forgotten" in caught.value.message
    assert "continue with: offbook ingest keeper" in caught.value.hint
    documents = await keeper.book.show("keeper", "documents")
    assert "three.md" not in [row["name"] for row in documents]
    rows = await picture(keeper)
    assert "Quixwarble" not in str(rows)
    assert {"Bo", "Cora Dunn"} <= set(await keeper.entities())
    keeper.model._fail = lambda request: None
    keeper.forget_calls()
    await keeper.book.ingest("keeper")
    scratch = await picture(keeper)
    keeper.forget_calls()
    await keeper.book.ingest("keeper")
    assert keeper.model.calls == {}
    assert await picture(keeper) == scratch


async def test_a_replaced_document_takes_what_only_the_old_text_supported(keeper):
    before = await picture(keeper)
    await keeper.ingest(MORE)
    old = {mention.id for mention in await mentions(keeper) if mention.name == "Quixwarble"}
    assert old
    await keeper.ingest({"three.md": "Bo left."})
    assert "Quixwarble" not in str([await picture(keeper), list(await answers(keeper))])
    stored = await keeper.book.store.read(lambda c: graph.list_decisions(c, "keeper"))
    assert not any({decision.a, decision.b} & old for decision in stored)
    ids, _ = await keeper.book.store.read(lambda c: vectors.load_matrix(c, "keeper", "raw_entity"))
    assert set(ids) == {mention.id for mention in await mentions(keeper)}
    await keeper.ingest({"three.md": "Nobody came."})
    await keeper.book.forget("keeper", "three.md")
    assert await picture(keeper) == before


async def mentions(keeper: GraphBook) -> list[Any]:
    found: list[Any] = await keeper.book.store.read(
        lambda conn: graph.list_raw_entities(conn, "keeper")
    )
    return found


async def test_what_has_not_changed_costs_no_call(keeper):
    report = await keeper.ingest(STORY)
    assert [row.status for row in report.documents] == ["unchanged", "unchanged"]
    await keeper.book.ingest("keeper")
    assert keeper.model.calls == {}


async def test_the_graph_follows_the_order_of_the_story(keeper, tmp_path):
    assert list(await keeper.entities()) == ["Ana Bell", "Bo", "Cora Dunn", "Sparrow"]
    await keeper.book.ingest("keeper", order=["two.md", "one.md"])
    assert "extract" not in keeper.model.calls
    turned = await picture(keeper)
    other = await GraphBook.made(tmp_path / "other", dict(reversed(STORY.items())))
    async with other.book:
        fresh = await picture(other)

    def by_name(rows):
        return [{k: v for k, v in row.items() if k != "sources"} for part in rows for row in part]

    assert by_name(turned) == by_name(fresh)
