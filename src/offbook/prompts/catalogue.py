"""All prompts, in one list.

Takes: nothing.  Gives: what tests, ``lock`` and the documentation go through.
"""

from __future__ import annotations

from typing import Any, Final

from offbook.prompts.cluster_summary import SUMMARIZE_CLUSTER
from offbook.prompts.complexity import CLASSIFY_QUESTION, NEXT_STEP
from offbook.prompts.conversation import SUMMARIZE_CONVERSATION
from offbook.prompts.emotion import SCORE_EMOTIONS
from offbook.prompts.extraction import EXTRACT, GLEAN
from offbook.prompts.grading import GRADE_PASSAGE
from offbook.prompts.interviewing import (
    COMPARE_REPLIES,
    CONVERT_OPTIONS,
    RATE_16P_BATCH,
    RATE_BFI_BATCH,
    RATE_BIGFIVE_ITEM,
    RATE_MBTI_ITEM,
)
from offbook.prompts.judging import (
    ANSWER_CONTAINED,
    ANSWER_QUALITY,
    HALLUCINATION_SCORE,
    KNOWLEDGE_EXPOSURE,
    KNOWLEDGE_HALLUCINATION,
    UNKNOWN_REJECTION,
)
from offbook.prompts.keywords import QUESTION_KEYWORDS
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
    GRADE_PASSAGE,
    CLASSIFY_QUESTION,
    NEXT_STEP,
    REPLY,
    SCORE_EMOTIONS,
    SUMMARIZE_CONVERSATION,
    QUESTION_KEYWORDS,
    SUMMARIZE_CLUSTER,
    PROBE_STRUCTURED,
    PROBE_NEEDLE,
    KNOWLEDGE_EXPOSURE,
    KNOWLEDGE_HALLUCINATION,
    UNKNOWN_REJECTION,
    ANSWER_CONTAINED,
    ANSWER_QUALITY,
    HALLUCINATION_SCORE,
    RATE_MBTI_ITEM,
    RATE_BIGFIVE_ITEM,
    RATE_BFI_BATCH,
    RATE_16P_BATCH,
    CONVERT_OPTIONS,
    COMPARE_REPLIES,
)
"""Every prompt that exists; a new one is added here, and its wording to the lock."""
