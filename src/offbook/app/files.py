"""A file that appears whole or not at all.

Takes: a path that a person named, and a text or bytes.  Gives: the file; an older one is replaced
only when the new one is complete.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from offbook.errors import StoreFailed, UsageError


def require_place(file: Path) -> Path:
    """The path with ``~`` and links resolved, if there can be a file.

    Raises:
        UsageError: it is a folder, or there is no folder for it.
    """
    file = file.expanduser()
    if file.is_dir() or not file.parent.is_dir():
        what = "is a folder" if file.is_dir() else "is in no folder that exists"
        raise UsageError(f"{str(file)!r} {what}", "name a file in a folder that exists")
    return file.resolve()


@contextmanager
def whole_file(file: Path) -> Iterator[Path]:
    """A path to write to, which takes the file's place when the block has ended.

    Raises:
        StoreFailed: the file cannot be written; an older one is as it was.
    """
    part = file.with_name(f".{file.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        try:
            yield part
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise StoreFailed(
            f"{str(file)!r} cannot be written: {error.strerror}",
            "name a file in a folder that you may write to and that has room",
        ) from error


def write_whole(file: Path, content: str | bytes, *, private: bool = False) -> None:
    """Write a text as UTF-8, or bytes as they are; raises what `whole_file` does.

    Args:
        file: Where to.
        content: What.
        private: Whether nobody but its owner may read it. Else it gets the usual permissions.
    """
    mode = 0o600 if private else 0o666

    def opener(path: str, flags: int) -> int:
        return os.open(path, flags, mode)

    with whole_file(file) as part, open(part, "xb", opener=opener) as opened:
        opened.write(content.encode() if isinstance(content, str) else content)
