"""The protocol of items: one open answer in a fresh context, one rating an item.

Takes: finished cells of questions that reword items.  Gives: one judgement an item and metric; the
scores of dimensions, letters against labels, and what the replies cost.
Paper: AMADEUS (003), section 5.2, Figure 4, tables 3-5 and 8: MBTI 1-7 and Big Five 1-5, both with
1 = very much so; HS against the retrieved chunks.
"""

from __future__ import annotations

from collections.abc import Sequence

from offbook.evaluation.interviews.scoring import item_scores
from offbook.evaluation.questions import QuestionsProtocol
from offbook.evaluation.scoring import More


class ItemsProtocol(QuestionsProtocol):
    """Each item of a questionnaire is one open answer, rated alone."""

    more: Sequence[More] = (item_scores,)
