"""The command that builds a missing index is the one that would help, flags and all."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from offbook.app.home import build_command
from offbook.settings import load_settings


def command(tmp_path: Path, **flags: str) -> list[str]:
    named = {name.replace("__", "."): value for name, value in flags.items()}
    settings = load_settings(named, {"OFFBOOK_METHOD": "naive"}, tmp_path, tmp_path / "none")
    return shlex.split(build_command(settings, "ada"))


def test_without_flags_it_is_short(tmp_path: Path):
    assert command(tmp_path) == ["offbook", "ingest", "ada"]


def test_flags_that_decide_what_is_built_go_along(tmp_path: Path):
    words = command(
        tmp_path,
        method="profile",
        preset="faithful",
        home="/a b/c",
        naive__splitter="fixed",
        chat__model="m",
    )
    assert words[:3] == ["offbook", "ingest", "ada"]
    pairs = set(zip(words[3::2], words[4::2], strict=True))
    assert pairs == {
        ("--method", "profile"),
        ("--preset", "faithful"),
        ("--home", "/a b/c"),
        ("--set", "naive.splitter=fixed"),
        ("--model", "m"),
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("chat__api_key", "sk-1"),
        ("embed__api_key", "sk-1"),
        ("database__url", "postgresql://u:sk-1@h/d"),
        ("limits__budget_calls", "7"),
        ("reply__temperature", "1"),
    ],
)
def test_secrets_and_what_does_not_matter_stay_out(tmp_path: Path, name: str, value: str):
    assert command(tmp_path, **{name: value}) == ["offbook", "ingest", "ada"]
