"""`create`: ids from names in any script, and look-up by what a person remembers of the name."""

from __future__ import annotations

import unicodedata

import pytest

from tests.end_to_end.world import World

NAMES = {
    "Ada Byrne": "ada-byrne",
    "  Ada   O'Brien  ": "ada-o-brien",
    "Edmond Dantès": "edmond-dantès",
    "王小明": "王小明",
    "홍길동": "홍길동",
    "علي بابا": "علي-بابا",
    "Ⅳ. Ｈｅｎｒｙ": "iv-henry",
    "ÅNGSTRÖM & Søn": "ångström-søn",
    "Ελένη": "ελένη",
    "राम": "राम",
    "R2-D2": "r2-d2",
}


@pytest.mark.parametrize("name", NAMES)
def test_an_id_is_the_name_in_small_letters_of_any_script(offline: World, name: str):
    made = offline.done("create", name, "--json").json
    assert made["id"] == unicodedata.normalize("NFC", NAMES[name])
    assert made["name"] == name
    assert made["created"].endswith("+00:00")
    assert offline.done("show", made["id"], "--json").json["name"] == name
    assert offline.done("show", name, "--json").json["id"] == made["id"]


def test_the_same_name_again_is_another_character_and_is_told_so(offline: World):
    ids = [offline.done("create", "Ada", "--json").json["id"] for _ in range(3)]
    assert ids == ["ada", "ada-2", "ada-3"]
    err = offline.done("create", "ADA").err
    assert "(id ada-4)" in err
    assert "there is another" in err
    assert "there is another" not in offline.done("create", "Bea").err


@pytest.mark.parametrize("name", ["", "   ", "!?", "—", "x" * 201, "Red\x1b[31m", "two\nlines"])
@pytest.mark.parametrize("as_json", [False, True])
def test_a_name_without_letters_or_too_long_is_refused(offline: World, name, as_json):
    outcome = offline.run("create", name, *(["--json"] if as_json else []))
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert offline.done("list", "--json").json == []


@pytest.mark.parametrize(
    "typed",
    ["edmond dantes", "EDMOND DANTÈS", "edmond-dantes", "Edmond Dante\u0300s", "EdmondDantes"],
)
def test_accents_case_and_hyphens_may_be_left_out(offline: World, typed):
    offline.done("create", "Edmond Dantès")
    assert offline.done("show", typed, "--json").json["id"] == "edmond-dantès"


def test_a_name_that_fits_several_but_for_accents_asks_for_an_id(offline: World):
    offline.done("create", "Zoë")
    offline.done("create", "Zoé")
    outcome = offline.run("show", "zoe", "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "unknown_name")
    assert "'zoé'" in outcome.error["hint"]
    assert "'zoë'" in outcome.error["hint"]


@pytest.mark.parametrize(
    "words",
    [
        ["ingest", "{}", "ada.md"],
        ["forget", "{}", "ada.md"],
        ["ask", "{}", "hello"],
        ["recall", "{}", "hello"],
        ["chat", "{}"],
        ["show", "{}"],
        ["delete", "{}"],
        ["export", "{}", "file"],
        ["reembed", "{}"],
    ],
)
def test_an_unknown_character_names_the_nearest(ada: World, words):
    near = ada.run(*[word.format("Ada Bryne") for word in words])
    assert near.code == 2
    assert "did you mean 'Ada Byrne'" in near.err or "did you mean 'ada-byrne'" in near.err
    assert near.err.count("\n") == 1
    far = ada.run(*[word.format("Zzyzx") for word in words])
    assert far.code == 2
    assert "offbook create" in far.err
