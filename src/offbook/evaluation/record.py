"""The nouns of a run: its record, its cells (one reply each), a judge's ratings, and its scores.

``EvaluationProtocol`` is the seam between the runner and what is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from offbook.evaluation.metrics.scales import Direction
from offbook.evaluation.metrics.typology import Tie
from offbook.stores.evaluations import UNJUDGED
from offbook.stores.statements import timestamp
from offbook.types import ContextItem, Usage

if TYPE_CHECKING:
    from offbook.errors import OffbookError
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.metrics.statistics import Estimate
    from offbook.prompts.prompt import Prompt
    from offbook.types import Recall


OFFLINE_MARK: Final = "offline rules, not a measurement"
"""What stands with every score of the offline judge, in every record, table and picture."""

RECORDED: Final = "recorded"
"""The method, and the model, of replies that were imported; what they cost is not known."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A method as one run asks it: its name, preset and the settings in which it differs.

    ``label`` is unique in a run: ``amadeus``, or ``amadeus[amadeus.gs=off]``.
    """

    label: str
    method: str
    preset: str = "default"
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelNamed:
    """A model as a run record names it; ``base_url`` has no credentials in it."""

    model: str
    base_url: str


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that decides what a run asks and how it is judged.

    ``subjects`` maps a subject of the dataset to the id of the character that stands for it;
    ``models`` has the roles actor, extractor and judge; ``prompts`` the version of each prompt by
    name. ``status`` is running, finished, stopped (a budget or a person) or failed. ``characters``
    is a digest of what each subject's character knew when the run began, ``options`` are those of
    the dataset's loader. ``chunks`` is how many chunks each variant could search of each subject's
    character when the run began; a variant that searches none is not in it. ``introductions`` is a
    digest of who the judge is told each subject is, where its character says it. ``tie`` is how a
    score on the midpoint of a type is read, by the settings of whoever reads.
    """

    id: str
    benchmark: str
    benchmark_version: int
    dataset: str
    dataset_version: str
    dataset_checksum: str
    licence: str
    protocol: str
    metrics: tuple[str, ...]
    variants: tuple[Variant, ...]
    subjects: Mapping[str, str]
    models: Mapping[str, ModelNamed]
    embedder: str
    prompts: Mapping[str, int]
    seed: int = 0
    repeats: int = 1
    limit: int | None = None
    created: str = ""
    offbook: str = ""
    status: str = "running"
    path: str = ""
    characters: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    chunks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    introductions: Mapping[str, str] = field(default_factory=dict)
    tie: Tie = "second"

    @property
    def mark(self) -> str | None:
        """What must stand with every score, or None: the offline judge measures nothing."""
        judge = self.models.get("judge")
        offline = judge is None or judge.base_url == "offline:"
        return OFFLINE_MARK if offline else None

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self) | {"mark": self.mark}


@dataclass(frozen=True, slots=True, order=True)
class CellKey:
    """One reply of a run: who, which question, by which variant, the how-manieth time (0-based)."""

    subject: str
    question: str
    variant: str
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Cell:
    """A finished cell. ``reply`` is None where it failed for good, and ``error`` then says why.

    ``context`` is what the reply rested on, whole, so that a judge can be asked again later;
    ``fallback`` whether guided selection found nothing, ``selected`` the chunks that it chose
    (None: the method does not select); ``verdict`` that of the boundary (None: the method does not
    judge it); ``forgotten`` how many pieces of the context were of a document that is forgotten
    since. ``evidence`` is looked up for a judge (``evaluation.evidence``), and is not stored.
    """

    key: CellKey
    character: str
    reply: str | None
    error: str | None
    context: tuple[ContextItem, ...] = ()
    verdict: str | None = None
    fallback: bool | None = None
    selected: tuple[str, ...] | None = None
    usage: Usage = field(default_factory=Usage)
    finished: str = ""
    forgotten: int = 0
    evidence: tuple[ContextItem, ...] = ()


def answered(
    key: CellKey,
    character: str,
    usage: Usage,
    reply: str | None,
    recalled: Recall | None,
    failure: OffbookError | None = None,
) -> Cell:
    """The cell of a question that was asked now, with what the reply rests on, or why it failed."""
    cell = Cell(
        key=key,
        character=character,
        reply=reply,
        error=None if failure is None else f"{failure.kind}: {failure.message}",
        usage=usage,
        finished=timestamp(),
    )
    if recalled is None:
        return cell
    return replace(
        cell,
        context=recalled.context,
        verdict=None if recalled.boundary is None else recalled.boundary.verdict,
        fallback=recalled.fallback,
        selected=recalled.selected,
    )


@dataclass(frozen=True, slots=True, order=True)
class RatingKey:
    """One rating of a run.

    ``unit`` is what was rated: a question's id, or ``dimension/batch`` of an open interview;
    ``judge`` the judge's model, ``sample`` numbers repeated judgements of the same unit.
    """

    subject: str
    variant: str
    repeat: int
    metric: str
    unit: str
    judge: str
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Rating:
    """A judge's rating: ``value`` None is missing (never a middle value), and ``missing`` says why.

    ``person`` is the value of a person who overruled it; the judge's own stays beside it.
    """

    key: RatingKey
    value: float | None
    analysis: str = ""
    missing: str | None = None
    person: float | None = None
    person_name: str = ""
    person_note: str = ""

    @property
    def unjudged(self) -> bool:
        """Whether the judge said that it cannot be judged, and no person did it."""
        return self.final is None and (self.missing or "").startswith(UNJUDGED)

    @property
    def final(self) -> float | None:
        """The person's value where there is one, else the judge's."""
        return self.value if self.person is None else self.person


@dataclass(frozen=True, slots=True)
class Judgement:
    """One call to the judge, and the ratings that come of it; no call where there is no prompt.

    ``read`` turns the prompt's answer (without a prompt ``inputs``) into one rating a key, in the
    order of ``keys``; an answer that stays unusable makes each of them missing, with the reason.
    ``documents`` are those whose text the prompt holds (``character/document``), so that
    forgetting one finds the cached call. ``evidence`` is what the prompt shows beside what the
    replies rest on.
    """

    keys: tuple[RatingKey, ...]
    prompt: Prompt[Any, Any] | None
    inputs: Any
    read: Callable[[Any], Sequence[Rating]]
    documents: frozenset[str] = frozenset()
    evidence: tuple[ContextItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """One number of a run with its n and interval.

    ``group`` says over what: ``all``, ``scope=in``, ``kind=...``, ``subject=...``,
    ``dimension=...``. ``better`` is None for what is neither good nor bad (a usage rate).
    """

    metric: str
    variant: str
    group: str
    estimate: Estimate
    better: Direction | None = None
    unit: str = ""


class Judging(Protocol):
    """What a judge is asked about the cells of a run."""

    def ready(self, key: CellKey) -> Hashable:
        """What must be complete before it can be judged: cells of equal value go together."""
        ...

    def judgements(self, run: Run, dataset: Dataset, cells: Sequence[Cell]) -> list[Judgement]:
        """What to ask the judge about cells that go together; failed cells are left out."""
        ...


class EvaluationProtocol(Judging, Protocol):
    """How a benchmark is run; one a `ProtocolName`."""

    def scores(
        self, run: Run, dataset: Dataset, cells: Iterable[Cell], ratings: Iterable[Rating]
    ) -> list[Score]:
        """The scores of a run, missing ratings excluded and counted."""
        ...
