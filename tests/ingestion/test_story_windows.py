"""Windows of a story, and answers about them: checked against what was shown, and never guessed."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from offbook.documents.readers import read_document
from offbook.errors import InvalidAnswer
from offbook.ingestion.story_windows import inputs_of, said_of, stretches_of, with_answers
from offbook.names.cast import Cast, CastMember, CastMention
from offbook.names.story import Scene, SceneWitness, Story
from offbook.prompts.ask import request_of
from offbook.prompts.story import STORY, StretchScenes
from offbook.text.tokens import count_tokens
from offbook.types import Document
from tests.models.fakes import read

BOOKS = Path(__file__).resolve().parents[2] / ".." / "shared/data/books/texts"
TEXT = """# Part 1

Ada came to the quay. She hid the key.

Tom watched her from the shed.

# Part 2

Nobody saw what the sea did then. {Not you either.}"""
ADA, TOM = "Ada Byrne", "Tom Reeve"
CAST = Cast(
    (CastMember(ADA, ("Ada", ADA), "f"), CastMember(TOM, ("Tom", TOM), "m")),
    tuple(
        CastMention(0, TEXT.index(name), TEXT.index(name) + 3, n)
        for n, name in enumerate(("Ada", "Tom"))
    ),
)
DOCUMENT = Document("d", "d.md", TEXT, "digest")


def person(who: int, words: str = "", how: str = "present", **more: Any) -> dict[str, Any]:
    told = {"record": f"{who} lived.", "gist": "lived", "feels": "none", "strength": 1}
    return {"who": who, "words": words, "how": how, **told, **more}


def scene(begins: int, *people: dict[str, Any], kind: str = "scene") -> dict[str, Any]:
    known = {"where": "", "when": "", "continues": False}
    return {"begins": begins, "kind": kind, **known, "people": list(people)}


def story_of(*scenes: dict[str, Any]) -> Story:
    stretches = stretches_of([TEXT])
    (window,) = inputs_of(stretches, CAST, [TEXT])
    answer = StretchScenes.model_validate({"scenes": scenes})
    said = said_of(window, DOCUMENT, answer)
    ruled = Story((Scene(0, 0, len(TEXT), witnesses=(SceneWitness(1, "present", 0, 0),)),))
    names = [member.name for member in CAST.members]
    return with_answers(ruled, CAST, [TEXT], {said.key: said}, names.index)


def test_paragraphs_are_numbered_and_headings_travel_with_them():
    (window,) = inputs_of(stretches_of([TEXT]), CAST, [TEXT])
    assert window.inputs.paragraphs == 3
    assert "# Part 1\n\n{1}Ada came" in window.inputs.stretch
    assert "# Part 2\n\n{3}Nobody saw" in window.inputs.stretch
    assert window.inputs.stretch.endswith("(Not you either.)"), "only our numbers are in brackets"
    assert window.inputs.called == ("Ada Byrne (she; Ada)", "Tom Reeve (he; Tom)")
    assert "[2] Tom Reeve (he; Tom)" in request_of(STORY, window.inputs).messages[1].content


def test_scenes_have_no_gaps_and_what_nobody_sees_is_nobodys():
    story = story_of(scene(1, person(1, "hid THE  key!")), scene(3, person(2), kind="narration"))
    assert [(TEXT[s.start : s.end][:8], s.kind) for s in story.scenes] == [
        ("# Part 1", "scene"),
        ("# Part 2", "narration"),
    ]
    (ada,) = story.scenes[0].witnesses
    assert TEXT[ada.start : ada.end] == "hid the key"
    assert story.scenes[1].witnesses == ()
    assert [(each.member, each.scene) for each in story.episodes] == [(0, 0)]


@pytest.mark.parametrize(
    ("people", "kept"),
    [
        ([person(1, "words that stand nowhere")], [(0, "present")]),
        ([person(9), person(1), person(0)], [(0, "present")]),
        ([person(1), person(1, how="told")], [(0, "present")]),
        ([person(1, how="dreamt")], []),
        ([person(2, "Tom watched her", "overheard")], [(1, "overheard")]),
        ([person(2, "a word of mouth", "told")], []),
        ([person(2, "Tom", "told")], [(1, "told")]),
    ],
)
def test_of_an_answer_only_what_can_be_checked_is_kept(people, kept):
    story = story_of(scene(1, *people))
    assert [(each.member, each.how) for each in story.scenes[0].witnesses] == kept
    assert all(each.start == each.end or each.how for each in story.scenes[0].witnesses)


def test_before_the_first_scene_of_an_answer_the_rules_word_stands():
    story = story_of(scene(2, person(1)))
    first, second = story.scenes
    assert (first.start, first.end) == (0, second.start)
    assert [each.member for each in first.witnesses] == [1]
    assert [each.member for each in second.witnesses] == [0]


@pytest.mark.parametrize(
    "scenes", [[], [scene(0)], [scene(4)], [scene(1, kind="dream")], [scene(1, person(7))]]
)
def test_what_is_no_answer(scenes):
    (window,) = inputs_of(stretches_of([TEXT]), CAST, [TEXT])
    with pytest.raises(InvalidAnswer):
        read(
            STORY, window.inputs, StretchScenes.model_validate({"scenes": scenes}).model_dump_json()
        )


def test_a_record_is_short_and_on_one_line():
    long = "Ada went on.\n" * 200
    (lived,) = story_of(scene(1, person(1, record=long, feels="joy", strength=99))).episodes
    assert len(lived.text) <= 640
    assert "\n" not in lived.text
    assert (lived.feeling, lived.strength) == ("joy", 10)


@pytest.mark.parametrize("text", ["", "\n \n", "***", "# A", "# A\n\n# B\n\n***", "x" * 30_000])
def test_odd_texts_have_windows_without_gaps(text: str):
    stretches = stretches_of([text, "Ada slept."])
    spans = [(each.start, each.end) for each in stretches if each.text == 0]
    assert (spans[0][0], spans[-1][1]) == (0, len(text))
    assert all(one[1] == other[0] for one, other in pairwise(spans))
    assert stretches[-1].text == 1
    assert stretches[-1].opens


def test_an_edit_changes_few_windows_and_none_is_larger_than_may_be():
    words = random.Random(3)
    lines = [
        " ".join(words.choices(["sea", "key", "Tom", "Ada", "hid", "ran", "the", "a", "of"], k=40))
        for _ in range(400)
    ]
    text = "\n\n".join(lines)
    keys = {each.key for each in stretches_of([text])}
    assert len(keys) > 10
    for place in (0, 57, 201, 399):
        changed = [*lines[:place], "Another line.", *lines[place:]]
        stretches = stretches_of(["\n\n".join(changed)])
        assert max(count_tokens(each.shown[1]) for each in stretches) <= 1_200
        assert sum(each.key not in keys for each in stretches) <= 6


def test_a_novel_costs_at_most_0_35_calls_a_kb():
    file = BOOKS / "Persuasion.txt"
    if not file.exists():
        pytest.skip("the shared data is not here")
    text = read_document(file, file.name).text
    asked = sum(bool(each.opens) for each in stretches_of([text]))
    assert 0 < asked <= 0.35 * len(text.encode()) / 1000
