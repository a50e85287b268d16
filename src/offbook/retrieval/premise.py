"""What a question takes for granted of the character's family, against what the graph tells.

Takes: a question, the character's graph.  Gives: pieces of context that say what is not so: "your
brother Josiah" where Josiah is the father. Found without a call; of what the texts say nothing of,
it says nothing either. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from offbook.names.titles import KIN
from offbook.text.sentences import sentences
from offbook.text.words import fold
from offbook.types import ContextItem

if TYPE_CHECKING:
    from offbook.retrieval.boundary import QuestionNames
    from offbook.retrieval.graph_index import GraphIndex

_KIN: Final = "|".join(sorted((word for word in KIN if word.isalpha()), key=len, reverse=True))
_IS_KIN: Final = re.compile(rf"\b[Yy]our (?:[a-z]+ ){{0,2}}?(?P<kin>{_KIN}),? $")
_KIN_BEHIND: Final = re.compile(rf"^, your (?:[a-z]+ ){{0,2}}?(?P<kin>{_KIN})\b")
_WORD: Final = re.compile(r"[^\W\d_]+")
_OTHER_SIDE: Final = {
    "father": "son daughter child",
    "mother": "son daughter child",
    "son": "father mother child",
    "daughter": "father mother child",
    "brother": "sister sibling",
    "sister": "brother sibling",
    "husband": "wife married",
    "wife": "husband married",
    "uncle": "nephew niece",
    "aunt": "nephew niece",
    "nephew": "uncle aunt",
    "niece": "uncle aunt",
    "grandfather": "grandson granddaughter grandchild",
    "grandmother": "grandson granddaughter grandchild",
    "cousin": "",
}
"""What the other of two is called who are kin in this way, and words that fit them both."""


def false_kinship(index: GraphIndex, names: QuestionNames) -> list[ContextItem]:
    """Find the people of a question whom it calls other kin than the texts do."""
    false: list[ContextItem] = []
    if index.own is None:
        return false
    for name in names.known:
        before = names.question[: name.start]
        behind = names.question[name.start + len(name.text) :]
        match = _IS_KIN.search(before) or _KIN_BEHIND.search(behind)
        if match is None or len(name.entities) != 1:
            continue
        kin, _ = KIN[fold(match["kin"])]
        (place,) = name.entities
        if kin not in _OTHER_SIDE or place == index.own:
            continue
        telling = list(_kinship_of(index, index.own, place))
        words = {word for _, said in telling for word in said}
        if words and words.isdisjoint((kin, *_OTHER_SIDE[kin].split())):
            title = f"not so: your {kin} {name.text}"
            false.append(ContextItem("premise", title, telling[0][0], 1.0))
    return false


def _kinship_of(index: GraphIndex, subject: int, place: int) -> Iterator[tuple[str, Sequence[str]]]:
    """The sentences that tell of which kin two are, with its words.

    Both are named there, and grammar binds the word to them: of "Tom lives with his wife; Ada is a
    friend" nobody knows that Tom is no brother of Ada's.
    """
    words = [{word for name in index.entity(each).names for word in name.split()}
             for each in (subject, place)]  # fmt: skip
    name = "|".join(re.escape(word) for word in sorted(words[0] | words[1], key=len, reverse=True))
    ties = re.compile(_TIES.replace("NAME", rf"(?:{name})\b"))
    alone = [fold(word) for word in words[0] - words[1] or words[0]]
    between = [relation.description for relation in index.between(subject, place)]
    for text in (*between, index.entity(place).description):
        for start, end in sentences(text):
            sentence = text[start:end]
            said = {fold(word) for word in _WORD.findall(sentence)}
            bound = (fold(next(filter(None, match.groups()))) for match in ties.finditer(sentence))
            kin = [KIN[word][0] if word in KIN else word for word in bound]
            if kin and not said.isdisjoint(alone):
                yield sentence, kin


_ALL: Final = frozenset(KIN) | {word for words in _OTHER_SIDE.values() for word in words.split()}
_ANY: Final = "|".join(sorted(filter(str.isalpha, _ALL - {"married"}), key=len, reverse=True))
_BE: Final = r"\bNAME(?:,| is| was| became)"
_TIES: Final = (
    rf"{_BE}(?: [a-z-]+){{0,4}}? ({_ANY}) (?:of|to) NAME(?!(?: NAME)?['’]s)"
    rf"|{_BE}(?: (?:[a-z-]+|NAME)){{0,4}}? NAME['’]s(?: [a-z-]+){{0,2}}? ({_ANY})\b(?!['’]s)"
    rf"|\bNAME['’]s(?: [a-z-]+){{0,2}}? ({_ANY}),? NAME"
    rf"|\b(?:[Hh]is|[Hh]er|[Tt]heir|[Mm]y|[Oo]ur)(?: [a-z-]+){{0,2}}? ({_ANY}),? NAME"
    r"|\b(married)(?: to)? NAME(?!(?: NAME)?['’]s)"
)
"""A word of kinship that ties the two who are called NAME."""
