"""The files that put offbook into containers, read.

Takes: the Dockerfile, compose.yaml and .dockerignore of the project.  Gives: their instructions,
services and patterns.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import yaml

from offbook.settings.loading import environment_name
from offbook.settings.model import setting_names

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
