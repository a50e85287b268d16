"""Names in Chinese, Japanese and Korean, plainly: by marks, by titles, by frequency.

Takes: a passage and the character's name.  Gives: entities like those of English, fewer and surer.
Source: ours; endings of places and bodies.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from offbook.language.han_names import FAMILIES
from offbook.language.words import fold
from offbook.models.offline.entity_kinds import Kind, Span
from offbook.models.offline.named_entities import Named
from offbook.models.offline.passage_words import Passage
from offbook.models.offline.times import times_in

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
_NO_NAMES: Final = frozenset(
    [
        "我们",
        "他们",
        "她们",
        "你们",
        "什么",
        "这个",
        "那个",
        "一个",
        "自己",
        "彼女",
        "自分",
        "今日",
        "明日",
        "昨日",
        "時間",
        "人間",
        "우리",
        "그녀",
        "그들",
        "사람",
        "자신",
        "오늘",
        "내일",
        "어제",
        "그것",
        "이것",
        "저것",
        "모두",
    ]
)
_SIDES: Final = 3


def wide_entities(passage: Passage, character: str) -> list[Named]:
    """The entities of the passage, the most frequent first."""
    found: dict[str, Kind] = {}
    own = character.strip()
    if own and own in passage.text:
        found[own] = "character"
    for name, kind in _named(passage.text):
        found.setdefault(name, kind)
    for start, end in times_in(passage.text):
        found.setdefault(passage.text[start:end], "time")
    entities = []
    for name, kind in found.items():
        spans = tuple(_places(passage, name))
        if spans:
            salience = len(spans) + (100.0 if name == own else 0.0) - (kind == "time")
            entities.append(Named(name, fold(name), kind, spans, salience))
    unique = {entity.key: entity for entity in reversed(entities)}
    return sorted(unique.values(), key=lambda entity: (-entity.salience, entity.spans[0]))


def _named(text: str) -> Iterator[tuple[str, Kind]]:
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield match["name"], kind
    for pattern in _REPEATED:
        seen: dict[str, set[str]] = defaultdict(set)
        counts: dict[str, int] = defaultdict(int)
        for match in pattern.finditer(text):
            name = match["name"]
            counts[name] += 1
            seen[name].add(text[match.end() : match.end() + 1])
        for name, count in counts.items():
            if name not in _NO_NAMES and count >= _SIDES and len(seen[name]) > 1:
                yield name, "character"


def _places(passage: Passage, name: str) -> Iterator[Span]:
    """Spans of the tokens that hold the name; runs of these scripts are one token each."""
    at = passage.text.find(name)
    token = 0
    while at >= 0:
        end = at + len(name)
        while token < len(passage.tokens) and passage.tokens[token].end <= at:
            token += 1
        last = token
        while last < len(passage.tokens) and passage.tokens[last].start < end:
            last += 1
        if last > token:
            yield token, last
        at = passage.text.find(name, end)
