"""Counting tokens as a certain model does, where its encoding lies on this disk.

Takes: the name of a tiktoken encoding, or None for the built-in estimate.  Gives: a counter.
Nothing is ever downloaded: an encoding that is not cached is refused. Source: methods.md 1.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from offbook.errors import ConfigurationError
from offbook.language.tokens import count_tokens

TokenCounter = Callable[[str], int]


@cache
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
    try:
        import tiktoken
        import tiktoken.load
    except ImportError as error:
        raise ConfigurationError(
            f"tokens.encoding is {encoding!r}, and tiktoken is not installed",
            "pip install 'offbook[tokens]', or leave tokens.encoding out for the built-in estimate",
        ) from error
    try:
        with _no_download(tiktoken.load, encoding):
            encoder = tiktoken.get_encoding(encoding)
    except ValueError as error:
        known = ", ".join(tiktoken.list_encoding_names())
        raise ConfigurationError(
            f"tiktoken knows no encoding {encoding!r}", f"known: {known}"
        ) from error

    def count(text: str) -> int:
        return len(encoder.encode_ordinary(text))

    return count


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
