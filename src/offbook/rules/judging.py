"""The offline judge: a stub that runs the machinery of an evaluation, and measures nothing.

Takes: the inputs of the judge's prompts.  Gives: ratings on their scales, by the words that two
texts have in common. Source: ours. Every record, table and picture marks its scores
(``evaluation.record.OFFLINE_MARK``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from offbook.prompts import acting, interviewing
from offbook.prompts import judging as prompts
from offbook.rules.declining import DECLINES
from offbook.text.words import words

_STUB: Final = "a stub: words in common, not a judgement"


def knowledge_exposure(inputs: prompts.ReplyWithEvidence) -> prompts.RatingOrNone:
    """The share of the reply's words that description, right answers or evidence have."""
    return _or_none(_shared(inputs.reply, _known(inputs)))


def knowledge_hallucination(inputs: prompts.ReplyWithEvidence) -> prompts.RatingOrNone:
    """The share of the reply's words that neither these nor the question have."""
    return _or_none(1 - _shared(inputs.reply, [*_known(inputs), inputs.question]))


def unknown_rejection(inputs: prompts.ReplyToJudge) -> prompts.BinaryRating:
    """Whether the reply declines, whatever was asked."""
    return prompts.BinaryRating(
        analysis=_STUB, rating=int(DECLINES.search(inputs.reply) is not None)
    )


def spacetime(inputs: prompts.ReplyWithFacts) -> prompts.ContainedVerdict:
    """Yes, whatever was replied."""
    del inputs
    return prompts.ContainedVerdict(analysis=_STUB, rating="yes")


def persona_kept(inputs: prompts.TurnToJudge) -> prompts.RatingOfTen:
    """The share of the reply's words that the description has."""
    return _of_ten(_shared(inputs.reply, [inputs.description]))


def consistent(inputs: prompts.TurnToJudge) -> prompts.ContainedVerdict:
    """Yes, whatever was said."""
    del inputs
    return prompts.ContainedVerdict(analysis=_STUB, rating="yes")


def find_flaws(inputs: acting.SceneToJudge) -> acting.Flaws:
    """Lines that came before, word by word, whatever is looked for."""
    lines = inputs.acted.splitlines()
    again = [line for place, line in enumerate(lines) if line in lines[:place]]
    return acting.Flaws(
        flaws=[acting.Flaw(instance=line, kind=_STUB, severity=1) for line in again]
    )


def answer_contained(inputs: prompts.ReplyWithAnswers) -> prompts.ContainedVerdict:
    """Yes where most words of an answer stand in the reply."""
    contained = _nearest_answer(inputs) > 1 / 2
    return prompts.ContainedVerdict(analysis=_STUB, rating="yes" if contained else "no")


def answer_quality(inputs: prompts.ReplyWithAnswers) -> prompts.RatingOfTen:
    """The share of an answer's words that stand in the reply."""
    return _of_ten(_nearest_answer(inputs))


def hallucination_score(inputs: prompts.GroundedReply) -> prompts.RatingOfTen:
    """The share of the reply's words that neither context, question nor answers have."""
    return _of_ten(
        1
        - _shared(
            inputs.reply,
            [*(each.text for each in inputs.context), *inputs.answers, inputs.question],
        )
    )


def compare_replies(inputs: interviewing.RepliesToCompare) -> interviewing.Preference:
    """The reply that has most words in common with the description; then the first."""
    best = max(inputs.replies, key=lambda reply: _shared(inputs.description, [reply.text]))
    return interviewing.Preference(analysis=_STUB, best=best.label)


def rate_mbti_item(inputs: interviewing.ItemToRate) -> interviewing.RatingOfSeven:
    """1 for a reply that takes up all words of the statement, 7 for none."""
    return interviewing.RatingOfSeven(analysis=_STUB, rating=7 - round(6 * _taken_up(inputs)))


def rate_bigfive_item(inputs: interviewing.ItemToRate) -> interviewing.RatingOfFive:
    """1 for a reply that takes up all words of the statement, 5 for none."""
    return interviewing.RatingOfFive(analysis=_STUB, rating=5 - round(4 * _taken_up(inputs)))


def rate_bfi_batch(inputs: interviewing.BatchToRate) -> interviewing.BatchRating:
    """More for replies that have the words of the first pole."""
    return interviewing.BatchRating(analysis=_STUB, rating=round(1 + 4 * _lean(inputs), 1))


def rate_16p_batch(inputs: interviewing.BatchToRate) -> interviewing.PolePercentages:
    """More for the pole whose words the replies have."""
    first = round(100 * _lean(inputs))
    shares = {inputs.first.name: first, inputs.second.name: 100 - first}
    percentages = [
        interviewing.PolePercentage(pole=n, percent=share) for n, share in shares.items()
    ]
    return interviewing.PolePercentages(analysis=_STUB, percentages=percentages)


def convert_options(inputs: interviewing.AnswersToConvert) -> interviewing.ChosenOptions:
    """The option as far along as the answer takes up the question; none where it declines."""
    items = []
    for number, answer in enumerate(inputs.answers, 1):
        place = 1 + round(_shared(answer.question, [answer.reply]) * (len(inputs.choices) - 1))
        declines = DECLINES.search(answer.reply) is not None
        items.append(
            interviewing.ChosenOption(
                item=number, analysis=_STUB, choice=None if declines else place
            )
        )
    return interviewing.ChosenOptions(items=items)


def _of_ten(share: float) -> prompts.RatingOfTen:
    return prompts.RatingOfTen(analysis=_STUB, rating=1 + round(9 * share))


def _or_none(share: float) -> prompts.RatingOrNone:
    return prompts.RatingOrNone(analysis=_STUB, rating=1 + round(9 * share))


def _known(inputs: prompts.ReplyWithEvidence) -> list[str]:
    return [inputs.description, *inputs.answers, *(each.text for each in inputs.evidence)]


def _shared(text: str, others: Iterable[str]) -> float:
    """The share of the words of ``text`` that stand in any of the others; 0 without words."""
    text_words = set(words(text))
    return len(text_words & set(words(" ".join(others)))) / len(text_words) if text_words else 0.0


def _nearest_answer(inputs: prompts.ReplyWithAnswers) -> float:
    return max((_shared(answer, [inputs.reply]) for answer in inputs.answers), default=0.0)


def _taken_up(inputs: interviewing.ItemToRate) -> float:
    return _shared(inputs.statement or inputs.question, [inputs.reply])


def _lean(inputs: interviewing.BatchToRate) -> float:
    """How far the replies lean to the first pole, from 0 to 1."""
    replies = [answer.reply for answer in inputs.answers]
    first, second = (_shared(pole.meaning, replies) for pole in (inputs.first, inputs.second))
    return (1 + first - second) / 2
