"""A character in one file, and back.

Takes: a character, or the file.  Gives: the file, or the character; an exact round trip.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from offbook.errors import StoreFailed, UsageError
from offbook.stores import portable

if TYPE_CHECKING:
    from offbook.protocols import Store
    from offbook.types import Character


async def export_to(
    store: Store, character: Character, file: Path, with_conversations: bool
) -> None:
    """Write a character into ``file``; it appears there whole or not at all.

    Raises:
        UsageError: there is no folder for the file.
        StoreFailed: the file cannot be written.
    """
    file = file.expanduser()
    if file.is_dir() or not file.parent.is_dir():
        what = "is a folder" if file.is_dir() else "is in no folder that exists"
        raise UsageError(f"{str(file)!r} {what}", "name a file in a folder that exists")
    try:
        with tempfile.NamedTemporaryFile(
            dir=file.parent, prefix=f".{file.name}.", delete=False
        ) as made:
            part = Path(made.name)
        try:
            await store.read(
                lambda conn: portable.export_character(
                    conn, character.id, part, with_conversations=with_conversations
                )
            )
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise StoreFailed(
            f"{str(file)!r} cannot be written: {error.strerror}",
            "name a file in a folder that you may write to and that has room",
        ) from error


async def import_from(store: Store, file: Path, *, replace: bool) -> Character:
    """Read a character from ``file``.

    Raises:
        UsageError: the file is missing, broken, or from a newer version; or the character exists
            and ``replace`` was not asked for.
    """
    file = file.expanduser()
    if not file.is_file():
        raise UsageError(f"there is no file {str(file)!r}", "check the path")
    return await store.write(lambda conn: portable.import_character(conn, file, replace=replace))
