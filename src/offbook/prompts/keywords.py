"""What a question is searched by: keywords of two levels.

Takes: a question to a character.  Gives: low-level keywords, which name somebody or something, and
high-level ones, which say what the question is about.
Paper: LightRAG (Guo et al. 2024, arXiv 2410.05779), section 3.2, query keyword extraction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from offbook.prompts.answers import Json
from offbook.prompts.prompt import Prompt


@dataclass(frozen=True, slots=True)
class KeywordsInputs:
    """The question, with what it refers back to in front."""

    character: str
    question: str


class Keywords(BaseModel):
    """Keywords of both levels; either list may be empty."""

    high_level: list[str]
    low_level: list[str]


QUESTION_KEYWORDS: Final[Prompt[KeywordsInputs, Keywords]] = Prompt(
    name="question_keywords",
    version=1,
    role="extractor",
    stage="lightrag",
    inputs=KeywordsInputs,
    answer=Json(Keywords),
    source="LightRAG section 3.2",
    parameters={"temperature": 0.0},
)
"""Which entities, and which themes, is a question to be searched by?"""
