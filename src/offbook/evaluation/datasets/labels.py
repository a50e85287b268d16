"""What people say of a character, from the forms in which files have it.

Takes: a type ("ESTJ", "SCOEN", X for undecided) or rows of labels.  Gives: `Label`s.
Paper: AMADEUS (003), section 5.2; Emotional RAG (004), section III (X: 0.4 to 0.6 of the span).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Label
from offbook.evaluation.datasets.columns import Columns, Notes
from offbook.evaluation.metrics.incharacter import label_type
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.typology import MBTI, SLOAN, UNDECIDED, Typology

if TYPE_CHECKING:
    from offbook.evaluation.datasets.reading import Row

_SCALES: Final = {"BFI": "bfi_batch", "16Personalities": "16p_batch"}
_COLUMNS: Final = {
    "character": ("character", "subject", "name", "role"),
    "questionnaire": ("questionnaire", "test", "scale"),
    "dimension": ("dimension", "dim"),
    "type": ("type",),
    "score": ("score",),
    "source": ("source",),
    "mbti": ("mbti", "label"),
    "sloan": ("sloan", "bfi_sloan", "big_five"),
    "alias": ("alias", "aliases"),
    "interviewer": ("experimenter", "interviewer"),
}


def type_labels(typology: Typology, letters: str, source: str = "") -> tuple[Label, ...]:
    """The labels of a whole type, such as ``EXTP`` or ``SCOEN``; X is undecided.

    Raises:
        UsageError: it is no type.
    """
    given = letters.strip().upper()
    poles = [(each.first, each.second, UNDECIDED) for each in typology.dimensions]
    if len(given) != len(poles) or any(
        letter not in allowed for letter, allowed in zip(given, poles, strict=True)
    ):
        allowed = " ".join("|".join(each) for each in poles)
        raise UsageError(
            f"{letters!r} is no type of {typology.name}",
            f"a letter each of: {allowed} ({UNDECIDED}: undecided)",
        )
    return tuple(
        Label(typology.name, dimension.name, letter, None, source)
        for dimension, letter in zip(typology.dimensions, given, strict=True)
    )


def banded(questionnaire: str, score: float) -> str:
    """H, L or X of a score on BFI's or 16Personalities' own scale.

    Raises:
        UsageError: the score is not on it, or the questionnaire is another.
    """
    if questionnaire not in _SCALES:
        raise UsageError(f"no scale is known for {questionnaire!r}", f"known: {', '.join(_SCALES)}")
    own = SCALES[_SCALES[questionnaire]]
    if not own.accepts(score):
        raise UsageError(
            f"{score!r} is no score of {questionnaire}", f"it goes from {own.low:g} to {own.high:g}"
        )
    return label_type(score, own)


class Labelled:
    """What rows of labels say of each character: labels, other names, the interviewer."""

    def __init__(self) -> None:
        self.labels: dict[str, list[Label]] = {}
        self.names: dict[str, tuple[str, ...]] = {}
        self.interviewers: dict[str, str] = {}


def read_labels(rows: Iterable[Row], notes: Notes, source: str = "") -> Labelled:
    """Labels from rows that have a dimension each, or a whole type (``mbti``, ``sloan``).

    Raises:
        UsageError: a row has no character, or a type that is none; the message names the row.
    """
    found = Labelled()
    columns = Columns(_COLUMNS, notes)
    for row in rows:
        fields = columns.of(row)
        character = fields.text("character")
        if not character:
            raise UsageError(f"{row.place} has no 'character'", "name the character of each label")
        labels = found.labels.setdefault(character, [])
        if names := fields.texts("alias"):
            found.names[character] = names
        if interviewer := fields.text("interviewer"):
            found.interviewers[character] = interviewer
        said_by = fields.text("source") or source
        try:
            if fields.text("mbti"):
                labels += type_labels(MBTI, fields.text("mbti"), said_by)
            if fields.text("sloan"):
                labels += type_labels(SLOAN, fields.text("sloan"), said_by)
            if fields.text("dimension"):
                labels.append(
                    scored(
                        fields.text("questionnaire"),
                        fields.text("dimension"),
                        {"score": fields.text("score"), "type": fields.text("type")},
                        said_by,
                    )
                )
        except (UsageError, ValueError) as error:
            said = error.message if isinstance(error, UsageError) else f"no score: {error}"
            raise UsageError(f"{row.place}: {said}", getattr(error, "hint", "")) from error
    return found


def scored(questionnaire: str, dimension: str, said: Mapping[str, object], source: str) -> Label:
    """The label of one dimension; the type follows from the score where it is not given.

    Raises:
        UsageError, ValueError: there is neither a type nor a score that can be used.
    """
    score = None if said.get("score") in (None, "") else float(str(said["score"]))
    kind = str(said.get("type") or "").strip()
    if not kind and score is None:
        raise UsageError(f"the label of {dimension!r} has neither type nor score", "give one")
    if not kind and score is not None:
        kind = banded(questionnaire, score)
    return Label(questionnaire, dimension, kind, score, source)
