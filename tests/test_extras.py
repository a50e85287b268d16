from __future__ import annotations

import shlex
import sys
from importlib.metadata import requires

import pytest

from offbook import extras
from offbook.extras import install_command

EXTRAS = ("all", "eval", "mcp", "pdf", "postgres", "server", "tokens", "ui")


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_command_names_what_the_extra_needs_and_not_offbook(extra: str):
    command = shlex.split(install_command(extra))
    assert command[:4] == [sys.executable, "-m", "pip", "install"]
    packages = command[4:]
    assert packages
    listed = "\n".join(requires("offbook") or ()).replace(" ", "")
    assert all(f"{each};" in listed for each in packages)
    assert not any(each.startswith("offbook") for each in packages)


def test_an_extra_of_extras_names_what_each_of_them_needs():
    needed = set(shlex.split(install_command("all")))
    assert needed == {word for extra in EXTRAS for word in shlex.split(install_command(extra))}


def test_the_command_fits_how_offbook_was_installed(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    (tmp_path / "pipx_metadata.json").write_text("{}")
    assert install_command("pdf").startswith("pipx inject offbook 'pypdf")
    once = tmp_path / "archive-v0" / "x"
    monkeypatch.setattr(sys, "prefix", str(once))
    assert install_command("pdf").startswith("uvx --with 'pypdf")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "plain"))
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert install_command("pdf").startswith(f"uv pip install --python {sys.executable} 'pypdf")
