"""Names in German, where a capital alone is no evidence."""

from __future__ import annotations

import pytest

from offbook.prompts.extraction import ExtractionInputs, Section
from offbook.rules.extraction import extract
from offbook.rules.german_names import is_german
from offbook.rules.passage_words import read_passage
from tests.tables import cases
from tests.waiting import work_below

_STORY = (
    "Der Amtmann stieg aus der Kutsche und sah nach dem Himmel. Die Pferde dampften, und der"
    " Kutscher fluchte über das Wetter. „Guten Abend, Herr Amtmann“, sagte Frau Lindequist, die in"
    " der Tür stand. Johann Weidling trat aus dem Schatten; seine Schwester Käthe lebte in"
    " Tannrode. „Ist Herr von Arnsberg schon da?“ fragte der Amtmann. Käthe lachte. „Er ist nach"
    " Tannrode geritten“, antwortete sie. Am Abend saß Wunderlich bei Tisch und erzählte von der"
    " Jagd. Da rief Wunderlich nach Wein. Mit Liebe und Geduld trug die Magd das Brot. Aus Angst"
    " schwieg der Knecht. Weidling nickte, und Orsola Quint wusch die Gläser. Orsola Quint"
    " kannte das Haus. Ende Mai fuhr man nach Hamburg, trank ein Glas Wein und eine Tasse Kaffee."
)
_NOBODY = (
    "Am nächsten Morgen ging die Sonne über dem Dorf auf. Die Bauern zogen mit ihren Wagen auf die"
    " Felder, und die Kinder liefen zur Schule. Niemand sprach von dem Brand in der Mühle. Langsam"
    " hob die alte Frau den Kopf. Wasser und Brot standen auf dem Tisch. Kam Hilfe? Gott weiß es."
    " In Gedanken ging sie nach Hause. Zeit und Geld hatte sie nie gehabt. Vaters Haus war leer."
)


def types(passage: str, character: str = "") -> dict[str, str]:
    answer = extract(ExtractionInputs(character, (Section("", passage),)))
    return {entity.name: entity.type for entity in answer.entities}


def test_names_are_found_and_nouns_are_not():
    people = {
        "Frau Lindequist",
        "Herr von Arnsberg",
        "Johann Weidling",
        "Weidling",
        "Käthe",
        "Orsola Quint",
    }
    assert types(_STORY) == dict.fromkeys(people, "character") | {"Hamburg": "location"}


@pytest.mark.parametrize(
    ("sentence", "name"), cases(__file__, "a name that is said once is found by its form")
)
def test_a_name_that_is_said_once_is_found_by_its_form(sentence: str, name: str):
    assert list(types(f"{sentence} {_NOBODY}")) == [name]


def test_nouns_name_nobody_however_often_they_recur():
    assert types(_NOBODY) == {}
    assert types("\n\n".join([_NOBODY, _STORY, _STORY])) == types(_STORY)


def test_the_words_of_the_characters_own_name_are_names():
    passage = f"{_NOBODY} Der Wirt holte Brand aus der Stube, denn das Feuer war aus."
    assert types(passage, "Ulrike Brand") == {"Brand": "character"}


@pytest.mark.parametrize(
    ("passage", "german"),
    [
        (_STORY, True),
        (_NOBODY, True),
        ("He read Der Spiegel und Die Zeit with Herr Quint, and the Amtmann laughed.", False),
        ("Hij zei dat de man die er stond als een vriend van den koning was.", False),
        ("Han sagde, at der er den mand, der bor i huset, og det er godt.", False),
        ("Der Amtmann.", False),
        ("", False),
    ],
)
def test_german_is_told_by_its_function_words(passage: str, german: bool):
    assert is_german(read_passage(passage)) is german


def test_a_long_german_passage_takes_no_more_than_its_length():
    with work_below(6.0):
        assert "Käthe" in types(_STORY * 100)
        assert len(types("Herr von " * 3_000 + _NOBODY)) <= 1
