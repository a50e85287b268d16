"""The rules for the assets of a V3 card.

Takes: a card.  Gives: findings. Source: Character Card V3 specification, "assets".
"""

from __future__ import annotations

import re
from typing import Any, Final

from offbook.cards.assets import embedded_path
from offbook.cards.card import Card
from offbook.cards.findings import Findings, shown
from offbook.cards.lint_fields import say

_TYPES: Final = frozenset({"icon", "background", "user_icon", "emotion"})
_SCHEMES: Final = ("http://", "https://", "data:", "ccdefault:")
_DRIVE: Final = re.compile(r"[A-Za-z]:")


def lint_assets(card: Card, findings: Findings) -> None:
    """What is wrong with the card's list of assets."""
    found = card.data.get("assets")
    items = found if isinstance(found, list) else []
    for index, item in enumerate(items):
        if isinstance(item, dict):
            _one(item, f"data.assets[{index}]", findings)
    for kind in ("icon", "background"):
        names = [i.get("name") for i in items if isinstance(i, dict) and i.get("type") == kind]
        mains, several = names.count("main"), len(names) > 1
        if several and (mains > 1 or (kind == "icon" and not mains)):
            say(
                findings,
                "asset-main",
                "data.assets",
                f"of {len(names)} assets of type {kind}, {mains} are called 'main'",
            )


def _one(item: dict[str, Any], path: str, findings: Findings) -> None:
    for name in ("type", "uri", "name", "ext"):
        if not isinstance(item.get(name), str):
            say(findings, "asset-field", f"{path}.{name}", f"{shown(item.get(name))} is no text")
            return
    if item["type"] not in _TYPES and not item["type"].startswith("x_"):
        say(findings, "asset-type", f"{path}.type", f"{shown(item['type'])} is not known")
    ext = item["ext"]
    if ext != ext.lower() or ext.startswith("."):
        say(findings, "asset-ext", f"{path}.ext", f"{shown(ext)}", "write it like 'png'")
    _uri(item["uri"], f"{path}.uri", findings)


def _uri(uri: str, path: str, findings: Findings) -> None:
    inside = embedded_path(uri)
    if inside is None:
        if not uri.startswith(_SCHEMES):
            say(findings, "asset-uri", path, f"{shown(uri)} has no scheme that is known")
        elif uri.startswith("http"):
            say(findings, "asset-remote", path, f"{shown(uri)} is not fetched")
        return
    if not uri.startswith("embeded://"):
        say(findings, "asset-spelling", path, f"{shown(uri)}", "write embeded://")
    parts = inside.replace("\\", "/").split("/")
    if ".." in parts or inside.startswith(("/", "\\")) or _DRIVE.match(inside) or "\\" in inside:
        say(findings, "asset-path", path, f"{shown(inside)} may lead out of the file")
