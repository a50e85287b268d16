"""The services, as far as they can be checked where no container runs."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from typer.main import get_command

from offbook.cli.main import app
from offbook.server.serving import GRACE_SECONDS
from offbook.server.stopping import FAREWELL_SECONDS
from offbook.settings.model import SettingsModel
from tests.deployment.files import PINNED, ROOT, SECRET, known_variables, services

COMMAND = re.compile(r"docker compose (?:--profile \w+ )?(?:run --rm|exec)( .*)")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return services()


def test_services_name_pinned_images_and_no_secret(compose):
    for name, service in compose["services"].items():
        assert "build" in service or PINNED.fullmatch(service["image"]), name
        for variable, value in service.get("environment", {}).items():
            if SECRET.search(variable) or "://" in str(value):
                told = re.sub(r"\$\{[^}]*\}", "$", str(value))
                assert told != str(value), variable
                assert re.fullmatch(r"\$|\w+://\w+:\$@\w+:\d+/\w+", told), variable


def test_services_pass_on_settings_that_exist(compose):
    given = compose["services"]["offbook"]["environment"]
    ours = {name for name in given if name.startswith("OFFBOOK_")}
    assert {"OFFBOOK_DATABASE_URL", "OFFBOOK_CHAT_MODEL"} <= ours <= known_variables()


def test_only_this_machine_reaches_the_server_and_nobody_the_database(compose):
    services = compose["services"]
    assert all(port.startswith("127.0.0.1:") for port in services["offbook"]["ports"])
    assert "ports" not in services["postgres"]
    assert "ports" not in services["ollama"]


def test_the_server_has_no_more_than_it_needs(compose):
    server = compose["services"]["offbook"]
    assert server["read_only"] is True
    assert server["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in server["security_opt"]
    assert "privileged" not in server


def test_the_server_waits_for_the_database_and_ollama_is_asked_for(compose):
    services = compose["services"]
    waits = services["offbook"]["depends_on"]["postgres"]
    assert waits == {"condition": "service_healthy"}
    assert "healthcheck" in services["postgres"]
    assert services["ollama"]["profiles"] == ["ollama"]
    named = {v.split(":")[0] for s in services.values() for v in s.get("volumes", ())}
    assert named == compose["volumes"].keys()


def test_the_database_is_asked_by_its_address(compose):
    # While an empty one is being made a server without an address answers, and goes away again.
    _, command = compose["services"]["postgres"]["healthcheck"]["test"]
    words = shlex.split(command)
    assert words[0] == "pg_isready"
    assert "--host=127.0.0.1" in words


def test_the_server_has_time_to_end_replies_and_to_close(compose):
    told = compose["services"]["offbook"]["stop_grace_period"]
    assert re.fullmatch(r"\d+s", told)
    values = SettingsModel()
    needed = GRACE_SECONDS + FAREWELL_SECONDS + values.memory.grace_seconds
    assert int(told[:-1]) >= needed + 5
    page = (ROOT / "docs/deployment.md").read_text("utf-8")
    assert f"--stop-timeout {told[:-1]} " in page


def test_ollama_has_room_for_the_longest_prompt_and_its_answer(compose):
    told = compose["services"]["ollama"]["environment"]["OLLAMA_CONTEXT_LENGTH"]
    default = re.fullmatch(r"\$\{OLLAMA_CONTEXT_LENGTH:-(\d+)\}", told)
    assert default is not None
    values = SettingsModel()
    context = values.context.budget_tokens + values.context.history_tokens
    assert int(default[1]) >= max(context, values.profile.budget_tokens) + 2_000


def test_commands_of_the_documentation_name_services_and_commands_that_exist(compose):
    page = (ROOT / "docs/deployment.md").read_text("utf-8") + (ROOT / "compose.yaml").read_text()
    told = [shlex.split(match[1]) for match in COMMAND.finditer(page.replace("`", "\n"))]
    assert told
    for words in told:
        service, *command = [word.rstrip(")") for word in words if not word.startswith("-T")]
        assert service in compose["services"]
        if service == "offbook":
            assert_it_is_understood(command[1:] if command[0] == "offbook" else command)


def assert_it_is_understood(words: list[str]) -> None:
    """Words behind ``offbook`` are a command of it, with arguments that it takes."""
    command, rest = get_command(app), list(words)
    while rest and (below := getattr(command, "commands", {}).get(rest[0])) is not None:
        command, rest = below, rest[1:]
    assert command is not get_command(app), words
    command.make_context("offbook", rest, resilient_parsing=False)
