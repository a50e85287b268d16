"""The loopback server as a model that reads scenes: a reader of one simple shape of story.

Takes: the body of a chat request.  Gives: scenes that begin where a paragraph begins with "Later"
or "Ada"; in each, those of the list who are named in it, with what the paragraph says that names
them. Any other prompt is answered as ``graph`` does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.loopback.answers import Answer, schema_in
from tests.loopback.graph import answer_about_a_graph

_LISTED = re.compile(r"^\[(\d+)\] ([^(\n]+?)(?: \(.*)?$", re.M)
_PARAGRAPH = re.compile(r"\{(\d+)\}([^{]*)")
_OPENING = "Later", "Ada"
_PASSAGE = re.compile(r"<passage>\n(.*?)\n</passage>", re.S)


def is_about_scenes(body: Mapping[str, Any]) -> bool:
    """Whether a request asks for the scenes of a stretch."""
    return (schema_in(body) or {}).get("title") == "StretchScenes"


def stretch_of(body: Mapping[str, Any]) -> str:
    """The stretch that a request shows."""
    return str(_PASSAGE.findall(body["messages"][-1]["content"])[-1])


def answer_about_scenes(body: Mapping[str, Any]) -> Answer:
    """What a careful reader of such a story says."""
    if not is_about_scenes(body):
        return answer_about_a_graph(body)
    return Answer(json.dumps({"scenes": scenes_in(body)}))


def scenes_in(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The scenes of the stretch that a request shows."""
    content = body["messages"][-1]["content"]
    people = [(int(number), name) for number, name in _LISTED.findall(content)]
    scenes: list[dict[str, Any]] = []
    for number, text in _PARAGRAPH.findall(stretch_of(body)):
        if not scenes or text.startswith(_OPENING):
            known = {"where": "the quay", "when": "a day", "continues": not scenes}
            scenes.append({"begins": int(number), "kind": "scene", **known, "people": []})
        involved = scenes[-1]["people"]
        for who, name in people:
            if name in text and who not in [each["who"] for each in involved]:
                involved.append(_person(who, name, text))
    return scenes


def _person(who: int, name: str, text: str) -> dict[str, Any]:
    said = " ".join(text.split())
    evidence = " ".join(said[said.index(name) :].split()[:5])
    return {
        "who": who,
        "words": evidence,
        "how": "present",
        "record": f"{name} lived through this: {said}",
        "gist": f"{name} was there",
        "feels": "joy",
        "strength": 3,
    }
