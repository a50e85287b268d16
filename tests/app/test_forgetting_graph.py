"""What is forgotten, replaced or put in another order, and the graph after it."""

from __future__ import annotations

from typing import Any

import pytest

from offbook.errors import ModelError
from offbook.stores import graph, graph_answers, jobs, vectors
from offbook.stores.graph_answers import GraphAnswer
from tests.app.graph_book import STORY, GraphBook
from tests.app.homes import opened
from tests.graph.rules_model import RulesModel

MORE = {"three.md": "Cora Dunn met Quixwarble. Bo hid from Quixwarble."}


async def forget(keeper: GraphBook, document: str) -> Any:
    keeper.forget_calls()
    return await keeper.book.forget("keeper", document)


async def picture(keeper: GraphBook) -> list[Any]:
    return [await keeper.book.show("keeper", part) for part in ("entities", "relations", "aliases")]


async def answers(keeper: GraphBook) -> list[GraphAnswer]:
    found: list[GraphAnswer] = await keeper.book.store.read(
        lambda conn: graph_answers.list_all(conn, "keeper")
    )
    return found


async def test_what_only_it_supported_goes_and_the_rest_is_as_if_it_had_never_been(keeper):
    before = await picture(keeper)
    await keeper.ingest(MORE)
    assert "Quixwarble" in await keeper.entities()
    report = await forget(keeper, "three.md")
    assert await picture(keeper) == before
    assert report.messages == ()
    assert set(keeper.model.calls) <= {"profile"}, "every answer about the rest was there"
    assert all("Quixwarble" not in str(answer) for answer in await answers(keeper))
    assert "Quixwarble" not in str(await keeper.book.show("keeper", "decisions"))


async def test_a_group_that_lost_a_mention_costs_one_merge_at_most(keeper):
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


async def test_the_summary_is_written_anew_without_what_is_gone(keeper):
    async def profile() -> str:
        return str((await keeper.book.show("keeper", None))["profile"])

    assert await profile() == "Keeper: 2 passages."
    await forget(keeper, "two.md")
    assert await profile() == "Keeper: 1 passages."


async def test_the_last_document_takes_the_whole_graph_along(keeper):
    for name in STORY:
        await forget(keeper, name)
    assert keeper.model.calls == {}
    assert list(await answers(keeper)) == []
    assert await keeper.book.store.read(lambda c: graph.list_groups(c, "keeper")) == []
    for kind in ("raw_entity", "entity"):
        ids, _ = await keeper.book.store.read(lambda c, k=kind: vectors.load_matrix(c, "keeper", k))
        assert ids == []


async def test_where_no_graph_was_built_none_is_built(tmp_path):
    made = GraphBook(await opened(tmp_path, method="naive"), RulesModel())
    made._stand_in()
    async with made.book:
        await made.book.create("Keeper")
        await made.ingest(STORY)
        report = await forget(made, "one.md")
    assert (report.usage.calls, made.model.calls) == (0, {})


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
    assert "go on with: offbook ingest keeper" in caught.value.hint
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


async def test_why_a_question_stayed_open_is_forgotten_with_the_text(keeper):
    await keeper.ingest(MORE)

    def put(conn):
        jobs.enqueue(conn, "keeper", jobs.GRAPH, ["link x"], document="one-md")
        jobs.quarantine(conn, "keeper", jobs.GRAPH, ["link x"], "Quixwarble is who?")

    await keeper.book.store.write(put)
    await forget(keeper, "three.md")
    assert await keeper.book.store.read(lambda c: jobs.list_jobs(c, "keeper")) == []


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


async def test_a_document_may_come_into_the_middle(keeper, tmp_path):
    path = tmp_path / "half.md"
    path.write_text("Cora left Bo. Sparrow came.")
    await keeper.book.ingest("keeper", [path], order=["one.md", "half.md", "two.md"])
    rows = await keeper.book.show("keeper", "documents")
    assert [row["name"] for row in rows] == ["one.md", "half.md", "two.md"]
    (sparrow,) = [r for r in await keeper.book.show("keeper", "entities") if r["name"] == "Sparrow"]
    assert sparrow["description"].startswith("Sparrow came.")
    assert [source["document"] for source in sparrow["sources"]] == ["half-md", "two-md"]


async def test_the_report_counts_what_is_shown(keeper):
    report = await keeper.ingest({"three.md": "Cora Dunn met Bo. Cora met Bo. Ana met Bo."})
    entities, relations, aliases = await picture(keeper)
    assert (report.entities, report.relations) == (len(entities), len(relations))
    assert report.aliases == sum(len(row["aliases"]) for row in entities) == len(aliases)


async def test_every_stage_tells_how_far_it_is(tmp_path):
    made = await GraphBook.made(tmp_path, {})
    told: dict[str, list[tuple[int, int]]] = {}
    path = tmp_path / "one.md"
    path.write_text("\n".join(STORY.values()))
    other = tmp_path / "two.md"
    other.write_text("Cora met Ana. Bell left Bo.")
    async with made.book:
        await made.book.ingest(
            "keeper",
            [path, other],
            progress=lambda e: told.setdefault(e.stage, []).append((e.done, e.total)),
        )
    assert {"extracting", "judging", "merging"} <= told.keys()
    for stage in ("judging", "merging"):
        assert told[stage][0][0] == 0
        done, total = told[stage][-1]
        assert done == total > 0
        assert told[stage] == sorted(told[stage])
