"""Two checks of a judge: does the order of replies sway it, and does its own name on a reply?

The replies stay the same; only order and names change.
Paper: ours; RoleRAG (001), section 4.2, names the biases that it guards against.
"""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Final, Literal

from offbook.evaluation.metrics.statistics import Estimate, estimate
from offbook.evaluation.record import Judgement, Rating, RatingKey
from offbook.evaluation.reply_metrics import PlacesOf, documents_named, documents_of
from offbook.evaluation.runner import questions_of
from offbook.evaluation.scores import Place
from offbook.prompts.interviewing import COMPARE_REPLIES, LabelledReply, RepliesToCompare

if TYPE_CHECKING:
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.record import Cell, CellKey, Run
    from offbook.prompts.interviewing import Preference

Labelling = Literal["neutral", "named"]

METRIC: Final = "preference"
"""Name of these ratings; a value is the place, from 1, of the reply that the judge preferred."""
OTHER_AUTHOR: Final = "another model"
_LABELLINGS: Final[tuple[Labelling, ...]] = ("neutral", "named")
_ORDERS: Final = (1, 2)
_FEWEST: Final = 2
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Layout:
    """How replies to one question are shown.

    ``order`` holds variants as the first order shows them; the second shows them the other way
    round. ``own`` is the one that, under names, is said to be the judge's.
    """

    order: tuple[str, ...]
    own: str

    def shown(self, order: int) -> tuple[str, ...]:
        """The variants in the first or the second order."""
        return self.order if order == _ORDERS[0] else self.order[::-1]

    def key(self, judge: str, place: Place, labelling: Labelling, order: int) -> RatingKey:
        """The key of a preference; one that was given among other replies has another."""
        among = hashlib.sha256("\n".join((*self.order, self.own)).encode()).hexdigest()[:8]
        unit = f"{place.unit}/{labelling}/{order}/{among}"
        return RatingKey(place.subject, "", place.repeat, METRIC, unit, judge)


@dataclass(frozen=True, slots=True)
class JudgeBias:
    """What the two checks found of one judge.

    Args:
        first: How often the reply in the first place was preferred; under neutral labels.
        position_bias: The same less what chance would give; 0 is none.
        flips: Share of questions on which turning the order round changed the preferred reply.
        label_bias: How much more often a reply was preferred because it was said to be the
            judge's own: the same reply, the same order, with and without names. 0 is none.
        identical: Questions whose replies were all the same, so that there was nothing to compare.
    """

    judge: str
    first: Estimate
    position_bias: Estimate
    flips: Estimate
    label_bias: Estimate
    questions: int
    identical: int


class JudgeChecks:
    """The checks as a protocol: the runner asks for them about the stored cells of a run.

    Raises:
        ValueError: fewer than two replies are no comparison; there are 26 labels.
    """

    def __init__(self, limit: int | None = 100, replies: int = 3) -> None:
        if not _FEWEST <= replies <= len(_LETTERS):
            raise ValueError(f"{replies!r} replies cannot be compared under single letters")
        self._limit = limit
        self._replies = replies
        self._places = PlacesOf()
        self._drawn: tuple[str, frozenset[tuple[str, str, int]]] | None = None

    def ready(self, key: CellKey) -> Hashable:
        """All variants' replies to one question."""
        return key.subject, key.question, key.repeat

    def judgements(self, run: Run, dataset: Dataset, cells: Sequence[Cell]) -> list[Judgement]:
        """Two orders, each with and without names, for every question that was drawn."""
        together: dict[Place, list[Cell]] = defaultdict(list)
        for cell in cells:
            together[_place(cell.key)].append(cell)
        return [
            judgement
            for place, some in together.items()
            for judgement in self._of_question(run, dataset, place, some)
        ]

    def bias(
        self, run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
    ) -> JudgeBias:
        """What the ratings of these checks say of the judge."""
        digests: dict[Place, dict[str, bytes]] = defaultdict(dict)
        for cell in cells:
            place = _place(cell.key)
            if cell.reply is not None and self._is_drawn(run, dataset, place):
                digests[place][cell.key.variant] = _digest(cell.reply)
        layouts = {place: self._layout(run, place, replies) for place, replies in digests.items()}
        judge = run.models["judge"].model
        choices = {
            rating.key: rating.value
            for rating in ratings
            if rating.key.metric == METRIC and rating.key.judge == judge
        }
        compared = {place: layout for place, layout in layouts.items() if layout is not None}
        return _bias(judge, compared, choices, identical=len(layouts) - len(compared))

    def _of_question(
        self, run: Run, dataset: Dataset, place: Place, cells: Sequence[Cell]
    ) -> Iterator[Judgement]:
        replied = {cell.key.variant: cell for cell in cells if cell.reply is not None}
        question = self._places(dataset).of(place.subject).questions.get(place.unit)
        if question is None or not self._is_drawn(run, dataset, place):
            return
        digests = {variant: _digest(cell.reply or "") for variant, cell in replied.items()}
        layout = self._layout(run, place, digests)
        if layout is None:
            return
        introduction = self._places(dataset).of(place.subject).introduction
        judge = run.models["judge"].model
        authors = {v: judge if v == layout.own else OTHER_AUTHOR for v in layout.order}
        for labelling, order in product(_LABELLINGS, _ORDERS):
            shown = [replied[variant] for variant in layout.shown(order)]
            replies = tuple(
                LabelledReply(
                    letter,
                    "" if labelling == "neutral" else authors[cell.key.variant],
                    cell.reply or "",
                )
                for letter, cell in zip(_LETTERS, shown, strict=False)
            )
            key = layout.key(judge, place, labelling, order)
            yield Judgement(
                keys=(key,),
                prompt=COMPARE_REPLIES,
                inputs=RepliesToCompare(place.subject, introduction.text, question.text, replies),
                read=partial(_read, key),
                documents=documents_of(shown) | documents_named(shown[0].character, introduction),
            )

    def _layout(self, run: Run, place: Place, digests: Mapping[str, bytes]) -> Layout | None:
        """Which replies are shown how; None where fewer than two of them differ."""
        different: dict[bytes, str] = {}
        for variant in run.variants:
            if variant.label in digests:
                different.setdefault(digests[variant.label], variant.label)
        lot = random.Random(f"{run.seed}\n{place.subject}\n{place.unit}\n{place.repeat}")  # noqa: S311
        order = list(different.values())
        lot.shuffle(order)
        chosen = order[: self._replies]
        return Layout(tuple(chosen), lot.choice(chosen)) if len(chosen) >= _FEWEST else None

    def _is_drawn(self, run: Run, dataset: Dataset, place: Place) -> bool:
        if self._limit is None:
            return True
        if self._drawn is None or self._drawn[0] != run.id:
            all_places = [
                (subject, question.id, repeat)
                for subject in run.subjects
                for question in questions_of(run, dataset, subject)
                for repeat in range(run.repeats)
            ]
            all_places.sort(key=lambda each: _digest(f"{run.seed}\n{each}"))
            self._drawn = run.id, frozenset(all_places[: self._limit])
        return tuple(place) in self._drawn[1]


def _bias(
    judge: str,
    layouts: Mapping[Place, Layout],
    choices: Mapping[RatingKey, float | None],
    identical: int,
) -> JudgeBias:
    firsts: list[float | None] = []
    beyond: list[float | None] = []
    labels: list[float | None] = []
    flips: list[float | None] = []
    owners: list[Place] = []
    for place, layout in layouts.items():
        preferred = {
            (labelling, order): choices.get(layout.key(judge, place, labelling, order))
            for labelling in _LABELLINGS
            for order in _ORDERS
        }
        for order in _ORDERS:
            value = preferred["neutral", order]
            is_first = None if value is None else float(value == 1)
            firsts.append(is_first)
            beyond.append(None if is_first is None else is_first - 1 / len(layout.order))
            labels.append(_label_effect(layout, order, preferred))
            owners.append(place)
        first, second = (_preferred(layout, o, preferred["neutral", o]) for o in _ORDERS)
        flips.append(None if first is None or second is None else float(first != second))
    return JudgeBias(
        judge,
        first=estimate(firsts, owners),
        position_bias=estimate(beyond, owners),
        flips=estimate(flips),
        label_bias=estimate(labels, owners),
        questions=len(layouts),
        identical=identical,
    )


def _preferred(layout: Layout, order: int, value: float | None) -> str | None:
    return None if value is None else layout.shown(order)[int(value) - 1]


def _label_effect(
    layout: Layout, order: int, choice: Mapping[tuple[Labelling, int], float | None]
) -> float | None:
    """1 where the name made the reply preferred, -1 where it made it less so, else 0."""
    named = _preferred(layout, order, choice["named", order])
    neutral = _preferred(layout, order, choice["neutral", order])
    if named is None or neutral is None:
        return None
    return float(named == layout.own) - float(neutral == layout.own)


def _place(key: CellKey) -> Place:
    return Place(key.subject, key.question, key.repeat)


def _read(key: RatingKey, answer: Preference) -> list[Rating]:
    return [Rating(key, float(_LETTERS.index(answer.best) + 1), answer.analysis)]


def _digest(text: str) -> bytes:
    plain = " ".join(text.split())
    return hashlib.blake2b(plain.encode("utf-8", "replace"), digest_size=12).digest()
