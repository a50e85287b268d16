"""Counting tokens as a certain model does, where its encoding lies on this disk.

Takes: the name of a tiktoken encoding, or None for the built-in estimate.  Gives: a counter, or
where the tokens of a text begin.
Nothing is ever downloaded: an encoding that is not cached is refused. Source: ours;
docs/documents.md, "Tokens".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from offbook.errors import ConfigurationError
from offbook.extras import install_command
from offbook.text.tokens import count_tokens

TokenCounter = Callable[[str], int]

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def token_counter(encoding: str | None) -> TokenCounter:
    """A function that counts the tokens of a text.

    Args:
        encoding: Name of a tiktoken encoding (``o200k_base``), or None.

    Raises:
        ConfigurationError: tiktoken is not installed, does not know the encoding, or would have
            to download it.
    """
    if encoding is None:
        return count_tokens
    encoder = _encoder(encoding)

    def count(text: str) -> int:
        return len(encoder.encode_ordinary(text))

    return count


def token_starts(encoding: str, text: str) -> list[int]:
    """Offsets in ``text`` at which its tokens begin, in order.

    Several tokens of one character (of an emoji, say) have the same offset.

    Raises:
        ConfigurationError: as ``token_counter`` does.
    """
    encoder = _encoder(encoding)
    whole = _SURROGATE.sub("\ufffd", text)  # one character for one, so that offsets hold
    starts: list[int] = encoder.decode_with_offsets(encoder.encode_ordinary(whole))[1]
    return starts


@cache
def _encoder(encoding: str) -> Any:
    """What tiktoken calls an encoding; read from this disk only."""
    try:
        import tiktoken
        import tiktoken.load
    except ImportError as error:
        raise ConfigurationError(
            f"tokens.encoding is {encoding!r}, and tiktoken is not installed",
            f"{install_command('tokens')}, or leave tokens.encoding out for the built-in estimate",
        ) from error
    try:
        with _no_download(tiktoken.load, encoding):
            return tiktoken.get_encoding(encoding)
    except ValueError as error:
        known = ", ".join(tiktoken.list_encoding_names())
        raise ConfigurationError(
            f"tiktoken knows no encoding {encoding!r}", f"known: {known}"
        ) from error


@contextmanager
def _no_download(load: Any, encoding: str) -> Iterator[None]:
    """While it lasts, tiktoken reads its cache folder and nothing else."""
    original = load.read_file

    def refuse(path: str) -> bytes:
        if "://" not in path:
            return bytes(original(path))
        raise ConfigurationError(
            f"the encoding {encoding!r} is not on this disk, and offbook downloads nothing",
            "put its file into the folder that TIKTOKEN_CACHE_DIR names, or leave tokens.encoding "
            "out for the built-in estimate",
        )

    load.read_file = refuse
    try:
        yield
    finally:
        load.read_file = original
