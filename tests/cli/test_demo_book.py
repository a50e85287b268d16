"""`demo book`: two people of the shipped novella, one question, two chapters."""

from __future__ import annotations

from itertools import pairwise

import pytest

from offbook import demo
from tests.cli.shapes import ASK, misfit
from tests.cli.test_demo import in_a_home_of_its_own
from tests.end_to_end.world import Outcome, World
from tests.loopback import LoopbackServer


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return in_a_home_of_its_own(tmp_path_factory.mktemp("told"), "demo", "book")


@pytest.fixture(scope="module")
def shape(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    return dict(
        in_a_home_of_its_own(tmp_path_factory.mktemp("shape"), "demo", "book", "--json").json
    )


def test_each_of_two_answers_at_each_of_two_chapters(told: Outcome):
    lines = told.out.splitlines()
    assert told.err == "offline: quoting; for conversation set a model: offbook setup\n"
    assert lines.count(f"> {demo.NOVELLA_QUESTION}") == 1
    for point in demo.NOVELLA_POINTS:
        part = lines[lines.index(f"At the end of {point}") + 1 :][:4]
        for name, (reply, ground) in zip(
            demo.NOVELLA_PEOPLE, list(pairwise(part))[::2], strict=True
        ):
            assert reply.startswith(f"{name}: ")
            assert ground.startswith("  rests on: ")
    assert "  rests on: nothing" not in lines[lines.index(f"At the end of {point}") :]


def test_it_fits_on_two_screens(told: Outcome):
    rows = sum(-(-max(len(line), 1) // 80) for line in told.out.splitlines())
    assert rows <= 48


def test_the_cast_is_shown_with_who_is_asked(told: Outcome):
    asked = [line for line in told.out.splitlines() if line.endswith("asked below")]
    assert sorted(line.partition("  ")[0] for line in asked) == sorted(demo.NOVELLA_PEOPLE)


def test_replies_differ_by_chapter_and_nothing_rests_on_a_later_one(shape):
    assert misfit(shape["replies"], [{**ASK, "point": str}]) is None
    text = demo.novella_text()
    replies = {(row["point"], row["character"]): row for row in shape["replies"]}
    assert len(replies) == 4
    early, late = demo.NOVELLA_POINTS
    for name in demo.NOVELLA_PEOPLE:
        assert replies[early, name]["reply"] != replies[late, name]["reply"]
    ends = {point: text.find("\n## ", text.index(f"## {point}:") + 1) for point in (early, late)}
    for (point, _), row in replies.items():
        sources = [source for item in row["context"] for source in item["sources"]]
        assert sources or point == early
        assert all(source["end"] <= ends[point] + 1 for source in sources)


def test_a_second_run_makes_nobody_and_says_the_same(offline: World):
    first, second = offline.done("demo", "book").out, offline.done("demo", "book").out
    assert first.partition("no calls")[0] == second.partition("no calls")[0]
    people = {row["name"] for row in offline.done("list", "--json").json}
    assert people == set(demo.NOVELLA_PEOPLE)


def test_it_stays_apart_from_another_of_the_name(offline: World):
    _, late = demo.NOVELLA_POINTS
    offline.done("create", demo.NOVELLA_PEOPLE[0])
    shape = offline.done("demo", "book", "--json").json
    assert all(row["context"] for row in shape["replies"] if row["point"] == late)
    assert len(offline.done("list", "--json").json) == 3


def test_a_model_is_asked_once_a_reply_and_what_more_costs_is_told(
    offline: World, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("OFFBOOK_METHOD")
    with LoopbackServer() as server:
        offline.set("chat.model=m", f"chat.base_url={server.base_url}")
        told = offline.done("demo", "book", "--configured").out
        assert server.count() == 4
    assert "This is the offline backend" not in told
    adds = next(line for line in told.splitlines() if "would add names" in line)
    assert "calls with about" in adds
    assert "\n4 calls, " in told
