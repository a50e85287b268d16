"""The text chunks of PNG and APNG pictures, walked chunk by chunk; no picture is ever decoded.

Takes: an open file, or the bytes of a picture and texts to put into it.  Gives: text chunks, or the
bytes of the picture with them. Source: PNG specification, third edition, sections 5 and 11.3.3.

Chunks may stand after the picture data (SillyTavern writes there), be compressed (tEXt, zTXt and
iTXt are all read), carry a wrong checksum, or the file may end too soon: each is a warning.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, Final

from offbook.cards.findings import Findings
from offbook.cards.limits import CardLimits
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
                findings.warn("png-keyword", "", "a text chunk has no keyword; it is left out", "")
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
    _check(chunk, data, file.read(4), findings)
    rest = data[data.index(b"\0") + 1 :]
    if chunk.kind == "tEXt":
        return rest
    if chunk.kind == "zTXt":
        return inflate(rest[1:], limits.chunk_bytes, chunk.keyword, findings)
    return _international(rest, chunk, findings, limits)


def _check(chunk: TextChunk, data: bytes, stored: bytes, findings: Findings) -> None:
    right = struct.pack(">I", zlib.crc32(data, zlib.crc32(chunk.kind.encode("ascii"))))
    if len(stored) == len(right) and stored != right:
        findings.warn(
            "png-checksum",
            "",
            f"the checksum of the chunk {chunk.keyword[:40]!r} is wrong; it is read all the same",
            "compare the card with its original",
        )


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
    at = len(SIGNATURE)
    for _ in range(limits.chunks):
        file.seek(at)
        head = file.read(8)
        if len(head) < 8:
            findings.warn("png-end", "", "the picture has no end (IEND); it is read as it is", "")
            return
        length, kind = struct.unpack(">I4s", head)
        start = at + 8
        missing = max(0, start + length - size)
        yield _Chunk(kind, start, length, missing)
        if missing:
            findings.warn(
                "png-cut", "", f"the picture is cut off in a chunk {kind!r}", "take the original"
            )
            return
        if kind == b"IEND":
            return
        at = start + length + 4
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
    file, kept = io.BytesIO(picture), [SIGNATURE]
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
            kept.append(picture[chunk.start - 8 : end + 4])
        else:  # its data is whole, its checksum is cut off
            kept.append(_written(chunk.kind, picture[chunk.start : end]))
    kept += [_written(b"tEXt", k.encode("latin-1") + b"\0" + v) for k, v in texts.items()]
    return b"".join((*kept, _END))


def _written(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(data, zlib.crc32(kind))
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


def rgb_png(width: int, height: int, rows: bytes) -> bytes:
    """A PNG file from 8-bit RGB rows, each with its filter byte in front."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = _written(b"IHDR", header), _written(b"IDAT", zlib.compress(rows, 9))
    return b"".join((SIGNATURE, *parts, _END))
