"""`config show`: the settings in force, where each is from, and no secret."""

from __future__ import annotations

import pytest

from offbook.settings.model import setting_names
from tests.end_to_end.world import World

SECRET = "sk-6c1f0e9d8b7a"


def test_every_setting_is_listed_with_its_value(offline: World):
    rows = offline.done("config", "show", "--json").json
    assert rows.keys() == setting_names().keys()
    assert rows["naive.k"] == 3
    assert rows["retrieval.follow_up"] is True
    assert rows["limits.rpm"] is None
    assert rows["chat.model"] == "offline"
    lines = offline.done("config", "show").out.splitlines()
    assert "naive.k = 3" in lines
    assert "limits.rpm = -" in lines
    assert len(lines) == len(rows)


def test_origins_follow_the_precedence(offline: World, monkeypatch):
    (offline.folder / "config.toml").write_text("[naive]\nk = 9\n[limits]\nrpm = 5\ntpm = 6\n")
    (offline.folder / "offbook.toml").write_text("[naive]\nk = 8\n[limits]\nrpm = 7\n")
    monkeypatch.setenv("OFFBOOK_NAIVE_K", "4")
    rows = offline.done("config", "show", "--origin", "--json", "--set", "context.min_score=1").json
    assert rows["context.min_score"] == {"value": 1.0, "origin": "flag"}
    assert rows["naive.k"] == {"value": 4, "origin": "environment"}
    assert rows["limits.rpm"]["value"] == 7
    assert rows["limits.rpm"]["origin"].startswith("project ")
    assert rows["limits.tpm"]["value"] == 6
    assert rows["limits.tpm"]["origin"].startswith("user ")
    assert rows["embed.batch"]["origin"] == "default"
    shown = offline.done("config", "show", "--origin")
    assert "(environment)" in shown.out
    assert shown.err == f"your own settings file: {offline.folder / 'config.toml'}\n"


def test_a_preset_is_an_origin(offline: World):
    rows = offline.done("config", "show", "--origin", "--json", "--set", "preset=faithful").json
    assert rows["retrieval.mode"] == {"value": "dense", "origin": "preset faithful"}


@pytest.mark.parametrize("options", [[], ["--origin"], ["--json"], ["--origin", "--json"]])
def test_secrets_are_masked(offline: World, monkeypatch, options):
    monkeypatch.setenv("OFFBOOK_CHAT_API_KEY", SECRET)
    monkeypatch.setenv("OFFBOOK_DATABASE_URL", f"postgresql://me:{SECRET}@localhost/x")
    outcome = offline.done("config", "show", *options)
    assert SECRET not in outcome.out + outcome.err
    assert "********" in outcome.out
    assert "postgresql://me:********@localhost/x" in outcome.out


def test_a_broken_settings_file_is_named(offline: World):
    (offline.folder / "offbook.toml").write_text("method = [\n")
    outcome = offline.run("config", "show", "--json")
    assert (outcome.code, outcome.error["kind"]) == (3, "configuration")
    assert "offbook.toml" in outcome.error["message"]


def test_a_wrong_secret_is_not_repeated(offline: World):
    (offline.folder / "config.toml").write_text(f"[chat]\napi_key = ['{SECRET}']\n")
    outcome = offline.run("config", "show", "--json")
    assert outcome.code == 3
    assert SECRET not in outcome.out + outcome.err


def test_showing_settings_opens_no_database(offline: World):
    offline.done("config", "show")
    assert not offline.home.exists()
