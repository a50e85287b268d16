"""No error shows a password that stands in a URL, wherever it came from."""

from __future__ import annotations

import time

import pytest

from offbook.errors import ConfigurationError, OffbookError, hide_passwords
from tests.cli.conftest import ada, clean_environment, home_of_ada, offline
from tests.end_to_end.world import World

__all__ = ["ada", "clean_environment", "home_of_ada", "offline"]

SECRET = "hunter2"
URLS = [
    "postgresql://me:hunter2@127.0.0.1:1/book",
    "postgresql://me:p@hunter2@127.0.0.1:1/book",
    "postgresql://me@127.0.0.1:1/book?password=hunter2",
    "mysql://me:hunter2@127.0.0.1/book",
    "postgresql://me:hunter2@[::1/book",
]
ADDRESSES = [
    "http://me:hunter2@127.0.0.1:9/v1",
    "http://127.0.0.1:9/v1?password=hunter2",
    "http://127.0.0.1:9/v1?api_key=hunter2",
    "ftp://me:hunter2@127.0.0.1/v1",
]
OUTPUTS = [["config", "show"], ["config", "show", "--origin"], ["doctor"], ["--debug", "doctor"]]


def test_a_message_a_hint_and_their_json_are_without_it():
    url = "postgresql://me:hunter2@db:1/book"
    error = ConfigurationError(f"{url!r} is down", f"see {url}, or set another")
    assert error.message == "'postgresql://me:********@db:1/book' is down"
    assert error.hint == "see postgresql://me:********@db:1/book, or set another"
    assert SECRET not in f"{error} {error!r} {error.as_json()}"


@pytest.mark.parametrize(
    "text",
    [
        "ensemble.passage_score=0.2 is too high",
        "ask http://localhost:8000/v1 or me@example.org",
        "ada.md@20 is no point in the story; see https://example.org/a?page=2",
        "it says: 'a:b'",
    ],
)
def test_what_is_no_password_stays(text: str):
    assert OffbookError(text).message == text


def test_a_long_text_is_no_work():
    begun = time.process_time()
    hide_passwords("://a:" * 40_000)
    assert time.process_time() - begun < 10  # about 0.3; without a bound it is many minutes


@pytest.mark.parametrize("words", OUTPUTS, ids=" ".join)
@pytest.mark.parametrize("url", URLS)
def test_no_command_shows_the_password_of_the_database(offline: World, url: str, words: list[str]):
    for form in ([], ["--json"]):
        outcome = offline.run(*words, *form, "--set", f"database.url={url}")
        assert outcome.err or outcome.out
        assert SECRET not in outcome.out + outcome.err


@pytest.mark.parametrize("words", [*OUTPUTS, ["ask", "ada-byrne", "Who?"]], ids=" ".join)
@pytest.mark.parametrize("role", ["chat", "embed"])
@pytest.mark.parametrize("address", ADDRESSES)
def test_no_command_shows_the_password_of_an_endpoint(
    ada: World, address: str, role: str, words: list[str]
):
    ada.set(f"{role}.model=m", f"{role}.base_url={address}", "limits.retries=0")
    for form in ([], ["--json"]):
        outcome = ada.run(*words, *form)
        assert outcome.err or outcome.out
        assert SECRET not in outcome.out + outcome.err


def test_neither_an_export_nor_the_command_that_builds_an_index_has_it(ada: World):
    ada.set("chat.model=m", f"chat.base_url={ADDRESSES[1]}")
    ada.done("export", "ada-byrne", "ada.offbook", "--with-conversations")
    assert ada.leaks(SECRET) == []
    outcome = ada.run("ask", "ada-byrne", "Who?", "--method", "rolerag")
    assert "offbook ingest ada-byrne" in outcome.err
    assert SECRET not in outcome.err
    assert "****" not in outcome.err
