"""`demo`: the shipped character answers seven questions, and shows what each reply rests on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from offbook.demo import DEMO_QUESTIONS, persona_text, questions
from tests.cli.shapes import ASK, INGEST, misfit
from tests.end_to_end.world import Outcome, World

LABELS = [asked.label for asked in DEMO_QUESTIONS]
SCREENS = 59
"""Lines of two screens."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the demo prints where `offbook` is on no path, as with `make demo`."""
    folder = tmp_path_factory.mktemp("told")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", [".venv/bin/offbook"])
        patch.setenv("PATH", str(folder))
        return in_a_home_of_its_own(folder, "demo").out


@pytest.fixture(scope="module")
def shape(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The same as JSON."""
    found = in_a_home_of_its_own(tmp_path_factory.mktemp("shape"), "demo", "--json").json
    return dict(found)


def in_a_home_of_its_own(folder: Path, *words: str) -> Outcome:
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("OFFBOOK_", "OPENAI_"))]:
            patch.delenv(name)
        patch.setenv("OFFBOOK_HOME", str(folder / "home"))
        patch.setenv("OFFBOOK_CONFIG", str(folder / "none"))
        patch.chdir(folder)
        return World(folder).done(*words)


def test_seven_questions_with_replies_and_sources_on_two_screens(told: str):
    assert len(LABELS) == 7
    assert len(told.splitlines()) <= SCREENS
    *parts, story = told.split("\n[")[1:]
    assert [part.partition("]")[0] for part in parts] == LABELS
    for part, asked in zip(parts, DEMO_QUESTIONS, strict=True):
        _, question, reply, grounds = part.splitlines()[:4]
        assert question == f"> {asked.question}"
        assert reply.startswith("Edmond Dantès: ")
        assert grounds.startswith("  rests on: ")
    assert story.startswith("standing in a story: The Low Bell]\n> Who took the money?\n")
    assert story.count("\n  rests on: ") == 4
    assert told.endswith("\nNow talk yourself: .venv/bin/offbook chat edmond-dantès\n")


@pytest.mark.parametrize(
    ("number", "line"),
    [
        (0, "Sinbad the Sailor is Edmond Dantès; “"),
        (1, "“The Count drinks coffee in the Turkish way"),
        (2, "aeroplane appeared in 1903"),
        (3, "psychological traits: "),
        (4, "a memory, felt with "),
        (5, "read as “What did you feel"),
        (
            6,
            "They told you: Carl has sold the Petrel; Carl's ship is now the Marigold. This was so",
        ),
    ],
)
def test_each_shows_what_it_was_asked_for(told: str, number: int, line: str):
    part = told.split("\n[")[number + 1]
    assert part.splitlines()[3].startswith(f"  rests on: {line}")


def test_the_replies_rest_on_what_is_shown(shape: dict[str, Any]):
    alias, taste, outside, trait, emotion, follow_up, told = shape["replies"]
    assert "I signed myself Sinbad the Sailor when I saved the house of Morrel" in alias["reply"]
    (named,) = [i for i in alias["context"] if "Sinbad the Sailor" in i["title"].partition("(")[2]]
    assert (named["kind"], named["title"].partition(" (")[0]) == ("entity", "Edmond Dantès")
    assert outside["boundary"]["verdict"] == "out"
    kinds = [item["kind"] for item in outside["context"]]
    assert set(kinds) == {"profile", "knowledge", "out_of_scope", "memory"}
    assert kinds.count("knowledge") == 1
    assert "aeroplane" in outside["reply"]
    leaning = next(item for item in trait["context"] if item["kind"] == "attribute")
    row = next(row for row in questions("behaviour") if row.question == trait["question"])
    document = persona_text()
    seen = [(source["start"], source["end"]) for source in leaning["sources"]]
    proofs = [(document.index(text), document.index(text) + len(text)) for text in row.evidence]
    assert any(start <= a and b <= end for start, end in seen for a, b in proofs)
    assert "hunger" in emotion["reply"]
    memory = [item for item in emotion["context"] if item["kind"] == "memory"]
    assert memory
    assert all(item["emotion"] for item in memory)
    assert emotion["emotion"]
    assert "Mercédès" in follow_up["reply"]
    assert "coffee" in taste["reply"]
    assert "Marigold" in told["reply"]
    (statement,) = [i for i in told["context"] if i["title"] == "in a conversation"]
    # The later statement counts, and says what was so before it.
    assert statement["text"].partition("so no longer")[2].endswith("is called the Petrel.")


def test_what_was_felt_alike_is_remembered(shape: dict[str, Any]):
    emotion = shape["replies"][4]
    memory = [item for item in emotion["context"] if item["kind"] == "memory"]
    assert any("hunger" in item["text"] for item in memory)


def test_a_second_run_uses_the_character_again(offline: World):
    first, second = offline.done("demo").out, offline.done("demo").out
    assert "edmond_dantes.md added" in first
    assert "edmond_dantes.md unchanged" in second
    assert len(offline.done("list", "--json").json) == 3, "he, and two people of the novella"
    begin = "[alias]"
    # The replies: in the process that stored a statement its score may differ by a hundredth.
    replies = [
        [line for line in each.partition(begin)[2].splitlines() if not line.startswith(" ")]
        for each in (first, second)
    ]
    assert replies[0] == replies[1]
    assert second.endswith("\nNow talk yourself: offbook chat edmond-dantès\n")


def test_as_one_document(shape: dict[str, Any]):
    replies = [{**ASK, "label": str}]
    assert misfit(shape, {"model": str, "ingest": INGEST, "replies": replies}) is None
    assert shape["model"] == "offline"
    assert [reply["label"] for reply in shape["replies"]] == LABELS
    assert all(reply["context"] for reply in shape["replies"])
    assert shape["ingest"]["method"] == "ensemble"


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


def test_a_flag_of_its_own_counts(offline: World):
    shape = offline.done("demo", "--json", "--set", "method=profile").json
    assert shape["ingest"]["method"] == "profile"
    assert {item["kind"] for item in shape["replies"][0]["context"]} == {"profile"}
