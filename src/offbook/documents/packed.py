"""Files in a zip, as EPUB and DOCX are: read within bounds, and XML without entities."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from lxml import etree

from offbook.errors import UnreadableDocument

_MOST_MEMBERS: Final = 20_000
_MOST_BYTES: Final = 256 * 2**20
"""Of all that is read of one file; a long novel has a few million."""
_MOST_RATIO: Final = 200
"""How many times its packed size a member may have; text packs to a third, tables to a tenth."""
_RATIO_FROM: Final = 2**20
_DAMAGE: Final = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    zlib.error,
    EOFError,
    OSError,
)


class Packed:
    """The members of a zip.

    Args:
        path: Where the file is, for messages.
        data: Its content.
        kind: What it is to be, for messages: EPUB, DOCX.

    Raises:
        UnreadableDocument: it is no zip, is damaged, or has too many members.
    """

    def __init__(self, path: Path, data: bytes, kind: str) -> None:
        self._path, self._kind, self._left = path, kind, _MOST_BYTES
        with self._told():
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        self.names = {info.filename for info in self._zip.infolist()}
        if len(self.names) > _MOST_MEMBERS:
            raise self.refused(f"has {len(self.names)} files in it", "is it a book?")

    def refused(self, why: str, hint: str) -> UnreadableDocument:
        """The error that the file cannot be read."""
        return UnreadableDocument(f"{str(self._path)!r} {why}", hint)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE as error:
            raise self.refused(
                f"cannot be read as {self._kind}: {error}",
                "take the original file, or save it anew, or save it as text",
            ) from error

    def read(self, name: str) -> bytes:
        """The content of a member.

        Raises:
            UnreadableDocument: it is missing, damaged, locked, or grows beyond all bounds.
        """
        if name not in self.names:
            raise self.refused(
                f"cannot be read as {self._kind}: it has no {name!r}", "take the original file"
            )
        info = self._zip.getinfo(name)
        if info.flag_bits & 1:
            raise self.refused("is protected by a password", "save it without one")
        bound = min(self._left, max(_RATIO_FROM, info.compress_size * _MOST_RATIO))
        with self._told(), self._zip.open(info) as member:
            content = member.read(bound + 1)
        if len(content) > bound:
            raise self.refused(
                f"holds {name!r}, which unpacks to more than {bound} bytes",
                "it is no book, or a bomb; save its text as .txt",
            )
        self._left -= len(content)
        return content

    def xml(self, name: str) -> Any:
        """The root of a member that is XML, its names without prefixes."""
        parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
        try:
            root = etree.fromstring(self.read(name), parser)
        except (etree.XMLSyntaxError, ValueError):
            root = None
        if root is None:
            raise self.refused(
                f"cannot be read as {self._kind}: {name!r} is no XML", "take the original file"
            )
        return root


def local(element: Any) -> str:
    """The name of an element without its namespace; empty for comments."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Any, name: str) -> str:
    """The value of an attribute, whatever its namespace; empty where it has none."""
    return next((str(v) for k, v in element.attrib.items() if k.rpartition("}")[2] == name), "")


def below(element: Any, name: str) -> list[Any]:
    """The elements of this name below ``element``, in order."""
    return [each for each in element.iter() if local(each) == name]
