"""The lock of the wordings: a wording that changed without a new version is refused.

Takes: the wording files.  Gives: ``wording/lock.json``, name and version -> SHA-256 of the text.
Run ``python -m offbook.prompts.lock`` after adding a wording.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from offbook.prompts.prompt import WORDING


def digests(folder: Path = WORDING) -> dict[str, str]:
    """SHA-256 of each wording by its label, whatever line ends the checkout has."""
    found: dict[str, str] = {}
    for file in sorted(folder.rglob("*.jinja")):
        label = file.stem
        if label in found:
            raise ValueError(f"two wording files are called {label!r}")
        text = file.read_text(encoding="utf-8").replace("\r\n", "\n")
        found[label] = hashlib.sha256(text.encode()).hexdigest()
    return found


def locked(folder: Path = WORDING) -> dict[str, str]:
    """What the lock file says; empty where there is none."""
    file = folder / "lock.json"
    if not file.exists():
        return {}
    held: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return held


def differences(folder: Path = WORDING) -> dict[str, str]:
    """Label -> ``added``, ``changed`` or ``gone``, against the lock; empty when all is well."""
    now, then = digests(folder), locked(folder)
    found = dict.fromkeys(now.keys() - then.keys(), "added")
    found.update(dict.fromkeys(then.keys() - now.keys(), "gone"))
    found.update(
        {label: "changed" for label in now.keys() & then.keys() if now[label] != then[label]}
    )
    return dict(sorted(found.items()))


def main(arguments: Sequence[str] | None = None, folder: Path = WORDING) -> int:
    """Bring the lock up to date; a changed wording needs a new version, or ``--replace``."""
    parser = argparse.ArgumentParser(prog="python -m offbook.prompts.lock")
    parser.add_argument(
        "--replace",
        nargs="*",
        default=[],
        metavar="LABEL",
        help="wordings that were never released and may change in place",
    )
    replace = set(parser.parse_args(arguments).replace)
    refused = {
        label: what
        for label, what in differences(folder).items()
        if what != "added" and label not in replace
    }
    for label, what in refused.items():
        sys.stderr.write(f"{label} {what}: add a new version, or say --replace {label}\n")
    if refused:
        return 1
    text = json.dumps(digests(folder), indent=2, sort_keys=True) + "\n"
    (folder / "lock.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
