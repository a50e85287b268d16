"""The summary of a cluster: passages that are near one another, or summaries of such, as one text.

Takes: the texts of the cluster, in reading order.  Gives: one summary.
Paper: RAPTOR (Sarthi et al. 2024, arXiv 2401.18059), section 3, model-based summarization.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, Field

from offbook.errors import InvalidAnswer
from offbook.prompts.answers import Json
from offbook.prompts.prompt import Prompt
from offbook.prompts.refusals import check_summarized


@dataclass(frozen=True, slots=True)
class ClusterInputs:
    """The texts, each with its headings in front where it has any."""

    character: str
    passages: tuple[str, ...]


class ClusterSummary(BaseModel):
    """What the texts of a cluster say together."""

    summary: str = Field(min_length=1)


def _says_something(inputs: ClusterInputs, answer: ClusterSummary) -> None:
    if not answer.summary.strip():
        raise InvalidAnswer("the summary is blank; write what the passages say")
    check_summarized(answer.summary, inputs.passages)


SUMMARIZE_CLUSTER: Final[Prompt[ClusterInputs, ClusterSummary]] = Prompt(
    name="summarize_cluster",
    version=1,
    role="extractor",
    stage="raptor",
    inputs=ClusterInputs,
    answer=Json(ClusterSummary),
    source="RAPTOR section 3",
    parameters={"temperature": 0.0},
    check=_says_something,
)
"""What do these passages say, in one paragraph?"""
