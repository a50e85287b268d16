"""`config show`, `doctor`, `backup`, `restore`: the whole home."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from offbook.app import Offbook
from offbook.errors import UsageError
from offbook.settings.model import setting_names
from tests.cli.shapes import misfit
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
    origins = [rows[name]["origin"] for name in ("naive.k", "limits.rpm", "limits.tpm")]
    assert [origin.split()[0] for origin in origins] == ["environment", "project", "user"]
    shown = offline.done("config", "show", "--origin")
    assert "(environment)" in shown.out
    assert shown.err == f"your own settings file: {offline.folder / 'config.toml'}\n"


@pytest.mark.parametrize("options", [[], ["--origin"], ["--json"], ["--origin", "--json"]])
def test_secrets_are_masked(offline: World, monkeypatch, options):
    monkeypatch.setenv("OFFBOOK_CHAT_API_KEY", SECRET)
    monkeypatch.setenv("OFFBOOK_DATABASE_URL", f"postgresql://me:{SECRET}@localhost/x")
    outcome = offline.done("config", "show", *options)
    assert SECRET not in outcome.out + outcome.err
    assert "********" in outcome.out
    assert "postgresql://me:********@localhost/x" in outcome.out


def test_showing_settings_opens_no_database(offline: World):
    offline.done("config", "show")
    assert not offline.home.exists()


CHECK = {"name": str, "ok": bool, "detail": str, "hint": str, "exit_code": int}


def test_offline_all_is_well_and_no_model_is_claimed(ada: World):
    outcome = ada.done("doctor", "--json")
    assert misfit(outcome.json, {"offline": bool, "checks": [CHECK]}) is None
    assert outcome.json["offline"] is True
    checks = {row["name"]: row for row in outcome.json["checks"]}
    assert all(row["ok"] for row in checks.values())
    assert "no language model" in checks["chat"]["detail"]
    assert checks["database"]["detail"].endswith(" 1 character")
    assert "768 dimensions" in checks["embeddings"]["detail"]


def test_it_says_plainly_that_this_is_the_offline_backend_and_how_to_use_a_model(offline: World):
    outcome = offline.done("doctor")
    assert "offline backend" in outcome.out + outcome.err
    assert "offbook setup" in outcome.err


def test_an_endpoint_that_is_not_there_fails_with_4(offline: World):
    flags = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--set", "limits.retries=0"]
    outcome = offline.run("doctor", "--json", *flags)
    assert outcome.code == 4
    checks = {row["name"]: row for row in outcome.json["checks"]}
    assert checks["database"]["ok"]
    assert not checks["chat: streaming"]["ok"]
    assert "127.0.0.1:9" in checks["chat: streaming"]["detail"]
    assert "ssl" not in checks["chat: streaming"]["detail"]
    assert "FAIL chat: streaming" in offline.run("doctor", *flags).out


def test_a_backup_is_the_database_of_an_empty_home(ada: World, tmp_path: Path):
    ada.done("ask", "ada-byrne", "Do you know the word quincunx?", "--session", "evening")
    file, elsewhere = tmp_path / "copy.db", tmp_path / "elsewhere"
    made = ada.done("backup", file, "--json").json
    assert made == {"file": str(file), "bytes": file.stat().st_size}
    elsewhere.mkdir()
    shutil.copy(file, elsewhere / "offbook.db")
    home = ["--home", str(elsewhere)]
    for words in (
        ["show", "ada-byrne", "chunks", "--json"],
        ["memories", "ada-byrne", "search", "quincunx", "--json"],
        ["recall", "ada-byrne", "Who taught you?", "--json"],
    ):
        here, there = ada.done(*words).json, ada.done(*words, *home).json
        for each in (here, there):
            if isinstance(each, dict):
                each.pop("usage", None)
        assert here == there


def test_a_file_that_is_there_is_replaced_only_when_asked(ada: World, tmp_path: Path):
    file = tmp_path / "copy.db"
    file.write_text("something else")
    refused = ada.run("backup", file, "--json")
    assert (refused.code, refused.error["kind"]) == (2, "usage")
    assert "-y" in refused.error["hint"]
    assert file.read_text() == "something else"
    assert "copied the database" in ada.done("backup", file, "-y").err
    assert file.read_bytes().startswith(b"SQLite format 3")


def test_the_database_itself_and_a_missing_folder_are_refused(ada: World, tmp_path: Path):
    database = ada.home / "offbook.db"
    before = ada.done("list", "--json").json
    refused = ada.run("backup", database, "-y", "--json")
    assert (refused.code, refused.error["kind"]) == (2, "usage")
    assert "in use" in refused.error["message"]
    assert ada.done("list", "--json").json == before
    nowhere = ada.run("backup", tmp_path / "none" / "x.db", "--json")
    assert (nowhere.code, nowhere.error["kind"]) == (2, "usage")


def test_all_of_one_person_is_exported_and_deleted(ada: World, tmp_path: Path):
    for user in ("lena", "paul"):
        ada.done("ask", "ada-byrne", "Do you know Quincunx?", "--session", "x", "--user", user)
    rows = ada.done("user", "list", "--json").json
    assert [row["user"] for row in rows] == ["owner/lena", "owner/paul"]
    assert rows[0].keys() == {"user", "characters", "conversations", "turns", "memories"}
    assert "owner/lena" in ada.done("user", "list").out
    file = tmp_path / "lena.json"
    made = ada.done("user", "export", "lena", file, "--json").json
    assert made == {"file": str(file), "user": "owner/lena", "characters": 1}
    assert file.stat().st_mode & 0o077 == 0
    assert json.loads(file.read_text())["characters"][0]["conversations"][0]["session"] == "x"
    assert ada.run("user", "export", "lena", file).code == 2
    assert ada.run("user", "delete", "lena", "--json").code == 2
    assert ada.done("user", "delete", "lena", "-y", "--json").json == rows[0]
    assert ada.done("user", "list", "--json").json == rows[1:]
    assert ada.run("user", "delete", "lena", "-y", "--json").code != 0


def test_a_backup_is_restored_over_what_is_there(ada: World, tmp_path: Path):
    file = tmp_path / "copy.db"
    ada.done("backup", file)
    ada.done("create", "Tom Byrne")
    refused = ada.run("restore", file, "--json")
    assert (refused.code, refused.error["kind"]) == (2, "usage")
    assert "-y" in refused.error["hint"]
    made = ada.done("restore", file, "-y", "--json").json
    assert made == {"file": str(file), "database": str(ada.home / "offbook.db"), "characters": 1}
    assert [row["id"] for row in ada.done("list", "--json").json] == ["ada-byrne"]
    ada.done("recall", "ada-byrne", "Who taught you?", "--json")


def test_a_backup_is_restored_over_a_damaged_database_and_into_an_empty_home(
    ada: World, tmp_path: Path
):
    file = tmp_path / "copy.db"
    ada.done("backup", file)
    for home in (ada.home, tmp_path / "new"):
        if home.exists():
            (home / "offbook.db").write_bytes(b"no database at all" * 1000)
        ada.done("restore", file, "-y", "--home", str(home))
        rows = ada.done("list", "--json", "--home", str(home)).json
        assert [row["id"] for row in rows] == ["ada-byrne"]


def test_what_is_no_backup_or_in_use_is_not_restored(ada: World, tmp_path: Path):
    before = ada.done("list", "--json").json
    file, text = tmp_path / "copy.db", tmp_path / "text.db"
    ada.done("backup", file)
    text.write_text("something else")
    torn = tmp_path / "torn.db"
    torn.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    for wrong in (text, torn, tmp_path / "none.db", ada.home / "offbook.db"):
        refused = ada.run("restore", wrong, "-y", "--json")
        assert refused.code != 0, wrong
        assert refused.error["hint"]
    with closing(sqlite3.connect(ada.home / "offbook.db")) as other:
        other.execute("SELECT count(*) FROM characters").fetchone()
        refused = ada.run("restore", file, "-y", "--json")
        assert (refused.code, refused.error["kind"]) == (2, "usage")
        assert "in use" in refused.error["message"]
    assert ada.done("list", "--json").json == before
    assert [each.name for each in ada.home.iterdir() if each.suffix == ".part"] == []


async def test_from_python_it_replaces_nothing_unasked(ada: World, tmp_path: Path):
    file = tmp_path / "copy.db"
    async with await Offbook.open(home=ada.home) as book:
        size = await book.backup(file)
        assert size == file.stat().st_size
        with pytest.raises(UsageError, match="exists"):
            await book.backup(str(file))
        assert await book.backup(file, replace=True) == file.stat().st_size


def test_a_setting_is_written_and_taken_out_and_comments_stay(offline: World):
    file = offline.folder / "config.toml"
    file.write_text("# mine\n[naive]\nk = 4 # four\n")
    assert "naive.k = 5 (before: 4)" in offline.done("config", "set", "naive.k", "5").err
    assert "# four" in file.read_text()
    assert offline.done("config", "show", "--json").json["naive.k"] == 5
    out = offline.done("config", "set", "--unset", "naive.k", "--json").json
    assert out["changes"] == [{"name": "naive.k", "before": "5", "after": None}]
    assert offline.done("config", "show", "--json").json["naive.k"] == 3
    assert file.read_text().startswith("# mine")


def test_a_setting_that_nothing_can_read_is_taken_out_or_replaced(offline: World):
    file = offline.folder / "config.toml"
    broken = '[naive]\nsplitter = "gone"\n'
    file.write_text(broken)
    assert offline.run("config", "show").code == 3
    assert offline.run("config", "set", "naive.k", "4").code == 3
    assert file.read_text() == broken
    assert "naive.splitter" in offline.done("config", "set", "--unset", "naive.splitter").err
    assert "gone" not in file.read_text()
    file.write_text(broken)
    offline.done("config", "set", "naive.splitter", "acts")
    assert offline.done("config", "show", "--json").json["naive.splitter"] == "acts"


def test_several_settings_that_need_one_another_are_set_at_once(offline: World):
    prices = ["prices.m.prompt", "1", "prices.m.completion", "2"]
    offline.done("config", "set", *prices)
    assert "prices.m.completion = 2.0" in offline.done("config", "show").out


@pytest.mark.parametrize(
    ("words", "code"), [(["naive.k"], 2), (["naive.k", "many"], 3), (["nive.k", "3"], 3)]
)
def test_what_is_no_setting_is_not_written(offline: World, words, code):
    assert offline.run("config", "set", *words).code == code
    assert not (offline.folder / "config.toml").exists()


def test_a_file_with_settings_is_the_owners_alone(offline: World):
    file = offline.folder / "config.toml"
    file.write_text("")
    file.chmod(0o644)
    offline.done("config", "set", "chat.api_key", SECRET)
    assert file.stat().st_mode & 0o777 == 0o600
    assert SECRET not in offline.done("config", "set", "chat.api_key", "other").err
