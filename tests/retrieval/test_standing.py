"""What a member of a cast knows at a point: scenes, ways of knowing them, names, lines."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offbook.context.life import life_so_far, meant_episodes
from offbook.names.cast import Cast, CastMember, CastMention, Quotation
from offbook.names.story import Episode, Scene, SceneWitness, Story
from offbook.retrieval.standing import Standing, standing_at
from offbook.text.tokens import count_tokens
from offbook.types import Document, Position, Source, WitnessHow

ADA, TOM, FOX = 0, 1, 2
PARTS = (
    "# One\n\nAda met Tom. He gave her a lamp, “which was my father's lamp once,” he said.\n\n",
    "# Two\n\nTom went home. The Grey Fox saw him.\n\n",
    "# Three\n\nShe read the letter that came. He had drowned.\n\n",
    "# Four\n\nThe Grey Fox came in. “I am Nora Vane and nobody else,” she said to Ada.\n",
)
TEXT = "".join(PARTS)
DOCUMENT = Document("d", "d.md", TEXT, "")
STARTS = [sum(map(len, PARTS[:n])) for n in range(len(PARTS) + 1)]
FORMS = {"Ada": ADA, "Tom": TOM, "Grey Fox": FOX, "Nora Vane": FOX}


def cast() -> Cast:
    mentions = sorted(
        (
            CastMention(0, place, place + len(form), member)
            for form, member in FORMS.items()
            for place in range(len(TEXT))
            if TEXT.startswith(form, place)
        ),
        key=lambda each: each.start,
    )
    said = [Quotation(0, TEXT.index("“which"), TEXT.index("once,”") + 6, TOM, "anaphoric")]
    said.append(Quotation(0, TEXT.index("“I am"), TEXT.index("else,”") + 6, FOX, "anaphoric"))
    members = (
        CastMember("Ada Byrne", ("Ada",), "f"),
        CastMember("Tom Reeve", ("Tom",), "m"),
        CastMember("Nora Vane", ("Grey Fox", "Nora Vane"), "f"),
    )
    return Cast(members, tuple(mentions), tuple(said))


def place(n: int, words: str) -> tuple[int, int]:
    start = TEXT.index(words, STARTS[n]) if words in PARTS[n] else STARTS[n]
    return start, start + (len(words) if words in PARTS[n] else 0)


def scene(n: int, **ways: WitnessHow) -> Scene:
    members = {"ada": ADA, "tom": TOM, "fox": FOX}
    witnesses = tuple(
        SceneWitness(members[who], how, *place(n, who.title())) for who, how in ways.items()
    )
    return Scene(0, STARTS[n], STARTS[n + 1], witnesses=witnesses)


STORY = Story(
    (
        scene(0, ada="present", tom="present"),
        scene(1, tom="present", fox="overheard"),
        scene(2, ada="read"),
        scene(3, ada="present", fox="present"),
    ),
    (
        Episode(ADA, 0, "present", "Ada was given a lamp by Tom.", "A lamp.", 0, 0, "joy", 6),
        Episode(
            ADA, 2, "read", "Ada read that Tom had drowned.", "Tom drowned.", *place(2, "letter")
        ),
        Episode(TOM, 1, "present", "Tom went home.", "Home.", 0, 0),
        Episode(ADA, 3, "present", "Ada learned who the Grey Fox was.", "The Fox.", 0, 0),
    ),
)


def at(member: int, offset: int | None = None, story: Story = STORY) -> Standing:
    until = None if offset is None else Position(0, offset)
    return standing_at(story, cast(), member, [DOCUMENT], until)


def known(standing: Standing) -> list[int]:
    return [stretch.scene for stretch in standing.reach.stretches or ()]


def test_what_was_witnessed_by_the_point_is_known_and_nothing_else():
    assert known(at(ADA)) == [0, 2, 3]
    assert known(at(ADA, STARTS[3])) == [0, 2]
    assert known(at(ADA, STARTS[2])) == [0]
    assert known(at(TOM)) == [0, 1]
    assert known(at(FOX)) == [1, 3]


def test_within_a_scene_it_is_known_up_to_the_point_and_is_no_episode_yet():
    middle = TEXT.index("“I am")
    standing = at(ADA, middle)
    assert (standing.reach.stretches or ())[-1].end == middle
    assert standing.last is not None
    assert standing.last.text.endswith("came in.")
    assert [each.text for each in standing.record] == [
        "Ada was given a lamp by Tom.",
        "Ada read that Tom had drowned.",
    ]
    assert len(at(ADA).record) == 3


def test_the_words_that_say_so_are_those_of_the_text_up_to_the_point():
    stretches = at(ADA).reach.stretches or ()
    assert [each.evidence for each in stretches] == ["Ada", "", "Ada"]
    (entry,) = (each for each in at(ADA).record if each.witness.how == "read")
    assert entry.witness.evidence == ("letter",)
    assert TEXT[entry.source.start : entry.source.end] == "letter"
    before = at(ADA, TEXT.index("to Ada")).reach.stretches or ()
    assert before[-1].evidence == ""


def test_a_point_at_the_end_of_a_section_has_its_scene_whole():
    assert len(at(ADA, len(TEXT[: STARTS[1]].rstrip())).record) == 1


def test_the_last_scene_lived_through_is_none_that_was_read_of():
    last = at(ADA, STARTS[3]).last
    assert last is not None
    assert (last.title, last.witness.how) == ("One", "present")
    assert last.text == TEXT[last.source.start : last.source.end]
    assert at(FOX, STARTS[1]).last is None


def test_scenes_that_go_on_are_one_last_scene():
    scenes = list(STORY.scenes)
    scenes[1] = replace(scenes[1], continues=True)
    last = at(TOM, story=Story(tuple(scenes))).last
    assert last is not None
    assert "Ada met Tom." in last.text
    assert last.text.endswith("The Grey Fox saw him.")


@pytest.mark.parametrize(("kind", "knows"), [("common", True), ("narration", False)])
def test_what_everybody_knows_is_known_and_what_the_narrator_tells_is_nobodys(kind, knows):
    scenes = [replace(each, kind=kind) if n == 1 else each for n, each in enumerate(STORY.scenes)]
    standing = at(ADA, story=Story(tuple(scenes)))
    assert (1 in known(standing)) is knows
    assert (1 in known(at(TOM, story=Story(tuple(scenes))))) is knows
    source = Source("d", "", STARTS[1] + 2, STARTS[2])
    witness = standing.witness([source])
    assert (None if witness is None else witness.how) == ("common" if knows else None)
    assert standing.holds(source) is knows


def test_a_persons_word_goes_before_all_others():
    gone = SceneWitness(TOM, "absent", 0, 0, by_person=True)
    scenes = list(STORY.scenes)
    scenes[0] = replace(scenes[0], witnesses=(*scenes[0].witnesses, gone))
    assert known(at(TOM, story=Story(tuple(scenes)))) == [1]
    came = SceneWitness(ADA, "told", 0, 0, by_person=True)
    scenes[1] = replace(scenes[1], kind="narration", witnesses=(came,))
    assert known(at(ADA, story=Story(tuple(scenes)))) == [0, 1, 2, 3]


def test_pronouns_are_named_as_the_character_can_name_them():
    subjects = at(ADA).subjects
    assert subjects is not None
    start = TEXT.index("He gave")
    told = subjects.of(Source("d", "", start, STARTS[1]), TEXT[start : STARTS[1]])
    assert told == "he: Tom; she: Ada Byrne; speaking: Tom"
    start = TEXT.index("She read")
    told = subjects.of(Source("d", "", start, STARTS[3]), TEXT[start : STARTS[3]])
    assert "he: Tom" in told
    whole = subjects.of(Source("d", "", 0, STARTS[1]), TEXT[: STARTS[1]])
    assert whole == "speaking: Tom"


def test_a_name_that_comes_later_names_nobody_before():
    def names(standing: Standing) -> set[str]:
        assert standing.subjects is not None
        return set(standing.subjects._names)

    assert "Nora Vane" in names(at(ADA))
    assert "Nora Vane" not in names(at(TOM))
    assert names(at(ADA, STARTS[3])) == {"Ada Byrne", "Tom", ""}
    assert at(ADA).met == ("Tom", "Nora Vane")


def test_lines_are_ones_own_and_said_by_the_point():
    assert at(TOM).lines == ("which was my father's lamp once",)
    assert at(TOM, STARTS[0] + 5).lines == ()
    assert at(ADA).lines == ()
    assert at(FOX).lines == ("I am Nora Vane and nobody else",)


def test_older_parts_of_a_life_are_drawn_together_and_dropped_last():
    standing = at(ADA)
    assert standing.last is not None
    scene_tokens = count_tokens(standing.last.text)
    costs = [count_tokens(each.text) for each in standing.record]
    everything = life_so_far(standing, 1_000, count_tokens)
    assert [item.kind for item in everything.items] == ["episode"] * 3 + ["scene"]
    assert everything.older == ()
    some = life_so_far(standing, scene_tokens + 2 * costs[-1], count_tokens)
    assert [item.text for item in some.items][-2] == "Ada learned who the Grey Fox was."
    assert "Tom drowned." in [item.text for item in some.items]
    assert len(some.older) == 2
    none = life_so_far(standing, 0, count_tokens)
    assert [item.kind for item in none.items] == ["scene"]
    assert [skip.title for skip in none.skipped] == ["One", "Three", "Four"]


def test_an_entry_comes_back_by_its_words_and_a_shared_feeling_orders_alone():
    record = at(ADA).record
    (meant,) = meant_episodes(record, "Who gave you the lamp?", None)
    assert (meant.kind, meant.text) == ("memory", "Ada was given a lamp by Tom.")
    glad = {"joy": 9}
    (felt,) = meant_episodes(record, "Who gave you the lamp?", glad)
    assert meant.score < felt.score <= meant.score + 0.2
    assert meant_episodes(record, "Do you like the opera?", glad) == []


def test_a_long_last_scene_is_shown_from_a_sentence_on():
    text = "# One\n\nAda came. " + "The lamp burned on the stair. " * 300
    document = Document("d", "d.md", text, "")
    story = Story((Scene(0, 0, len(text), witnesses=(SceneWitness(0, "present", 7, 10),)),))
    people = Cast((CastMember("Ada", ("Ada",)),), (CastMention(0, 7, 10, 0),))
    standing = standing_at(story, people, 0, [document], None)
    (item,) = life_so_far(standing, 10_000, count_tokens).items
    assert len(item.text) <= 4_500
    assert item.text.startswith("The lamp")
    assert item.text == text[item.sources[0].start : item.sources[0].end]
