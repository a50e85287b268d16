"""Questionnaires as datasets: InCharacter's, IPIP-NEO-120, our own 60, and those put to dialogues.

Answers are matched to items by id, never by their place. Of recorded dialogue one turn in five is
asked, and is no memory then: an answer must not be looked up. 16Personalities is keyed by the
letter in ``category``: its list ``reverse`` says otherwise of item 25. An item of IPIP is a phrase,
put as an open question of ours, since AMADEUS does not print its own wording.
Paper: InCharacter (Wang et al. 2024); Emotional RAG (004), section III; Johnson (2014); AMADEUS
(003), section 5.2.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Dataset, Item
from offbook.evaluation.datasets import reading
from offbook.evaluation.datasets.collector import Collector, read_labels, scored
from offbook.evaluation.datasets.sources import SOURCES
from offbook.evaluation.metrics.typology import sign_of
from offbook.evaluation.questionnaires import LANGUAGES, SHIPPED, WordedItem, shipped

NAMES: Final = ("BFI", "16Personalities")


def _items_of(path: Path, language: str) -> Iterator[WordedItem]:
    """Read a questionnaire of InCharacter's form, in a language (``en``, ``zh``).

    Raises:
        UnreadableDocument, UsageError: the file is no questionnaire; it says where.
    """
    value = reading.read_json(path)
    questions = value.get("questions") if isinstance(value, dict) else None
    if not isinstance(questions, dict) or not questions:
        raise UsageError(
            f"{str(path)!r} is no questionnaire of InCharacter: it has no 'questions'",
            "name BFI.json or 16Personalities.json",
        )
    name = str(value.get("name") or path.stem)
    for number, entry in questions.items():
        question = str(entry.get(f"rewritten_{language}") or "").strip()
        statement = str(entry.get(f"origin_{language}") or "").strip()
        dimension = str(entry.get("dimension") or "").strip()
        if not question or not dimension:
            raise UsageError(
                f"item {number!r} of {str(path)!r} has no "
                f"{f'rewritten_{language}' if not question else 'dimension'!r}",
                "fetch the file again, or choose another language (en, zh)",
            )
        try:
            sign = sign_of(str(entry.get("category") or ""), dimension)
        except ValueError as error:
            raise UsageError(
                f"item {number!r} of {str(path)!r}: {error}",
                "a category is positive, negative or a pole of the dimension",
            ) from error
        yield WordedItem(Item(name, number, dimension, sign, statement), question, language)


ASKED: Final = ("dialogue", *NAMES, *SHIPPED)
"""What a set of dialogues can be asked."""

_HELD_OUT: Final = 5
_FOLDERS: Final = (
    "",
    "questionnaires/",
    "data/questionnaires/",
    "data/",
    "../questionnaires/",
    "../incharacter/data/questionnaires/",
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said to a character and what it answered; ``id`` empty: the file has none."""

    character: str
    said: str
    answered: str
    place: str
    id: str = ""
    language: str = ""


def fill(
    collector: Collector, turns: Iterable[Turn], *, questions: str, path: Path, language: str
) -> None:
    """Add memories, and the questions of ``asked`` (one of `ASKED`)."""
    questions = reading.chosen(questions, ASKED, "questions")
    for turn in turns:
        if questions == "dialogue" and _is_held_out(turn):
            collector.ask(
                turn.said,
                place=turn.place,
                id=turn.id,
                subject=turn.character,
                scope="in",
                answers=(turn.answered,),
                kind="dialogue",
                language=turn.language,
            )
        else:
            collector.memory(turn.character, turn.said, turn.answered)
    if questions == "dialogue":
        collector.notes.say(
            "one turn in five is asked, drawn by its content; the others are memories"
        )
    elif questions in SHIPPED:
        put_items(collector, shipped(questions, language))
    else:
        where = reading.required(
            path, [f"{folder}{questions}.json" for folder in _FOLDERS], f"{questions}.json"
        )
        put_items(collector, _items_of(where, language))


def put_items(
    collector: Collector, items: Iterable[WordedItem], subject: str | None = None
) -> None:
    """Add the items of a questionnaire, put to everybody or to one subject."""
    for each in items:
        marked = f"{each.item.questionnaire}-{each.item.number}"
        collector.ask(
            each.question,
            place=marked,
            id=marked if subject is None else f"{subject}:{marked}",
            subject=subject,
            kind=each.item.dimension,
            item=each.item,
            language=each.language,
        )


def _is_held_out(turn: Turn) -> bool:
    content = f"{turn.character}\n{turn.said}".encode()
    return int(hashlib.sha256(content).hexdigest(), 16) % _HELD_OUT == 0


def _load_shipped(name: str, path: Path | None, *, language: str = "en") -> Dataset:
    """Load our own items; ``path``, where one is given, is a file of labels.

    Raises:
        UnreadableDocument, UsageError: the language is not there, or the labels cannot be read.
    """
    language = reading.chosen(language, LANGUAGES, "language")
    collector = Collector(name, licence="Apache-2.0 (ours)", source="offbook")
    put_items(collector, shipped(name, language))
    if path is not None:
        collector.label(path, adding=True)
    return collector.dataset()


load_mbti_60 = partial(_load_shipped, "mbti-60")
load_bigfive_60 = partial(_load_shipped, "bigfive-60")


LABELLED_BY: Final = ("pdb", "annotation")
_IN_CHARACTER_FOLDERS: Final = ("", "questionnaires/", "data/questionnaires/", "data/")
_NESTED: Final = tuple(f"{each}characters_labels.json" for each in _IN_CHARACTER_FOLDERS)
_FLAT: Final = tuple(f"{each}labels_incharacter.jsonl" for each in _IN_CHARACTER_FOLDERS)
_CHARACTERS: Final = ("characters.json", "data/characters.json", "../characters.json")


def load_in_character(
    path: Path | None,
    *,
    questionnaire: str = "BFI",
    labels: str = "pdb",
    language: str = "auto",
) -> Dataset:
    """Read the dataset.

    ``language``: ``en``, ``zh``, or ``auto``: Chinese for characters named ``...-zh``.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = reading.needed(path, "incharacter", "InCharacter's data")
    questionnaire = reading.chosen(questionnaire, NAMES, "questionnaire")
    labels = reading.chosen(labels, LABELLED_BY, "labels")
    language = reading.chosen(language, ("auto", "en", "zh"), "language")
    folder = path if path.is_dir() else path.parent
    where = reading.required(
        folder, [f"{each}{questionnaire}.json" for each in _IN_CHARACTER_FOLDERS], "questionnaire"
    )
    licence = SOURCES["incharacter"].licence
    name = f"incharacter-{questionnaire.lower()}"
    collector = Collector(name, licence=licence, source=str(path))
    _characters(collector, folder, questionnaire, labels)
    _ask(collector, where, language)
    return collector.dataset()


def _characters(collector: Collector, folder: Path, questionnaire: str, source: str) -> None:
    flat, nested = reading.first(folder, _FLAT), reading.first(folder, _NESTED)
    if flat is not None:
        for name, each in read_labels(reading.read_rows(flat), collector.notes).items():
            labels = [
                label
                for label in each.labels
                if label.questionnaire == questionnaire and label.source == source
            ]
            collector.subject(name, names=each.names, interviewer=each.interviewer, labels=labels)
        return
    if nested is None:
        collector.notes.say("no labels: characters_labels.json is not there")
        return
    table = _object(nested).get(source)
    if not isinstance(table, dict):
        raise UsageError(f"{str(nested)!r} has no labels of {source!r}", "choose other labels")
    described = reading.first(folder, _CHARACTERS)
    about = {} if described is None else _object(described)
    for name, by_questionnaire in table.items():
        character = about.get(name, {})
        dimensions = by_questionnaire.get(questionnaire, {})
        collector.subject(
            name,
            names=character.get("alias", ()),
            interviewer=str(character.get("experimenter", "")),
            labels=[scored(questionnaire, key, each, source) for key, each in dimensions.items()],
        )
    if not about:
        collector.notes.say("no characters.json: no other names, and no interviewers, to be masked")


def _object(path: Path) -> dict[str, Any]:
    value = reading.read_json(path)
    if not isinstance(value, dict):
        raise UsageError(f"{str(path)!r} is no object", "fetch the file again")
    return value


def _ask(collector: Collector, where: Path, language: str) -> None:
    """Put the items to everybody, or to each character in its own language."""
    by_name = {name: "zh" if name.endswith("-zh") else "en" for name in collector.subject_names}
    spoken = by_name if language == "auto" else dict.fromkeys(by_name, language)
    spoken_by_all = set(spoken.values()) or {"en" if language == "auto" else language}
    if len(spoken_by_all) == 1:
        put_items(collector, _items_of(where, spoken_by_all.pop()))
        return
    for name, of_character in spoken.items():
        put_items(collector, _items_of(where, of_character), name)


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


def load_ipip(path: Path | None, *, language: str = "en") -> Dataset:
    """Read the inventory.

    Raises:
        UnreadableDocument, UsageError: what is wrong with which file.
    """
    path = reading.needed(path, "ipip-neo-120", "the IPIP-NEO-120 items")
    language = reading.chosen(language, tuple(QUESTION), "language")
    folder = {"en": "en", "zh": "zh-cn"}[language]
    places = [
        "ipip_neo_120.json",
        "ipip/ipip_neo_120.json",
        f"data/{folder}/questions.json",
        f"{folder}/questions.json",
        "questions.json",
    ]
    where = path if path.is_file() else reading.required(path, places, "IPIP-NEO-120 items")
    licence = SOURCES["ipip-neo-120"].licence
    collector = Collector("ipip-neo-120", licence=licence, source=str(path))
    value = reading.read_json(where)
    entries = value.get("items") if isinstance(value, dict) else value
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise UsageError(
            f"{str(where)!r} holds no list of items", "name ipip_neo_120.json or questions.json"
        )
    counts: Counter[str] = Counter()
    for number, entry in enumerate(entries, 1):
        counts[_ipip_ask(collector, where, number, entry, language)] += 1
    odd = {name: counts[name] for name in DOMAINS.values() if counts[name] != _EXPECTED}
    if odd:
        listed = ", ".join(f"{name} {count}" for name, count in odd.items())
        collector.notes.say(f"not the full inventory of 24 items a domain: {listed}")
    return collector.dataset()


def _ipip_ask(
    collector: Collector, where: Path, number: int, entry: dict[str, Any], language: str
) -> str:
    """Add an item; the name of its domain comes back."""
    field = "text_zh" if language == "zh" and "text_zh" in entry else "text"
    phrase = str(entry.get(field) or "").strip()
    if not phrase:
        raise UsageError(f"item {number} of {str(where)!r} has no {field!r}", "fetch it again")
    domain = DOMAINS.get(str(entry.get("domain")))
    sign = _SIGNS.get(str(entry.get("keyed")))
    if domain is None or sign is None:
        raise UsageError(
            f"item {number} of {str(where)!r} has the domain {entry.get('domain')!r} "
            f"and the key {entry.get('keyed')!r}",
            "a domain is one of N, E, O, A, C and a key plus or minus",
        )
    statement = statement_of(phrase, language)
    collector.ask(
        QUESTION[language].format(statement=statement),
        place=f"{where.name}:{number}",
        id=f"ipip-{number}",
        kind=str(entry.get("facet_name") or entry.get("facet") or ""),
        item=Item(NAME, str(number), domain, sign, statement),
        language=language,
    )
    return domain


def statement_of(phrase: str, language: str) -> str:
    """The sentence of an item's phrase: "Worry about things" -> "I worry about things."."""
    phrase = phrase.rstrip(".。 ")
    if language == "zh":
        return f"{phrase}。"
    return f"I {phrase[0].lower()}{phrase[1:]}."
