"""Names in Chinese, Japanese and Korean, plainly: by marks, by titles, by frequency.

Takes: a passage and the character's name.  Gives: entities like those of English, fewer and surer.
Source: ours; endings of places and bodies.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from offbook.names.han import CALLINGS, FAMILIES, read_han
from offbook.rules.entity_kinds import Kind, Span
from offbook.rules.named_entities import Named
from offbook.rules.passage_words import Passage
from offbook.rules.times import times_in
from offbook.text.word_lists import word_lists
from offbook.text.words import fold

_LISTS: Final = word_lists("offbook.rules")

_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff"
_TITLE: Final = (
    r"先生|太太|夫人|小姐|姑娘|老爷|老師|老师|大人|公子|将军|將軍|皇帝|公主|王子|大王|道长|师傅|師傅|さん|様|さま|君|ちゃん"
    r"|殿|先輩|博士|씨|님|선생"
)
_PATTERNS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("object", re.compile(r"[《『](?P<name>[^《》『』\n]{1,30})[》』]")),
    ("character", re.compile(rf"(?P<name>[{FAMILIES}][{_HAN}]{{0,2}}?(?:{_TITLE}))")),
    (
        "character",
        re.compile(rf"(?P<name>[\u30a1-\u30ff{_HAN}]{{1,8}}(?:さん|様|さま|ちゃん|殿|先輩))"),
    ),
    (
        "character",
        re.compile(r"(?P<name>[\u30a1-\u30fa\u30fc]{2,}(?:[・·＝=][\u30a1-\u30fa\u30fc]{2,})+)"),
    ),
    ("character", re.compile(rf"(?P<name>[{_HAN}]{{1,6}}(?:[·・][{_HAN}]{{1,6}})+)")),
    ("character", re.compile(r"(?<![가-힣])(?P<name>[가-힣]{2,4}(?:씨|님))(?![가-힣])")),
    (
        "location",
        re.compile(
            rf"(?<=[在到往于於自从從赴至去回])(?P<name>[{_HAN}]{{1,4}}[省市县縣州国國山江河湖海宫宮城村镇鎮府寺庙廟园園岛島])"
        ),
    ),
    (
        "location",
        re.compile(
            rf"(?P<name>[{_HAN}\u30a1-\u30ff]{{1,5}}[県市町村都府島城寺])(?=[にでへのは、。])"
        ),
    ),
    (
        "organization",
        re.compile(
            rf"(?P<name>[{_HAN}]{{2,8}}(?:大学|大學|公司|学校|學校|学院|學院|教会|教會|军团))"
        ),
    ),
)
_REPEATED: Final[tuple[re.Pattern[str], ...]] = (
    re.compile(
        rf"(?P<name>[{FAMILIES}][{_HAN}]{{1,2}})(?=[说說道问問笑听聽看见見想的和与與是在，。、：:])"
    ),
    re.compile(rf"(?<![{_HAN}])(?P<name>[{_HAN}]{{2,4}})(?=は|が|も|と|を|に|の|、)"),
    re.compile(r"(?P<name>[\u30a1-\u30fa\u30fc]{2,10})(?=は|が|も|と|を|に|の)"),
    re.compile(r"(?<![가-힣])(?P<name>[가-힣]{2,4}?)(?=(?:은|는|이|가|에게|와|과|의)(?![가-힣]))"),
)
"""What counts only where it is repeated."""
_NO_NAMES: Final = _LISTS["han no names"]
_SIDES: Final = 3
_ACTING: Final = re.compile(
    rf"(?<![{_HAN}])(?P<name>[{_HAN}]{{2}})(?=(?P<act>[说說道问問笑听聽看见見想哭叹嘆走坐站]))"
)
"""Two characters at the head of a clause that do something: who has a given name, or a calling."""
_TAGGED: Final = re.compile(
    rf"(?P<name>[{FAMILIES}][{_HAN}]{{1,2}}?)[笑哭叹嘆怒忙冷又]{{0,2}}[说說道问問答曰]：?[“「『]"
)
"""A full name before what is said."""
_SOUNDS: Final = (
    "万丝丹丽乌乔亚亨以伊伦伯佐佩倫克兰内凯切利加劳勒南博卡卢厄古史吉哈哥喬坎坦埃基塔塞夏多夫夸奇奈奥妮姆威娜安尔尤尼巴布希帕"
    "库康弗彼德思恩愛戈戴托扬拉提斯昂普曼本朱杜杰林查格桑梅比汉汤沃法波泰泽洛海温湯爱爾特玛珀珊珍琪琳琼瑟瓦登皮盖盧福科简米約"
    "納維约纳维罗羅耶肯艾芬苏英茨莉莎莱菲萊萨蒂蒙薇蘭西詹诺谢貝費贝费赫辛达迪道達里門门阿雪雷霍露韋韦顿香馬马鲁鲍麗麦黛"
)
"""Characters that write the sounds of foreign names."""
_SOUNDED: Final = re.compile(
    rf"(?:(?<![{_HAN}])|(?<=[对對和与與跟向]))(?P<name>[{_SOUNDS}]{{2,5}})"
    r"(?P<act>[说說道问問答喊叫笑哭听聽看见見想叹嘆走坐站住守开開点點摇搖是没沒把也])"
)
_NEVER_GIVEN: Final = frozenset(
    "的了着过過不没沒是有在和与與把被让讓叫命向对對从從到给給那这這哪谁誰什我你您他她它咱们們自己"
    "一二两兩三几幾众眾大家人便又忙只忽因才却卻再也都就还還更最很太已正将將要会會可能若如但而且则則"
    "说說道问問笑听聽看见見想哭叹嘆走坐站来來去上下里裡外前后後时時边邊面起回等"
)
"""Characters of the words that stand at the head of a clause, and hardly in names."""
_CALLED_SO: Final = _LISTS["han callings"]
"""What people are called by what they are and do."""


def wide_entities(passage: Passage, character: str) -> list[Named]:
    """The entities of the passage, the most frequent first."""
    kinds: dict[str, Kind] = {}
    own_name = " ".join(character.split())
    if any(map(str.isalnum, own_name)) and own_name in passage.text:
        kinds[own_name] = "character"
    for name, kind in _named(passage.text):
        kinds.setdefault(name, kind)
    for name in _given_names(passage.text, own_name):
        kinds.setdefault(name, "character")
    for start, end in times_in(passage.text):
        kinds.setdefault(passage.text[start:end], "time")
    entities = []
    for name, kind in kinds.items():
        spans = tuple(_places(passage, name))
        if spans:
            salience = len(spans) + (100.0 if name == own_name else 0.0) - (kind == "time")
            entities.append(Named(name, fold(name), kind, spans, salience))
    unique = {entity.key: entity for entity in reversed(entities)}
    return sorted(unique.values(), key=lambda entity: (-entity.salience, entity.spans[0]))


def wide_people(text: str) -> list[str]:
    """The names of persons in a text without blanks between its words, the longest first."""
    people = {name for name, kind in _named(text) if kind == "character"}
    return sorted(people.union(_given_names(text, "")), key=lambda name: (-len(name), name))


def _named(text: str) -> Iterator[tuple[str, Kind]]:
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield match["name"], kind
    for pattern in _REPEATED:
        followers: dict[str, set[str]] = defaultdict(set)
        counts: dict[str, int] = defaultdict(int)
        for match in pattern.finditer(text):
            name = match["name"]
            counts[name] += 1
            followers[name].add(text[match.end() : match.end() + 1])
        for name, count in counts.items():
            if name not in _NO_NAMES and count >= _SIDES and len(followers[name]) > 1:
                yield name, "character"


def _given_names(text: str, own_name: str) -> Iterator[str]:
    """Full names that speak; given names that act often, or that full names bear out, and these."""
    yield from (
        match["name"]
        for match in _TAGGED.finditer(text)
        if match["name"] not in _NO_NAMES and _NEVER_GIVEN.isdisjoint(match["name"][1:])
    )
    acts: dict[str, list[str]] = defaultdict(list)
    foreign: dict[str, list[str]] = defaultdict(list)
    for match in _ACTING.finditer(text):
        acts[match["name"]].append(match["act"])
    acts = {name: done for name, done in acts.items() if _may_be_given(name)}
    for match in _SOUNDED.finditer(text):
        if match["name"] not in _NO_NAMES:
            foreign[match["name"]].append(match["act"])
    yield from (name for name, done in foreign.items() if _is_acting(done))
    full: dict[str, list[str]] = defaultdict(list)
    for start in range(len(text) - 2 if acts else 0):
        if text[start] in FAMILIES and (given := text[start + 1 : start + 3]) in acts:
            full[given].append(text[start : start + 3])
    parts = read_han(own_name)
    called = parts.words[0] if parts is not None and len(parts.words) > 1 else ""
    for name, done in acts.items():
        if name in full or name == called or _is_acting(done):
            yield name
            yield from full[name]


def _is_acting(done: list[str]) -> bool:
    return len(done) >= _SIDES and len(set(done)) > 1


def _may_be_given(name: str) -> bool:
    if name in CALLINGS or name in _CALLED_SO or name[0] == name[1]:
        return False
    return name not in _NO_NAMES and _NEVER_GIVEN.isdisjoint(name)


def _places(passage: Passage, name: str) -> Iterator[Span]:
    """Spans of the tokens that hold the name; runs of these scripts are one token each."""
    index = passage.text.find(name)
    token = 0
    while index >= 0:
        end = index + len(name)
        while token < len(passage.tokens) and passage.tokens[token].end <= index:
            token += 1
        last = token
        while last < len(passage.tokens) and passage.tokens[last].start < end:
            last += 1
        if last > token:
            yield token, last
        index = passage.text.find(name, end)
