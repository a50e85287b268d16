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
from offbook.cards.residue import Json
from offbook.cards.views import Object, Text, Texts

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

    name = Text("name")
    description = Text("description")
    personality = Text("personality")
    scenario = Text("scenario")
    first_mes = Text("first_mes")
    mes_example = Text("mes_example")
    creator_notes = Text("creator_notes")
    system_prompt = Text("system_prompt")
    post_history_instructions = Text("post_history_instructions")
    creator = Text("creator")
    character_version = Text("character_version")
    nickname = Text("nickname")
    alternate_greetings = Texts("alternate_greetings")
    group_only_greetings = Texts("group_only_greetings")
    tags = Texts("tags")
    source = Texts("source")
    extensions = Object("extensions")

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
        found = self.data.get("character_book")
        return Lorebook(found) if isinstance(found, dict) else None

    @property
    def asset_list(self) -> tuple[Json, ...]:
        """The entries of ``assets``; where it is undefined, the one that the rules put there."""
        found = self.data.get("assets")
        if not isinstance(found, list):
            return ({"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"},)
        return tuple(item for item in found if isinstance(item, dict))

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
