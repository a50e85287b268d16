"""Names in Chinese characters."""

import pytest

from offbook.language.han_names import read_han
from offbook.language.name_likeness import likeness
from offbook.language.person_names import parse_name


@pytest.mark.parametrize(
    ("name", "words", "title", "kin"),
    [
        ("林黛玉", ("黛玉", "林"), "", ""),
        ("黛玉", ("黛玉",), "", ""),
        ("林姑娘", ("林",), "miss", ""),
        ("诸葛亮", ("亮", "诸葛"), "", ""),
        ("老王", ("王",), "", ""),
        ("薛姨妈", ("薛",), "", "aunt"),
    ],
)
def test_parts_of_a_name(name, words, title, kin):
    read = read_han(name)
    assert read is not None
    assert (read.words, read.title, read.kin) == (words, title, kin)


def test_other_names_are_read_elsewhere():
    assert read_han("Lin") is read_han("林 Lin") is read_han("たろう") is None


@pytest.mark.parametrize(("a", "b"), [("林黛玉", "黛玉"), ("林姑娘", "林黛玉"), ("王先生", "老王")])
def test_names_of_one_person(a, b):
    assert likeness(parse_name(a), parse_name(b)).strength >= 0.6


@pytest.mark.parametrize(("a", "b"), [("林黛玉", "薛宝钗"), ("王先生", "王夫人"), ("贾政", "贾母")])
def test_names_of_two(a, b):
    assert likeness(parse_name(a), parse_name(b)).strength < 0.4
