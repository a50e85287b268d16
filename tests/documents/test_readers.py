from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from offbook.documents.readers import ReadDocument, read_document
from offbook.errors import UnreadableDocument, UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def read(folder: Path, data: bytes, name: str = "ada.md") -> str:
    path = folder / name
    path.write_bytes(data)
    return read_document(path, "ada").text


def refused(folder: Path, data: bytes, name: str = "ada.md") -> UnreadableDocument:
    with pytest.raises(UnreadableDocument) as error:
        read(folder, data, name)
    assert error.value.exit_code == 2
    assert error.value.hint
    assert "\n" not in error.value.message
    return error.value


def test_a_document_has_the_name_that_it_is_given(folder: Path):
    (folder / "ada.MD").write_text("# Ada\n", encoding="utf-8")
    assert read_document(folder / "ada.MD", "notes/ada.md") == ReadDocument(
        "notes/ada.md", "# Ada\n", "text/markdown"
    )
    (folder / "ada.html").write_text("<p>Ada</p>", encoding="utf-8")
    assert read_document(folder / "ada.html", "ada").places == ((0, 3),)


@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\ufeff"), min_size=1)
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_text_is_kept_verbatim(folder: Path, text: str):
    text = "Ada " + text
    for data in (
        text.encode(),
        codecs.BOM_UTF8 + text.encode(),
        codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
    ):
        assert read(folder, data, "ada.txt") == text


def test_line_breaks_become_line_feeds(folder: Path):
    assert read(folder, b"a\r\nb\rc\n\r\nd") == "a\nb\nc\n\nd"


def test_text_is_not_normalised(folder: Path):
    assert read(folder, "e\u0301 \ufb01".encode()) == "e\u0301 \ufb01"


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, b"\n"])
@pytest.mark.parametrize("name", ["ada.md", "ada.html", "ada.txt"])
def test_empty_files_are_refused(folder: Path, data: bytes, name: str):
    assert "holds no text" in refused(folder, data, name).message


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"text\0more", "is binary"),
        (bytes(range(256)), "is binary"),
        (codecs.BOM_UTF32_LE + "Ada".encode("utf-32-le"), "it is UTF-32"),
        (codecs.BOM_UTF16_LE + b"a\0b", "utf-16"),
        *(
            (text.encode(encoding), "encoding")
            for encoding, text in (
                ("gb18030", "日本語"),
                ("shift_jis", "日本語"),
                ("euc-kr", "한국어 문장"),
                ("cp1251", "Привет"),
            )
        ),
    ],
)
def test_what_is_no_text_is_refused_and_no_encoding_is_guessed(folder: Path, data: bytes, why: str):
    assert why in refused(folder, data).message


def test_a_wrong_encoding_is_refused_with_the_offset_and_the_remedy(folder: Path):
    error = refused(folder, "Beyoncé was here".encode("latin-1"))
    assert "byte 0xe9 at offset 6" in error.message
    assert "Beyonc" in error.message
    assert "iconv -f WINDOWS-1252 -t UTF-8" in error.hint


def test_a_file_that_may_not_be_read_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def deny(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    (folder / "ada.md").write_text("Ada keeps a light.")
    monkeypatch.setattr(Path, "read_bytes", deny)
    with pytest.raises(UnreadableDocument, match="cannot be read: Permission denied"):
        read_document(folder / "ada.md", "ada")


def test_directories_unknown_types_and_what_is_gone_are_refused(folder: Path):
    with pytest.raises(UnreadableDocument, match="there is no file"):
        read_document(folder / "gone.md", "gone")
    with pytest.raises(UsageError, match="is a directory"):
        read_document(folder, "x")
    (folder / "a.odt").write_bytes(b"x")
    with pytest.raises(UnreadableDocument) as error:
        read_document(folder / "a.odt", "x")
    assert ".md" in error.value.hint


@pytest.mark.parametrize("size", [5_000_000, pytest.param(100_000_000, marks=pytest.mark.long)])
def test_one_enormous_line_is_read(folder: Path, size: int):
    assert len(read(folder, b"word " * (size // 5))) == size


def test_html_may_declare_its_encoding(folder: Path):
    page = '<html><head><meta charset="windows-1252"></head><body><p>Beyoncé</p></body></html>'
    assert read(folder, page.encode("cp1252"), "a.html") == "Beyoncé\n"
    assert read(folder, page.encode("utf-8"), "a.html") == "Beyoncé\n"
    for charset in ("utf-8", "no-such-thing", "hex", "undefined", "utf-16-le"):
        wrong = page.replace("windows-1252", charset).encode("cp1252")
        assert "encoding" in refused(folder, wrong, "a.html").message
