"""The text chunks of PNG and APNG pictures, walked chunk by chunk; no picture is ever decoded.

Takes: an open file, or the bytes of a picture and texts to put into it.  Gives: text chunks, or the
bytes of the picture with them. Source: PNG specification, third edition, sections 5 and 11.3.3.

Chunks may stand after the picture data (SillyTavern writes there), be compressed (tEXt, zTXt and
iTXt are all read), carry a wrong checksum, or the file may end too soon: each is a warning.
"""

from __future__ import annotations

import colorsys
import hashlib
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import BinaryIO, Final

from offbook.cards.findings import Findings
from offbook.cards.sources import CardLimits
from offbook.errors import UnreadableCard, UsageError

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_TEXT: Final = (b"tEXt", b"zTXt", b"iTXt")
_KEYWORD_BYTES: Final = 80  # a keyword has 79 at most, and a NUL behind it
_ASSET_KEYWORD_BYTES: Final = 1024  # RisuAI keeps whole paths in keywords
_END: Final = struct.pack(">I", 0) + b"IEND" + struct.pack(">I", zlib.crc32(b"IEND"))


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A text chunk: where its data lies in the file, and its keyword; nothing else is read yet."""

    kind: str
    keyword: str
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class _Chunk:
    kind: bytes
    start: int
    length: int
    missing: int  # bytes that the file is too short by


def text_chunks(file: BinaryIO, findings: Findings, limits: CardLimits) -> Iterator[TextChunk]:
    """The text chunks of an open PNG file, in their order."""
    for chunk in _walk(file, findings, limits):
        if chunk.kind not in _TEXT:
            continue
        file.seek(chunk.start)
        head = file.read(min(_ASSET_KEYWORD_BYTES, chunk.length))
        keyword, nul, _ = head.partition(b"\0")
        if not nul:
            if chunk.length <= _KEYWORD_BYTES:
                findings.warn("png-keyword", "", "a text chunk has no keyword; it is left out")
            continue
        name = keyword.decode("latin-1")
        yield TextChunk(chunk.kind.decode("ascii"), name, chunk.start, chunk.length - chunk.missing)


def chunk_text(file: BinaryIO, chunk: TextChunk, findings: Findings, limits: CardLimits) -> bytes:
    """The text of a chunk, inflated where it is compressed.

    Raises:
        UnreadableCard: it is beyond the limits, or damaged.
    """
    if chunk.length > limits.chunk_bytes:
        raise UnreadableCard(
            f"the chunk {chunk.keyword[:40]!r} is {chunk.length} bytes long, and chunk_bytes is "
            f"{limits.chunk_bytes}",
            "no card is that long; in Python CardLimits.chunk_bytes can be raised",
        )
    file.seek(chunk.start)
    data = file.read(chunk.length)
    right = struct.pack(">I", zlib.crc32(data, zlib.crc32(chunk.kind.encode("ascii"))))
    if len(stored := file.read(4)) == len(right) and stored != right:
        findings.warn(
            "png-checksum",
            "",
            f"the checksum of the chunk {chunk.keyword[:40]!r} is wrong; it is read all the same",
            "compare the card with its original",
        )
    rest = data[data.index(b"\0") + 1 :]
    if chunk.kind == "tEXt":
        return rest
    if chunk.kind == "zTXt":
        return inflate(rest[1:], limits.chunk_bytes, chunk.keyword, findings)
    return _international(rest, chunk, findings, limits)


def _international(rest: bytes, chunk: TextChunk, findings: Findings, limits: CardLimits) -> bytes:
    """The text behind flag, method, language and translated keyword of an iTXt chunk."""
    parts = rest[2:].split(b"\0", 2)
    if len(rest) < 2 or len(parts) < 3:
        raise UnreadableCard(
            f"the iTXt chunk {chunk.keyword[:40]!r} is cut off", "take the original picture"
        )
    if not rest[0]:
        return parts[2]
    return inflate(parts[2], limits.chunk_bytes, chunk.keyword, findings)


def inflate(data: bytes, most_bytes: int, what: str, findings: Findings) -> bytes:
    """``data`` inflated, never beyond ``most_bytes``; a stream that is cut off is a warning.

    Raises:
        UnreadableCard: it would become longer, or is no zlib stream.
    """
    stream = zlib.decompressobj()
    try:
        made = stream.decompress(data, most_bytes + 1)
    except zlib.error as error:
        raise UnreadableCard(
            f"the compressed text of {what[:40]!r} is damaged: {error}", "take the original picture"
        ) from error
    if len(made) > most_bytes:
        raise UnreadableCard(
            f"the compressed text of {what[:40]!r} inflates to more than {most_bytes} bytes",
            "it is a bomb, or no card; in Python CardLimits.chunk_bytes can be raised",
        )
    if not stream.eof:
        findings.warn(
            "png-inflate",
            "",
            f"the compressed text of {what[:40]!r} is cut off; what is left of it is read",
            "take the original picture",
        )
    return made


def _walk(file: BinaryIO, findings: Findings, limits: CardLimits) -> Iterator[_Chunk]:
    size = file.seek(0, 2)
    offset = len(SIGNATURE)
    for _ in range(limits.chunks):
        file.seek(offset)
        head = file.read(8)
        if len(head) < 8:
            findings.warn("png-end", "", "the picture has no end (IEND); it is read as it is")
            return
        length, kind = struct.unpack(">I4s", head)
        start = offset + 8
        missing = max(0, start + length - size)
        yield _Chunk(kind, start, length, missing)
        if missing:
            findings.warn(
                "png-cut", "", f"the picture is cut off in a chunk {kind!r}", "take the original"
            )
            return
        if kind == b"IEND":
            return
        offset = start + length + 4
    raise UnreadableCard(
        f"the picture has more than {limits.chunks} chunks",
        "if you trust it, raise CardLimits.chunks in Python",
    )


def with_texts(
    picture: bytes,
    texts: Mapping[str, bytes],
    strip: Callable[[str], bool],
    findings: Findings,
    limits: CardLimits,
) -> bytes:
    """``picture`` with ``texts`` as tEXt chunks before its end.

    Args:
        picture: A PNG or APNG file; all chunks but the stripped ones are kept byte by byte.
        texts: Latin-1 texts by keyword.
        strip: Which text chunks are left out, by keyword.
        findings: Where it is noted that the picture is cut off.
        limits: Bounds.

    Raises:
        UsageError: it is no PNG picture.
    """
    import io

    if not picture.startswith(SIGNATURE):
        raise UsageError(
            f"the picture is no PNG: it begins with {picture[:8]!r}",
            "convert it to PNG, or write the card without a picture",
        )
    file, parts = io.BytesIO(picture), [SIGNATURE]
    dropped = {c.start for c in text_chunks(file, Findings(), limits) if strip(c.keyword)}
    for chunk in _walk(file, findings, limits):
        if chunk.missing:
            findings.warn("png-cut", "", "the picture is cut off; what is left of it is written")
        if chunk.kind == b"IEND" or chunk.missing:
            break
        if chunk.start in dropped:
            continue
        end = chunk.start + chunk.length
        if end + 4 <= len(picture):
            parts.append(picture[chunk.start - 8 : end + 4])
        else:  # its data is whole, its checksum is cut off
            parts.append(_written(chunk.kind, picture[chunk.start : end]))
    parts += [_written(b"tEXt", k.encode("latin-1") + b"\0" + v) for k, v in texts.items()]
    return b"".join((*parts, _END))


def _written(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(data, zlib.crc32(kind))
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


WIDTH, HEIGHT = 128, 192


@lru_cache(maxsize=32)
def default_avatar(name: str) -> bytes:
    """A PNG picture, 128 by 192 pixels, whose colour follows from ``name``."""
    hue = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=1).digest()[0] / 256
    rows = bytearray()
    figure = _colour(hue, 0.35, 0.92)
    for y in range(HEIGHT):
        ground = _colour(hue, 0.55, 0.30 + 0.35 * y / HEIGHT)
        rows.append(0)
        for x in range(WIDTH):
            beside = x - WIDTH / 2 + 0.5
            head = (beside / 26) ** 2 + ((y - 74) / 32) ** 2 <= 1
            shoulders = (beside / 54) ** 2 + ((y - 192) / 72) ** 2 <= 1
            rows += figure if head or shoulders else ground
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    parts = _written(b"IHDR", header), _written(b"IDAT", zlib.compress(rows, 9))
    return b"".join((SIGNATURE, *parts, _END))


def _colour(hue: float, saturation: float, value: float) -> bytes:
    return bytes(round(255 * part) for part in colorsys.hsv_to_rgb(hue, saturation, value))
