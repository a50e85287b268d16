"""Chapters of plain texts become headings; licence, title page and contents are set aside."""

from __future__ import annotations

import itertools
import re

import pytest

from offbook.documents.labels import label_of, number_of, same_part
from offbook.documents.places import span_of
from offbook.documents.readers import ReadDocument, read_content
from offbook.documents.sections import sections

BODY = "Nora Vey came down to the harbour before the lamps were out, and nobody spoke to her."


def read(text: str) -> ReadDocument:
    return read_content("a.txt", text.encode())


def book(*lines: str, between: str = BODY) -> str:
    return "\n\n".join(f"{line}\n\n{between}" if line else between for line in lines)


def headings(text: str) -> list[str]:
    return [
        f"{'#' * part.level} {part.headings[-1]}"
        for part in sections(read(text).text)
        if part.level
    ]


@pytest.mark.parametrize(
    ("line", "number", "title"),
    [
        ("CHAPTER V.", 5, ""),
        ("Chapter Twenty-One", 21, ""),
        ("Chapter 3: The Bar", 3, "The Bar"),
        ("CHAPTER I. Nora Is Late", 1, "Nora Is Late"),
        ("Book the First", 1, ""),
        ("The Second Part", 2, ""),
        ("VOL. III.", 3, ""),
        ("Kapitel 3", 3, ""),
        ("2. Kapitel", 2, ""),
        ("Erstes Kapitel", None, ""),
        ("Глава 5", 5, ""),
        ("Глава первая", None, ""),
        ("Capítulo 3: El mar", 3, "El mar"),
        ("第一百二十章", 120, ""),
        ("第十二回 海港", 12, "海港"),
        ("제 3 장 바다", 3, "바다"),
        ("SCENE 2. A quay", 2, "A quay"),
        ("Letter 4", 4, ""),
        ("IV.", 4, ""),
        ("I. The Bar", 1, "The Bar"),
        ("12", 12, ""),
        ("PROLOGUE", 0, ""),
        ("Prologue: The Storm", 0, "The Storm"),
    ],
)
def test_labels_of_many_languages_are_read(line: str, number: int | None, title: str):
    label = label_of(line)
    assert label is not None
    assert (label.number, label.title) == (number, title)


@pytest.mark.parametrize(
    "line",
    [
        "Chapter 5 was dull.", "Chapter I was about", "I was there.", "Part of the", "3. Likes tea",
        "Letter from home", "The harbour", "Introduction to the harbour", "Die Brief an", "第一",
    ],
)  # fmt: skip
def test_sentences_and_items_have_no_label(line: str):
    assert label_of(line) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (book("CHAPTER I.", "CHAPTER II.", "CHAPTER III."),
         ["# CHAPTER I.", "# CHAPTER II.", "# CHAPTER III."]),
        (book("Part One\n\nChapter 1", "Chapter 2", "Part Two\n\nChapter 1"),
         ["# Part One", "## Chapter 1", "## Chapter 2", "# Part Two", "## Chapter 1"]),
        (book("I.", "II.", "III."), ["# I.", "# II.", "# III."]),
        (book("I", "2"), []),
        (book("II", "III", "IV"), []),
        (book("PROLOGUE", "Chapter 1", "Chapter 2", "Epilogue"),
         ["# PROLOGUE", "# Chapter 1", "# Chapter 2", "# Epilogue"]),
        (book("Prologue", "Nora"), []),
        (book("CHAPTER I\nIn Which Nora\nIs Late", "CHAPTER II\nThe Bar"),
         ["# CHAPTER I. In Which Nora Is Late", "# CHAPTER II. The Bar"]),
        (book("Chapter 1\n\nNora Is Late", "Chapter 2\n\nThe Bar"),
         ["# Chapter 1. Nora Is Late", "# Chapter 2. The Bar"]),
        (book("Chapter 1", "Chapter 2\n\n“The bar,” said she", "Chapter 3"),
         ["# Chapter 1", "# Chapter 2", "# Chapter 3"]),
        (book("ACT I\n\nSCENE I. A quay.", "SCENE II. The bar.", "ACT II\n\nSCENE I. The quay."),
         ["# ACT I", "## SCENE I. A quay.", "## SCENE II. The bar.",
          "# ACT II", "## SCENE I. The quay."]),
        (book("Erstes Kapitel", "Zweites Kapitel"), ["# Erstes Kapitel", "# Zweites Kapitel"]),
        ("第一章 海港\n她来到了港口。\n第二章 灯塔\n她上了灯塔。\n",
         ["# 第一章 海港", "# 第二章 灯塔"]),
        (f"# Nora\n\n{book('Chapter 1', 'Chapter 2')}", ["# Nora", "## Chapter 1", "## Chapter 2"]),
        (f"# Nora\n\n## Life\n\n{book('Chapter 1', 'Chapter 2')}", ["# Nora", "## Life"]),
        (book("          CHAPTER I", "          CHAPTER II"), ["# CHAPTER I", "# CHAPTER II"]),
        (f"{BODY}\nPart of the town and Chapter 5 was\n{BODY}", []),
    ],
)  # fmt: skip
def test_chapters_become_headings_with_their_titles(text: str, found: list[str]):
    assert headings(text) == found
    document = read(text)
    assert any("headings" in message for message in document.messages) == (
        bool(found) and "## Life" not in found
    )


def test_licence_title_page_and_contents_are_set_aside_and_said_so():
    chapters = ["CHAPTER I. Late", "CHAPTER II. The Bar", "CHAPTER III. Home"]
    inner = book(*chapters)
    text = (
        "The Project Gutenberg eBook of Nora\n\nThis is free of charge.\n\n"
        "*** START OF THE PROJECT GUTENBERG EBOOK NORA ***\n\nProduced by Jonas Pell.\n\n"
        "NORA VEY\n\nby Ann Harrow\n\nCONTENTS\n\n" + "\n".join(chapters) + f"\n\n{inner}\n\n"
        "End of the Project Gutenberg EBook of Nora\n\n"
        "*** END OF THE PROJECT GUTENBERG EBOOK NORA ***\nLicence.\n"
    )
    document = read(text)
    assert document.text.split() == " ".join(f"# {line} {BODY}" for line in chapters).split()
    said = " ".join(document.messages)
    assert "Project Gutenberg" in said
    assert "contents of 4 lines" in said
    assert "title page (Produced by Jonas Pell. / NORA VEY / by Ann Harrow)" in said
    for place in [match.start() for match in re.finditer(re.escape(BODY), document.text)]:
        span = span_of(document.places, place, place + len(BODY))
        assert span is not None
        assert text[slice(*span)] == BODY


def test_contents_without_labels_end_where_a_title_comes_again():
    text = f"Contents\n\nLate 1\nThe Bar 12\n\nLate\n\n{BODY}\n\n" + book("Chapter 1", "Chapter 2")
    assert read(text).text.split()[0] == "Late"
    assert BODY in read(text).text


def test_what_stands_in_front_of_one_chapter_or_is_prose_stays():
    for text in (f"Nora\n\nChapter 1\n\n{BODY}", f"{BODY}\n\n{book('Chapter 1', 'Chapter 2')}"):
        assert read(text).text.split() == text.replace("Chapter", "# Chapter").split()


@pytest.mark.parametrize(
    ("wanted", "title", "same"),
    [
        ("Chapter 5", "CHAPTER V. In Which Nora Is Late", True),
        ("Chapter 5", "V.", True),
        ("5", "Chapter 5: Rain", True),
        ("Chapter 5", "CHAPTER VI.", False),
        ("Chapter 5", "Letter 5", False),
        ("Nora", "Chapter 5", False),
    ],
)
def test_a_part_is_known_by_its_kind_and_number(wanted: str, title: str, same: bool):
    assert same_part(wanted, title) is same


def test_edits_of_a_book_keep_the_order_of_all_else():
    text = book(*(f"CHAPTER {number}" for number in range(1, 30)))
    words = read(text).text.replace("# ", "").split()
    assert words == text.split()
    assert all(a <= b for (a, _), (b, _) in itertools.pairwise(read(text).places))


@pytest.mark.parametrize(
    "front",
    [
        "THE BOOK\n\nContents\n\nChapter I. Rain\nChapter II. Sun\nChapter III. Wind\n\n",
        "Volume I\n\nContents\n\nChapter I. Rain\nChapter II. Sun\nChapter III. Wind\n\n",
        "Contents\n\nRain ... 1\nSun ... 3\nWind ... 5\n\n",
        "Contents\n\nChapter I. Rain\nChapter II. Sun\n\n",
    ],
)
def test_contents_take_no_chapter_along(front: str):
    text = front + book("CHAPTER I.\nRain", "CHAPTER II.\nSun", "CHAPTER III.\nWind")
    found = [line.lstrip("# ") for line in headings(text)]
    assert found[-3:] == ["CHAPTER I. Rain", "CHAPTER II. Sun", "CHAPTER III. Wind"]


def test_a_number_of_many_digits_numbers_nothing():
    assert number_of("9" * 5000) is None


def test_a_salutation_is_no_title():
    text = book("LETTER I\n\nMy dear Anna,", "LETTER II\n\nMy dear Anna,")
    assert headings(text) == ["# LETTER I", "# LETTER II"]


def test_of_two_books_in_one_file_both_are_kept():
    mark = "*** {} OF THE PROJECT GUTENBERG EBOOK A ***"
    frame = [mark.format("START"), "Rain fell.", mark.format("END"), "Section 1. Terms\n"]
    one = "\n\n".join(frame)
    text = read(one + "Head\n\n" + one.replace("Rain", "Snow")).text
    assert text.split() == ["Rain", "fell.", "Snow", "fell."]
