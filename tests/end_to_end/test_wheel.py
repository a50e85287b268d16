"""The wheel and the source archive build, and what is installed from the wheel works."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MINUTE = 60

pytestmark = pytest.mark.long


def run(*words: str | Path, home: Path | None = None, code: int = 0) -> str:
    """Run a command away from the sources; what it wrote."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("OFFBOOK_")}
    clean.pop("PYTHONPATH", None)
    clean.pop("VIRTUAL_ENV", None)
    if home is not None:
        places = {"HOME": home, "PIPX_HOME": home / "pipx", "PIPX_BIN_DIR": home / "bin"}
        clean |= {key: str(value) for key, value in places.items()}
        clean["OFFBOOK_HOME"] = str(home / "offbook")
    done = subprocess.run(
        list(map(str, words)),
        cwd=home,
        env=clean,
        capture_output=True,
        text=True,
        timeout=10 * MINUTE,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@dataclass(frozen=True)
class Built:
    """The two archives, and an environment with the tools of others that install them."""

    wheel: Path
    source: Path
    tools: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "venv", folder / "tools")
    tools = folder / "tools" / "bin"
    try:
        run(tools / "python", "-m", "pip", "install", "-q", "hatchling", "pipx", "uv")
    except AssertionError as error:
        pytest.skip(f"no index to install tools from: {str(error)[-300:]}")
    copy = folder / "copy"
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    done = subprocess.run(
        [tools / "python", "-m", "hatchling", "build", "-d", folder / "dist"],
        cwd=copy,
        capture_output=True,
        text=True,
        timeout=5 * MINUTE,
    )
    assert done.returncode == 0, done.stderr
    (wheel,), (source,) = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
    return Built(wheel, source, tools)


def test_both_archives_hold_all_of_the_package_and_nothing_else(built: Built):
    wanted = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "offbook").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name for name in zipfile.ZipFile(built.wheel).namelist() if "dist-info" not in name}
    assert packed == wanted
    with tarfile.open(built.source) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {f"src/{name}" for name in wanted} <= names
    assert not any(name.startswith(("tests/", "benchmarks/")) for name in names)


def test_pip_installs_the_wheel_and_a_hint_says_what_really_adds_an_extra(built: Built, tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", built.wheel)
    offbook = tmp_path / "env" / "bin" / "offbook"
    assert "Edmond" in run(offbook, "demo", home=tmp_path)
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4\n%%EOF\n")
    run(offbook, "create", "Ada", home=tmp_path)
    refused = run(offbook, "ingest", "Ada", "a.pdf", home=tmp_path, code=3)
    lines = [line for line in refused.splitlines() if " -m pip " in line]
    (command,) = [line[line.index(str(python)) :] for line in lines]
    run("sh", "-c", command, home=tmp_path)
    assert "cannot be read as PDF" in run(offbook, "ingest", "Ada", "a.pdf", home=tmp_path, code=2)


def test_pipx_installs_the_wheel(built: Built, tmp_path):
    run(built.tools / "pipx", "install", "--python", sys.executable, built.wheel, home=tmp_path)
    offbook = tmp_path / "bin" / "offbook"
    assert "Edmond" in run(offbook, "demo", home=tmp_path)
    assert "pipx inject offbook" in run(offbook, "serve", home=tmp_path, code=3)


def test_uvx_runs_the_wheel(built: Built, tmp_path):
    words = map(str, (built.tools / "uvx", "--python", sys.executable, "--from", built.wheel))
    uvx = [*words, "offbook"]
    assert "Edmond" in run(*uvx, "demo", home=tmp_path)
    assert "uvx --with" in run(*uvx, "serve", home=tmp_path, code=3)
