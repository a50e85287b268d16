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
        ("黛玉姐姐", ("黛玉",), "", "sister"),
        ("王表哥", ("王",), "", "cousin"),
    ],
)
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


@pytest.mark.parametrize(
    ("a", "b"), [("林黛玉", "黛玉"), ("林姑娘", "林黛玉"), ("王先生", "老王"), ("老王", "王明")]
)
def test_names_of_one_person(a, b):
    assert likeness(parse_name(a), parse_name(b)).strength >= 0.6


@pytest.mark.parametrize(
    ("a", "b"),
    [
        *(("林黛玉", "薛宝钗"), ("王先生", "王夫人"), ("贾政", "贾母"), ("王明", "王明华")),
        *(
            ("老林", "王林"),
            ("林先生", "王林"),
            ("师兄", "师弟"),
            ("小姐", "小妹"),
            ("老人", "小人"),
        ),
        *(("王太太", "王老太太"), ("王哥", "王表哥"), ("王姐", "王小姐")),
        *(("薛宝钗", "薛姨妈"), ("王先生", "王少爷")),
    ],
)
def test_names_of_two(a, b):
    assert likeness(parse_name(a), parse_name(b)).strength < 0.4


@pytest.mark.parametrize(
    ("a", "b"),
    [
        *(("王老爷", "王少爷"), ("贾大爷", "贾二爷"), ("贾二爷", "贾三爷"), ("老王", "小王")),
        *(("王大哥", "王二哥"), ("王师兄", "王师弟"), ("王姐", "王妹"), ("王叔", "王伯")),
        *(("王大小姐", "王二小姐"), ("王老先生", "王少爷"), ("王二叔", "王三叔")),
    ],
)
def test_age_and_rank_in_the_family_contradict(a, b):
    assert likeness(parse_name(a), parse_name(b)).conflict
    assert likeness(parse_name(b), parse_name(a)).conflict
