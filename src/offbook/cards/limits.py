"""How much of a foreign file is read at most.

Takes: nothing.  Gives: ``CardLimits``, whose defaults pass every real card that is known to us, and
keep a hostile one below a second and 300 MB of memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class CardLimits:
    """Bounds against bombs; beyond one of them a file is refused, with the bound's name.

    Attributes:
        file_bytes: Length of the file. Pictures and assets are passed over without being read.
        chunks: PNG chunks, or RIFF chunks of a WebP picture.
        chunk_bytes: Length of a PNG chunk that holds a card, as it lies in the file.
        card_bytes: Length of the JSON, after inflating and decoding.
        chat_bytes: Length of a chat log.
        asset_bytes: Length of one asset, inflated.
        zip_members: Files in a CHARX.
        zip_directory_bytes: Length of the table of contents of a CHARX.
        zip_ratio: How many times its packed length a member may have.
        card_chunks: Chunks of one keyword in which a card is looked for.
        entries: Entries of a lorebook.
        messages: Messages of a chat log.
        depth: Brackets within brackets in JSON.
        values: Numbers, texts and brackets in JSON, roughly counted.
        chat_values: The same for a chat log, all its lines together.
        mend_chars: JSON longer than this is not mended beyond control characters.
        repair_chars: JSON longer than this is not repaired beyond commas and control characters,
            which takes time that grows faster than the text.
        yaml_bytes: Length of a YAML card.
        findings: Warnings that are kept; more are counted.
    """

    file_bytes: int = 512 * _MIB
    chunks: int = 50_000
    chunk_bytes: int = 12 * _MIB
    card_bytes: int = 8 * _MIB
    chat_bytes: int = 32 * _MIB
    asset_bytes: int = 64 * _MIB
    zip_members: int = 5_000
    zip_directory_bytes: int = 4 * _MIB
    zip_ratio: int = 200
    card_chunks: int = 4
    entries: int = 20_000
    messages: int = 200_000
    depth: int = 100
    values: int = 500_000
    chat_values: int = 1_500_000
    mend_chars: int = 2_000_000
    repair_chars: int = 64_000
    yaml_bytes: int = _MIB // 2
    findings: int = 500


DEFAULT_LIMITS: Final = CardLimits()
