"""Which character a person means.

Takes: what they typed.  Gives: the character of that name or id; accents and case may be left out.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from offbook.errors import UnknownName
from offbook.stores import characters

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.types import Character


def find_character(conn: Connection, name: str, *, only: bool = False) -> Character:
    """The character whose id or name is ``name``, or the only one that is so but for accents.

    Args:
        conn: Connection of a read.
        name: The name or id.
        only: Refuse a name that several have; otherwise the first of them is meant.

    Raises:
        UnknownName: there is none, or several; the hint names the nearest.
    """
    found = characters.find(conn, name)
    folded = fold(name)
    if found is not None and not (only and found.id != name):
        return found
    close = [c for c in characters.list_all(conn) if folded in (fold(c.name), fold(c.id))]
    if len(close) == 1:
        return close[0]
    if close:
        ids = ", ".join(repr(c.id) for c in close)
        raise UnknownName(f"several characters answer to {name!r}", f"give an id: {ids}")
    return characters.require(conn, name)


def fold(name: str) -> str:
    """Letters and digits of a name without accents, case, or anything between them."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in plain if letter.isalnum())
