"""What the sections of the settings have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from offbook import registry


def _is_splitter(name: str) -> str:
    known = registry.names("splitter")
    if name not in known:
        raise ValueError(f"no splitter {name!r}; known: {', '.join(known)}")
    return name


ChunkingName = Annotated[str, AfterValidator(_is_splitter)]


class Section(BaseModel):
    """A section of the settings: frozen, and strict about names."""

    model_config = ConfigDict(frozen=True, extra="forbid")
