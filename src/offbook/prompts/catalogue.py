"""All prompts, in one list: what tests, ``lock`` and the documentation go through."""

from __future__ import annotations

from typing import Any, Final

from offbook.prompts import (
    acting,
    distilling,
    emotion,
    entities,
    extraction,
    interviewing,
    judging,
    knowing,
    probes,
    question,
    reply,
    retrieval,
    speakers,
    story,
    summaries,
    traits,
    who_is_who,
)
from offbook.prompts.prompt import Prompt

_STAGES: Final = (
    *(extraction, entities, who_is_who, summaries, question, traits, retrieval, reply, emotion),
    *(speakers, story, knowing, distilling, probes, judging, interviewing, acting),
)

ALL: Final[tuple[Prompt[Any, Any], ...]] = tuple(
    value for stage in _STAGES for value in vars(stage).values() if isinstance(value, Prompt)
)
"""Every prompt that these modules define."""
