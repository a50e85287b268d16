"""All prompts, in one list.

Takes: nothing.  Gives: what tests, ``lock`` and the documentation go through.
"""

from __future__ import annotations

from typing import Any, Final

from offbook.prompts.conversation import SUMMARIZE_CONVERSATION
from offbook.prompts.emotion import SCORE_EMOTIONS
from offbook.prompts.extraction import EXTRACT, GLEAN
from offbook.prompts.merging import MERGE_ENTITIES, MERGE_RELATIONS
from offbook.prompts.probes import PROBE_NEEDLE, PROBE_STRUCTURED
from offbook.prompts.profile import PROFILE
from offbook.prompts.prompt import Prompt
from offbook.prompts.question import ANALYSE_QUESTION, HYPOTHETICAL_CONTEXT, QUESTION_ENTITIES
from offbook.prompts.reply import REPLY
from offbook.prompts.same_entity import SAME_ENTITY, VERIFY_GROUP
from offbook.prompts.traits import EXTRACT_ATTRIBUTES, INDEX_TRAITS, REVEALS_TRAIT

ALL: Final[tuple[Prompt[Any, Any], ...]] = (
    EXTRACT,
    GLEAN,
    SAME_ENTITY,
    VERIFY_GROUP,
    MERGE_ENTITIES,
    MERGE_RELATIONS,
    PROFILE,
    HYPOTHETICAL_CONTEXT,
    QUESTION_ENTITIES,
    ANALYSE_QUESTION,
    REVEALS_TRAIT,
    INDEX_TRAITS,
    EXTRACT_ATTRIBUTES,
    REPLY,
    SCORE_EMOTIONS,
    SUMMARIZE_CONVERSATION,
    PROBE_STRUCTURED,
    PROBE_NEEDLE,
)
"""Every prompt that exists; a new one is added here, and its wording to the lock."""
