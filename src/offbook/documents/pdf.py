"""The reader of PDF: the text of its pages, parted by blank lines.

Takes: the bytes of a file.  Gives: text.  Needs the extra ``pdf`` (pypdf).
"""

from __future__ import annotations

import io
from logging import NullHandler, getLogger
from pathlib import Path

from offbook.errors import ConfigurationError, UnreadableDocument

# What pypdf mends it logs, and without a handler that would be printed between our own messages.
getLogger("pypdf").addHandler(NullHandler())


def pdf_text(path: Path, data: bytes) -> str:
    """The text of all pages that have any; ``path`` is for messages.

    Raises:
        ConfigurationError: pypdf is not installed.
        UnreadableDocument: the file is damaged or needs a password, or its pages are pictures.
    """
    try:
        from pypdf import PdfReader
    except ImportError as error:
        raise ConfigurationError(
            f"{str(path)!r} is a PDF, and the extra that reads PDF is not installed",
            "pip install 'offbook[pdf]'",
        ) from error
    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        pages = [] if locked else [page.extract_text() for page in reader.pages]
    except Exception as error:  # pypdf raises whatever a damaged file makes it stumble over
        raise UnreadableDocument(
            f"{str(path)!r} cannot be read as PDF: {error}",
            "open it and save it anew, or save it as text",
        ) from error
    if locked:
        raise UnreadableDocument(
            f"{str(path)!r} is protected by a password", "save it without one, or save it as text"
        )
    texts = [page.replace("\0", "").strip() for page in pages]
    if not any(texts):
        raise UnreadableDocument(
            f"{str(path)!r} has {len(pages)} pages, but no text in them",
            "its pages are probably pictures: run it through text recognition (OCR) first",
        )
    return "\n\n".join(text for text in texts if text) + "\n"
