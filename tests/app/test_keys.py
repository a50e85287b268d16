from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from offbook import Offbook
from offbook.app.api_keys import Keys, expiry, recognize
from offbook.errors import UnknownName, UsageError

NOW = datetime(2030, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
async def book(tmp_path: Path):
    async with await Offbook.open(home=tmp_path / "home") as opened:
        await opened.create("Ada Byrne")
        yield opened


async def test_a_key_is_recognized_and_no_other_is(book: Offbook):
    made = await Keys(book).add("a laptop")
    assert await recognize(book.store, made.secret) == made.key
    changed = made.secret[:-1] + ("A" if made.secret[-1] != "A" else "B")
    other_id = f"ofb_{'0' * 12}_{made.secret.split('_', 2)[2]}"
    for wrong in (changed, other_id, "", "ofb_", made.key.id, made.key.digest, made.secret + " "):
        assert await recognize(book.store, wrong) is None


async def test_neither_the_key_nor_a_part_of_it_is_stored(book: Offbook, tmp_path: Path):
    made = await Keys(book).add("a laptop")
    await book.close()
    secret = made.secret.split("_", 2)[2]
    stored = b"".join(path.read_bytes() for path in (tmp_path / "home").iterdir())
    assert secret[:16].encode() not in stored
    assert hashlib.sha256(made.secret.encode()).hexdigest().encode() in stored
    assert secret not in repr(made)


async def test_a_key_may_be_limited(book: Offbook):
    made = await Keys(book).add(
        "a game", right="write", characters=["Ada Byrne", "ada-byrne"], expires="90d", rpm=30
    )
    key = made.key
    assert (key.right, key.characters, key.rpm) == ("write", ("ada-byrne",), 30)
    assert key.expires is not None
    assert made.as_json()["key"] == made.secret
    assert "digest" not in made.as_json()
    assert (await Keys(book).add("x", characters="Ada Byrne")).key.characters == ("ada-byrne",)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"label": " "}, UsageError),
        ({"label": "x", "right": "root"}, UnknownName),
        ({"label": "x", "characters": ["Nobody"]}, UnknownName),
        ({"label": "x", "rpm": 0}, UsageError),
        ({"label": "x", "expires": "2001-01-01"}, UsageError),
        ({"label": "x", "expires": "soon"}, UsageError),
        ({"label": "x\0"}, UsageError),
    ],
)
async def test_what_cannot_be_a_key_is_none(book: Offbook, given, error):
    with pytest.raises(error):
        await Keys(book).add(**given)
    assert await Keys(book).list() == []


async def test_a_revoked_key_is_known_to_have_ended(book: Offbook):
    made = await Keys(book).add("a laptop")
    revoked = await Keys(book).revoke(made.key.id)
    assert revoked.ended("2000-01-01T00:00:00+00:00") == "revoked"
    with pytest.raises(UnknownName, match="no key"):
        await Keys(book).revoke("nothing")


@pytest.mark.parametrize(
    ("told", "until"),
    [
        ("12h", "2030-06-02T00:00:00+00:00"),
        ("90d", "2030-08-30T12:00:00+00:00"),
        ("1w", "2030-06-08T12:00:00+00:00"),
        ("2030-06-01", "2030-06-01T23:59:59+00:00"),
        ("2030-06-02T01:00:00+02:00", "2030-06-01T23:00:00+00:00"),
        ("2030-06-02T01:00:00", "2030-06-02T01:00:00+00:00"),
    ],
)
def test_times_are_read(told, until):
    assert expiry(told, NOW) == until


@pytest.mark.parametrize("told", ["999999w", "2030-05-31", "0d", "12", "2030-13-01", ""])
def test_a_time_that_is_none_or_has_passed_is_refused(told):
    with pytest.raises(UsageError):
        expiry(told, NOW)
