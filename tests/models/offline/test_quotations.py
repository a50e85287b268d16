"""Quotations: what is said in a text, in every style of marks."""

from __future__ import annotations

import time

import pytest

from offbook.rules.quotations import labelled_speech, paragraphs_of, quotations_of


def said(text):
    return [text[p.start : p.end] for p in quotations_of(text, paragraphs_of(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“Come in,” said Ida, “and sit.”", ["“Come in,”", "“and sit.”"]),
        ('"Come in," said Ida, "and sit."', ['"Come in,"', '"and sit."']),
        ("‘It’s the boys’ boat,’ said Ida. ‘Don’t.’", ["‘It’s the boys’ boat,’", "‘Don’t.’"]),
        ("'It's cold,' said Ida. 'Don't go.'", ["'It's cold,'", "'Don't go.'"]),
        ("« Entrez », dit Ida. « Merci. »", ["« Entrez »", "« Merci. »"]),
        ("»Komm«, sagte Ida. »Bald.«", ["»Komm«", "»Bald.«"]),
        ("„Komm“, sagte Ida. „Bald.“", ["„Komm“", "„Bald.“"]),
        ("アイダは言った。「入って」「うん」", ["「入って」", "「うん」"]),
        ("艾达说:“进来。”", ["“进来。”"]),
        ("“He said ‘no’ to me,” Ida said.", ["“He said ‘no’ to me,”"]),
        ("The “Old Mill” was shut. “Why?” said Ida.", ["“Why?”"]),
        ("He was no “expert,” and knew it. “Well!”", ["“Well!”"]),
        ("She came to the “Coach and Horses.”", ["“Coach and Horses.”"]),
        ("“Never closed, said Ida.\n\n“Next.”", ["“Never closed, said Ida.", "“Next.”"]),
        ("Nobody spoke.", []),
    ],
)
def test_marks_of_every_style_hold_what_is_said(text, expected):
    assert said(text) == expected


def test_a_speech_over_paragraphs_goes_on_until_it_is_closed():
    text = "“One.\n\n“Two.\n\n“Three.”\n\n“Four.”"

    pieces = quotations_of(text, paragraphs_of(text))

    assert [piece.continues for piece in pieces] == [False, True, True, False]
    assert [piece.paragraph for piece in pieces] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "— Привет, — сказала Ида. — Как дела?\n\n— Хорошо.\n\n— Да.",
            ["Привет,", "Как дела?", "Хорошо.", "Да."],
        ),
        (
            "—Hola —dijo Ida—. ¿Vienes?\n\n—No.\n\n—Bueno.",
            ["Hola", "¿Vienes?", "No.", "Bueno."],
        ),
    ],
)
def test_dashes_that_open_paragraphs_are_those_of_a_dialogue(text, expected):
    assert said(text) == expected


def test_a_wrapped_paragraph_is_one_and_lines_that_end_are_many():
    wrapped = "A line that goes on\nover its end and is\nwrapped.\n\n“Next,” he said."
    lines = "One ends here.\n“Two ends here.”\n“Three as well.”"

    assert len(paragraphs_of(wrapped)) == 2
    assert len(paragraphs_of(lines)) == 3


PLAY = "\n\n".join(
    f"{name}.\nThe tide is {word}, and the boat\nis on the sand."
    for name, word in (("IDA", "out"), ("TOM WREN", "in"), ("IDA", "low"), ("TOM WREN", "high")) * 2
)
LOG = "\n".join(
    f"[20:{minute:02}] {name}: We leave at {minute}."
    for minute, name in enumerate(("Ida", "Tom Wren", "Ida", "GM", "Tom Wren", "GM"))
)


@pytest.mark.parametrize(
    ("text", "names"), [(PLAY, {"IDA", "TOM WREN"}), (LOG, {"Ida", "Tom Wren", "GM"})]
)
def test_names_that_begin_lines_again_and_again_are_speakers(text, names):
    found = labelled_speech(text)

    assert {text[start:end] for (start, end), _, _ in found} == names
    assert all(text[start:end].strip() == text[start:end] for _, start, end in found)
    assert all(text[start:end].startswith(("The tide", "We leave")) for _, start, end in found)


def test_a_sheet_of_keys_is_no_play():
    assert (
        labelled_speech("Name: Ida\nAge: 30\nHome: Hull\nTrade: clocks\nEyes: grey\nPet: a cat")
        == []
    )


def test_time_grows_with_the_length_only():
    def seconds(text):
        begun = time.process_time()
        quotations_of(text, paragraphs_of(text))
        labelled_speech(text)
        return time.process_time() - begun

    for text in ("‘" * 40_000, '"a ' * 40_000, "'a' " * 40_000, "— a\n\n" * 30_000, "A: " * 40_000):
        assert seconds(text) < 5


def test_keys_of_records_are_no_speakers():
    who = ["Class: a fighter, or so he says.\nHome: a barn in the hills.\nLikes: dogs and cheese."]
    assert not labelled_speech("\n\n".join(who * 4))


@pytest.mark.parametrize("gap", [" ", "\n", "  \n", "\n\n"])
@pytest.mark.parametrize("end", [".", ":"])
def test_a_label_may_stand_on_a_line_of_its_own(gap, end):
    text = "\n\n".join(f"{name}{end}{gap}The tide is out." for name in ("IDA", "MR. ORME") * 4)
    assert [text[slice(*name)] for name, *_ in labelled_speech(text)] == ["IDA", "MR. ORME"] * 4
