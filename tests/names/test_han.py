"""Names in Chinese characters."""

import pytest

from offbook.names.han import read_han
from offbook.names.person import parse_name
from tests.tables import cases


@pytest.mark.parametrize(("name", "words", "title", "kin"), cases(__file__, "parts of a name"))
def test_parts_of_a_name(name, words, title, kin):
    read = read_han(name)
    assert read is not None
    assert (read.words, read.title, read.kin) == (words, title, kin)


@pytest.mark.parametrize(
    "noun",
    [
        *("老师", "小姐", "和尚", "皇帝", "老人", "老板", "先生", "夫人", "师兄", "表哥", "大哥"),
        *("二哥", "小妹", "大师兄", "年轻先生", "美国医生"),
    ],
)
def test_nouns_and_kinship_alone_are_no_names(noun):
    assert read_han(noun) is None
    assert (parse_name(noun).words, parse_name(noun).role) == ((), noun)


def test_other_names_are_read_elsewhere():
    assert read_han("Lin") is read_han("林 Lin") is read_han("たろう") is None
