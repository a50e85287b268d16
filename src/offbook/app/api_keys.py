"""API keys: made, listed, revoked, and recognized when somebody presents one.

Takes: what a key may do, or a presented key.  Gives: the key (once), or whose it is.

What is stored is a SHA-256 of the key. A slow hash such as Argon2 protects secrets that people
choose, which can be guessed; a key here is 256 bits from the system's generator, which nobody can
guess however quick the hash is, and each request has to be checked.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import UnknownName, UsageError
from offbook.stores import principals
from offbook.stores.characters import nearest
from offbook.stores.principals import RIGHTS, ApiKey
from offbook.stores.statements import timestamp
from offbook.types import as_tuple

if TYPE_CHECKING:
    from offbook.app.home import Home
    from offbook.protocols import Store

PREFIX: Final = "ofb"
"""How every key begins, so that scanners for leaked secrets can be told what to look for."""

_PRESENTED: Final = re.compile(rf"{PREFIX}_([0-9a-f]{{12}})_[A-Za-z0-9_-]{{43}}")
_SPAN: Final = re.compile(r"(\d{1,6})\s*([hdw])")
_HOURS: Final = {"h": 1, "d": 24, "w": 168}
_NOBODY: Final = ApiKey("", "", hashlib.sha256(b"").hexdigest(), "chat")


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made; ``secret`` is shown now and never again."""

    key: ApiKey
    secret: str

    def as_json(self) -> dict[str, Any]:
        """The shape of ``key add --json``."""
        return {**key_row(self.key), "key": self.secret}

    def __repr__(self) -> str:
        return f"NewKey({self.key.id!r})"


class Keys:
    """The API keys of an open offbook."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def add(
        self,
        label: str,
        *,
        right: str = "chat",
        characters: Sequence[str] = (),
        expires: str | None = None,
        rpm: int | None = None,
        remember: bool = True,
        tools: bool = False,
    ) -> NewKey:
        """Make a key.

        Args:
            label: For whom or what it is.
            right: ``chat``, ``write`` (chat, documents, memories, aliases) or ``admin`` (all).
            characters: The only ones that it opens; none: all.
            expires: ``90d``, ``12h``, ``4w``, or an ISO 8601 date or time; None: never.
            rpm: The most requests a minute; None: what ``server.rpm`` says.
            remember: Whether what is said with it is kept.
            tools: Whether tools that come with it are passed on to the model.

        Raises:
            UsageError: no label, no such right, or a time that cannot be read or has passed.
            UnknownName: there is no such character.
        """
        if not label.strip():
            raise UsageError(f"the label {label!r} is empty", "say for whom or what the key is")
        if rpm is not None and rpm < 1:
            raise UsageError(f"{rpm} requests a minute let nothing through", "allow 1 or more")
        granted = next((known for known in RIGHTS if known == right), None)
        if granted is None:
            raise UnknownName(f"no right {right!r}", f"choose one of: {', '.join(RIGHTS)}")
        now = datetime.now(UTC)
        until = None if expires is None else expiry(expires, now)
        opened = [(await self._home.find(name, only=True)).id for name in as_tuple(characters)]
        limit = tuple(dict.fromkeys(opened)) or None
        id_ = secrets.token_hex(6)
        secret = f"{PREFIX}_{id_}_{secrets.token_urlsafe(32)}"
        key = ApiKey(
            id=id_,
            label=label.strip(),
            digest=digest_of(secret),
            right=granted,
            characters=limit,
            rpm=rpm,
            created=timestamp(),
            expires=until,
            remember=remember,
            tools=tools,
        )
        await self._home.store.write(principals.add_key, key)
        return NewKey(key, secret)

    async def list(self) -> list[ApiKey]:
        """All keys, oldest first, revoked and expired ones included."""
        keys: list[ApiKey] = await self._home.store.read(principals.list_keys)
        return keys

    async def revoke(self, key: str) -> ApiKey:
        """End a key for good, at once, in every process; its conversations stay.

        Raises:
            UnknownName: there is no key of this id.
        """
        store = self._home.store
        await store.write(principals.revoke, key)
        revoked: ApiKey | None = await store.read(principals.get_key, key)
        if revoked is None:
            known = [one.id for one in await self.list()]
            raise UnknownName(
                f"there is no key {key!r}", nearest(key, known, "see: offbook key list")
            )
        return revoked


async def recognize(store: Store, presented: str) -> ApiKey | None:
    """The key that was presented, also an ended one; None where there is no such key.

    However wrong it is, a key in the form of ours takes one look-up and one comparison, which
    takes the same time at whichever letter the two differ.
    """
    form = _PRESENTED.fullmatch(presented)
    if form is None:
        return None
    key = await store.read(principals.get_key, form[1])
    right = hmac.compare_digest((key or _NOBODY).digest, digest_of(presented))
    return key if right else None


def digest_of(secret: str) -> str:
    """What is stored of a key: see the head of the module."""
    return hashlib.sha256(secret.encode()).hexdigest()


def expiry(text: str, now: datetime) -> str:
    """The time at which a key ends, as it is stored.

    Raises:
        UsageError: it is no time, or has passed.
    """
    until = _read_time(text.strip(), now)
    if until is None:
        raise UsageError(
            f"{text!r} is no time at which a key could end", "write 90d, 12h, 4w or 2031-12-31"
        )
    if until <= now:
        raise UsageError(f"{text!r} has passed", "name a time to come")
    return until.replace(microsecond=0).isoformat()


def _read_time(text: str, now: datetime) -> datetime | None:
    try:
        if span := _SPAN.fullmatch(text):
            return now + timedelta(hours=int(span[1]) * _HOURS[span[2]])
        if len(text) == len("2031-12-31"):  # the whole of that day
            return datetime.combine(date.fromisoformat(text), time.max, UTC)
        read = datetime.fromisoformat(text)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def key_row(key: ApiKey) -> dict[str, Any]:
    """A key as ``key list --json`` prints it: neither secret nor hash."""
    row = {name: value for name, value in asdict(key).items() if name != "digest"}
    return row | {"characters": None if key.characters is None else list(key.characters)}
