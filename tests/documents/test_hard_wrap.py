"""Hard wrap: printed lines are told from paragraphs by whether the next word would have fit."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.documents.acts import ACTSSplitter
from offbook.documents.hard_wrap import without_wraps
from offbook.documents.sections import sections
from tests.documents.texts import assert_exact, document, messy_texts

PARAGRAPHS = [
    "Nora Vey came down to the harbour before the lamps were out, because the pilot had sent "
    "word that the Falcon lay off the bar with her mainmast gone. She had not slept.",
    "“You will want the long boat,” said Jonas Pell, who kept the slip, “and four men who can "
    "swim.” He did not look at her while he said it; he was counting the waves, as he always "
    "did, and had come to seven.",
    "It was Mr. Harrow, the schoolmaster, who first saw the light. He had climbed the tower with "
    "his boots in his hand so that nobody should hear him, and there it was, low in the west: "
    "three long, two short, and then nothing for so long that he thought he had dreamt it.",
    "Nobody spoke. The tide turned, the gulls came back, and by noon the whole town stood on the "
    "wall with bread and blankets, talking of the winter in which the Marigold was lost.",
]
VERSE = """The harbour sleeps beneath a coat of rain,
The lamps go out along the broken quay,
And someone sings an old and sad refrain
Of ships that never came home from the sea,
Of boys who learned to count the waves by night,
Of girls who mended nets and did not weep,
While far beyond the bar a swinging light
Kept watch above the waters dark and deep.
O who will pay the pilot for his pains
When all the gold is sunk and all the grain?
"""
STATEMENTS = """She was born in the house behind the slip at Marrow.
Her father was the pilot and could not read a word.
She learned to swim before she learned to walk far.
She has kept the harbour book since the great storm.
She hates the smell of tar and has never said why.
She owes the schoolmaster for a lamp and two books.
"""
ITEMS = "\n".join(
    f"- the {what} that she found below the wall at the turn of the"
    for what in ("rope", "lamp", "bell", "coin", "boot", "oars")
)
TABLE = "\n".join(
    f"| {name} | born in the house behind the slip | pilot |" for name in ("Vey", "Gill", "Pell")
)
COLUMNS = "\n".join(
    f"{name:12}{place:28}{year}   drowned off the bar in the great storm"
    for name, place, year in [
        ("Nora Vey", "Marrow by the slip", 1801), ("Jonas Pell", "Marrow, the upper street", 1777),
        ("Ann Harrow", "Saint Orme", 1790), ("Peter Gill", "the Falcon, at sea", 1802),
        ("Maud Lisle", "Marrow, the tower", 1799),
    ]
)  # fmt: skip


def wrapped(width: int, between: str = "\n\n") -> str:
    return between.join(textwrap.fill(part, width) for part in PARAGRAPHS)


def chunks(text: str, paragraph: str = "auto") -> list[str]:
    splitter = ACTSSplitter(paragraph=paragraph)  # type: ignore[arg-type]
    return [chunk.text for chunk in splitter.split(document(text))]


@pytest.mark.parametrize("width", [45, 60, 72, 80, 100, 120])
def test_wrapped_prose_is_cut_as_if_it_were_not_wrapped(width: int):
    plain = [" ".join(part.split()) for part in chunks("\n\n".join(PARAGRAPHS))]
    text = wrapped(width)
    assert [" ".join(part.split()) for part in chunks(text)] == plain
    assert_exact(ACTSSplitter().split(document(text)), text)
    parameters = ACTSSplitter().parameters(document(text))
    assert parameters["paragraph"] == "auto"
    assert (parameters["sections_by_block"], parameters["sections_by_line"]) == (1, 0)
    assert parameters["l_max"] == max(map(len, PARAGRAPHS))


def test_the_other_two_are_as_they_were():
    text = wrapped(72)
    assert max(map(len, chunks(text, "line"))) <= 72
    for paragraph in ("line", "block"):
        parameters = ACTSSplitter(paragraph=paragraph).parameters(document(text))
        assert parameters["paragraph"] == paragraph
        assert "sections_by_block" not in parameters


@pytest.mark.parametrize("text", [VERSE, STATEMENTS, ITEMS, TABLE, COLUMNS, "\n".join(PARAGRAPHS)])
def test_verse_lists_and_tables_are_not_wrapped(text: str):
    assert chunks(text) == chunks(text, "line")
    assert ACTSSplitter().parameters(document(text))["sections_by_block"] == 0


def test_each_section_is_told_by_its_own_lines():
    text = f"# Nora Vey\n\n{wrapped(72)}\n\n## Song\n\n{VERSE}\n## Facts\n\n{STATEMENTS}"
    parameters = ACTSSplitter().parameters(document(text))
    assert (parameters["sections_by_block"], parameters["sections_by_line"]) == (1, 2)
    shown, of_sections = without_wraps(
        text, [(part.body_start, part.body_end) for part in sections(text)]
    )
    assert of_sections == [True, False, False]
    assert VERSE in shown


def test_a_short_section_is_judged_with_its_document():
    start, _, _ = PARAGRAPHS[0].partition(" She")
    short = textwrap.fill(start, 72)
    assert short.count("\n") == 2
    assert "\n" in chunks(short)[0] or len(chunks(short)) > 1
    assert not any(without_wraps(short, [(0, len(short))])[1])
    text = (
        f"# Nora Vey\n\n## A\n\n{wrapped(72)}\n\n## B\n\n{short}\n\n## C\n\nLikes tea\nHates rain"
    )
    parameters = ACTSSplitter().parameters(document(text))
    assert (parameters["sections_by_block"], parameters["sections_by_line"]) == (2, 2)
    assert short in chunks(text)


def test_without_blank_lines_a_short_line_that_ends_a_sentence_ends_the_paragraph():
    text = wrapped(72, between="\n")
    assert ACTSSplitter().parameters(document(text))["l_max"] == max(map(len, PARAGRAPHS))


def test_items_of_a_list_stay_lines_of_their_own():
    items = "- He hates rain.\n- He likes the sea in a storm."
    text = f"{wrapped(72)}\n{items}\n"
    shown, _ = without_wraps(text, [(0, len(text))])
    assert shown.endswith(f"\n{items}\n")


@given(messy_texts, st.integers(20, 130))
def test_nothing_but_line_ends_within_lines_becomes_a_blank(text: str, width: int):
    text = "\n".join(
        textwrap.fill(line, width) if line.strip() else line for line in text.split("\n")
    )
    stretches = [(part.body_start, part.body_end) for part in sections(text)]
    shown, of_sections = without_wraps(text, stretches)
    assert len(of_sections) == len(stretches)
    assert len(shown) == len(text)
    changed = [at for at, (a, b) in enumerate(zip(text, shown, strict=True)) if a != b]
    for at in changed:
        assert (text[at], shown[at]) == ("\n", " ")
        assert text[at + 1] != "\n"
        assert any(start < at < end for start, end in stretches)
