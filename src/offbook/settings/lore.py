"""Settings of lorebooks.

Takes: values from the layers of ``loading``.  Gives: the section; ``model`` holds it.
"""

from __future__ import annotations

from pydantic import Field

from offbook.settings.section import Section


class LoreSettings(Section):
    """How entries of lorebooks are chosen, where the book does not say otherwise."""

    budget_tokens: int = Field(
        512, ge=0, description="for entries, beside what was recalled; 0: lorebooks are not used"
    )
    scan_depth: int = Field(
        4, ge=0, le=1000, description="messages in which keys are looked for, the question's too"
    )
    similar: int = Field(3, ge=0, le=100, description="entries found by meaning alone, at most")
    least: float = Field(
        0.2, ge=-1, le=1, description="how like the question such an entry is at least"
    )
