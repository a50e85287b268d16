"""A book and an endpoint: the price is told before it is paid, and once for all of its people."""

from __future__ import annotations

import pytest

from tests.app import casting
from tests.end_to_end.world import World
from tests.loopback.story import answer_about_scenes

MOST_CALLS = 6
"""Of a further character: its profile, and what may be asked again."""


def test_a_model_tells_its_price_and_reads_the_book_once_for_all(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    casting.use_it(monkeypatch)
    monkeypatch.delenv("OFFBOOK_METHOD")
    world.set("embed.model=builtin")
    rock = world.write("rock.md", casting.BOOK)
    assert world.server is not None
    world.server.answer = answer_about_scenes
    made = world.done("create", "--from", rock, "Ada Byrne", "--json").json
    assert made["estimate"]["calls"] > 0
    assert world.server.count() == 0, "nothing is spent unasked"
    assert world.done("recall", "ada-byrne", "Who slept?", "--json").json["method"] == "naive"
    first = world.done("ingest", "ada-byrne", "--json").json["usage"]
    assert first["calls"] > 1
    assert world.done("show", "ada-byrne", "--json").json["method"] == "ensemble"
    again = world.done("create", "--from", "rock", "Tom Reeve", "--yes", "--json").json
    assert 1 <= again["ingest"]["usage"]["calls"] <= MOST_CALLS
    assert set(again["ingest"]["usage"]["by_task"]) == {"profile"}
    assert world.done("show", "tom-reeve", "--json").json["method"] == "ensemble"
