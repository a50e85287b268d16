"""The reader of EPUB: the chapters in the order of the spine, as Markdown. Source: EPUB 3.3.

Headings are those of the pages; one without any gets its title from the table of contents. Notes
stay where they stand. Cover, title page, table of contents and copyright page are set aside where
the book itself names them so.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from offbook.documents.html import html_to_markdown
from offbook.documents.packed import Packed, attribute, below, local
from offbook.documents.places import Places

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_RIGHTS: Final = ("META-INF/rights.xml", "META-INF/sinf.xml")
_ASIDE: Final = frozenset(
    {"cover", "titlepage", "title-page", "toc", "copyright-page", "halftitlepage", "loi", "index"}
)
_PAGE_TYPE: Final = re.compile(r"<(?:body|section)\b[^>]{0,400}?epub:type=[\"']([\w\s.-]{1,80})")
_LONGEST_ASIDE: Final = 3_000
_PAGES: Final = ("application/xhtml+xml", "text/html", "application/xml")
_HEADING: Final = re.compile(r"^(?:#{1,6} |[^\n]+\n[=-]{3,}$)", re.MULTILINE)


class Title(NamedTuple):
    """What the table of contents calls a page, and how deep it stands there, from 1."""

    text: str
    level: int


def epub_text(
    path: Path, data: bytes, decoded: Callable[[Path, bytes], str]
) -> tuple[str, Places, list[str]]:
    """The text of a book, the pages that it comes from, and what was set aside.

    Args:
        path: Where the file is, for messages.
        data: Its content.
        decoded: Makes text of a page, with its place for messages.

    Raises:
        UnreadableDocument: the file is damaged, locked, or has no text.
    """
    book = Packed(path, data, "EPUB")
    package = _package(book)
    root = book.xml(package)
    items = {attribute(item, "id"): item for item in below(root, "item")}
    order = [attribute(each, "idref") for each in below(root, "itemref")]
    spine = [items[each] for each in order if each in items]
    files = [_file(package, attribute(item, "href")) for item in spine]
    _refuse_locked(book, set(files))
    titles = _titles(book, package, root, items.values())
    named = {
        _file(package, attribute(each, "href")): attribute(each, "type").lower()
        for each in below(root, "reference")
    }
    parts, places, messages, size = list[str](), list[tuple[int, int | str]](), list[str](), 0
    for item, file in zip(spine, files, strict=True):
        if (media := attribute(item, "media-type")) not in _PAGES:
            messages.append(f"left out: {file} (of type {media!r})")
            continue
        raw = decoded(path / file, book.read(file))
        text = html_to_markdown(path, raw).strip()
        if not text:
            continue
        aside = _is_aside(raw, attribute(item, "properties"), named.get(file, ""))
        if aside and len(text) <= _LONGEST_ASIDE:
            messages.append(f"set aside: {file} ({' '.join(text.split())[:80]})")
            continue
        if file in titles and not _HEADING.search(text[:400]):
            text = f"{'#' * min(6, titles[file].level)} {titles[file].text}\n\n{text}"
        places.append((size, file))
        parts.append(text + "\n\n")
        size += len(parts[-1])
    return "".join(parts).rstrip() + "\n", tuple(places), messages


def _package(book: Packed) -> str:
    roots = [attribute(each, "full-path") for each in below(book.xml(_CONTAINER), "rootfile")]
    if not roots:
        raise book.refused("cannot be read as EPUB: it names no package", "take the original file")
    return roots[0]


def _file(base: str, reference: str) -> str:
    """The member that a reference in the member ``base`` means, without the place in it."""
    plain = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), plain))


def _refuse_locked(book: Packed, files: set[str]) -> None:
    """Refuse a book whose pages are locked; obfuscated fonts are no lock."""
    locked = any(name in book.names for name in _RIGHTS)
    if _ENCRYPTION in book.names:
        named = [attribute(each, "URI") for each in below(book.xml(_ENCRYPTION), "CipherReference")]
        locked = locked or any(_file("", name) in files for name in named)
    if locked:
        raise book.refused(
            "is locked (DRM): its pages are encrypted",
            "offbook cannot unlock it; use a copy that was sold or published without a lock",
        )


def _titles(book: Packed, package: str, root: Any, items: Any) -> dict[str, Title]:
    """The titles of pages by the table of contents: of EPUB 3, else of EPUB 2."""
    titles: dict[str, Title] = {}
    for item in items:
        file = _file(package, attribute(item, "href"))
        if file not in book.names:
            continue
        if "nav" in attribute(item, "properties").split():
            for link in below(book.xml(file), "a"):
                level = max(1, sum(local(each) == "ol" for each in link.iterancestors()))
                _add(titles, file, attribute(link, "href"), "".join(link.itertext()), level)
        elif attribute(item, "media-type") == "application/x-dtbncx+xml" and not titles:
            for point in below(book.xml(file), "navPoint"):
                level = 1 + sum(local(each) == "navPoint" for each in point.iterancestors())
                source = next((attribute(each, "src") for each in below(point, "content")), "")
                text = next(("".join(each.itertext()) for each in below(point, "text")), "")
                _add(titles, file, source, text, level)
    return titles


def _add(titles: dict[str, Title], base: str, reference: str, text: str, level: int) -> None:
    if text.strip():
        titles.setdefault(_file(base, reference), Title(" ".join(text.split()), level))


def _is_aside(raw: str, properties: str, named: str) -> bool:
    """Whether the book says that a page is a cover, a title page or a table of contents."""
    # A page may hold a title page and the first chapter.
    types = [_ASIDE.intersection(match[1].split()) for match in _PAGE_TYPE.finditer(raw)]
    said = (bool(types) and all(types)) or bool(_ASIDE.intersection(named.split()))
    return said or "nav" in properties.split()
