"""Ratings for people to look over, as a CSV file, and their overrulings read back.

Takes: a run's cells and ratings; a file that came back.  Gives: the file; the ratings that a person
overruled, the judge's own value kept beside; how far judge and people agree.
Paper: RoleRAG (001), section 4.2: a person may adjust a judge's rating, with its analysis at hand.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Final

from offbook.errors import UsageError
from offbook.evaluation.interviews.open_interview import batched
from offbook.evaluation.judging import Asked, Places
from offbook.evaluation.metrics.agreement import Level, cohen_kappa, krippendorff_alpha
from offbook.evaluation.metrics.scales import SCALES, JudgedScale
from offbook.evaluation.metrics.statistics import Estimate, estimate
from offbook.evaluation.review_file import COLUMNS, ReviewRow, number_in, number_text

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.record import Cell, Rating, RatingKey, Run

_MOST_PROBLEMS: Final = 20
_SHOWN_KEY: Final = ("subject", "variant", "metric", "unit")


@dataclass(frozen=True, slots=True)
class Review:
    """What a file that came back holds.

    Args:
        overruled: Ratings with the person's value; equal values are agreement, and stand here too.
        blank: Rows without a person's value: no opinion, not agreement.
    """

    overruled: tuple[Rating, ...]
    blank: int


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """How far the judge agrees with people on one metric, over what people rated.

    ``changed`` is the share of those ratings on which the person gave another value. People who
    fill in only what they find wrong make agreement look worse than it is.
    """

    metric: str
    n: int
    kappa: Estimate
    quadratic_kappa: Estimate
    alpha: Estimate
    changed: Estimate


def review_rows(
    run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
) -> Iterator[dict[str, str]]:
    """One row a rating, with all that a person needs to rate it, in the order of the ratings.

    Args:
        run: The run; its interviews are told apart by dimension and batch.
        dataset: What was asked.
        cells: Its cells, read once; their replies are held.
        ratings: Those to look over, such as the ones of one metric.
    """
    places = Places(dataset)
    interviews: dict[tuple[str, str, int], dict[str, Asked]] = defaultdict(dict)
    for cell in cells:
        place = cell.key
        asked = places.one_asked(replace(cell, context=()))
        if asked is not None:
            interviews[place.subject, place.variant, place.repeat][place.question] = asked
    for rating in ratings:
        if rating.key.metric in SCALES:
            key = rating.key
            answered = interviews.get((key.subject, key.variant, key.repeat), {})
            yield _row(rating, _shown(places, key, answered))


def overrulings(rows: Sequence[ReviewRow], ratings: Iterable[Rating]) -> Review:
    """The ratings that people overruled in a file; nothing is taken from a file with a mistake.

    Args:
        rows: The rows of the file (``review_file.read_rows``).
        ratings: The ratings of the run, read once.

    Raises:
        UsageError: a value is off its scale, a row is unknown or there twice, or a column that is
            the judge's was changed; the message names the rows as a spreadsheet numbers them.
    """
    wanted: dict[str, ReviewRow] = {}
    problems: list[str] = []
    for row in rows:
        if row.id in wanted:
            problems.append(f"row {row.number} is the same as row {wanted[row.id].number}")
        wanted.setdefault(row.id, row)
    overruled: list[Rating] = []
    met: set[str] = set()
    for rating in ratings:
        row_of = wanted.get(review_id(rating.key))
        if row_of is not None:
            met.add(row_of.id)
            found = _overruled(rating, row_of, problems)
            if found is not None:
                overruled.append(found)
    unknown = [row for row in wanted.values() if row.id not in met]
    problems += [f"row {row.number} is no rating of this run (id {row.id!r})" for row in unknown]
    if problems:
        raise _refused(problems)
    return Review(tuple(overruled), sum(not row.person_value.strip() for row in rows))


def agreement(ratings: Iterable[Rating]) -> list[JudgeAgreement]:
    """How far judge and people agree, metric by metric, over the ratings that people gave.

    A rating that the judge did not give is missing in the agreement, and counted there.
    """
    pairs: dict[str, list[tuple[float | None, float]]] = defaultdict(list)
    for rating in ratings:
        if rating.person is not None:
            pairs[rating.key.metric].append((rating.value, rating.person))
    return [_agreement(metric, some) for metric, some in sorted(pairs.items())]


def review_id(key: RatingKey) -> str:
    """The id of a rating in a file: text to a spreadsheet, whatever its digits are."""
    told = "\x1f".join(str(part) for part in astuple(key))
    return "r-" + hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _shown(places: Places, key: RatingKey, answered: Mapping[str, Asked]) -> tuple[str, str, str]:
    """Question, right answers and reply of a rating; of a batch all its questions and answers."""
    if key.unit in answered:
        one = answered[key.unit]
        return one.question.text, "\n".join(one.question.answers), one.reply
    order = {id_: at for at, id_ in enumerate(places.questions(key.subject))}
    interview = sorted(answered.values(), key=lambda asked: order[asked.question.id])
    batch = batched(interview).get(key.unit, ())
    told = "\n\n".join(f"{asked.question.text}\n{asked.reply}" for asked in batch)
    return key.unit, "", told


def _row(rating: Rating, shown: tuple[str, str, str]) -> dict[str, str]:
    key = rating.key
    question, answers, reply = shown
    values = (
        *(review_id(key), key.subject, key.variant, str(key.repeat), key.metric, key.unit),
        *(_told(SCALES[key.metric]), question, answers, reply, rating.analysis, key.judge),
        *(number_text(rating.value), rating.missing or "", number_text(rating.person)),
        *(rating.person_name, rating.person_note),
    )
    return dict(zip(COLUMNS, values, strict=True))


def _told(scale: JudgedScale) -> str:
    """``1 to 10, higher is better``."""
    better = f", {scale.better} is better" if scale.better else ""
    return f"{scale.low:g} to {scale.high:g}{better}"


def _overruled(rating: Rating, row: ReviewRow, problems: list[str]) -> Rating | None:
    """The rating with the person's value; what is wrong with the row is added to ``problems``."""
    key = rating.key
    own = (key.subject, key.variant, key.metric, key.unit)
    changed = [
        name
        for name, value in zip(_SHOWN_KEY, own, strict=True)
        if name in row.shown and row.shown[name] != value
    ]
    if changed:
        problems.append(f"row {row.number}: {changed[0]} was changed; rows were mixed up")
        return None
    if not _is_untouched(row.judge_value, rating.value):
        problems.append(
            f"row {row.number}: judge_value was changed from {number_text(rating.value)!r} to "
            f"{row.judge_value!r}; write yours into person_value"
        )
        return None
    if not row.person_value.strip():
        return None
    scale = SCALES[key.metric]
    value = number_in(row.person_value)
    if value is None or not scale.accepts(value):
        whole = "a whole number " if scale.is_whole else ""
        problems.append(
            f"row {row.number}: {row.person_value!r} is not {whole}from {scale.low:g} to "
            f"{scale.high:g}"
        )
        return None
    return replace(rating, person=value, person_name=row.person_name, person_note=row.person_note)


def _is_untouched(text: str, value: float | None) -> bool:
    if value is None:
        return not text.strip()
    return number_in(text) == value


def _refused(problems: Sequence[str]) -> UsageError:
    shown = "; ".join(problems[:_MOST_PROBLEMS])
    more = len(problems) - _MOST_PROBLEMS
    rest = f"; and {more} more" if more > 0 else ""
    return UsageError(
        f"the review has {len(problems)} mistakes, nothing was taken over: {shown}{rest}",
        "mend these rows, or export the review again and copy person_value over",
    )


def _agreement(metric: str, pairs: Sequence[tuple[float | None, float]]) -> JudgeAgreement:
    judge = [value for value, _ in pairs]
    people = [value for _, value in pairs]
    both = [None if mine is None else float(mine != theirs) for mine, theirs in pairs]
    return JudgeAgreement(
        metric=metric,
        n=len(pairs),
        kappa=cohen_kappa(judge, people),
        quadratic_kappa=cohen_kappa(judge, people, "quadratic"),
        alpha=krippendorff_alpha([list(pair) for pair in pairs], _level(SCALES[metric])),
        changed=estimate(both),
    )


def _level(scale: JudgedScale) -> Level:
    if scale.span == 1:
        return "nominal"
    return "ordinal" if scale.is_whole else "interval"
