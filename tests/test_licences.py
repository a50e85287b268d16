"""Every installed dependency of offbook is under a permissive licence."""

import re
from importlib.metadata import PackageNotFoundError, distribution, requires

from packaging.requirements import Requirement

EXTRAS = ("mcp", "pdf", "postgres", "tokens", "ui", "test")
FORBIDDEN = re.compile(
    r"\bA?GPL|\bLGPL|\bGNU (Affero|Lesser|General|Library)|\bSSPL|\bBUSL|Commons Clause", re.I
)
PERMISSIVE = re.compile(
    r"\bMIT\b|\bBSD\b|\bApache\b|\bISC\b|\bPSF\b|Python Software Foundation|\bMPL\b|Mozilla Public"
    r"|\bUnlicense\b|\b0BSD\b|\bZlib\b|PostgreSQL|\bCC0\b|CNRI|HPND|Public Domain",
    re.I,
)

PARTLY = {"docutils": ("General Public License (GPL)", ".el")}
"""What names a licence that only holds for files which are not installed: their ending."""


def licence_of(name):
    """What a distribution says of its licence: the expression, the classifiers, the field."""
    meta = distribution(name).metadata
    classifiers = [c for c in meta.get_all("Classifier") or [] if c.startswith("License")]
    said = [*(meta.get_all("License-Expression") or []), *classifiers]
    field = "".join(meta.get_all("License") or []).strip()
    unused = PARTLY[name][0] if name in PARTLY else None
    parts = (*said, field.split("\n")[0][:120])
    told = " | ".join(part for part in parts if part and not (unused and unused in part))
    return told or first_line_of_its_file(name)


def first_line_of_its_file(name):
    """How the licence begins that a distribution brings, where its metadata say nothing."""
    files = distribution(name).files or []
    texts = [file.read_text() for file in files if file.name.upper().startswith("LICENSE")]
    return next((line for text in texts for line in text.splitlines() if line.strip()), "")


def tree():
    """The distributions that `pip install offbook[...]` brings, as installed here."""
    seen: set[str] = set()
    queue: list[tuple[str, tuple[str, ...]]] = [
        (text, ("", *EXTRAS)) for text in requires("offbook") or []
    ]
    while queue:
        text, extras = queue.pop()
        requirement = Requirement(text)
        marker = requirement.marker
        if marker and not any(marker.evaluate({"extra": extra}) for extra in extras):
            continue
        key = requirement.name.lower().replace("_", "-")
        if key in seen or key == "offbook":
            continue
        try:
            inner = requires(requirement.name) or []
        except PackageNotFoundError:
            continue
        seen.add(key)
        queue += [(r, ("", *requirement.extras)) for r in inner]
    return sorted(seen)


def test_the_resolved_tree_is_found():
    assert {"openai", "sqlalchemy", "numpy", "pydantic", "typer"} <= set(tree())


def test_every_licence_is_permissive():
    said = {name: licence_of(name) for name in tree()}
    assert {n: text for n, text in said.items() if FORBIDDEN.search(text)} == {}
    assert {n: text for n, text in said.items() if not PERMISSIVE.search(text)} == {}


def test_files_under_another_licence_are_not_installed():
    for name, (_, ending) in PARTLY.items():
        assert [file for file in distribution(name).files or [] if file.name.endswith(ending)] == []


def test_a_copyleft_licence_would_be_noticed():
    for text in ("GPL-3.0-or-later", "GNU Lesser General Public License v2", "AGPLv3", "LGPL"):
        assert FORBIDDEN.search(text)
    assert not FORBIDDEN.search("MIT License")
