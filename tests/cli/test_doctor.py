"""`doctor` without an endpoint: it says which backend answers, and how to have another."""

from __future__ import annotations

from tests.cli.shapes import misfit
from tests.end_to_end.world import World

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
    for way in ("hosted", "Ollama", "vLLM", "OFFBOOK_CHAT_MODEL", "OFFBOOK_CHAT_BASE_URL"):
        assert way in outcome.err
    assert str(offline.folder / "config.toml") in outcome.err


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
