"""The container's files, as far as they can be checked where no container runs."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from offbook.server.app import create_app
from offbook.settings.loading import environment_name
from offbook.settings.model import SettingsModel, setting_names
from tests.server.served import settings_in

ROOT = Path(__file__).resolve().parents[2]
SECRET = re.compile(r"PASSWORD|API_KEY|TOKEN|SECRET")
PINNED = re.compile(r"[a-z0-9./-]+:[A-Za-z0-9._-]*\d[A-Za-z0-9._-]*")


@pytest.fixture(scope="module")
def steps() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, each with what stands behind it."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.M)
    whole = text.replace("\\\n", " ")
    found = [line.strip().split(None, 1) for line in whole.splitlines() if line.strip()]
    return [(name.upper(), rest) for name, rest in found]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return found


def of(steps: list[tuple[str, str]], name: str) -> list[str]:
    return [rest for step, rest in steps if step == name]


def known_variables() -> set[str]:
    return {environment_name(name) for name in setting_names()}


def test_every_instruction_is_one_that_docker_knows(steps):
    known = {
        "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL",
        "HEALTHCHECK", "ENTRYPOINT", "CMD",
    }  # fmt: skip
    assert {name for name, _ in steps} <= known
    assert steps[0][0] == "FROM"


def test_it_is_built_apart_and_runs_as_nobody_special(steps):
    bases = [base.split()[0] for base in of(steps, "FROM")]
    assert len(bases) == 2
    assert all(PINNED.fullmatch(base) for base in bases)
    last_from = max(place for place, (name, _) in enumerate(steps) if name == "FROM")
    users = [rest for name, rest in steps[last_from:] if name == "USER"]
    assert users
    assert users[-1] not in ("0", "root")
    assert users[-1].isdigit()


def test_the_image_is_told_no_secret_and_only_settings_that_exist(steps):
    words = shlex.split(" ".join(of(steps, "ENV")))
    values = dict(word.split("=", 1) for word in words)
    assert not [name for name in values if SECRET.search(name)]
    ours = {name for name in values if name.startswith("OFFBOOK_")}
    assert ours
    assert ours <= known_variables()


def test_the_port_is_the_one_that_is_served_and_asked_for_health(steps, compose, tmp_path):
    port = str(SettingsModel().server.port)
    assert of(steps, "EXPOSE") == [port]
    assert f"OFFBOOK_SERVER_PORT={port}" in " ".join(of(steps, "ENV"))
    (health,) = of(steps, "HEALTHCHECK")
    address = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)", health)
    assert address is not None
    assert address[1] == port
    assert address[2] in create_app(settings_in(tmp_path)).openapi()["paths"]
    assert [p.rsplit(":", 1)[1] for p in compose["services"]["offbook"]["ports"]] == [port]


def test_what_is_installed_is_an_extra_that_exists(steps):
    extras = re.search(r'"\.\[([\w,]+)\]"', " ".join(of(steps, "RUN")))
    assert extras is not None
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(extras[1].split(",")) <= known["optional-dependencies"].keys()


def test_what_is_copied_exists_and_is_not_left_out(steps):
    kept = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    for rest in of(steps, "COPY"):
        if "--from" in rest:
            continue
        *sources, _ = rest.split()
        for source in sources:
            name = source.removeprefix("./")
            assert (ROOT / name).exists()
            assert name in kept
    assert not {".git", ".venv", "tests"} & kept


def test_the_process_is_the_server_itself_so_that_signals_reach_it(steps):
    assert of(steps, "ENTRYPOINT") == ['["offbook"]']
    assert of(steps, "CMD") == ['["serve"]']


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
