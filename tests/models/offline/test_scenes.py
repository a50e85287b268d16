"""Scenes by rules: where they end, and who is there."""

from __future__ import annotations

import pytest

from offbook.names.cast import Cast
from offbook.names.narrator import narrator_of
from offbook.names.story import Scene
from offbook.rules.cast import read_cast
from offbook.rules.scenes import read_story
from offbook.rules.story_kind import kind_of


def scenes_of(text: str) -> tuple[list[Scene], Cast]:
    cast = read_cast([text])
    story = read_story([text], cast)
    assert [each.end for each in story.scenes[:-1]] == [each.start for each in story.scenes[1:]]
    return list(story.scenes), cast


def there(text: str, words: str) -> dict[str, str]:
    """Who knows of the scene in which words stand, by the last names they have, and how."""
    scenes, cast = scenes_of(text)
    place = text.index(words)
    scene = next(each for each in scenes if each.start <= place < each.end)
    return {cast.members[each.member].name.split()[0]: each.how for each in scene.witnesses}


QUAY = """Ada Byrne came down to the quay. Tom Reeve waited there.

“The rope is cut,” said Tom Reeve.

“Nell Orme must never hear of it,” said Ada Byrne.

{between}

Nell Orme found the empty boat. “Who was here?” said Nell Orme.

Hugh Pell shrugged. “I saw nobody,” said Hugh Pell.
"""


@pytest.mark.parametrize(
    "between",
    [
        "***",
        "# Two",
        "The next morning the rain came.",
        "Meanwhile the tide went out.",
        "That same evening the rain came.",
        "Late that very night the rain came.",
        "On the following day the rain came.",
        "The same evening the rain came.",
    ],
)
def test_a_scene_ends_and_who_is_only_spoken_of_is_not_there(between: str):
    text = QUAY.format(between=between)
    assert set(there(text, "rope is cut")) == {"Ada", "Tom"}
    assert set(there(text, "empty boat")) == {"Nell", "Hugh"}


def test_a_scene_ends_where_the_company_changes_clearly():
    first = "Ada Byrne nodded at Tom Reeve.\n\n“The rope is cut,” said Tom Reeve.\n\n" * 6
    second = "Nell Orme looked at Hugh Pell.\n\n“Who was here?” said Nell Orme.\n\n" * 6
    text = first + second
    assert set(there(text, "rope is cut")) == {"Ada", "Tom"}
    assert set(there(text, "Who was here")) == {"Nell", "Hugh"}


TOLD = """Tom Reeve met me at the quay. “You are late, Ada,” he said.

I told him that I had slept. I never liked the place, and I said so.

“Sit down, Ada,” said Tom Reeve. I sat down.
"""


def test_who_tells_it_as_i_is_there():
    cast = read_cast([TOLD])
    narrator = narrator_of(TOLD, 0, cast)
    assert narrator is not None
    assert cast.members[narrator].name == "Ada"
    assert set(there(TOLD, "slept")) == {"Ada", "Tom"}
    assert narrator_of(QUAY, 0, read_cast([QUAY])) is None


def test_who_overhears_is_told_apart():
    text = "Ada Byrne overheard them. “It is cut,” said Tom Reeve.\n\nTom Reeve laughed."
    assert there(text, "cut") == {"Ada": "overheard", "Tom": "present"}


@pytest.mark.parametrize("text", ["", "\n\n", "***", "# A\n\n# B", "“", "I I I I I"])
def test_odd_texts_have_scenes_without_gaps(text: str):
    scenes, _ = scenes_of(text)
    assert (scenes[0].start, scenes[-1].end) == (0, len(text))


PLAY = "".join(f"TOM. The sea is up, line {n}.\n\nADA. Let it rise.\n\n" for n in range(8))
LETTERS = "My dear Ada,\n\nThe sea is up.\n\nTom\n\nDear Tom,\n\nLet it rise.\n\nAda\n"
LOG = "".join(f"## Session {n}\n\nThe party went north with Mirel.\n\n" for n in range(4))
TALK = "".join(f"“The sea is up {n},” said Tom.\n\nAda shrugged.\n\n" for n in range(8))
SHEET = "# Ada Byrne\n\n## Appearance\n\nTall.\n\n## Personality\n\nShy of Tom, Nell and Hugh.\n"
SPEECH = SHEET + "\n## Speech\n\n" + "“The light first, the tea after.”\n" * 6
LIFE = "# Ada Byrne\n\nAda Byrne kept the light for years. Tom Reeve taught her.\n"
INTERVIEW = SHEET + "".join(f"\nQ: Who are you, {n}?\n\nA: Ada.\n" for n in range(8))


@pytest.mark.parametrize(
    ("text", "created", "made_of_cast"),
    [
        (PLAY, "story", "story"),
        (LETTERS, "story", "story"),
        (LOG, "story", "story"),
        (TALK, "story", "story"),
        (SHEET, "persona", "persona"),
        (SPEECH, "persona", "persona"),
        (INTERVIEW, "persona", "persona"),
        (LIFE, "persona", "persona"),
        (LIFE.replace("# Ada Byrne", "# The Rock"), "persona", "story"),
        ("", "persona", "story"),
    ],
)
def test_which_kind_documents_are(text: str, created: str, made_of_cast: str):
    assert kind_of([text], "Ada Byrne", of_cast=False) == created
    assert kind_of([text], "Ada Byrne", of_cast=True) == made_of_cast


@pytest.mark.parametrize(
    "cited",
    [
        "Dear Will,\n\nThe bees are well.\n\nDear Father,\n\nI have mended the roof.\n",
        "".join(f"Ada: It is {n}.\nWill: You are a saint.\n" for n in range(6)),
    ],
)
def test_a_description_that_cites_letters_or_talk_is_about_its_person(cited: str):
    about = "# Ada Byrne\n\n## Background\n\nShe keeps bees.\n\n## Likes\n\nTea.\n\n## Words\n\n"
    assert kind_of([about + cited], "Ada Byrne", of_cast=False) == "persona"
    assert kind_of([cited], "Ada Byrne", of_cast=False) == "story"


def test_a_collection_under_a_name_cites_letters_and_a_book_of_letters_is_a_story():
    letter = "## {}\n\nDear Will,\n\nThe bees are well.\n\n"
    parts = "".join(f"## The year {n}\n\nShe mended nets.\n\n" for n in range(9))
    collection = "# Ada Byrne\n\n" + parts + letter.format("To Will") + letter.format("Again")
    assert kind_of([collection], "Ada Byrne", of_cast=False) == "persona"
    book = "# Ada Byrne\n\n" + "".join(letter.format(f"The year {n}") for n in range(9))
    assert kind_of([book], "Ada Byrne", of_cast=False) == "story"


NOT_SEEN = """# One

Nell Orme came home. “The lamp is lit,” said Nell Orme.

# Two

Ada Byrne met Tom Reeve. “The box is open,” said Tom Reeve.

{line}

“So it is,” said Ada Byrne. “Read it.”
"""


@pytest.mark.parametrize(
    ("line", "is_there"),
    [
        ("It gave the boats, the nets and the hut, to Nell Orme, and it was dated.", False),
        ("The old will had left the hut to Nell Orme, who was named in it.", False),
        ("The paper was signed by her niece, Nell Orme, in another year.", False),
        ("The hut belonged to Nell Orme, and he knew it.", False),
        ("To Nell Orme he said nothing of it.", False),
        ("He never spoke of it to Nell Orme, who slept.", False),
        ("He told nobody, not even Nell Orme, who slept.", False),
        ("He told Nell Orme nothing and kept the key.", False),
        ("He gave the paper to Nell Orme, and waited.", True),
        ("It grew late, and Tom Reeve gave the lamp to Nell Orme, who took it.", True),
        ("He told nobody but Nell Orme, and she wept.", True),
        ("To Nell Orme he said that it was late.", True),
    ],
)
def test_who_is_told_nothing_or_stands_in_a_paper_is_not_there(line: str, is_there: bool):
    assert ("Nell" in there(NOT_SEEN.format(line=line), "box is open")) is is_there
