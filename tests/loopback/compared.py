"""The loopback server as a model that reads the prompts of raptor and lightrag, by simple rules.

Takes: the body of a chat request.  Gives: summaries of clusters and keywords of questions, from the
text of the prompt alone; to the graph's prompts what ``tests.loopback.graph`` answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.graph.rules_model import NAME
from tests.loopback.answers import Answer
from tests.loopback.graph import answer_about_a_graph

_PASSAGE = re.compile(r"<passage>\n(.*?)\n</passage>", re.DOTALL)


def answer_of_any(body: Mapping[str, Any]) -> Answer:
    """The answer of a model that knows these prompts."""
    form = (body.get("response_format") or {}).get("json_schema") or {}
    passages = _PASSAGE.findall(body["messages"][-1]["content"])
    if form.get("name") == "ClusterSummary":
        # The middle of each, so that a passage's own words are in the summary.
        told = [" ".join(passage.split()[2:9]) for passage in passages]
        return Answer(json.dumps({"summary": " | ".join(told)}))
    if form.get("name") == "Keywords":
        names = NAME.findall(passages[0])
        return Answer(json.dumps({"low_level": names, "high_level": ["a meeting"]}))
    return answer_about_a_graph(body)
