"""How an older database becomes the one of this version: Alembic revisions, oldest first.

Takes: nothing.  Gives: ``REVISIONS``, so that a database that is up to date is recognized without
importing Alembic; a test compares it with the files in ``versions``.
"""

from __future__ import annotations

from typing import Final

REVISIONS: Final = (
    *("0001", "0002", "0003", "0004", "0005"),
    *("0006", "0007", "0008", "0009", "0010"),
)
HEAD: Final = REVISIONS[-1]
