"""What keys may do on pages that are open, and what is told when something goes wrong there."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from offbook.app import Offbook
from offbook.app.api_keys import Keys
from offbook.errors import ModelError
from offbook.server import app as guarding
from offbook.server.authentication import KeyAuthentication, Pace
from offbook.server.dependencies import OWNER, Caller
from offbook.server.failures import RequestRefused, asked_by_owner
from offbook.settings.model import ServerSettings
from offbook.ui import routes
from offbook.ui.elements import words_of
from offbook.ui.scene import show_scene
from offbook.ui.visitor import Visitor
from tests.server.inside import bearer
from tests.ui.test_mounting import client_of

CONNECTION = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"


@pytest.mark.parametrize(
    ("right", "characters", "may"),
    [
        ("chat", None, (False, False, False)),
        ("write", None, (True, False, False)),
        ("admin", ("ada-byrne",), (True, True, False)),
        ("admin", None, (True, True, True)),
    ],
)
def test_a_right_shows_what_it_allows(visitor, right: Any, characters: Any, may: tuple[bool, ...]):
    it = visitor(None, Caller("k", right, characters))
    assert (it.may_write, it.may_take_away, it.may_administer) == may
    assert visitor(None, OWNER).may_administer


async def test_what_is_done_on_a_page_needs_its_right_at_that_moment(book: Offbook, visitor):
    it = visitor(book, Caller("k", "chat"))
    await it.admit()
    with pytest.raises(RequestRefused, match="'chat'") as refused:
        await it.admit("write")
    assert refused.value.status == 403


async def test_a_key_that_has_ended_since_the_page_was_made_does_nothing(book: Offbook):
    made = await Keys(book).add("x", right="write")
    state = SimpleNamespace(
        book=book,
        caller=Caller(made.key.id, "write"),
        authenticate=KeyAuthentication(ServerSettings(keys=True)),
        pace=Pace(),
        background=None,
    )
    presented = httpx.Headers({"authorization": f"Bearer {made.secret}"})
    app = SimpleNamespace(state=SimpleNamespace(book=book))
    request: Any = SimpleNamespace(state=state, headers=presented, app=app)
    it = Visitor.of(request)
    await it.admit("write")
    await Keys(book).revoke(made.key.id)
    with pytest.raises(RequestRefused, match="revoked"):
        await it.admit()


async def test_what_is_done_on_a_page_counts_as_requests_do(book: Offbook, visitor):
    now = [0.0]
    it = visitor(book, Caller("k", "chat", rpm=2), Pace(lambda: now[0]))
    await it.admit()
    await it.admit()
    with pytest.raises(RequestRefused, match="2 requests a minute"):
        await it.admit()
    now[0] = 60.5
    await it.admit()


async def test_files_and_the_connection_of_a_page_are_not_counted(
    book: Offbook, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(guarding, "Pace", lambda: Pace(lambda: 0.0))  # however slow they are
    key = await bearer(book, rpm=2)
    async with client_of(book, **key) as client:
        for _ in range(4):
            assert (await client.get("/_page/page.css")).status_code == 200
            assert (await client.get(f"{CONNECTION}&client_id=gone")).status_code == 200
        answers = [(await client.get("/")).status_code for _ in range(3)]
    assert answers == [200, 200, 429]


async def test_a_connection_is_for_a_page_and_for_ones_own(book: Offbook):
    key = await bearer(book, right="admin")
    async with client_of(book, **key) as client:
        page = (await client.get("/")).text
        (own,) = set(re.findall(r"client_id[^0-9a-f]+([0-9a-f-]{36})", page))
        assert (await client.get(f"{CONNECTION}&client_id={own}")).status_code == 200
        assert (await client.get(CONNECTION)).status_code == 404
        other = {**key, **await bearer(book, right="admin")}
        asked = await client.get(f"{CONNECTION}&client_id={own}", headers=other)
        assert asked.status_code == 404


async def test_a_page_that_cannot_be_built_tells_nothing_of_the_mistake(
    book: Offbook, monkeypatch: pytest.MonkeyPatch
):
    async def broken(visitor: Visitor) -> None:
        raise RuntimeError("the-secret-folder")

    monkeypatch.setattr(routes, "show_characters", broken)
    async with client_of(book) as client:
        answer = await client.get("/")
    assert answer.status_code == 500
    assert "a mistake in offbook" in answer.text
    assert "the-secret-folder" not in answer.text


@pytest.mark.parametrize("is_owner", [True, False])
def test_failures_of_an_endpoint_are_told_to_the_owner_alone(is_owner: bool):
    token = asked_by_owner.set(is_owner)
    try:
        told = " ".join(words_of(ModelError("refused: PROMPT", "see /home/ada")))
    finally:
        asked_by_owner.reset(token)
    assert ("PROMPT" in told) is is_owner
    assert ("/home/ada" in told) is is_owner


async def test_a_key_of_which_nothing_is_kept_opens_no_scene(book: Offbook, visitor):
    it = visitor(book, Caller("k", "chat", remember=False))
    with pytest.raises(RequestRefused, match="nothing may be kept"):
        await show_scene(it, ["ada-byrne", "ada-byrne"], None)
