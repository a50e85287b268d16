"""IPIP-NEO-120: the 120 items of the public-domain Big Five inventory, as open questions.

Takes: ``ipip_neo_120.json``, or a ``questions.json`` of b5-johnson-120-ipip-neo-pi-r.  Gives: a
`Dataset` of items, put to whichever characters are named.
Paper: Johnson (2014); AMADEUS (003), section 5.2. An item is a phrase ("Worry about things"): the
question quotes it as what some say of themselves and asks how it is with the character
(`QUESTION`), since AMADEUS does not print its own wording.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset, Item
from offbook.evaluation.datasets.collecting import Collector
from offbook.evaluation.datasets.folders import chosen, needed, required
from offbook.evaluation.datasets.reading import read_json

LICENCE: Final = "items: public domain (ipip.ori.org); the file's repository: MIT"
NAME: Final = "IPIP-NEO-120"
DOMAINS: Final = {
    "N": "Neuroticism",
    "E": "Extraversion",
    "O": "Openness",
    "A": "Agreeableness",
    "C": "Conscientiousness",
}
QUESTION: Final = {
    "en": 'Some people say of themselves: "{statement}" How is that with you? Give an example.',
    "zh": "有人这样说自己：“{statement}”你自己是怎样的？请举个例子。",
}
"""How an item becomes an open question; the character is not told how it is keyed."""

_EXPECTED: Final = 24
_SIGNS: Final = {"plus": 1, "minus": -1, "+": 1, "-": -1}


def load(path: Path | None, *, language: str = "en") -> Dataset:
    """Read the inventory.

    Args:
        path: The file, or its folder (upstream: the repository, its ``data``, or ``data/en``).
        language: ``en``, or ``zh`` where the file has it.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = needed(path, "ipip-neo-120", "the IPIP-NEO-120 items")
    language = chosen(language, tuple(QUESTION), "language")
    where = path if path.is_file() else required(path, _places(language), "IPIP-NEO-120 items")
    found = Collector("ipip-neo-120", version="1", licence=LICENCE, source=str(path))
    counts: Counter[str] = Counter()
    for number, entry in enumerate(_entries(where), 1):
        counts[_ask(found, where, number, entry, language)] += 1
    odd = {name: counts[name] for name in DOMAINS.values() if counts[name] != _EXPECTED}
    if odd:
        listed = ", ".join(f"{name} {count}" for name, count in odd.items())
        found.notes.say(f"not the full inventory of 24 items a domain: {listed}")
    return found.dataset()


def _places(language: str) -> list[str]:
    folder = {"en": "en", "zh": "zh-cn"}[language]
    return [
        "ipip_neo_120.json",
        "ipip/ipip_neo_120.json",
        f"data/{folder}/questions.json",
        f"{folder}/questions.json",
        "questions.json",
    ]


def _entries(where: Path) -> list[dict[str, Any]]:
    value = read_json(where)
    entries = value.get("items") if isinstance(value, dict) else value
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise UsageError(
            f"{str(where)!r} holds no list of items", "name ipip_neo_120.json or questions.json"
        )
    return entries


def _ask(found: Collector, where: Path, number: int, entry: dict[str, Any], language: str) -> str:
    """Add an item; the name of its domain comes back."""
    text = _text(where, number, entry, language)
    domain = DOMAINS.get(str(entry.get("domain")))
    sign = _SIGNS.get(str(entry.get("keyed")))
    if domain is None or sign is None:
        raise UsageError(
            f"item {number} of {str(where)!r} has the domain {entry.get('domain')!r} "
            f"and the key {entry.get('keyed')!r}",
            "a domain is one of N, E, O, A, C and a key plus or minus",
        )
    statement = statement_of(text, language)
    found.ask(
        QUESTION[language].format(statement=statement),
        place=f"{where.name}:{number}",
        id=f"ipip-{number}",
        kind=str(entry.get("facet_name") or entry.get("facet") or ""),
        item=Item(NAME, str(number), domain, sign, statement),
        language=language,
    )
    return domain


def _text(where: Path, number: int, entry: dict[str, Any], language: str) -> str:
    field = "text_zh" if language == "zh" and "text_zh" in entry else "text"
    text = str(entry.get(field) or "").strip()
    if not text:
        raise UsageError(f"item {number} of {str(where)!r} has no {field!r}", "fetch it again")
    return text


def statement_of(phrase: str, language: str) -> str:
    """The sentence of an item's phrase: "Worry about things" -> "I worry about things."."""
    phrase = phrase.rstrip(".。 ")
    if language == "zh":
        return f"{phrase}。"
    return f"I {phrase[0].lower()}{phrase[1:]}."
