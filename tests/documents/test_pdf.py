from __future__ import annotations

import builtins
import io
import logging
from pathlib import Path
from typing import Any

import pytest

from offbook.documents.places import place_of
from offbook.documents.readers import read_document
from offbook.errors import ConfigurationError, UnreadableDocument
from offbook.extras import install_command

pypdf = pytest.importorskip("pypdf", reason="the extra pdf is not installed")


def pdf(*pages: str, password: str | None = None, letters: str = "") -> bytes:
    """A PDF with one line of text a page; ``letters`` is what its font says of them."""
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = pypdf.PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    if letters:
        meanings = DecodedStreamObject()
        lines = "begincmap", "1 beginbfchar", letters, "endbfchar", "endcmap"
        meanings.set_data("\n".join(lines).encode())
        font[NameObject("/ToUnicode")] = writer._add_object(meanings)
    for text in pages:
        page = writer.add_blank_page(220, 220)
        fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        if text:
            stream = DecodedStreamObject()
            stream.set_data(f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode())
            page[NameObject("/Contents")] = writer._add_object(stream)
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def book(pages: list[list[tuple[int, int, int, str]]]) -> bytes:
    """A PDF of lines: x, y and size in points, and text."""
    from pypdf.generic import DecodedStreamObject, NameObject

    writer = pypdf.PdfWriter(io.BytesIO(pdf(*("" for _ in pages))))
    for page, lines in zip(writer.pages, pages, strict=True):
        stream = DecodedStreamObject()
        drawn = (f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET" for x, y, size, text in lines)
        stream.set_data("\n".join(drawn).encode())
        page[NameObject("/Contents")] = writer._add_object(stream)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


LINES = (
    "Nora Vey came down to the harbour before the lamps",
    "were out, for the pilot had sent word to the school-",
    "master that the Falcon lay off the bar.",
    "You will want the long boat, said Jonas Pell, who kept",
    "the slip, and four men who can swim in such a sea.",
    "The schoolmaster said that no {} could swim in it, and",
)
LAST = "that was the end of the {}."
WHAT = "rope", "lamp", "bell", "coin", "boot", "oars"


def test_lines_become_paragraphs_across_pages_and_running_heads_go(tmp_path: Path):
    """Once with indented first lines, and once with gaps between the paragraphs."""
    for indent, gap in ((15, 0), (0, 8)):
        pages = []
        for number in range(1, 7):
            heights = [150, 138, 126, 114 - gap, 102 - gap, 90 - 2 * gap]
            head = "NORA VEY" if number % 2 else "THE FALCON"
            lines = [(90, 200, 8, head), (90, 10, 8, str(number + 7))]
            if number > 1:  # the rest of the paragraph on the page before
                lines.append((20, 184, 10, LAST.format(WHAT[number - 2])))
            lines.append((20, 168, 16, f"Chapter {number}"))
            lines += [
                (20 + (indent if at in (0, 3, 5) else 0), y, 10, text.format(WHAT[number - 1]))
                for at, (y, text) in enumerate(zip(heights, LINES, strict=True))
            ]
            pages.append(lines)
        path = tmp_path / "a.pdf"
        path.write_bytes(book(pages))
        document = read_document(path, "a.pdf")
        blocks = document.text.strip().split("\n\n")
        first = (
            "Nora Vey came down to the harbour before the lamps were out, for the pilot had sent "
        )
        first += "word to the schoolmaster that the Falcon lay off the bar."
        assert blocks[:4] == [
            "# Chapter 1", first, " ".join(LINES[3:5]), f"{LINES[5]} {LAST}".format("rope", "rope")
        ], (indent, gap)  # fmt: skip
        assert [block for block in blocks if block.startswith("#")] == [
            f"# Chapter {number}" for number in range(1, 7)
        ]
        assert "dropped: 12 running heads" in document.messages[0]
        assert place_of(document.places, 0) == "page 1"
        assert place_of(document.places, document.text.index("# Chapter 3")) == "page 3"


def test_a_note_at_the_foot_stands_behind_the_paragraph_that_goes_on_over_the_page(tmp_path: Path):
    """A word that the end of the page broke is whole."""
    first = [(20, 150 - 12 * at, 10, text) for at, text in enumerate(LINES[:2])]
    notes = [(20, 60 - 8 * at, 7, text) for at, text in enumerate(("* Of Marrow.", "* The bar."))]
    second = [(20, 170 - 12 * at, 10, text) for at, text in enumerate(LINES[2:5])]
    later = [(20, 60, 7, "* A long boat.")]
    path = tmp_path / "a.pdf"
    path.write_bytes(book([[*first, *notes], [*second, *later]]))
    document = read_document(path, "a.pdf")
    whole = " ".join(LINES[:3]).replace("school- master", "schoolmaster")
    assert document.text.startswith(whole)
    assert document.text.index("* Of Marrow.") > len(whole)
    assert place_of(document.places, document.text.index("* The bar")) == "page 1"
    assert place_of(document.places, document.text.index("* A long")) == "page 2"


@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize("indent", [0, 6])
def test_two_columns_are_read_one_after_the_other(tmp_path: Path, by_rows: bool, indent: int):
    """Also where the page is drawn row by row; headings stand across, and part what is above."""
    pages, whole, last = [], list[str](), "He said that no {} could."
    for number in range(1, 5):
        title = f"Of the {WHAT[number]} and how it came about that all men slept late"
        head = (150 if number % 2 else 10, 210, 4, f"Running head {number}")
        lines = [head, (10, 198, 6, title)]
        columns: list[list[tuple[int, int, int, str]]] = []
        for x, nth in ((10, 2 * number), (112, 2 * number + 1)):
            column, y = [], 180
            for at, text in enumerate([*LINES, *LINES]):
                opens = at in (0, 3, 5, 6, 9, 11)
                y -= 5 + 4 * (opens and not indent)
                said = last.format(WHAT[nth % 6]) if at in (5, 11) else text
                column.append((x + indent * opens, y, 4, said))
            columns.append(column)
        drawn = zip(*columns, strict=True) if by_rows else columns
        pages.append([*lines, *(line for part in drawn for line in part)])
    path = tmp_path / "a.pdf"
    path.write_bytes(book(pages))
    document = read_document(path, "a.pdf")
    first = " ".join(LINES[:3]).replace("school- master", "schoolmaster")
    for number in range(1, 5):
        whole.append(f"# Of the {WHAT[number]} and how it came about that all men slept late")
        for nth in (2 * number, 2 * number + 1):
            whole += [first, " ".join(LINES[3:5]), last.format(WHAT[nth % 6])] * 2
    assert document.text.strip().split("\n\n") == whole
    assert "dropped: 4 running heads" in document.messages[0]


def read(folder: Path, data: bytes) -> str:
    path = folder / "ada.pdf"
    path.write_bytes(data)
    return read_document(path, "ada.pdf").text


def test_pages_are_parted_by_blank_lines(tmp_path: Path):
    assert read(tmp_path, pdf("Ada was born.", "", "Ada wrote.")) == "Ada was born.\n\nAda wrote.\n"


@pytest.mark.parametrize(
    ("letters", "read_as"),
    [("<41> <D800>", "\ufffdda\n"), ("<41> <0000>", "da\n"), ("<41> <D83DDE00>", "😀da\n")],
)
def test_what_a_font_makes_of_its_letters_can_be_stored(tmp_path: Path, letters: str, read_as: str):
    assert read(tmp_path, pdf("Ada", letters=letters)) == read_as


def test_pages_without_text_are_refused(tmp_path: Path):
    with pytest.raises(UnreadableDocument, match="2 pages, but no text") as error:
        read(tmp_path, pdf("", ""))
    assert "OCR" in error.value.hint


def test_damaged_and_empty_files_are_refused_and_nothing_else_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(logging.root, "handlers", [])  # as in a process that set up no logging
    for data in (b"%PDF-1.7\nbroken", b"", b"not a pdf"):
        with pytest.raises(UnreadableDocument, match="cannot be read as PDF"):
            read(tmp_path, data)
    assert capsys.readouterr() == ("", "")


def test_a_password_is_needed_only_where_it_locks_reading(tmp_path: Path):
    assert "Ada" in read(tmp_path, pdf("Ada", password=""))
    with pytest.raises(UnreadableDocument, match="protected by a password"):
        read(tmp_path, pdf("Ada", password="secret"))


def test_without_the_extra_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    real = builtins.__import__

    def without_pypdf(name: str, *arguments: Any) -> Any:
        if name == "pypdf":
            raise ImportError(name)
        return real(name, *arguments)

    data = pdf("Ada")
    monkeypatch.setattr(builtins, "__import__", without_pypdf)
    with pytest.raises(ConfigurationError) as error:
        read(tmp_path, data)
    assert error.value.hint == install_command("pdf")
    assert error.value.exit_code == 3
