"""`key`: made, shown once, listed without secrets, revoked."""

from __future__ import annotations

import pytest

from tests.cli.shapes import misfit
from tests.end_to_end.world import World

KEY = {
    "id": str,
    "label": str,
    "right": {"chat", "write", "admin"},
    "characters": (None, [str]),
    "rpm": (None, int),
    "created": str,
    "expires": (None, str),
    "revoked": (None, str),
}


def test_a_key_is_shown_once_on_standard_output_alone(offline: World):
    offline.done("create", "Ada")
    made = offline.done("key", "add", "a game", "--character", "Ada", "--expires", "90d")
    secret = made.out.strip()
    assert secret.startswith("ofb_")
    assert secret not in made.err
    listed = offline.done("key", "list")
    assert secret.rsplit("_", 1)[1] not in listed.out
    for told in ("ada", "chat", "open", "a game"):
        assert told in listed.out


def test_keys_have_the_shape_that_is_documented(offline: World):
    made = offline.done("key", "add", "x", "--right", "admin", "--rpm", "60", "--json").json
    assert misfit(made, {**KEY, "key": str}) is None
    listed = offline.done("key", "list", "--json").json
    assert misfit(listed, [KEY]) is None
    revoked = offline.done("key", "revoke", made["id"], "--json", "-y").json
    assert revoked["revoked"] is not None
    assert "revoked" in offline.done("key", "list").out


@pytest.mark.parametrize(
    "words", [["add"], ["list", "x"], ["revoke"], ["show"], ["revoke", "none", "-y"], ["add", "  "]]
)
def test_what_cannot_be_done_with_keys_ends_with_2(offline: World, words):
    outcome = offline.run("key", *words, "--json")
    assert (outcome.code, outcome.error["hint"] != "") == (2, True)
