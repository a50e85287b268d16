"""Fixtures of the command line's tests: a folder of its own, no endpoint, a character."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.texts import ADA
from tests.end_to_end.conftest import clean_environment, offline
from tests.end_to_end.world import World

__all__ = ["ada", "clean_environment", "offline"]


@pytest.fixture(scope="session")
def home_of_ada(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with Ada Byrne, made once; tests work on copies."""
    folder = tmp_path_factory.mktemp("ada")
    world = World(folder)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("OFFBOOK_", "OPENAI_"))]:
            patch.delenv(name)
        patch.setenv("OFFBOOK_HOME", str(world.home))
        patch.setenv("OFFBOOK_CONFIG", str(folder / "none"))
        patch.setenv("OFFBOOK_METHOD", "naive")
        patch.chdir(folder)
        world.done("create", "Ada Byrne")
        world.done("ingest", "ada-byrne", world.write("ada.md", ADA))
    return world.home


@pytest.fixture
def ada(offline: World, home_of_ada: Path) -> World:
    """A world with Ada Byrne, who knows what `ada.md` says of her."""
    shutil.copytree(home_of_ada, offline.home)
    offline.write("ada.md", ADA)
    return offline
