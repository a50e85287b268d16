"""What a reply rests on, in words: its sentences, what was declined, and how much was left out."""

from __future__ import annotations

from offbook.cli.evidence import grounds, in_line, supports
from offbook.types import (
    Boundary,
    BoundaryReason,
    ContextItem,
    Recall,
    Reply,
    Skipped,
    Source,
    Usage,
    Witness,
)
from tests.end_to_end.world import World

TEXT = "The rock is bare. Tom taught her to trim the lamp when she was nine. Tom drowned in a gale."
PASSAGE = ContextItem("knowledge", "Skerry, The lamp", TEXT, 0.5, (Source("ada-md", "c", 0, 9),))


def recall(*items: ContextItem, **more: object) -> Recall:
    return Recall("Ada", "ada", "naive", "default", "Who?", items, **more)  # type: ignore[arg-type]


def reply(text: str, *items: ContextItem, **more: object) -> Reply:
    return Reply(text, recall(*items, **more), Usage())


def test_what_a_reply_rests_on_has_its_place_and_its_beginning():
    item = ContextItem("knowledge", "A, B", "x " * 200, 0.5, (Source("doc", "c", 3, 9),))
    first, second = grounds(recall(item), {item.sources[0]: "page 12"})
    assert first == "  knowledge (0.50) A, B doc[3:9] (page 12)"
    assert second.strip().endswith("...")
    assert len(second) == 166


def test_a_boundary_and_what_was_skipped_are_shown():
    boundary = Boundary("out", (BoundaryReason("radio", "not invented yet"),))
    lines = grounds(recall(boundary=boundary, skipped=(Skipped("knowledge", "A", "too long"),)), {})
    assert lines == [
        "  boundary: out",
        "      radio: not invented yet",
        "  skipped: knowledge A: too long",
    ]


def test_nothing_is_said_to_be_nothing():
    assert grounds(recall(), {}) == ["  nothing"]


def test_the_sentence_that_holds_the_words_of_the_reply_supports_it():
    (support,) = supports(reply("My brother Tom taught me to trim the lamp.", PASSAGE))
    assert support.text == "Tom taught her to trim the lamp when she was nine."


def test_each_sentence_of_the_reply_has_its_support_in_its_order_and_once():
    text = (
        "He drowned in a gale, Tom did. He taught me to trim the lamp! To trim the lamp, he taught."
    )
    drowned, taught = [each.text for each in supports(reply(text, PASSAGE))]
    assert drowned.startswith("Tom drowned")
    assert taught.startswith("Tom taught")


def test_one_word_in_common_is_no_support():
    assert supports(reply("The lamp of my life, believe me, is music and dancing.", PASSAGE)) == []


def test_the_words_of_the_name_alone_support_nothing():
    item = ContextItem("knowledge", "", "Ada is Ada.", 0.5)
    assert supports(reply("I am Ada, only Ada.", item)) == []


def test_in_one_line_a_sentence_has_its_place_and_how_it_is_known():
    item = ContextItem("scene", "Chapter 5", TEXT, 0.5, witness=Witness("overheard"))
    line = in_line(reply("Tom taught me to trim the lamp.", item))
    quoted = "“Tom taught her to trim the lamp when she was nine.”"
    assert line == f"{quoted} (Chapter 5, overheard it)"


def test_what_declines_gives_its_reason_once():
    why = "radio appeared in 1896"
    outside = ContextItem("out_of_scope", "radio", why, 1.0)
    boundary = Boundary("out", (BoundaryReason("radio", why),))
    assert in_line(reply("I never heard of it.", outside, boundary=boundary)) == why


def test_ask_says_why_when_it_is_asked_to_and_nothing_else(ada: World):
    words = ["ask", "ada-byrne", "Who taught you to trim the lamp?"]
    brief, full = ada.done(*words), ada.done(*words, "--why")
    assert brief.out == full.out
    assert brief.err == "offline: quoting; for conversation set a model: offbook setup\n"
    lines = full.err.removeprefix(brief.err).splitlines()
    assert lines[0] == "rests on:"
    assert lines[1] == "  “Ada's brother Tom taught her to trim the lamp when she was nine.”"
    assert lines[2] == "      ada.md, Ada Byrne, How she came to the rock"
    assert lines[-1].startswith("no calls, ")


def test_a_reply_that_takes_over_no_sentence_says_so(ada: World):
    err = ada.done("ask", "ada-byrne", "Hello!", "--why").err
    assert "takes over no sentence; nearest to the question:" in err


def test_without_texts_there_is_nothing_to_rest_on(ada: World):
    err = ada.done("ask", "ada-byrne", "Hello!", "--method", "vanilla", "--why").err
    assert "rests on no text" in err
