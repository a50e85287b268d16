"""Whether documents are a story, of which a character witnesses a part, or about that character.

Takes: texts, and who the character is.  Gives: "story" where people talk to one another in them, as
a novel, a play, letters or a log of sessions has it; else "persona". Source: ours; the thresholds
stand between ten novels (30 to 65 % of the lines are spoken) and seven persona documents (0 %).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from offbook.documents.sections import sections, speech_lines
from offbook.names.identity import name_key, share_a_word
from offbook.text.grammar import word_set

_SPOKEN: Final = re.compile(r"[\"“”„«»‘「『]|[–—]\s?\w|--\s?\w")
"""How a line begins that somebody speaks."""
_LABEL: Final = re.compile(r"(?:\*\*|_)?([^\W\d_][\w.’' -]{0,30}?)[.:：](?:\*\*|_)?(?:\s|$)")
_BY_CAPITALS: Final = re.compile(r"([A-ZÀ-Þ][A-ZÀ-Þ.’' -]+)[.:]?(?:\s|$)")
_OUTSIDE: Final = word_set(
    "q a question answer interviewer user you char i me narrator note assistant system"
)
"""Labels of an interview or a chat with the character: no story is told in those."""
_DEAR: Final = re.compile(
    r"(?:my )?(?:dear|dearest|beloved) [^\n]{1,60}[,!:.—-]|(?:sir|madam)[,!]|"
    r"(?:liebe|lieber|liebste|liebster|mein lieber|meine liebe|cher|chere|chère|querido|querida) "
    r"[^\n]{1,60}[,!]",
    re.IGNORECASE,
)
_PART: Final = re.compile(
    r"(?:session|chapter|act|scene|letter|episode|kapitel|akt|szene|brief|sitzung|chapitre|acte)\b"
    r"[\s.:#]*(?:the )?[\divxlc]+\b",
    re.IGNORECASE,
)
_OF_PERSONS: Final = re.compile(
    r"\b(?:personality|appearance|background|biography|early life|later life|traits|likes|dislikes|"
    r"abilities|skills|relationships|legacy|origins?|identity|characteri[sz]ation|speech|voice|"
    r"family|occupation|beliefs)\b",
    re.IGNORECASE,
)
_SHARE: Final = 0.08
_FEWEST: Final = 4
"""Spoken lines, or lines of a label: fewer may be cited."""
_SCRIPT: Final = 0.25
"""The least share of lines that begin with the label of somebody who speaks again."""
_LETTERS: Final = 2
"""Letters of a story; a collection under the character's name has one in every second part, or it
cites them."""
_PARTS: Final = 3
_PERSONAL: Final = 2
"""Headings of a description of somebody, and parts of a story, of which one alone says little."""


def kind_of(texts: Sequence[str], name: str, *, of_cast: bool) -> Literal["story", "persona"]:
    """Tell which kind texts are; ``of_cast``: the character was made of their cast."""
    titles = [title for text in texts for title in _titles(text)]
    lines = [line for text in texts for line in _lines(text)]
    is_personal = sum(map(bool, map(_OF_PERSONS.search, titles))) >= _PERSONAL
    is_titled = any(_is_named(text, name) for text in texts)
    # A description of the character cites letters and talk; a folder of a game has sheets as well.
    cites = is_personal and is_titled and not of_cast
    letters = sum(map(bool, map(_DEAR.match, lines)))
    fewest = _LETTERS if of_cast or not is_titled else max(_LETTERS, len(titles) // 2)
    if not cites and (_is_script(lines) or letters >= fewest):
        return "story"
    spoken = sum(map(bool, map(_SPOKEN.match, lines)))
    if spoken >= _FEWEST and spoken >= _SHARE * len(lines) * (3 if is_personal else 1):
        return "story"
    if is_personal:
        return "persona"
    if sum(map(bool, map(_PART.match, titles))) >= _PARTS:
        return "story"
    return "story" if of_cast and not is_titled else "persona"


def _titles(text: str) -> list[str]:
    return [part.headings[-1] for part in sections(text) if part.level]


def _lines(text: str) -> list[str]:
    """The lines of a text but headings, lists, and those that are to show how somebody speaks."""
    shown = set(speech_lines(text))
    stripped = (line.strip() for line in text.split("\n") if line.rstrip() not in shown)
    return [line for line in stripped if line and not re.match(r"#|[-*•+] |\d+[.)] ", line)]


def _is_script(lines: Sequence[str]) -> bool:
    """Whether lines bear the labels of at least two who speak again and again."""
    labels: Counter[str] = Counter()
    for line in lines:
        match = _LABEL.match(line) or _BY_CAPITALS.fullmatch(line)
        if match is not None:
            labels[name_key(match[1])] += 1
    speaking = {label: count for label, count in labels.items() if count >= _FEWEST and label}
    inside = [label for label in speaking if label not in _OUTSIDE]
    return len(inside) > 1 and sum(speaking.values()) >= _SCRIPT * len(lines)


def _is_named(text: str, name: str) -> bool:
    """Whether the title of a text is the name of somebody."""
    titles = _titles(text)[:1]
    return any(share_a_word(title, name) for title in titles)
