"""Chinese names: family name, given name, and the title or kinship term behind them.

Takes: a name in Han characters.  Gives: its parts, the given name first as in other languages.
Source: ours; a list of family names, terms of address of novels and of today.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from offbook.text.grammar import Gender
from offbook.text.word_lists import word_lists

_LISTS: Final = word_lists("offbook.names")

_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,7}")
FAMILIES: Final = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章苏潘葛范彭郎鲁韦马苗凤方俞任袁柳"
    "史唐费廉岑薛雷贺倪汤罗毕郝邬安常于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵汪祁毛米贝明戴宋庞熊纪舒屈项祝董梁杜阮"
    "蓝闵席季麻强贾路娄危江童颜郭梅林刁钟徐邱骆高夏蔡田樊胡凌霍虞万柯管卢莫房丁邓石崔龚程裴陆荣翁荀段侯武刘叶龙白乔谭"
    "趙錢孫吳鄭馮陳衛蔣韓楊許呂張嚴謝鄒蘇潘魯韋馬鳳費賀湯羅畢顧黃蕭寧戴龐紀項賈婁顏鍾駱萬盧莫陸榮劉葉龍喬譚"
)
"""Family names of one character."""
_COMPOUND: Final = _LISTS["han compound surnames"]
_Ending = tuple[str, Gender, str]
"""What a term of address says: the title or the kinship in English, the gender, old or young."""


def _of_each(words: str, title: str, gender: Gender = "", age: str = "") -> dict[str, _Ending]:
    return dict.fromkeys(words.split(), (title, gender, age))


_COURTESY: Final[dict[str, _Ending]] = {
    **_of_each("先生 爷 爺 相公", "mr", "m"),
    **_of_each("老爷 老爺", "mr", "m", "old"),
    **_of_each("公子 少爷 少爺", "mr", "m", "young"),
    **_of_each("太太 夫人", "mrs", "f"),
    **_of_each("少奶奶", "mrs", "f", "young"),
    **_of_each("小姐 姑娘 丫头 丫頭", "miss", "f"),
    **_of_each("娘娘", "lady", "f"),
}
_OFFICES: Final[dict[str, _Ending]] = {
    **_of_each("将军 將軍", "general", "m"),
    **_of_each("老师 老師", "teacher"),
    **_of_each("师傅 師傅 师父 師父", "master"),
    **_of_each("大人 丞相", "lord", "m"),
    **_of_each("医生 醫生 博士 大夫", "dr"),
    **_of_each("教授", "professor"),
}
"""Behind a family name or a full one; behind other words they describe."""
_TITLES: Final = _COURTESY | _OFFICES
_KIN: Final[dict[str, _Ending]] = {
    **_of_each("哥哥 哥 兄", "brother", "m", "old"),
    **_of_each("弟弟 弟 贤弟 賢弟", "brother", "m", "young"),
    **_of_each("兄弟", "brother", "m"),
    **_of_each("姐姐 姐", "sister", "f", "old"),
    **_of_each("妹妹 妹子 妹", "sister", "f", "young"),
    **_of_each("姐儿", "sister", "f"),
    **_of_each("嫂子 嫂", "sister-in-law", "f"),
    **_of_each("姨妈 姨媽 姑妈 姑媽 婶婶 嬸嬸", "aunt", "f"),
    **_of_each("姥姥 婆婆 奶奶 老太太", "grandmother", "f"),
    **_of_each("叔叔 伯伯 舅舅 叔 伯", "uncle", "m"),
    **_of_each("母", "mother", "f"),
}
_ENDINGS: Final = sorted((*_TITLES, *_KIN), key=len, reverse=True)
_ORDINALS: Final = "大二三四五六七八九十"
_AGES: Final = {"老": "old", "小": "young", "少": "young"}
_FAR_KIN: Final = {"师": "fellow", "師": "fellow", "表": "cousin", "堂": "cousin"}
"""Who is called a brother of the same master, or of another branch."""
_MARKS: Final = "".join((_ORDINALS, *_AGES, *_FAR_KIN))
"""What stands between a family name and a term of address, and alone before one is no name."""
_FAMILIAR: Final = "老小阿"
_SIDED: Final = frozenset(("uncle", "aunt"))
"""The Chinese terms tell apart what the English one does not."""
_NOUNS: Final = _LISTS["han nouns"]
"""Common nouns of persons."""
_NOUN_ENDS: Final = frozenset("人者匠夫客贼賊盗盜仆僕婢奴僧尼徒妇婦孩")
"""What common nouns of persons end in, and given names hardly."""
_DESCRIBING: Final = _LISTS["han adjectives"]
CALLINGS: Final = frozenset((*_TITLES, *_KIN, *_NOUNS))
"""What people are called by beside their names: titles, terms of kinship, common nouns."""


@dataclass(frozen=True, slots=True)
class HanName:
    """Given and family name in ``words``; ``age`` is old or young, ``rank`` one in the family."""

    words: tuple[str, ...]
    title: str = ""
    kin: str = ""
    gender: Gender = ""
    age: str = ""
    rank: str = ""


def is_family(word: str) -> bool:
    """Whether it is a Chinese family name."""
    return word in _COMPOUND or (len(word) == 1 and word in FAMILIES)


def read_han(name: str) -> HanName | None:
    """The parts of a name in Han characters; None where it is written otherwise, or no name."""
    if not _HAN.fullmatch(name) or name in CALLINGS:
        return None
    ending = next((one for one in _ENDINGS if name.endswith(one)), "")
    if ending:
        return _behind(name.removesuffix(ending), ending)
    if name[0] in _FAMILIAR and is_family(name[1:]):
        return HanName((name[1:],), age=_AGES.get(name[0], ""))
    return None if name[-1] in _NOUN_ENDS else HanName(_parted(name))


def _behind(core: str, ending: str) -> HanName | None:
    """What stands before a title or a term of kinship: a name, or a description."""
    called, gender, age = _TITLES.get(ending) or _KIN[ending]
    base = core.rstrip(_MARKS)
    marks = core[len(base) :] if not base or is_family(base) else ""
    core = core.removesuffix(marks)
    if core[:1] in _AGES and is_family(core[1:]):
        marks, core = core[0] + marks, core[1:]
    words = _parted(core)
    surnamed = is_family(words[-1])
    if not (surnamed or len(core) > 1) or core in _DESCRIBING or core in CALLINGS:
        return None
    if ending in _OFFICES and not surnamed:
        return None
    rank = next((mark for mark in marks if mark in _ORDINALS), "")
    age = next((_AGES[mark] for mark in marks if mark in _AGES), age)
    if ending in _TITLES:
        return HanName(words, called, "", gender, age, rank)
    kin = next((_FAR_KIN[mark] for mark in marks if mark in _FAR_KIN), called)
    return HanName(words, "", kin, gender, age, rank + ending[0] if kin in _SIDED else rank)


def _parted(core: str) -> tuple[str, ...]:
    """Given name and family name; one word where it is one of them only."""
    if len(core) > 2 and core[:2] in _COMPOUND:
        return core[2:], core[:2]
    if 1 < len(core) < 4 and core[0] in FAMILIES:
        return core[1:], core[0]
    return (core,)
