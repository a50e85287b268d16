"""Base64 as it is found in pictures: unpadded, in the alphabet for URLs, broken into lines.

Takes: the bytes of a text chunk.  Gives: what they stand for, and warnings; junk is an error, since
skipping it would shift everything behind it.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

from offbook.cards.findings import Findings
from offbook.errors import UnreadableCard

_BLANKS: Final = b" \t\r\n\v\f\0"
_FOR_URLS: Final = bytes.maketrans(b"-_", b"+/")
_JUNK: Final = re.compile(rb"[^A-Za-z0-9+/]")


def decode_base64(text: bytes, findings: Findings, path: str = "") -> bytes:
    """What ``text`` stands for.

    Raises:
        UnreadableCard: it holds characters that are not of Base64.
    """
    packed = text.translate(None, _BLANKS)
    bare = packed.rstrip(b"=")
    normal = bare.translate(_FOR_URLS)
    if normal != bare:
        findings.warn("base64-alphabet", path, "the Base64 is in the alphabet for URLs", "")
    junk = _JUNK.search(normal)
    if junk is not None:
        raise UnreadableCard(
            f"the Base64 holds {junk[0]!r} at offset {junk.start()}",
            "the picture was damaged on its way; take the original",
        )
    if len(normal) % 4 == 1:
        findings.warn("base64-length", path, "the Base64 is cut off; its last sign is left out", "")
        normal = normal[:-1]
    padded = normal + b"=" * (-len(normal) % 4)
    if len(packed) != len(padded):
        findings.warn("base64-padding", path, "the Base64 is not padded as it should be", "")
    try:
        return base64.b64decode(padded, validate=True)
    except binascii.Error as error:  # pragma: no cover - what could raise it is mended above
        raise UnreadableCard(f"the Base64 cannot be decoded: {error}", "") from error
