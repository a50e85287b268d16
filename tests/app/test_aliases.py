"""A person's word on who is who: recorded, followed by the graph, taken back, overruled."""

from __future__ import annotations

import pytest

from offbook.errors import IndexMissing, ModelError, UnknownName, UsageError
from offbook.graph.verdicts import decision_id
from offbook.stores import graph
from tests.app.graph_book import GraphBook
from tests.app.homes import opened, text


async def chunks_with(keeper: GraphBook, *words: str) -> list[str]:
    rows = await keeper.book.show("keeper", "chunks")
    return [row["id"] for row in rows if all(word in row["text"] for word in words)]


# -- add and remove ------------------------------------------------------------------------------


async def test_two_names_become_one_without_reading_anything_anew(keeper):
    report = await keeper.book.alias("keeper", "Sparrow", "Bo", same=True)
    assert (report.status, report.id, report.undone) == (
        "recorded",
        decision_id("Sparrow", "Bo"),
        None,
    )
    assert [entity.name for entity in report.entities] == ["Sparrow"]
    assert await keeper.entities() == {
        "Ana Bell": [],
        "Sparrow": ["Bo"],
        "Cora Dunn": ["Cora"],
    }
    assert keeper.model.calls == {"merge_entities": 1}
    assert report.usage.calls >= 1
    (word,) = await keeper.decisions(by="person")
    assert (word["a"], word["b"], word["same"]) == ("Sparrow", "Bo", True)
    assert word["created"]


async def test_the_evidence_is_what_speaks_of_both_else_the_first_of_each(keeper):
    both = await keeper.book.alias("keeper", "Sparrow", "Bo", same=True)
    assert list(both.evidence) == await chunks_with(keeper, "Sparrow", "Bo")
    each = await keeper.book.alias("keeper", "Ana Bell", "Sparrow", same=True)
    assert sorted(each.evidence) == sorted(
        [*(await chunks_with(keeper, "Ana Bell")), *(await chunks_with(keeper, "Sparrow"))]
    )


async def test_who_was_judged_one_is_told_apart(keeper):
    report = await keeper.book.alias("keeper", "Cora", "Cora Dunn", same=False)
    assert report.status == "recorded"
    assert await keeper.entities() == {
        "Ana Bell": [],
        "Bo": [],
        "Cora Dunn": [],
        "Cora": [],
        "Sparrow": [],
    }
    assert keeper.model.calls == {}
    again = await keeper.book.alias("keeper", "CORA  dunn", "cora", same=True)
    assert (again.status, again.id, again.undone) == ("recorded", report.id, report.id)
    assert (await keeper.entities())["Cora Dunn"] == ["Cora"]
    assert len(await keeper.decisions(by="person")) == 1


async def test_a_name_that_no_text_has_is_kept_as_a_further_one(keeper):
    report = await keeper.book.alias("keeper", "Ana Bell", "The Baker", same=True)
    assert "'The Baker'" in report.messages[0]
    assert (await keeper.entities())["Ana Bell"] == ["The Baker"]
    chained = await keeper.book.alias("keeper", "the baker", "Missy", same=True)
    assert (chained.a, chained.b) == ("The Baker", "Missy")
    assert set((await keeper.entities())["Ana Bell"]) == {"The Baker", "Missy"}
    await keeper.book.alias("keeper", "Missy", "The Baker", same=False)
    assert (await keeper.entities())["Ana Bell"] == ["The Baker"]
    assert keeper.model.calls == {}


async def test_later_ingestions_respect_the_word(keeper):
    await keeper.book.alias("keeper", "Cora", "Cora Dunn", same=False)
    await keeper.book.alias("keeper", "Sparrow", "Bo", same=True)
    await keeper.ingest({"three.md": "Cora Dunn meets Cora. Bo left."})
    found = await keeper.entities()
    assert found["Cora Dunn"] == []
    assert "Bo" in found["Sparrow"]


@pytest.mark.parametrize(
    ("a", "b", "same", "kind", "told"),
    [
        ("Bo", "bo!", True, UsageError, "are one name"),
        ("Bo", "Bo", False, UsageError, "are one name"),
        ("Bo", "  ", True, UsageError, "is no name"),
        ("Bo", "?!", True, UsageError, "is no name"),
        ("Bo", "x" * 300, True, UsageError, "too long"),
        ("Bo", "Zed\udcff", True, UsageError, "cannot be stored"),
        ("Anna Bel", "Nobody", True, UnknownName, "'Ana Bell'"),
        ("Bo", "Sparow", False, UnknownName, "'Sparrow'"),
        ("Qqqq", "Zzzz", True, UnknownName, "offbook show keeper entities"),
    ],
)
async def test_what_cannot_be_meant_is_refused_and_nothing_is_kept(keeper, a, b, same, kind, told):
    with pytest.raises(kind) as caught:
        await keeper.book.alias("keeper", a, b, same=same)
    assert told in caught.value.message + caught.value.hint
    assert await keeper.decisions(by="person") == []
    assert keeper.model.calls == {}


async def test_a_word_that_contradicts_another_is_refused_and_says_which(keeper):
    one = await keeper.book.alias("keeper", "Bo", "Sparrow", same=True)
    apart = await keeper.book.alias("keeper", "Bo", "Cora", same=False)
    with pytest.raises(UsageError) as caught:
        await keeper.book.alias("keeper", "Sparrow", "Cora", same=True)
    assert apart.id in caught.value.message
    assert f"undo {apart.id}" in caught.value.hint
    await keeper.book.alias("keeper", "Ana Bell", "Sparrow", same=True)
    with pytest.raises(UsageError) as caught:
        await keeper.book.alias("keeper", "Ana Bell", "Bo", same=False)
    assert one.id in caught.value.message
    assert len(await keeper.decisions(by="person")) == 3
    await keeper.book.undo_decision("keeper", one.id)
    await keeper.book.alias("keeper", "Ana Bell", "Bo", same=False)


async def test_without_a_graph_the_command_that_builds_one_is_named(tmp_path):
    async with await opened(tmp_path, method="naive") as book:
        await book.create("Ada")
        with pytest.raises(IndexMissing) as caught:
            await book.alias("ada", "A", "B", same=True)
        built = "build it: offbook ingest ada --method rolerag "
        assert caught.value.hint.startswith(built)
        assert "naive" not in caught.value.hint
        assert caught.value.hint.endswith(" FILE...")
        await book.ingest_texts("ada", [text("a.md", "Ada met Tom.")])
        for part in ("entities", "relations", "aliases", "decisions"):
            with pytest.raises(IndexMissing) as caught:
                await book.show("ada", part)
            assert caught.value.hint.startswith(built)
        with pytest.raises(IndexMissing):
            await book.undo_decision("ada", "1")


# -- undo ----------------------------------------------------------------------------------------


async def test_a_models_decision_is_overruled_by_the_opposite_and_that_can_be_undone(keeper):
    (judged,) = await keeper.decisions()
    report = await keeper.book.undo_decision("keeper", judged["id"])
    assert (report.status, report.undone, report.same) == ("overruled", judged["id"], False)
    assert (await keeper.entities())["Cora Dunn"] == []
    assert judged | {"holds": False} in await keeper.decisions()
    await keeper.book.undo_decision("keeper", report.id)
    assert (await keeper.entities())["Cora Dunn"] == ["Cora"]
    assert keeper.model.calls == {}


async def test_an_unknown_id_names_the_nearest_and_the_list(keeper):
    (judged,) = await keeper.decisions()
    wrong = judged["id"][:-1] + "x"
    with pytest.raises(UnknownName) as caught:
        await keeper.book.undo_decision("keeper", wrong)
    assert judged["id"] in caught.value.hint
    assert "offbook show keeper decisions" in caught.value.hint
    with pytest.raises(UnknownName) as caught:
        await keeper.book.undo_decision("keeper", "?")
    assert caught.value.hint == "list them with: offbook show keeper decisions"


HOMONYMS = {
    "a.md": "Miss Bennet is a girl.",
    "b.md": "Miss Bennet meets Jane.",
}


async def _contested(keeper: GraphBook, same: bool) -> str:
    """Two mentions of one name that were judged."""

    def put(conn):
        a, b = (
            mention
            for mention in graph.list_raw_entities(conn, "keeper")
            if mention.name == "Miss Bennet"
        )
        from offbook.types import Decision

        made = Decision(
            decision_id(a.id, b.id), a.id, b.id, same, "same_entity", "so", (a.chunk, b.chunk)
        )
        graph.put_decisions(conn, "keeper", [made])
        return made.id

    return str(await keeper.book.store.write(put))


async def test_what_was_decided_on_two_bearers_of_one_name_is_overruled_on_them_alone(keeper):
    await keeper.ingest(HOMONYMS)
    judged = await _contested(keeper, same=True)
    report = await keeper.book.undo_decision("keeper", judged)
    assert (report.status, report.id, report.same) == ("overruled", judged, False)
    assert report.a == report.b == "Miss Bennet"
    (row,) = await keeper.decisions(id=judged)
    assert (row["by"], row["same"], row["a"]) == ("person", False, "Miss Bennet")
    await keeper.book.forget("keeper", "a.md")
    assert await keeper.decisions(id=judged) == [], "it goes with the mention"


async def test_a_group_that_was_split_is_joined_again(pairs):
    """The rules link Bell with both, and split a group whose names begin with other letters."""
    await pairs.ingest({"x.md": "Zed Bell left.", "y.md": "Bell left.", "z.md": "Yva Bell left."})
    rows = await pairs.decisions(by="verify_group")
    assert {row["same"] for row in rows} == {False}
    assert {row["reason"] for row in rows} == {"of all 4: by their initials"}
    (row,) = [row for row in rows if {row["a"], row["b"]} == {"Zed Bell", "Yva Bell"}]
    assert set(row["evidence"]) >= set(await chunks_with(pairs, "Zed Bell"))
    assert (await pairs.entities())["Zed Bell"] == []
    report = await pairs.book.undo_decision("keeper", row["id"])
    assert (report.status, report.undone, report.same) == ("overruled", row["id"], True)
    assert {report.a, report.b} == {"Zed Bell", "Yva Bell"}
    assert ["Zed Bell", "Yva Bell"] in [
        sorted([name, *aliases], reverse=True) for name, aliases in (await pairs.entities()).items()
    ]
    assert row | {"holds": False} in await pairs.decisions(), "what was decided can still be read"


async def test_a_group_of_very_many_parts_does_not_list_each_two_of_them(pairs):
    given = ["Dora", "Edda", "Fay", "Gro", "Hal", "Ivo", "Jo", "Kai", "Lou", "Mia", "Nel", "Ole"]
    texts = {"0.md": "Bell left."} | {f"{name}.md": f"{name} Bell left." for name in given}
    await pairs.ingest(texts)
    rows = await pairs.decisions(by="verify_group")
    assert {name for row in rows for name in (row["a"], row["b"])} >= {f"{n} Bell" for n in given}
    assert len(rows) <= 2 * len(given), "66 pairs tell no more"
    assert all(1 <= len(row["evidence"]) <= 2 for row in rows), "the chunks of the two, no others"
    assert len({row["id"] for row in rows}) == len(rows)


# -- an endpoint that fails ----------------------------------------------------------------------


async def test_when_the_merge_fails_the_word_is_kept_and_the_message_says_how_to_go_on(keeper):
    def fail(request):
        if request.origin[0].name == "merge_entities":
            raise ModelError("the endpoint is down", "start it")

    keeper.model._fail = fail
    with pytest.raises(ModelError) as caught:
        await keeper.book.alias("keeper", "Sparrow", "Bo", same=True)
    assert "the correction that 'Sparrow' is 'Bo' is recorded" in caught.value.message
    assert "the endpoint is down" in caught.value.message
    assert caught.value.hint.startswith("start it; then continue with: offbook ingest keeper")
    assert len(await keeper.decisions(by="person")) == 1
    assert "Bo" in await keeper.entities(), "the graph is as it was"
    keeper.model._fail = lambda request: None
    await keeper.book.ingest("keeper")
    assert (await keeper.entities())["Sparrow"] == ["Bo"]
