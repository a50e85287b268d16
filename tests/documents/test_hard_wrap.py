"""Hard wrap: printed lines are told from paragraphs by whether the next word would have fit."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.documents.places import span_of
from offbook.documents.readers import ReadDocument, read_content
from tests.documents.texts import messy_texts

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


ADDRESS = "The Slip, Marrow.\nFriday."
SIGNATURE = "Yours in haste,\n    Nora Vey"


def wrapped(width: int, between: str = "\n\n", indent: str = "") -> str:
    return between.join(textwrap.fill(part, width, initial_indent=indent) for part in PARAGRAPHS)


def read(text: str) -> ReadDocument:
    return read_content("a.txt", text.encode())


@pytest.mark.parametrize("width", [40, 60, 72, 80, 100, 120])
@pytest.mark.parametrize(
    ("between", "indent"), [("\n\n", ""), ("\n\n", "  "), ("\n", "    "), ("\n", "\t"), ("\n", "")]
)
def test_wrapped_prose_is_read_as_if_it_were_not_wrapped(width: int, between: str, indent: str):
    text = wrapped(width, between, indent)
    document = read(text)
    assert document.text == "\n\n".join(PARAGRAPHS)
    (message,) = document.messages
    assert "wrapped at" in message
    for part in ("Nora Vey", "four men who can swim", "he thought he had dreamt it", "Nobody"):
        at = document.text.index(part)
        span = span_of(document.places, at, at + len(part))
        assert span is not None
        assert text[slice(*span)].split() == part.split()


@pytest.mark.parametrize(
    "text",
    [
        VERSE, STATEMENTS, ITEMS, TABLE, COLUMNS, "\n".join(PARAGRAPHS), ADDRESS, SIGNATURE,
        "Nora: You will want the long boat and four men.\nJonas: Four men who can swim\nNora: Yes.",
        "[12:03] <Nora> You will want the long boat\n[12:04] <Jonas> and four men who can swim",
        "```\nif the_tide.has_turned(now):\n    ring(the_bell)\n    wake(jonas)\n```",
    ],
)  # fmt: skip
def test_verse_lists_tables_addresses_and_talk_stay_lines(text: str):
    assert read(text).text == text
    framed = f"{wrapped(72)}\n\n{text}\n\n{wrapped(72)}"
    assert read(framed).text == "\n\n".join([*PARAGRAPHS, text, *PARAGRAPHS])


def test_indented_paragraphs_begin_whatever_ends_in_front_of_them():
    """Behind a comma, too; not in a letter that hangs out, nor behind one blank that strayed."""
    last = "He had said so himself before the lamps were lit, so nobody asked."
    comma = "She looked at the light for a long while, and then she said to him,"
    prose = wrapped(72, "\n", "    ")
    text = f"{prose}\n    {last}\n{comma}\n{prose}\n    {last}\n Then he went.\n    * * *\n{prose}"
    hanging = textwrap.fill(PARAGRAPHS[2], 60, subsequent_indent="     ")
    paragraphs = [*PARAGRAPHS, f"{last} {comma}", *PARAGRAPHS, f"{last} Then he went.", "* * *"]
    found = read(f"{text}\n\n{hanging}\n\n{prose}").text.split("\n\n")
    assert found == [*paragraphs, *PARAGRAPHS, PARAGRAPHS[2], *PARAGRAPHS]


def test_rows_of_equal_length_stay_lines():
    rows = "Nora, a rope, a lamp, a pound of oil and a bell for the boat\n" * 10
    assert read(rows).text == rows


def test_markdown_keeps_indented_code_and_the_breaks_that_it_marks():
    code = "    def ring(the_bell, the_lamp, the_watchman, the_dog, the_boy) is\n    done"
    broken = "She wrote that the tide had turned and that the lamps would be,  \nso they said."
    text = f"{wrapped(72)}\n\n{code}\n\n{broken}\n"
    kept = [*PARAGRAPHS, code, broken]
    assert read_content("a.md", text.encode()).text == "\n\n".join(kept) + "\n"
    assert code not in read(text).text


def test_a_letter_keeps_its_address_its_salutation_and_its_signature():
    body = textwrap.fill(PARAGRAPHS[0], 72)
    text = f"{wrapped(72)}\n\n{ADDRESS}\nMy dear Jonas,\n{body}\nYours,\nNora Vey"
    letter = f"{ADDRESS}\nMy dear Jonas,\n{PARAGRAPHS[0]}\nYours,\nNora Vey"
    assert read(text).text == "\n\n".join([*PARAGRAPHS, letter])


def test_each_section_is_told_by_its_own_lines():
    text = f"# Nora Vey\n\n{wrapped(72)}\n\n## Song\n\n{VERSE}\n## Facts\n\n{STATEMENTS}"
    assert read(text).text == text.replace(wrapped(72), "\n\n".join(PARAGRAPHS))


def test_a_short_section_is_judged_with_its_document():
    start, _, _ = PARAGRAPHS[0].partition(" She")
    short = textwrap.fill(start, 72)
    assert read(short).text == short
    text = f"# Nora Vey\n\n{wrapped(72)}\n\n## B\n\n{short}\n\n## C\n\nLikes tea\nHates rain"
    plain = "\n\n".join(PARAGRAPHS)
    assert (
        read(text).text
        == f"# Nora Vey\n\n{plain}\n\n## B\n\n{start}\n\n## C\n\nLikes tea\nHates rain"
    )


def test_items_of_a_list_stay_lines_of_their_own():
    items = "- He hates rain.\n- He likes the sea in a storm."
    assert read(f"{wrapped(72)}\n{items}\n").text.endswith(f"\n{items}\n")


@pytest.mark.parametrize(
    ("line", "following", "joined"),
    [
        ("and there he saw the light-", "house of Marrow, and the mare", "lighthouse of"),
        ("and there he met the school-", "master, who had seen the light", "schoolmaster, who"),
        ("and there he met the gram-", "marian, who had seen the light", "grammarian, who"),
        ("and there the long-", "boat lay, and four men who swim", "long-boat lay"),
        ("and there he met the Vey-", "Harrow twins, and they were not", "Vey-Harrow twins"),
        ("and there he stood--", "for so it was told--and had been", "stood--for so"),
        ("and there he stood \u2014", "or so it was told, and he had been", "stood \u2014or so"),
        ("and there he met the gram\u00ad", "marian, who had seen the light", "grammarian, who"),
    ],
)
def test_a_hyphen_goes_where_the_text_writes_the_word_without_one(
    line: str, following: str, joined: str
):
    known = "The lighthouse keeper and the schoolmaster took the boat. The boat is long--so long."
    filled = "x" * (71 - len(line)) + " " + line
    text = f"{known}\n\n{wrapped(72)}\n\n{filled}\n{following} of the town."
    assert joined in read(text).text.replace("\n", " | ")


def test_chinese_lines_are_joined_without_a_blank():
    sentence = "她在天亮之前就到了港口，因为领航员带来口信，说那条船停在沙洲外面，桅杆已经断了。"
    lines = textwrap.wrap(sentence * 4, 36)
    text = "\n".join(lines)
    assert read(f"{text}\n\n{text}\n").text == f"{sentence * 4}\n\n{sentence * 4}\n"


@given(messy_texts, st.integers(20, 130))
def test_nothing_but_white_space_and_hyphens_is_changed(text: str, width: int):
    text = "\n".join(
        textwrap.fill(line, width) if line.strip() else line for line in text.split("\n")
    )
    if not text.strip():
        return
    text = text.replace("\r\n", "\n")
    document = read(text)
    assert "".join(document.text.split()) == "".join(text.split())
    assert document.text.count("\n\n") >= text.count("\n\n")
    for at, letter in enumerate(document.text):
        span = span_of(document.places, at, at + 1)
        assert span is not None
        assert letter.isspace() or text[slice(*span)] == letter
