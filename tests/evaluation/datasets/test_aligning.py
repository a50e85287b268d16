"""Which character stands for which subject."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.errors import UnknownName, UsageError
from offbook.evaluation.benchmark import Dataset, Label, Question, Subject, SubjectMemory
from offbook.evaluation.datasets.aligning import align, name_key, narrowed
from offbook.evaluation.datasets.loading import load_dataset
from tests.evaluation.datasets.files import noted


@dataclass(frozen=True)
class Someone:
    id: str
    name: str


ADA = Someone("ada-byrne", "Ada Byrne")
TOM = Someone("tom", "Tom")
LABEL = Label("mbti", "E/I", "I")


def dataset(subjects, questions=("?",)):
    asked = tuple(Question(f"{n}", "Who?", subject) for n, subject in enumerate(questions))
    return Dataset("set", "1", "ours", "test", tuple(subjects), asked)


def test_a_questionnaire_is_put_to_whoever_is_named():
    items = load_dataset("mbti-60")
    aligned = align(items, [ADA, TOM], aliases={"ada-byrne": ["Ada", "Ada Byrne"]})
    assert aligned.characters == {"Ada Byrne": "ada-byrne", "Tom": "tom"}
    assert [subject.names for subject in aligned.dataset.subjects] == [("Ada",), ()]
    assert len(list(aligned.dataset.asked("Tom"))) == 60
    assert noted(aligned.dataset, "no label to compare with: Ada Byrne, Tom")
    assert noted(align(items, [TOM]).dataset, "one subject only")


def test_a_questionnaire_with_labels_keeps_them_for_those_whom_it_knows():
    labelled = dataset([Subject("Ada-en", ("Ada Byrne",), labels=(LABEL,))], [None])
    aligned = align(labelled, [ADA, TOM])
    assert aligned.characters == {"Ada-en": "ada-byrne", "Tom": "tom"}
    assert aligned.dataset.subject("Ada-en").labels == (LABEL,)
    assert noted(aligned.dataset, "no label to compare with: Tom")
    paired = align(labelled, [TOM], pairs={"Ada-en": "tom"})
    assert paired.characters == {"Ada-en": "tom"}
    with pytest.raises(UsageError, match="named twice"):
        align(labelled, [ADA, TOM], pairs={"Ada-en": "tom"})
    with pytest.raises(UnknownName, match="knows no 'Eve'"):
        align(labelled, [TOM], pairs={"Eve": "tom"})


@pytest.mark.parametrize(
    "name", ["Hermione", "hermione granger", "HERMIONE-EN", "Hermione Granger"]
)
def test_names_are_compared_folded_and_without_the_mark_of_a_language(name):
    known = dataset(
        [Subject("Hermione-en", ("Hermione Granger",)), Subject("Ron-en")],
        ["Hermione-en", "Ron-en"],
    )
    aligned = align(known, [Someone("x", name)])
    assert aligned.characters == {"Hermione-en": "x"}
    assert [q.subject for q in aligned.dataset.questions] == ["Hermione-en"]
    assert noted(aligned.dataset, "one subject only")


def test_an_unknown_character_names_the_nearest():
    known = dataset([Subject("Beethoven", ("Ludwig van Beethoven",))], ["Beethoven"])
    with pytest.raises(UnknownName) as caught:
        align(known, [Someone("b", "Bethoven")])
    assert "'set' knows no 'Bethoven'" in caught.value.message
    assert "did you mean 'Beethoven'?" in caught.value.hint
    with pytest.raises(UnknownName) as caught:
        align(dataset([Subject(f"S{n}") for n in range(30)], ["S1"]), [Someone("q", "Quixote")])
    assert caught.value.hint.startswith("its characters: S0, S1")
    assert caught.value.hint.endswith("S19, ...")


def test_a_person_may_say_who_stands_for_whom():
    known = dataset([Subject("Ada"), Subject("Tom")], ["Ada", "Tom"])
    aligned = align(known, [TOM], pairs={"ada": "tom"})
    assert aligned.characters == {"Ada": "tom"}
    assert [q.subject for q in aligned.dataset.questions] == ["Ada"]


def test_a_name_that_fits_two_is_refused_and_an_own_name_wins():
    known = dataset(
        [Subject("Ada", ("Miss Byrne",)), Subject("Eve", ("Miss Byrne", "Ada"))], ["Ada", "Eve"]
    )
    assert align(known, [Someone("a", "Ada")]).characters == {"Ada": "a"}
    with pytest.raises(UsageError, match="may be any of 'Ada', 'Eve'"):
        align(known, [Someone("m", "Miss Byrne")])
    with pytest.raises(UsageError, match="both stand for 'Ada'"):
        align(known, [Someone("a", "Ada"), Someone("ada", "ada")])


def test_nobody_named_leaves_the_dataset_as_it_is():
    known = dataset([Subject("Ada")], ["Ada"])
    aligned = align(known, [])
    assert (aligned.dataset, aligned.characters) == (known, {})


def test_a_dataset_that_brings_its_characters_is_put_to_nobody_else():
    known = dataset([Subject("Ada", memories=(SubjectMemory("a", "b"),))], [None])
    assert align(known, [Someone("a", "Ada")]).characters == {"Ada": "a"}
    with pytest.raises(UnknownName):
        align(known, [TOM])


def test_the_demo_is_known_by_all_his_names():
    demo = load_dataset("demo")
    for name in ("Edmond Dantès", "edmond dantes", "The Count of Monte Cristo", "lord wilmore"):
        assert align(demo, [Someone("e", name)]).characters == {"Edmond Dantès": "e"}


@given(st.text())
def test_a_key_of_a_key_is_itself(name):
    key = name_key(name)
    assert name_key(key) == key
    assert key == " ".join(key.split())


def test_narrowing_keeps_what_everybody_is_asked():
    known = dataset([Subject("Ada"), Subject("Tom"), Subject("Eve")], ["Ada", None, "Eve"])
    kept = narrowed(known, ["Ada", "Tom"])
    assert [q.subject for q in kept.questions] == ["Ada", None]
    assert [subject.name for subject in kept.subjects] == ["Ada", "Tom"]
    assert not noted(kept, "one subject only")
