from __future__ import annotations

import pytest

from offbook.errors import UnknownName, UsageError
from offbook.evaluation.benchmark import Question, Subject
from offbook.evaluation.subjects import Part, narrowed, parts_named, subject_named
from tests.evaluation import made

NORA, TOM = Subject("Nora Véy", ("Miss Vey",)), Subject("Tom Ash")
OWN = made.dataset(
    Question("q1", "Who?", "Nora Véy"), Question("q2", "Who?", "Tom Ash"), subjects=(NORA, TOM)
)
ANYBODYS = made.dataset(Question("q1", "Who?"), subjects=())


def test_every_subject_is_asked_where_none_is_named():
    assert parts_named(OWN, []) == (Part(NORA, "Nora Véy"), Part(TOM, "Tom Ash"))


def test_a_subject_is_found_by_another_name_without_accents_and_case():
    assert parts_named(OWN, ["nora vey"]) == (Part(NORA, "Nora Véy"),)
    assert parts_named(OWN, ["miss vey = nora-2"]) == (Part(NORA, "nora-2"),)


def test_anybody_is_asked_general_questions():
    assert parts_named(ANYBODYS, ["Ada"]) == (Part(Subject("Ada"), "Ada"),)
    assert subject_named(ANYBODYS, "Ada") == Subject("Ada")
    assert subject_named(OWN, "Tom Ash") is TOM


@pytest.mark.parametrize(
    ("dataset", "named", "why"),
    [
        (ANYBODYS, [], "does not say whom"),
        (OWN, ["Tom Ash", "tom ash"], "named twice"),
        (OWN, ["=x"], "names nobody"),
        (OWN, ["Tom Ash="], "names nobody"),
        (made.dataset(Question("q1", "Who?", "Tom Ash")), ["Nora Vey"], "no question for"),
    ],
)
def test_what_makes_no_sense_is_refused(dataset, named, why):
    with pytest.raises(UsageError, match=why) as caught:
        parts_named(dataset, named)
    assert caught.value.hint


def test_a_name_of_several_subjects_is_refused_and_an_own_name_goes_first():
    old, young = (
        Subject("Henry Vey the elder", ("Henry Vey", "Tom")),
        Subject("H. Vey", ("Henry Vey",)),
    )
    data = made.dataset(Question("q1", "Who?"), subjects=(old, young, Subject("Tom")))
    with pytest.raises(UsageError, match=r"several subjects: 'Henry Vey the elder', 'H\. Vey'"):
        parts_named(data, ["henry vey"])
    assert parts_named(data, ["tom"]) == (Part(Subject("Tom"), "Tom"),)
    assert parts_named(data, ["h vey"]) == (Part(young, "H. Vey"),)


def test_an_unknown_subject_names_the_nearest():
    with pytest.raises(UnknownName, match="nobody of the name 'Tom Aish'") as caught:
        parts_named(OWN, ["Tom Aish"])
    assert "'Tom Ash'" in caught.value.hint


def test_a_part_of_a_dataset_holds_what_concerns_its_subjects():
    part = narrowed(OWN, [TOM])
    assert part.subjects == (TOM,)
    assert [question.id for question in part.questions] == ["q2"]
    assert part.checksum != OWN.checksum
