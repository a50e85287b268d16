"""What a person is told while another process works on the same character.

Takes: the character's name.  Gives: a function that says so on standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable


def told_on_stderr(name: str) -> Callable[[], None]:
    """A function for ``ingestion_lease`` to call once."""

    def tell() -> None:
        sys.stderr.write(f"another process is changing {name!r}; waiting for it\n")

    return tell
