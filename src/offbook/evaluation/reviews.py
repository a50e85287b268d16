"""People beside the judge: ratings handed out as a CSV file, overrulings read back, agreement.

The file is written for spreadsheets (BOM, no cell that is run as a formula) and read back from
whatever they made of it. The judge's own value is kept beside a person's.
Paper: RoleRAG (001), section 4.2: a person may adjust a judge's rating, with its analysis at hand.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from offbook.errors import UnknownName, UsageError
from offbook.evaluation import runs as evaluation_runs
from offbook.evaluation import storage
from offbook.evaluation.datasets.reading import LONGEST_FIELD, problems_listed, separator_in
from offbook.evaluation.judge_checks import JudgeBias
from offbook.evaluation.metrics.agreement import Level, cohen_kappa, krippendorff_alpha
from offbook.evaluation.metrics.scales import SCALES, JudgedScale
from offbook.evaluation.metrics.statistics import Estimate, estimate
from offbook.evaluation.protocols import batched
from offbook.evaluation.reply_metrics import Exchange, Places
from offbook.evaluation.spreadsheets import guarded, unguarded
from offbook.stores import evaluations
from offbook.types import as_tuple

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.record import Cell, Rating, RatingKey, Run
    from offbook.stores.connection import Connection
    from offbook.types import Usage

T = TypeVar("T")

COLUMNS: Final = (
    *("id", "subject", "variant", "repeat", "metric", "unit", "scale"),
    *("question", "right_answers", "reply", "analysis", "judge"),
    *("judge_value", "missing_because", "person_value", "person_name", "person_note"),
)
"""The columns in their order; a person fills in the last three."""
_NEEDED: Final = ("id", "judge_value", "person_value")
_LONGEST_CELL: Final = 32_000
"""Excel cuts a cell at 32,767 characters, and says nothing."""
_SAID: Final = {"yes": 1.0, "no": 0.0}


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One row as it came back; ``number`` is the spreadsheet's, the heading being row 1."""

    number: int
    cells: Mapping[str, str]

    def text(self, column: str) -> str:
        """The cell of a column, trimmed; empty where the column is not there."""
        return self.cells.get(column, "").strip()


def write_rows(path: Path, rows: Iterable[Mapping[str, str]], separator: str = ",") -> int:
    """Write a review; gives how many rows there are.

    Raises:
        UsageError: the file cannot be written.
    """
    count = 0
    try:
        with path.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
            writer = csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL)
            writer.writerow(COLUMNS)
            for row in rows:
                writer.writerow([_cell(row[name]) for name in COLUMNS])
                count += 1
    except OSError as error:
        raise UsageError(
            f"cannot write {str(path)!r}: {error.strerror}", "name another file"
        ) from None
    return count


def read_rows(path: Path) -> list[ReviewRow]:
    """The rows of a review that came back; blank ones are passed over.

    Raises:
        UsageError: it cannot be read, or a column that is needed is not there.
    """
    text = _text(path)
    # A setting of the process: some replies are longer than its 131,072 characters.
    csv.field_size_limit(LONGEST_FIELD)
    lines = io.StringIO(text, newline="")
    try:
        table = list(csv.reader(lines, delimiter=separator_in(text), strict=True))
    except csv.Error as error:
        raise UsageError(
            f"{str(path)!r} is no CSV file: {error}", "save it as CSV (UTF-8)"
        ) from None
    names = [name.strip().casefold() for name in table[0]] if table else []
    lacking = [name for name in _NEEDED if name not in names]
    if lacking:
        raise UsageError(
            f"{str(path)!r} has no column {lacking[0]!r}",
            f"keep the first row of the export: {', '.join(COLUMNS)}",
        )
    return [
        ReviewRow(number, dict(zip(names, map(unguarded, cells), strict=False)))
        for number, cells in enumerate(table[1:], 2)
        if any(cell.strip() for cell in cells)
    ]


def number_text(value: float | None) -> str:
    """A value as a cell; empty where there is none."""
    if value is None:
        return ""
    return str(int(value)) if value.is_integer() else repr(value)


def number_in(text: str) -> float | None:
    """The number of a cell, with a decimal point or comma, or yes or no; None where it is none."""
    plain = text.strip().removeprefix("'").removesuffix("%").strip().casefold()
    if plain in _SAID:
        return _SAID[plain]
    try:
        return float(plain.replace(",", "."))
    except ValueError:
        return None


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {str(path)!r}: {error.strerror}", "name the file") from None
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise UsageError(
            f"{str(path)!r} is not in UTF-8", "save it as 'CSV UTF-8 (comma delimited)'"
        ) from None


def _cell(text: str) -> str:
    """A cell that a spreadsheet shows as it is, as far as it holds so much."""
    text = text.replace("\x00", "")
    if len(text) > _LONGEST_CELL:
        text = f"{text[:_LONGEST_CELL]}… (cut for the spreadsheet; the run holds it whole)"
    return guarded(text)


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
    dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
) -> Iterator[dict[str, str]]:
    """One row a rating, with all that a person needs to rate it, in the order of the ratings."""
    places = Places(dataset)
    interviews: dict[tuple[str, str, int], dict[str, Exchange]] = defaultdict(dict)
    for cell in cells:
        place = cell.key
        exchange = places.exchange_of(replace(cell, context=()))
        if exchange is not None:
            interviews[place.subject, place.variant, place.repeat][place.question] = exchange
    for rating in ratings:
        if rating.key.metric in SCALES:
            key = rating.key
            answered = interviews.get((key.subject, key.variant, key.repeat), {})
            yield _row(rating, _shown(places, key, answered))


def overrulings(rows: Sequence[ReviewRow], ratings: Iterable[Rating]) -> Review:
    """The ratings that people overruled in a file; nothing is taken from a file with a mistake.

    Raises:
        UsageError: a value is off its scale, a row is unknown or there twice, or a column that is
            the judge's was changed; the message names the rows as a spreadsheet numbers them.
    """
    by_id: dict[str, ReviewRow] = {}
    problems: list[str] = []
    for row in rows:
        first = by_id.setdefault(row.text("id"), row)
        if first is not row:
            problems.append(f"row {row.number} is the same as row {first.number}")
    overruled: list[Rating] = []
    for rating in ratings:
        row_of = by_id.pop(review_id(rating.key), None)
        changed = None if row_of is None else _overruled(rating, row_of, problems)
        if changed is not None:
            overruled.append(changed)
    problems += [
        f"row {row.number} is no rating of this run (id {name!r})" for name, row in by_id.items()
    ]
    if problems:
        raise UsageError(
            f"the review has {len(problems)} mistakes, nothing was taken over: "
            f"{problems_listed(problems)}",
            "mend these rows, or export the review again and copy person_value over",
        )
    return Review(tuple(overruled), sum(not row.text("person_value") for row in rows))


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
    text = "\x1f".join(str(part) for part in astuple(key))
    return "r-" + hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _shown(
    places: Places, key: RatingKey, answered: Mapping[str, Exchange]
) -> tuple[str, str, str]:
    """Question, right answers and reply of a rating; of a batch all its questions and answers."""
    if key.unit in answered:
        one = answered[key.unit]
        return one.question.text, "\n".join(one.question.answers), one.reply
    order = {id_: place for place, id_ in enumerate(places.of(key.subject).questions)}
    interview = sorted(answered.values(), key=lambda exchange: order[exchange.question.id])
    batch = batched(interview).get(key.unit, ())
    text = "\n\n".join(f"{exchange.question.text}\n{exchange.reply}" for exchange in batch)
    return key.unit, "", text


def _row(rating: Rating, shown: tuple[str, str, str]) -> dict[str, str]:
    key, scale = rating.key, SCALES[rating.key.metric]
    question, answers, reply = shown
    better = f", {scale.better} is better" if scale.better else ""
    return {
        "id": review_id(key),
        "subject": key.subject,
        "variant": key.variant,
        "repeat": str(key.repeat),
        "metric": key.metric,
        "unit": key.unit,
        "scale": f"{scale.low:g} to {scale.high:g}{better}",
        "question": question,
        "right_answers": answers,
        "reply": reply,
        "analysis": rating.analysis,
        "judge": key.judge,
        "judge_value": number_text(rating.value),
        "missing_because": rating.missing or "",
        "person_value": number_text(rating.person),
        "person_name": rating.person_name,
        "person_note": rating.person_note,
    }


def _overruled(rating: Rating, row: ReviewRow, problems: list[str]) -> Rating | None:
    """The rating with the person's value; what is wrong with the row is added to ``problems``."""
    key, given = rating.key, row.text("person_value")
    changed = [name for name in _SHOWN_KEY if row.cells.get(name, "") != getattr(key, name)]
    changed = [name for name in changed if name in row.cells]
    judged = row.text("judge_value")
    is_untouched = not judged if rating.value is None else number_in(judged) == rating.value
    value = number_in(given)
    if changed:
        problems.append(f"row {row.number}: {changed[0]} was changed; rows were mixed up")
    elif not is_untouched:
        problems.append(
            f"row {row.number}: judge_value was changed from {number_text(rating.value)!r} to "
            f"{row.cells['judge_value']!r}; write yours into person_value"
        )
    elif given and (value is None or not SCALES[key.metric].accepts(value)):
        problems.append(f"row {row.number}: {given!r} is not {SCALES[key.metric].allowed}")
    elif given:
        name, note = row.text("person_name"), row.text("person_note")
        return replace(rating, person=value, person_name=name, person_note=note)
    return None


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


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """What a review that came back changed, and how far judge and people agree since."""

    run: str
    overruled: int
    blank: int
    agreement: tuple[JudgeAgreement, ...]
    mark: str | None

    def as_json(self) -> dict[str, Any]:
        """The shape of ``eval review import --json``."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What the order of replies, and its own name on one, do to a judge."""

    run: str
    bias: JudgeBias
    missing: int
    mark: str | None
    usage: Usage

    def as_json(self) -> dict[str, Any]:
        """The shape of ``eval check-judge --json``."""
        return {**asdict(self), "usage": self.usage.as_json()}


class Reviews:
    """Reviews by people of the runs of an open offbook.

    ``judge`` is whose ratings are meant (None: the run's judge), ``path`` where the dataset lies
    now, if it was moved.
    """

    def __init__(self, book: Offbook) -> None:
        self._book = book

    async def export(
        self,
        run: str,
        file: Path | str,
        *,
        judge: str | None = None,
        metrics: Sequence[str] = (),
        separator: str = ",",
        path: Path | str | None = None,
    ) -> int:
        """Write ratings, of some metrics or of all, into a CSV file; gives how many there are.

        ``separator``: ``,``, or ``;`` for spreadsheets with a decimal comma.

        Raises:
            UsageError: the file cannot be written, or that judge was never asked.
        """
        opened = await evaluation_runs.open_run(self._book, run, judge=judge, path=path)
        return await self._streamed(
            opened.run,
            lambda cells, ratings: write_rows(
                Path(file),
                review_rows(opened.dataset, cells, _of_metrics(ratings, as_tuple(metrics))),
                separator,
            ),
        )

    async def import_(
        self, run: str, file: Path | str, *, judge: str | None = None, name: str = ""
    ) -> ReviewReport:
        """Take over what people wrote into such a file; all of it, or nothing.

        ``name``: who reviewed, where a row names nobody.

        Raises:
            UsageError: rows are not of this run, or values are off their scale.
        """
        recorded = await evaluation_runs.recorded_run(self._book, run, judge=judge)
        rows = read_rows(Path(file))
        review = await self._streamed(recorded, lambda _, ratings: overrulings(rows, ratings))

        def write(conn: Connection) -> None:
            for each in review.overruled:
                _overrule(conn, run, each.key, each.person, each.person_name or name,
                          each.person_note)  # fmt: skip

        await self._book.store.write(write)
        agreed = await self.agreement(run, judge=judge)
        return ReviewReport(run, len(review.overruled), review.blank, agreed, recorded.mark)

    async def rows(
        self,
        run: str,
        *,
        judge: str | None = None,
        metric: str | None = None,
        skip: int = 0,
        most: int = 20,
        path: Path | str | None = None,
    ) -> list[dict[str, str]]:
        """List ratings with all that a person needs to rate them, as in the file of `export`."""
        opened = await evaluation_runs.open_run(self._book, run, judge=judge, path=path)

        def read(cells: Iterator[Cell], ratings: Iterator[Rating]) -> list[dict[str, str]]:
            some = _of_metrics(ratings, () if metric is None else (metric,))
            return list(islice(review_rows(opened.dataset, cells, some), skip, skip + most))

        return await self._streamed(opened.run, read)

    async def overrule(
        self,
        run: str,
        rating: str,
        value: float | None,
        *,
        judge: str | None = None,
        name: str = "",
        note: str = "",
    ) -> None:
        """Put a person's value beside the judge's; None takes it back.

        ``rating`` is the id of a row of `rows`, ``value`` on the scale of its metric.

        Raises:
            UnknownName: the run has no such rating.
            UsageError: the value is off the scale.
        """
        recorded = await evaluation_runs.recorded_run(self._book, run, judge=judge)
        key = await self._streamed(
            recorded,
            lambda _, rated: next((r.key for r in rated if review_id(r.key) == rating), None),
        )
        if key is None:
            raise UnknownName(f"the run {run!r} has no rating {rating!r}", "look at its rows anew")
        scale = SCALES[key.metric]
        if value is not None and not scale.accepts(value):
            raise UsageError(
                f"{value:g} is not {scale.allowed}", f"that is the scale of {scale.title}"
            )
        await self._book.store.write(lambda conn: _overrule(conn, run, key, value, name, note))

    async def agreement(self, run: str, *, judge: str | None = None) -> tuple[JudgeAgreement, ...]:
        """How far a judge agrees with people, metric by metric."""
        recorded = await evaluation_runs.recorded_run(self._book, run, judge=judge)
        return tuple(await self._streamed(recorded, lambda _, ratings: agreement(ratings)))

    async def _streamed(
        self, run: Run, function: Callable[[Iterator[Cell], Iterator[Rating]], T]
    ) -> T:
        return await storage.with_stream(self._book.store, run, function)


def _of_metrics(ratings: Iterable[Rating], metrics: Sequence[str]) -> Iterator[Rating]:
    """The ratings of these metrics; none named: all."""
    return (each for each in ratings if not metrics or each.key.metric in metrics)


def _overrule(
    conn: Connection, run: str, key: RatingKey, value: float | None, name: str, note: str
) -> None:
    place = tuple(getattr(key, part) for part in evaluations.RATING_KEY)
    evaluations.overrule(conn, run, place, value=value, name=name, note=note)
