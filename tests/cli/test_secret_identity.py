"""A novel of three chapters, from the command line and offline: who the Grey Fox is, comes last."""

from __future__ import annotations

import pytest

from tests.end_to_end.world import World

CHAPTERS = {
    "one.md": """\
# The Lamp

## Chapter 1

Ada Lane kept the lamp at Corrow Head. In that autumn the smugglers came back. Nobody knew who led
them. He wore a mask and signed his letters with a paw, and so they called him the Grey Fox. The
Grey Fox left a barrel at her door. Every evening the curate came to tea. Mr. Edmund Wren was a shy
man with ink on his cuffs, who taught the children to read. Edmund Wren only smiled and took a bun.
""",
    "two.md": """\
# The Lamp

## Chapter 2

The cutter struck below Corrow Head, and the Grey Fox went four times into the surf. Edmund Wren
said on the next day that he had heard of the Grey Fox and was afraid of him. Ada Lane poured the
tea.
""",
    "three.md": """\
# The Lamp

## Chapter 3

In the kitchen of the curate Ada Lane found a mask. "Then it is you," she said. "Edmund Wren is the
Grey Fox." Edmund Wren put down his cup.
""",
}
REVEALED = "Edmund Wren is the"


@pytest.fixture
def novel(offline: World) -> World:
    """The three chapters, whose graph is built by the embedded rules."""
    offline.set("method=rolerag")
    offline.done("create", "Ada Lane")
    offline.done("ingest", "ada-lane", *(offline.write(n, text) for n, text in CHAPTERS.items()))
    return offline


def bearers(world: World, name: str) -> list[set[str]]:
    rows = world.done("show", "ada-lane", "entities", "--json").json
    return [n for n in ({row["name"], *row["aliases"]} for row in rows) if name in n]


def recalled(world: World, question: str, until: str) -> tuple[list[str], str]:
    """The titles of the entities that come back, and all that does."""
    words = ["recall", "ada-lane", question, "--as-of", until, "--json"]
    found = world.done(*words).json["context"]
    return [item["title"] for item in found if item["kind"] == "entity"], str(found)


def test_at_the_end_one_person_has_both_names(novel: World):
    (known,) = bearers(novel, "Grey Fox")
    assert {"Grey Fox", "Edmund Wren", "Mr. Edmund Wren"} <= known


@pytest.mark.parametrize("until", ["one.md", "two.md", "three.md"])
def test_before_the_last_chapter_neither_name_leads_to_the_other(novel: World, until: str):
    for asked, other in (("the Grey Fox", "Wren"), ("Edmund Wren", "Fox")):
        titles, told = recalled(novel, f"Who is {asked}?", until)
        assert titles
        assert any(other in title for title in titles) == (until == "three.md")
        assert (REVEALED in told) == (until == "three.md")


def test_a_persons_word_tells_no_earlier_point_what_the_last_chapter_reveals(novel: World):
    """Both chapters before speak of both names in one chunk, one of them in one sentence."""
    novel.done("alias", "ada-lane", "add", "Edmund Wren", "Grey Fox")
    for until in ("one.md", "two.md"):
        titles, _ = recalled(novel, "Who is the Grey Fox?", until)
        assert not any("Wren" in title for title in titles)
