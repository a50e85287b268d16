"""A character card: a view on the raw JSON of a Tavern card, version 1, 2 or 3.

Takes: a raw object.  Gives: ``Card``, typed to read and write; every field that it does not know,
at every level, stays in the raw object, in its order. Source: the V1, V2 and V3 specifications.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from typing import Any, Final, Literal

from offbook.cards.lorebook import Lorebook
from offbook.cards.raw_json import Json, json_object, text, texts

Version = Literal[1, 2, 3]

SPECS: Final[dict[Version, str]] = {2: "chara_card_v2", 3: "chara_card_v3"}
SPEC_VERSIONS: Final[dict[Version, str]] = {2: "2.0", 3: "3.0"}
V1_FIELDS: Final = (
    "name",
    "description",
    "personality",
    "scenario",
    "first_mes",
    "mes_example",
)
_SPEC: Final = re.compile(r"chara_card_v(\d{1,4})")


@dataclass(slots=True, eq=False)
class Card:
    """A character card; change its fields, then write it."""

    raw: Json

    name = text("name")
    description = text("description")
    personality = text("personality")
    scenario = text("scenario")
    first_mes = text("first_mes")
    mes_example = text("mes_example")
    creator_notes = text("creator_notes")
    system_prompt = text("system_prompt")
    post_history_instructions = text("post_history_instructions")
    creator = text("creator")
    character_version = text("character_version")
    nickname = text("nickname")
    alternate_greetings = texts("alternate_greetings")
    group_only_greetings = texts("group_only_greetings")
    tags = texts("tags")
    source = texts("source")
    extensions = json_object("extensions")

    @property
    def version(self) -> Version:
        """1, 2 or 3: the specification whose rules the card follows."""
        return version_of(self.raw)

    @property
    def data(self) -> Json:
        """The object that holds the fields: ``data`` from version 2 on, the root of version 1."""
        data = self.raw.get("data")
        return data if isinstance(data, dict) else self.raw

    @property
    def book(self) -> Lorebook | None:
        """The card's own lorebook."""
        raw = self.data.get("character_book")
        return Lorebook(raw) if isinstance(raw, dict) else None

    @property
    def asset_list(self) -> tuple[Json, ...]:
        """The entries of ``assets``; where it is undefined, the one that the rules put there."""
        assets = self.data.get("assets")
        if not isinstance(assets, list):
            return ({"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"},)
        return tuple(item for item in assets if isinstance(item, dict))

    @property
    def spoken_name(self) -> str:
        """What ``{{char}}`` stands for: the nickname, where there is one, or the name."""
        return self.nickname or self.name

    def copy(self) -> Card:
        """A card of its own with the same content."""
        return Card(copy.deepcopy(self.raw))


def version_of(raw: Json) -> Version:
    """The version of a raw card; a newer one than 3 is read as 3."""
    data = raw.get("data")
    if not isinstance(data, dict):
        return 1
    number = spec_number(raw.get("spec"))
    if number is None:
        return 3 if "group_only_greetings" in data else 2
    return 2 if number <= 2 else 3


def spec_number(spec: Any) -> int | None:
    """The number in ``chara_card_vN``, or None where ``spec`` is something else."""
    match = _SPEC.fullmatch(spec) if isinstance(spec, str) else None
    return int(match[1]) if match else None


def spec_version_number(value: Any) -> float | None:
    """``spec_version`` as a number, as the V3 specification compares it; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def root_of(version: Version, data: Json, rest: Json | None = None) -> Json:
    """The root object of a card of version 2 or 3 around ``data``, with other fields behind."""
    head: Json = {"spec": SPECS[version], "spec_version": SPEC_VERSIONS[version], "data": data}
    return {**head, **(rest or {})}
