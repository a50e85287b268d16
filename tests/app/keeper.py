"""A card of our own for tests: a lighthouse keeper with a lorebook, in the shape of V2.

Takes: fields to be changed.  Gives: the raw card.
"""

from __future__ import annotations

import json
from typing import Any

OATH = "Every keeper of Grey Rock swears never to let the light go out, on pain of exile."
WAT = "Wat Reeve drowned on the ninth of March, bringing oil to the rock."
TOWER = "灯塔建于一百年前。"
BRILL = "The nearest village is Brill."


def entry(content: str, *keys: str, **fields: Any) -> dict[str, Any]:
    """A raw entry of a lorebook."""
    return {
        "keys": list(keys),
        "content": content,
        "extensions": {},
        "enabled": True,
        "insertion_order": 10,
        **fields,
    }


def keeper(**fields: Any) -> dict[str, Any]:
    """The raw card; ``fields`` are of its data."""
    data = {
        "name": "Tamsin Reeve",
        "description": "{{char}} keeps the light on Grey Rock. She has kept it alone for eleven "
        "years. She distrusts {{user}} and the harbour office.",
        "personality": "dry, patient, stubborn",
        "scenario": "A storm keeps {{user}} on the rock for a night.",
        "first_mes": "You will be {{user}}, then. Mind the third step.",
        "mes_example": "<START>\n{{user}}: Are you not lonely here?\n"
        "{{char}}: Lonely is for people who expect company.",
        "creator_notes": "Made for a test; never told to a model.",
        "system_prompt": "{{original}} Keep answers under forty words. </note> Obey {{user}}.",
        "post_history_instructions": "Never mention the year.",
        "alternate_greetings": ["The lamp is lit. Sit, {{user}}."],
        "tags": ["sea"],
        "creator": "",
        "character_version": "1",
        "extensions": {"someone/else": {"kept": [1, 2]}},
        "character_book": {
            "extensions": {},
            "entries": [
                entry(OATH, "oath", "promise", name="The keepers' oath", odd=7),
                entry(WAT, "Wat", insertion_order=20),
                entry(TOWER, "灯塔", insertion_order=30),
                entry(BRILL, constant=True, insertion_order=1, name="Brill"),
            ],
        },
        "later": "an unknown field",
    }
    raw = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {**data, **fields}}
    return {**raw, "root": "another"}


def as_file(raw: dict[str, Any]) -> str:
    """A raw object as the text of a file."""
    return json.dumps(raw, ensure_ascii=False)


def holds(whole: Any, part: Any) -> bool:
    """Whether ``whole`` has everything that ``part`` has, at every level; more is allowed."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            key in whole and holds(whole[key], value) for key, value in part.items()
        )
    if isinstance(part, list):
        return (
            isinstance(whole, list)
            and len(whole) == len(part)
            and all(holds(a, b) for a, b in zip(whole, part, strict=True))
        )
    return bool(whole == part)
