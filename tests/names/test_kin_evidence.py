"""Kin, trades and who somebody is: found around a name as a pattern with the name in it would."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.names.evidence import bare_key, callings, defined, kin_attached, kin_told
from offbook.names.titles import KIN
from offbook.text.grammar import word_set
from offbook.text.words import fold

_KIN = "|".join(sorted((word for word in KIN if word.isalpha()), key=len, reverse=True))
_NOUNS = rf"(?:[a-z-]+ ){{0,2}}(?:{_KIN})"
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*"
_NAME = (
    rf"[\"“'‘]?((?:[Tt]he )?{_CAPITAL}"
    rf"(?:[ ]+(?:(?:of|the|van|von|der|de|du|da|la)[ ]+)*{_CAPITAL})*)"
)


def plain_kin_attached(told: str, name: str) -> tuple[str, ...]:
    pattern = rf"\b(?:his|her|my|their)? ?\b({_KIN}),? {re.escape(name)}(?![\w’'-])"
    return tuple(KIN[fold(m.group(1))][0] for m in re.finditer(pattern, told))


def plain_kin_told(told: str, name: str) -> frozenset[str]:
    own = re.escape(name)
    found = re.findall(
        rf"{own},? (?:(?:is|was|became|being|and) )?(?:the|an?) {_NOUNS} of (?:the )?{_NAME}", told
    )
    found += re.findall(rf"{_NAME}['’]s {_NOUNS},? {own}(?!\w)", told)
    found += re.findall(rf"{own},? (?:is|was) {_NAME}['’]s {_NOUNS}(?!\w)", told)
    return frozenset(bare_key(re.sub(r"['’]s$", "", each)) for each in found)


def plain_callings(told: str, name: str) -> frozenset[tuple[str, str]]:
    child = r"(?:['’]s (?:[a-z]+ )?(son|daughter|child))?"
    pattern = rf"{re.escape(name)}, the (?:[a-z-]+ )?([a-z]+){child}[,.]"
    return frozenset(re.findall(pattern, told))


def plain_defined(told: str, name: str) -> bool:
    who = rf"{re.escape(name)},? (?:\([^()]*\d{{3}}[^()]*\),? )?(?:was|is) (?:an?|born) "
    return re.search(rf"(?:^|[.!?/] ){who}", told) is not None


_WORDS = sorted(
    word_set(
        "Ida Tom Wren Lane Ann Karl the The of his her my old young step-father father brother born"
        " uncle"
        " grandmother sister, son daughter is was a an and miller's miller, miller. mayor's , . / ("
        " (1770) ) , the Ida's Tom's Wren’s Lane's Ann’s who became being"
    )
)
_TEXTS = st.lists(st.sampled_from(_WORDS), min_size=2, max_size=18).map(" ".join)
_NAMES = st.sampled_from(["Ida", "Tom Wren", "Wren", "Ann", "uncle Karl", "old Tom", "father", "I"])


@given(told=_TEXTS.map(lambda text: re.sub(r" ([,./)])", r"\1", text)), name=_NAMES)
def test_what_is_told_of_a_name_is_what_the_pattern_with_the_name_in_it_finds(told, name):
    assert kin_attached(told, name) == plain_kin_attached(told, name)
    assert kin_told(told, name) == plain_kin_told(told, name)
    assert callings(told, name) == plain_callings(told, name)
    assert defined(told, name) == plain_defined(told, name)


@pytest.mark.parametrize(
    ("told", "kin"),
    [
        ("Tom Wren was the younger brother of Ida Lane.", {"ida lane"}),
        ("Ida Lane's elder brother, Tom Wren, sailed.", {"ida lane"}),
        ("Tom Wren is Ida Lane’s son.", {"ida lane"}),
        ("Tom Wren met the brother of Ida Lane.", set()),
    ],
)
def test_whose_kin_somebody_is(told, kin):
    assert kin_told(told, "Tom Wren") == kin


def test_kin_trade_and_who_somebody_is():
    assert kin_attached("He loved his nephew Karl; her uncle, Karl, did not.", "Karl") == (
        "nephew",
        "uncle",
    )
    assert callings("Tom, the miller's son, and Tom, the mayor.", "Tom") == {
        ("miller", "son"),
        ("mayor", ""),
    }
    assert defined("Storm. Tom Wren (1770-1827) was a clerk.", "Tom Wren")
    assert defined("Storm. Tom Wren was born in Low Bay.", "Tom Wren")
    assert not defined("There Tom Wren was a clerk.", "Tom Wren")
