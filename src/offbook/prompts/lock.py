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
    files = {file.stem: file for file in sorted(folder.rglob("*.jinja"))}
    if len(files) != sum(1 for _ in folder.rglob("*.jinja")):
        raise ValueError(f"two wording files of one name are among {sorted(files)}")
    texts = {label: file.read_text(encoding="utf-8") for label, file in files.items()}
    return {label: hashlib.sha256(text.encode()).hexdigest() for label, text in texts.items()}


def locked(folder: Path = WORDING) -> dict[str, str]:
    """What the lock file says; empty where there is none."""
    file = folder / "lock.json"
    held: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return held


def differences(folder: Path = WORDING) -> dict[str, str]:
    """Label -> ``added``, ``changed`` or ``gone``, against the lock; empty when all is well."""
    now, then = digests(folder), locked(folder)
    return {
        label: "added" if label not in then else "changed" if label in now else "gone"
        for label in sorted(now.keys() | then.keys())
        if now.get(label) != then.get(label)
    }


def main(arguments: Sequence[str] | None = None, folder: Path = WORDING) -> int:
    """Bring the lock up to date; a changed wording needs a new version, or ``--replace``."""
    parser = argparse.ArgumentParser(prog="python -m offbook.prompts.lock")
    text = "wordings that were never released and may change in place"
    parser.add_argument("--replace", nargs="*", default=[], metavar="LABEL", help=text)
    replace = set(parser.parse_args(arguments).replace)
    refused = [
        f"{label} {what}: add a new version, or say --replace {label}\n"
        for label, what in differences(folder).items()
        if what != "added" and label not in replace
    ]
    sys.stderr.writelines(refused)
    if refused:
        return 1
    text = json.dumps(digests(folder), indent=2, sort_keys=True) + "\n"
    (folder / "lock.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
