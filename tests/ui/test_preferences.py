"""Settings on the page: the owner's alone, in force at once, and in the user's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from offbook.app import Offbook
from offbook.app.commands import configure, configured
from offbook.rules import OfflineModel
from offbook.settings.user_file import edited
from offbook.types import EMBEDDED, traits_of
from offbook.ui.preferences import _following
from tests.server.inside import bearer
from tests.ui.test_mounting import client_of


async def test_only_the_owner_sees_settings(book: Offbook):
    async with client_of(book) as client:
        page = (await client.get("/settings")).text
        assert "About you" in page
        assert "Offline: replies quote the texts." in (await client.get("/")).text
    async with client_of(book, **await bearer(book, right="admin")) as client:
        page = (await client.get("/settings")).text
        assert "About you" not in page
        assert "settings are the owner" in page
        assert "The owner of the server can set a model" in (await client.get("/")).text


async def test_an_open_home_is_configured_anew_and_its_commands_follow(book: Offbook):
    told = {"chat.model": "m", "chat.base_url": "http://127.0.0.1:9/v1", "user.name": "Rae"}
    settings = _following(book.settings, told)
    assert not traits_of(configured(book, settings).runtime().actor).free
    assert traits_of(book.runtime().actor).free
    configure(book, settings)
    assert not traits_of(book.runtime().actor).free
    assert book.settings.values.user.name == "Rae"
    configure(book, _following(book.settings, dict.fromkeys(told)))
    assert traits_of(book.runtime().actor).free
    assert book.settings.values.user.name == ""


async def test_a_model_in_this_process_that_costs_nothing_is_not_called_offline(
    book: Offbook, monkeypatch: pytest.MonkeyPatch
):
    assert not traits_of(book.runtime().actor).measures
    monkeypatch.setattr(OfflineModel, "traits", EMBEDDED)
    async with client_of(book) as client:
        assert "Offline: replies quote" not in (await client.get("/")).text


def test_what_is_taken_out_leaves_the_file(tmp_path: Path):
    file = tmp_path / "config.toml"
    text = edited("", {"user.name": "Rae"}, file).text
    assert "Rae" in text
    assert "Rae" not in edited(text, {"user.name": None}, file).text


@pytest.mark.parametrize("name", ["user.name", "chat.api_key"])
async def test_settings_do_not_stand_in_pages_of_others(book: Offbook, name: str):
    configure(book, _following(book.settings, {name: "SECRET-OF-MINE"}))
    async with client_of(book, **await bearer(book, right="admin")) as client:
        for path in ("/", "/settings", "/c/ada-byrne"):
            assert "SECRET-OF-MINE" not in (await client.get(path)).text
