"""Chinese names: family name, given name, and the title or kinship term behind them.

Takes: a name in Han characters.  Gives: its parts, the given name first as in other languages.
Source: ours; a list of family names, terms of address of novels and of today.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from offbook.language.grammar import Gender, word_set

_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,7}")
FAMILIES: Final = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章苏潘葛范彭郎鲁韦马苗凤方俞任袁柳"
    "史唐费廉岑薛雷贺倪汤罗毕郝邬安常于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵汪祁毛米贝明戴宋庞熊纪舒屈项祝董梁杜阮"
    "蓝闵席季麻强贾路娄危江童颜郭梅林刁钟徐邱骆高夏蔡田樊胡凌霍虞万柯管卢莫房丁邓石崔龚程裴陆荣翁荀段侯武刘叶龙白乔谭"
    "趙錢孫吳鄭馮陳衛蔣韓楊許呂張嚴謝鄒蘇潘魯韋馬鳳費賀湯羅畢顧黃蕭寧戴龐紀項賈婁顏鍾駱萬盧莫陸榮劉葉龍喬譚"
)
"""Family names of one character."""
_COMPOUND: Final = word_set(
    "欧阳 歐陽 司马 司馬 诸葛 諸葛 上官 夏侯 东方 東方 皇甫 尉迟 尉遲 公孙 公孫 慕容 令狐"
    " 长孙 長孫 宇文 司徒 独孤 獨孤 西门 西門 南宫 南宮 呼延 东郭 端木 轩辕 完颜"
)
_MEN: Final = (
    "先生 老爷 老爺 公子 少爷 少爺 相公 大爷 二爷 三爷 大爺 二爺 三爺 爷 爺 大哥 二哥 三哥"
)
_WOMEN: Final = "太太 夫人 奶奶 大嫂 嫂子 娘娘"
_MAIDENS: Final = "小姐 姑娘 丫头 丫頭"
_TITLES: Final[dict[str, tuple[str, Gender]]] = {
    **dict.fromkeys(_MEN.split(), ("mr", "m")),
    **dict.fromkeys(_WOMEN.split(), ("mrs", "f")),
    **dict.fromkeys(_MAIDENS.split(), ("miss", "f")),
    **dict.fromkeys(("将军", "將軍"), ("general", "m")),
    **dict.fromkeys(("老师", "老師", "师傅", "師傅", "师父", "師父"), ("master", "")),
    **dict.fromkeys(("大人", "丞相", "大夫"), ("lord", "m")),
    **dict.fromkeys(("医生", "醫生", "博士", "大夫"), ("dr", "")),
    **dict.fromkeys(("教授",), ("professor", "")),
}
_KIN: Final[dict[str, tuple[str, Gender]]] = {
    **dict.fromkeys(("哥哥", "哥", "兄弟", "兄", "弟弟", "弟", "贤弟"), ("brother", "m")),
    **dict.fromkeys(("姐姐", "姐儿", "姐", "妹妹", "妹子", "妹"), ("sister", "f")),
    **dict.fromkeys(("姨妈", "姨媽", "姑妈", "姑媽", "婶婶", "嬸嬸"), ("aunt", "f")),
    **dict.fromkeys(("姥姥", "婆婆", "奶奶"), ("grandmother", "f")),
    **dict.fromkeys(("叔叔", "伯伯", "舅舅", "叔", "伯"), ("uncle", "m")),
    **dict.fromkeys(("母",), ("mother", "f")),
}
_ENDINGS: Final = sorted((*_TITLES, *_KIN), key=len, reverse=True)
CALLINGS: Final = frozenset((*_TITLES, *_KIN))
"""What people are called by beside their names: titles and terms of kinship."""
_FAMILIAR: Final = "老小阿"


@dataclass(frozen=True, slots=True)
class HanName:
    """The parts: ``words`` are the given name, if there is one, and the family name."""

    words: tuple[str, ...]
    title: str = ""
    kin: str = ""
    gender: Gender = ""


def read_han(name: str) -> HanName | None:
    """The parts of a name in Han characters; None where it is written otherwise."""
    if not _HAN.fullmatch(name):
        return None
    ending = next((one for one in _ENDINGS if name.endswith(one) and len(one) < len(name)), "")
    core = name.removesuffix(ending)
    title, gender = _TITLES.get(ending, ("", ""))
    kin, kin_gender = _KIN.get(ending, ("", "")) if not title else ("", "")
    if len(core) > 1 and core[0] in _FAMILIAR and (ending or len(core) == 2):
        core = core[1:]
    return HanName(_parted(core), title, kin, gender or kin_gender)


def _parted(core: str) -> tuple[str, ...]:
    """Given name and family name; one word where it is one of them only."""
    if len(core) > 2 and core[:2] in _COMPOUND:
        return core[2:], core[:2]
    if 1 < len(core) < 4 and core[0] in FAMILIES:
        return core[1:], core[0]
    return (core,)
