"""Files of cards and lorebooks as they come: by a path on this machine, or sent as bytes.

Takes: a path, or a name and bytes.  Gives: one value for both, and what it is called.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that is no file of this machine: its bytes, and what its sender calls it.

    The name tells the type, and names what comes of it; it leads nowhere.
    """

    name: str
    data: bytes = field(repr=False)

    def __str__(self) -> str:
        """Its name, without folders."""
        return PurePosixPath(self.name.replace("\\", "/")).name or "file"


CardSource = Path | str | SentFile
"""Where a card or a lorebook is read from."""


def named(file: CardSource) -> PurePath:
    """What a file is called, for its ending and its stem."""
    return PurePosixPath(str(file)) if isinstance(file, SentFile) else Path(file)
