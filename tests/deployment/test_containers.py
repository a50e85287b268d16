"""The files that put offbook into containers, as far as they can be checked where none runs."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from typer.main import get_command

from offbook.cli.main import app
from offbook.server.app import create_app
from offbook.server.serving import GRACE_SECONDS
from offbook.server.stopping import FAREWELL_SECONDS
from offbook.settings.loading import environment_name
from offbook.settings.model import SettingsModel, setting_names
from tests.server.served import settings_in
from tests.waiting import PATIENCE_SECONDS

ROOT: Final = Path(__file__).resolve().parents[2]
SECRET: Final = re.compile(r"PASSWORD|API_KEY|TOKEN|SECRET")
PINNED: Final = re.compile(r"[a-z0-9./-]+:[A-Za-z0-9._-]*\d[A-Za-z0-9._-]*")

Steps = list[tuple[str, str]]
"""Instructions of a Dockerfile, each with what stands behind it."""


def instructions() -> Steps:
    """Those of the Dockerfile."""
    text = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.M)
    whole = text.replace("\\\n", " ")
    found = [line.strip().split(None, 1) for line in whole.splitlines() if line.strip()]
    return [(name.upper(), rest) for name, rest in found]


def stages(steps: Steps) -> list[Steps]:
    """The instructions from each ``FROM`` to the next."""
    starts = [place for place, (name, _) in enumerate(steps) if name == "FROM"]
    return [steps[a:b] for a, b in zip(starts, [*starts[1:], len(steps)], strict=True)]


def of(steps: Steps, name: str) -> list[str]:
    """What stands behind the instructions of a name."""
    return [rest for step, rest in steps if step == name]


def services() -> dict[str, Any]:
    """All of compose.yaml."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return found


def known_variables() -> set[str]:
    """The environment variables that are settings."""
    return {environment_name(name) for name in setting_names()}


@pytest.fixture(scope="module")
def steps() -> Steps:
    return instructions()


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return found


def test_it_is_built_apart_and_runs_as_nobody_special(steps):
    named: set[str] = set()
    for runtime in stages(steps):
        base, *name = runtime[0][1].split(" AS ")
        assert base in named or PINNED.fullmatch(base)
        named |= set(name)
    last = stages(steps)[-1]
    assert PINNED.fullmatch(last[0][1]), "the image is laid on a base, not on what built it"
    users = of(last, "USER")
    assert users
    assert users[-1] != "0"
    assert users[-1].isdigit()


def test_the_image_holds_nothing_but_what_was_installed(steps):
    named = {rest.split(" AS ")[1] for rest in of(steps, "FROM") if " AS " in rest}
    copied = [re.match(r"--from=(\w+) (\S+) (\S+)$", c) for c in of(stages(steps)[-1], "COPY")]
    assert copied
    for found in copied:
        assert found is not None
        assert found[1] in named
        assert found[2].endswith("/opt/offbook")
        assert found[3] == "/opt/offbook"


def test_the_image_is_told_no_secret_and_only_settings_that_exist(steps):
    words = shlex.split(" ".join(of(steps, "ENV")))
    values = dict(word.split("=", 1) for word in words)
    assert not [name for name in values if SECRET.search(name)]
    ours = {name for name in values if name.startswith("OFFBOOK_")}
    assert ours
    assert ours <= known_variables()


def test_the_port_is_the_one_that_is_served_and_asked_for_health(steps, tmp_path):
    port = str(SettingsModel().server.port)
    assert of(steps, "EXPOSE") == [port]
    assert f"OFFBOOK_SERVER_PORT={port}" in " ".join(of(steps, "ENV"))
    (health,) = of(steps, "HEALTHCHECK")
    address = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)", health)
    assert address is not None
    assert address[1] == port
    assert address[2] in create_app(settings_in(tmp_path)).openapi()["paths"]
    assert [p.rsplit(":", 1)[1] for p in services()["services"]["offbook"]["ports"]] == [port]


def test_what_is_installed_are_extras_that_exist_and_the_page_is_among_them(steps, project):
    extras = re.search(r'"\.\[([\w,]+)\]"', " ".join(of(steps, "RUN")))
    assert extras is not None
    found = set(extras[1].split(","))
    assert found <= project["optional-dependencies"].keys()
    assert {"ui", "postgres"} <= found


def left_out(path: str) -> bool:
    """Whether .dockerignore keeps a path of the clone from the build; its last word counts."""
    found = False
    parts = path.split("/")
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!")
        if not pattern or pattern.startswith("#"):
            continue
        whole = pattern in ("*", parts[0])
        anywhere = pattern.startswith("**/")
        if whole or (anywhere and any(fnmatch.fnmatchcase(part, pattern[3:]) for part in parts)):
            found = not line.startswith("!")
    return found


def test_what_is_copied_exists_and_is_not_left_out(steps):
    for rest in of(steps, "COPY"):
        if "--from" in rest:
            continue
        *sources, _ = rest.split()
        for source in sources:
            name = source.removeprefix("./")
            assert (ROOT / name).exists()
            assert not left_out(name)


@pytest.mark.parametrize(
    "path",
    [
        ".git/config", ".env", ".venv/bin/python", "tests/conftest.py", "key.txt", "offbook.db",
        "src/offbook/.env", "src/offbook/offbook.db-wal", "src/offbook/server/tls.key",
        "src/offbook/__pycache__/errors.cpython-311.pyc", "src/offbook.egg-info/PKG-INFO",
    ],
)  # fmt: skip
def test_what_a_run_or_a_person_leaves_behind_is_left_out(path):
    assert left_out(path)


def test_the_process_is_the_server_itself_so_that_signals_reach_it(steps):
    assert of(steps, "ENTRYPOINT") == ['["offbook"]']
    assert of(steps, "CMD") == ['["serve"]']


class Health(BaseHTTPRequestHandler):
    """Answers with the status that its server was made with."""

    def do_GET(self) -> None:
        self.send_response(self.server.status)  # type: ignore[attr-defined]
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Keep the output of the tests clean."""


@contextmanager
def answering(status: int) -> Iterator[int]:
    """A port at which every question is answered so."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Health) as server:
        server.status = status  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def asked_for_health(steps: Steps, port: int) -> subprocess.CompletedProcess[str]:
    """Run the image's own check, of a server at another port."""
    (health,) = of(steps, "HEALTHCHECK")
    python, *arguments = json.loads(health.split("CMD", 1)[1])
    assert python == "python"
    told = [word.replace(":8321/", f":{port}/") for word in arguments]
    told = [word.replace("timeout=5", f"timeout={PATIENCE_SECONDS}") for word in told]
    assert told != arguments
    # Containers are told of a proxy where those who run them have one.
    proxy = {"http_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
    return subprocess.run(
        [sys.executable, *told],
        env={"PATH": os.environ["PATH"], **proxy},
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_SECONDS,
    )


@pytest.mark.parametrize(("status", "code", "said"), [(200, 0, ""), (503, 1, "503")])
def test_only_a_server_with_its_database_is_healthy_whatever_proxy_there_is(
    steps, status: int, code: int, said: str
):
    with answering(status) as port:
        done = asked_for_health(steps, port)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr


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
    context = values.context.budget() + values.context.history_tokens
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
