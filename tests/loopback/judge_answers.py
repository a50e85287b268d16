"""What a judge behind the loopback server answers: on the scale, and different by what it reads.

Takes: the body of a request.  Gives: an analysis and a rating, as JSON or as free text; for any
other prompt the default answer.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from typing import Any, Final

from tests.loopback.answers import Answer, default_answer, schema_in

ANALYSIS: Final = "The reply was read."
_POLE: Final = re.compile(r"^- ([A-Z]): ", re.MULTILINE)
_ITEM: Final = re.compile(r"^\[\d+\] ", re.MULTILINE)
_OPTION: Final = re.compile(r"^\d+ = ", re.MULTILINE)
_LABEL: Final = re.compile(r"^Reply ([A-Z])", re.MULTILINE)


def judge_answer(body: Mapping[str, Any]) -> Answer:
    """The judgement as JSON."""
    value = _value(body)
    return default_answer(body) if value is None else Answer(json.dumps(value))


def plain_judge_answer(body: Mapping[str, Any]) -> Answer:
    """The judgement in free text, as a model gives it that heeds no schema."""
    value = _value(body)
    if value is None or "items" in value:
        return judge_answer(body)
    if "percentages" in value:
        said = ", ".join(f"{each['percent']}% {each['pole']}" for each in value["percentages"])
    else:
        said = f"**Rating:** {value['rating']}" if "rating" in value else f"Best: {value['best']}"
    return Answer(f"Analysis: {value['analysis']}\n\n{said}")


def _value(body: Mapping[str, Any]) -> dict[str, Any] | None:
    schema = schema_in(body)
    text = body["messages"][-1]["content"]
    lot = zlib.crc32(text.partition("Answer with exactly one JSON object")[0].encode())
    properties = {} if schema is None else schema["properties"]
    told: dict[str, Any] = {"analysis": ANALYSIS}
    if "percentages" in properties:
        first, second = _POLE.findall(text)
        part = lot % 101
        shares = [{"pole": first, "percent": part}, {"pole": second, "percent": 100 - part}]
        return told | {"percentages": shares}
    if "best" in properties:
        labels = _LABEL.findall(text)
        return told | {"best": labels[lot % len(labels)]}
    if "rating" in properties:
        kind = properties["rating"]
        if "anyOf" in kind:  # it may also say that it cannot be judged
            if lot % 5 == 0:
                return told | {"rating": None}
            kind = kind["anyOf"][0]
        if "enum" in kind:
            return told | {"rating": kind["enum"][lot % len(kind["enum"])]}
        return told | {"rating": kind["minimum"] + lot % (kind["maximum"] - kind["minimum"] + 1)}
    if "choice" in (schema or {}).get("$defs", {}).get("ChosenOption", {}).get("properties", {}):
        options = len(_OPTION.findall(text))
        count = len(_ITEM.findall(text))
        parts = [{"item": n, "choice": 1 + (lot + n) % options} for n in range(1, count + 1)]
        return {"items": [told | part for part in parts]}
    return None
