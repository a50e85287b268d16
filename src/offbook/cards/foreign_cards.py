"""Characters of other programs as cards: Pygmalion (gradio) and text-generation-webui.

Takes: a raw object.  Gives: the same character as a raw V2 card, with what has no place there under
``extensions``; or None where the object is of neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from offbook.cards.card import V1_FIELDS, root_of
from offbook.cards.fields import CARD_FIELDS, fill_required
from offbook.cards.residue import Json

_GRADIO: Final = {
    "char_name": "name",
    "char_persona": "description",
    "char_greeting": "first_mes",
    "example_dialogue": "mes_example",
    "world_scenario": "scenario",
}
_TEXTGEN: Final = {
    "name": "name",
    "context": "description",
    "greeting": "first_mes",
    "example_dialogue": "mes_example",
}


def foreign_card(raw: Json) -> tuple[str, Json] | None:
    """The name of the format and the V2 card, where ``raw`` is a character of another program."""
    if "data" in raw or "spec" in raw:
        return None
    if "char_name" in raw or "char_persona" in raw:
        return "gradio", _translated(raw, _GRADIO, "offbook/gradio")
    cardlike = any(name in raw for name in V1_FIELDS if name != "name")
    if not cardlike and ("context" in raw or "greeting" in raw):
        return "textgen", _translated(raw, _TEXTGEN, "offbook/textgen")
    return None


def _translated(raw: Json, names: Mapping[str, str], kept_under: str) -> Json:
    data: Json = {ours: raw[theirs] for theirs, ours in names.items() if theirs in raw}
    rest = {key: value for key, value in raw.items() if key not in names}
    data["extensions"] = {kept_under: rest} if rest else {}
    fill_required(data, CARD_FIELDS, 2)
    return root_of(2, data)
