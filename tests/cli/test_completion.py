"""The shell completes characters, methods and settings, and never shows an error."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout

import pytest

from offbook.cli.main import main
from tests.end_to_end.world import World


def completed(monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """What a shell would be told at the last word."""
    monkeypatch.setenv("_OFFBOOK_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", " ".join(("offbook", *words)))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main([])
    assert (ended.value.code, err.getvalue()) == (0, "")
    return out.getvalue().split()


def test_characters_are_completed_by_their_ids(ada: World, monkeypatch):
    assert completed(monkeypatch, "ask", "ad") == ["ada-byrne"]
    assert completed(monkeypatch, "chat", "x") == []


def test_methods_and_settings_are_completed(offline: World, monkeypatch):
    assert completed(monkeypatch, "ask", "--method", "ra") == ["raptor"]
    settings = completed(monkeypatch, "config", "set", "naive.")
    assert settings == ["naive.k", "naive.splitter"]
    assert not offline.home.exists()


def test_a_home_that_is_broken_completes_nothing(offline: World, monkeypatch):
    offline.home.mkdir()
    (offline.home / "offbook.db").write_text("no database")
    assert completed(monkeypatch, "ask", "a") == []
    (offline.folder / "config.toml").write_text("[broken")
    assert completed(monkeypatch, "ask", "a") == []


def test_a_home_that_is_named_from_here_is_looked_into(ada: World, monkeypatch):
    monkeypatch.chdir(ada.home.parent)
    words = ("--home", ada.home.name, "ask", "ad")
    assert completed(monkeypatch, *words) == ["ada-byrne"]
