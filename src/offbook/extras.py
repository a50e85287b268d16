"""Names the command that installs an extra into the environment that this process runs in.

What an extra needs is named, not offbook itself: that works however offbook came there, from a
clone, a wheel file or an index. Source: ours.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_REQUIREMENT: Final = re.compile(r"\s*([^;]+?)\s*;.*\bextra\s*==\s*['\"]([\w.-]+)['\"]")
_NESTED: Final = re.compile(r"offbook\[([\w,.-]+)\]")


def install_command(extra: str) -> str:
    """Return the command that installs what an extra of offbook needs.

    For pipx, a tool of uv, a run by uvx, an environment without pip, and any other environment.
    """
    packages = shlex.join(_packages(extra)) or f"'offbook[{extra}]'"
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").exists():
        return f"pipx inject offbook {packages}"
    if "archive-v0" in prefix.parts:  # where uvx keeps what it runs once
        return f"uvx {' '.join(f'--with {shlex.quote(each)}' for each in _packages(extra))} ..."
    python = shlex.quote(sys.executable)
    if find_spec("pip") is None:
        return f"uv pip install --python {python} {packages}"
    return f"{python} -m pip install {packages}"


def _packages(extra: str) -> list[str]:
    """Return the requirements of an extra, those of the extras that it names among them."""
    try:
        listed = requires("offbook") or []
    except PackageNotFoundError:  # run from a folder that was never installed
        listed = []
    return list(dict.fromkeys(_of_extra(extra, listed)))


def _of_extra(extra: str, listed: list[str]) -> Iterator[str]:
    for line in listed:
        match = _REQUIREMENT.match(line)
        if match is None or match[2] != extra:
            continue
        if nested := _NESTED.match(match[1]):
            for name in nested[1].split(","):
                yield from _of_extra(name, listed)
        else:
            yield match[1].replace(" ", "")
