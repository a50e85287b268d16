"""Readers: from a file to its text, or an error that says how to mend the file.

A byte order mark is left out, every line break becomes a line feed, and HTML becomes Markdown; of
hard-wrapped text each paragraph becomes a line. All else is kept word for word, nothing is
normalised, and ``places`` lead from the text back to the file's own characters. Encodings are never
guessed: UTF-8, UTF-16 with a byte order mark, and what an HTML page itself declares; anything else
is refused. PDF needs the extra ``pdf`` (pypdf). Readers of other packages are found by the
ending (``offbook.reader``).
"""

from __future__ import annotations

import codecs
import re
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from offbook import registry
from offbook.documents.aside import licences
from offbook.documents.hard_wrap import unwrapped
from offbook.documents.headings import chapters
from offbook.documents.places import UNCHANGED, Edit, Places, edited, through
from offbook.documents.sections import sections
from offbook.errors import OffbookError, UnreadableDocument, UsageError
from offbook.protocols import Reader

MEDIA: Final = {
    ".txt": "text/plain",
    ".log": "text/plain",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".pdf": "application/pdf",
    ".epub": "application/epub+zip",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".vtt": "text/vtt",
    ".srt": "application/x-subrip",
}
"""File types that offbook reads itself, by the ending of the name in lower case."""

_READER: Final = "reader"
_WRAPPED: Final = (MEDIA[".txt"], MEDIA[".md"])
_TIMED: Final = (MEDIA[".vtt"], MEDIA[".srt"])

_CHARSET: Final = re.compile(
    rb"<(?:meta[^>]{0,200}charset|\?xml[^>]{0,200}encoding)\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})",
    re.IGNORECASE,
)
_CHARSET_WITHIN: Final = 2048


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """What was read from a file.

    Attributes:
        name: The document's name.
        text: Its text, a paragraph a line.
        media: The file's media type.
        places: The map from the text back to the file: ``offbook.documents.places``.
        messages: What was joined or set aside, for people.
    """

    name: str
    text: str
    media: str
    places: Places = UNCHANGED
    messages: Sequence[str] = ()


def is_readable(path: Path) -> bool:
    """Whether the name of ``path`` ends as one of the types that can be read."""
    return path.suffix.lower() in MEDIA or _read_by_others(path)


def endings() -> tuple[str, ...]:
    """The endings of the names of files that can be read, ours first."""
    return (*MEDIA, *(f".{name}" for name in registry.names(_READER) if f".{name}" not in MEDIA))


def _read_by_others(path: Path) -> bool:
    return path.suffix.lower().removeprefix(".") in registry.names(_READER)


def media_of(path: Path) -> str:
    """The media type of a file, by its name.

    Raises:
        UnreadableDocument: it is none of those that can be read.
    """
    if not is_readable(path):
        raise UnreadableDocument(
            f"{str(path)!r} is of a type that cannot be read",
            f"known types: {', '.join(endings())}; rename it to .txt if it is plain text",
        )
    ending = path.suffix.lower()
    return MEDIA.get(ending) or f"application/x-{ending.removeprefix('.')}"


def no_file(path: Path) -> UnreadableDocument:
    """The error that there is nothing at a path."""
    return UnreadableDocument(
        f"there is no file {str(path)!r}", "check the path; it may have been moved or deleted"
    )


def read_document(path: Path, name: str) -> ReadDocument:
    """Read the file at ``path``.

    Raises:
        UnreadableDocument: it is gone, empty, binary, damaged, or in another encoding.
        UsageError: it is a directory.
        ConfigurationError: it is a PDF, and the extra that reads them is not installed.
    """
    if path.is_dir():
        raise UsageError(
            f"{str(path)!r} is a directory", "name the files in it, or ingest it whole"
        )
    return _document(path, name, read_bytes(path), media_of(path))


def read_content(name: str, data: bytes) -> ReadDocument:
    """Read a document that came without a file, as over the network; no file is touched.

    Args:
        name: The document's name; its ending tells the type, plain text where it tells none.
        data: What a file would hold.

    Raises:
        UnreadableDocument: it is empty, binary, damaged, or in another encoding.
        ConfigurationError: it is a PDF, and the extra that reads them is not installed.
    """
    path = Path(name)
    return _document(path, name, data, media_of(path) if is_readable(path) else MEDIA[".txt"])


def _document(path: Path, name: str, data: bytes, media: str) -> ReadDocument:
    text, places, messages = _parts(path, data, media)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    read = _tidied(ReadDocument(name, text, media, places, tuple(messages)))
    if not read.text or read.text.isspace():
        raise UnreadableDocument(
            f"{str(path)!r} holds no text", "give a file with something about the character in it"
        )
    return read


def _parts(path: Path, data: bytes, media: str) -> tuple[str, Places, Sequence[str]]:
    """The text of a file, the map back to it, and what was dropped of it."""
    kind = media.rpartition("/")[2]
    if media not in MEDIA.values():
        return _text_by_others(path, data), UNCHANGED, ()
    if kind == "pdf":
        from offbook.documents.pdf import pdf_text

        return pdf_text(path, data)
    if kind == "epub+zip":
        from offbook.documents.epub import epub_text

        return epub_text(path, data, _page)
    if media == MEDIA[".docx"]:
        from offbook.documents.docx import docx_text

        return *docx_text(path, data), ()
    if kind == "html":
        from offbook.documents.html import html_to_markdown, places_in

        page = _page(path, data).replace("\r\n", "\n").replace("\r", "\n")
        markdown = html_to_markdown(path, page)
        return markdown, places_in(page, markdown), ()
    return decode(path, data), UNCHANGED, ()


def _text_by_others(path: Path, data: bytes) -> str:
    """What the reader of another package makes of a file."""
    ending = path.suffix.lower()
    reader: Reader = registry.load(_READER, ending.removeprefix("."))
    try:
        return reader(path.name, data)
    except OffbookError:
        raise
    except Exception as error:
        raise UnreadableDocument(
            f"{str(path)!r} cannot be read: {type(error).__name__}: {error}",
            f"it was read by {reader!r}, which is registered for {ending}: mend the file, "
            "or that package",
        ) from error


def _tidied(read: ReadDocument) -> ReadDocument:
    """The document with a line for each paragraph, a heading for each chapter, and no frame."""
    steps: list[Callable[[str], tuple[list[Edit], list[str]]]] = [_licences, _book]
    if read.media in _TIMED:
        steps = [_cues]
    elif read.media in _WRAPPED:
        steps.append(partial(_paragraphs, markdown=read.media == MEDIA[".md"]))
    for step in steps:
        edits, messages = step(read.text)
        if edits:
            text, places = edited(read.text, edits)
            places = through(places, read.places)
            notes = (*read.messages, *messages)
            read = replace(read, text=text, places=places, messages=notes)
    return read


def _cues(text: str) -> tuple[list[Edit], list[str]]:
    from offbook.documents.subtitles import subtitle_lines

    return subtitle_lines(text), ["set aside: the times of the subtitles"]


def _licences(text: str) -> tuple[list[Edit], list[str]]:
    return list(licences(text)), ["set aside: Project Gutenberg's licence"]


def _book(text: str) -> tuple[list[Edit], list[str]]:
    """Set title page and contents aside and find chapters, where a text has no headings."""
    levels = [part.level for part in sections(text) if part.level]
    return chapters(text, 1 + sum(levels)) if len(levels) <= 1 else ([], [])


def _paragraphs(text: str, *, markdown: bool) -> tuple[list[Edit], list[str]]:
    stretches = [(part.body_start, part.body_end) for part in sections(text)]
    edits, width = unwrapped(text, stretches, markdown=markdown)
    return edits, [f"joined to paragraphs: lines wrapped at {width} columns"]


def read_bytes(path: Path) -> bytes:
    """The content of the file at ``path``; an ``UnreadableDocument`` where it cannot be had."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            # A pipe or a device may never end.
            raise UnreadableDocument(
                f"{str(path)!r} is no ordinary file", "save what it holds in a file first"
            )
        return path.read_bytes()
    except FileNotFoundError as error:
        raise no_file(path) from error
    except OSError as error:
        raise UnreadableDocument(
            f"{str(path)!r} cannot be read: {error.strerror or error}",
            "check that you may read it, and that it is an ordinary file",
        ) from error


def decode(path: Path, data: bytes, declared: str | None = None) -> str:
    """Decode the content of a text file, without guessing.

    Args:
        path: Where it was read, for messages.
        data: The bytes.
        declared: The encoding that the file itself names; used where the bytes are not UTF-8.
    """
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise _wrong_encoding(path, 0, data, "it is UTF-32", "UTF-32")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = _decoded(path, data, "utf-16")
        nul = text.find("\0")
    else:
        nul = data.find(b"\0")
        text = "" if nul >= 0 else _decoded(path, data, "utf-8-sig", declared)
    if nul >= 0:
        raise UnreadableDocument(
            f"{str(path)!r} is binary: a NUL at offset {nul}",
            "give a text file; if it is UTF-16, save it with a byte order mark or as UTF-8",
        )
    return text


def _decoded(path: Path, data: bytes, encoding: str, declared: str | None = None) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        if declared is not None:
            return _decoded(path, data, declared)
        byte = data[error.start]
        what = f"byte 0x{byte:02x} at offset {error.start} is not {encoding.removesuffix('-sig')}"
        raise _wrong_encoding(path, error.start, data, what, "WINDOWS-1252") from error


def _wrong_encoding(
    path: Path, offset: int, data: bytes, what: str, example: str
) -> UnreadableDocument:
    near = data[max(0, offset - 12) : offset + 12]
    return UnreadableDocument(
        f"{str(path)!r} is in an encoding that is not known: {what}, near {near!r}",
        f"convert it, with its real encoding: iconv -f {example} -t UTF-8 FILE > FILE.utf8.txt",
    )


def _page(path: Path, data: bytes) -> str:
    return decode(path, data, _declared(data))


def _declared(data: bytes) -> str | None:
    """The encoding that an HTML page declares for itself, if Python makes text of it.

    A page that is read so far is in no wide encoding, whatever it declares.
    """
    match = _CHARSET.search(data[:_CHARSET_WITHIN])
    if match is None:
        return None
    try:
        name = codecs.lookup(match[1].decode("ascii")).name
        b" ".decode(name)  # refused by what is no encoding of text, such as "hex"
    except (LookupError, UnicodeError):
        return None
    return None if name.startswith("utf-") else name
