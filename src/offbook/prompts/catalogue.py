"""All prompts, in one list.

Takes: nothing.  Gives: what tests, ``lock`` and the documentation go through.
"""

from __future__ import annotations

from typing import Any, Final

from offbook.prompts.probes import PROBE_NEEDLE, PROBE_STRUCTURED
from offbook.prompts.profile import PROFILE
from offbook.prompts.prompt import Prompt
from offbook.prompts.reply import REPLY

ALL: Final[tuple[Prompt[Any, Any], ...]] = (
    PROFILE,
    REPLY,
    PROBE_STRUCTURED,
    PROBE_NEEDLE,
)
"""Every prompt that exists; a new one is added here, and its wording to the lock."""
