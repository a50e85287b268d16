"""What conversations are called, and words that can be said in them.

Takes: names of sessions and users, words.  Gives: ids in the store and back; a refusal.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from offbook.errors import UsageError

_LONGEST_NAME: Final = 60
_IN_NAMES: Final = frozenset(" .'’-·")


def stored_id(session: str, user: str | None) -> str:
    """The id of a conversation in the store: no two people's names for one can be the same."""
    own, whose = (
        None if part is None else part.replace("%", "%25").replace("/", "%2F")
        for part in (session, user)
    )
    return f"{own}" if whose is None else f"{whose}/{own}"


def names_of(stored: str) -> tuple[str, str | None]:
    """The names of session and user that ``stored_id`` made an id of."""
    parts = [part.replace("%2F", "/").replace("%25", "%") for part in stored.split("/", 1)]
    return (parts[0], None) if len(parts) == 1 else (parts[1], parts[0])


def person_named(user: str | None) -> str | None:
    """A user's id where it can be said as a name: letters, and no number or address."""
    if not user or len(user) > _LONGEST_NAME:
        return None
    plain = all(
        letter.isalpha() or letter in _IN_NAMES or unicodedata.combining(letter) for letter in user
    )
    return user if plain and any(map(str.isalpha, user)) else None


def require_words(said: str) -> None:
    """Refuse what says nothing, or is no text.

    Raises:
        UsageError: the question is empty, or came in another encoding than UTF-8.
    """
    if any("\ud800" <= letter <= "\udfff" for letter in said):
        raise UsageError(f"the question {said!r} is not in UTF-8", "type it in a UTF-8 terminal")
    if not said.strip():
        raise UsageError(f"the question {said!r} says nothing", "ask something")
