"""What every section of the settings is made from.

Takes: nothing.  Gives: the base of a section, and the names that several sections choose from.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

ChunkingName = Literal["fixed", "recursive", "markdown", "semantic", "ats", "acts", "graph"]
RetrievalMode = Literal["dense", "lexical", "hybrid"]


class Section(BaseModel):
    """A section of the settings: frozen, and strict about names."""

    model_config = ConfigDict(frozen=True, extra="forbid")
