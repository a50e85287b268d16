"""`demo`: the shipped character answers five questions, and shows what each reply rests on."""

from __future__ import annotations

import pytest

from offbook.demo import DEMO_QUESTIONS
from tests.cli.shapes import ASK, INGEST, misfit
from tests.end_to_end.world import World


def test_five_questions_with_replies_and_sources(offline: World):
    out = offline.done("demo").out
    assert "This is the offline backend: rules, no language model" in out
    assert "`offbook doctor`" in out
    parts = out.split("\n[")[1:]
    assert [part.partition("]")[0] for part in parts] == [
        "alias",
        "out of scope",
        "unstated trait",
        "emotion",
        "follow-up",
    ]
    for part, asked in zip(parts, DEMO_QUESTIONS, strict=True):
        lines = part.splitlines()
        assert lines[1] == f"> {asked.question}"
        assert lines[2].strip()
        assert lines[3] == "rests on:"
        assert "edmond-dantes-md[" in lines[4]
    assert "offbook chat edmond-dant" in out


def test_a_second_run_uses_the_character_again(offline: World):
    first, second = offline.done("demo").out, offline.done("demo").out
    assert "edmond_dantes.md added" in first
    assert "edmond_dantes.md unchanged" in second
    assert len(offline.done("list", "--json").json) == 1
    told = "[alias]"
    assert first.partition(told)[2] == second.partition(told)[2]


def test_as_one_document(offline: World):
    shape = offline.done("demo", "--json").json
    replies = [{**ASK, "label": str}]
    assert misfit(shape, {"model": str, "ingest": INGEST, "replies": replies}) is None
    assert shape["model"] == "offline"
    assert len(shape["replies"]) == 5
    assert all(reply["context"] for reply in shape["replies"])


def test_it_leaves_no_conversation_behind(offline: World):
    offline.done("demo")
    assert offline.leaks("aeroplane") == []


@pytest.fixture
def configured(offline: World, monkeypatch):
    """A world where every role has an endpoint, which does not answer."""
    for role in ("CHAT", "EXTRACT", "JUDGE", "EMBED"):
        monkeypatch.setenv(f"OFFBOOK_{role}_MODEL", "m")
        monkeypatch.setenv(f"OFFBOOK_{role}_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OFFBOOK_METHOD", "profile")
    offline.set("limits.retries=0")
    return offline


def test_whatever_is_configured_the_demo_stays_offline(configured: World):
    shape = configured.done("demo", "--json").json
    assert shape["model"] == "offline"
    assert shape["ingest"]["method"] == "ensemble"


def test_with_what_is_configured_when_asked(configured: World):
    assert configured.run("demo", "--configured").code == 4


def test_a_flag_of_its_own_counts(offline: World):
    shape = offline.done("demo", "--json", "--set", "method=profile").json
    assert shape["ingest"]["method"] == "profile"
    assert {item["kind"] for item in shape["replies"][0]["context"]} == {"profile"}
