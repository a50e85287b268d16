"""Our own questionnaires: balanced, unique, whole in both languages, and nobody else's."""

import json
import re
from collections import Counter
from difflib import SequenceMatcher

import pytest

from offbook.evaluation.metrics.typology import MBTI, SLOAN
from offbook.evaluation.questionnaires import LANGUAGES, SHIPPED, shipped
from tests.evaluation.datasets.files import shared

HAN = re.compile("[\u3400-\u9fff]")
WORDS = re.compile(r"[a-z]+|[\u4e00-\u9fff]")


def words(text):
    return set(WORDS.findall(text.casefold()))


def overlap(a, b):
    return len(words(a) & words(b)) / len(words(a) | words(b))


def alike(ours, theirs):
    if overlap(ours, theirs) > 0.45:
        return True
    return SequenceMatcher(None, ours.casefold(), theirs.casefold()).ratio() > 0.75


@pytest.mark.parametrize("language", LANGUAGES)
def test_mbti_has_fifteen_items_a_dimension_keyed_as_evenly_as_can_be(language):
    items = [each.item for each in shipped("mbti-60", language)]
    assert Counter(item.dimension for item in items) == {d.name: 15 for d in MBTI.dimensions}
    keys = Counter((item.dimension, item.sign) for item in items)
    assert sorted(keys.values()) == [7] * 4 + [8] * 4
    assert sum(item.sign for item in items) == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_big_five_has_twelve_items_a_domain_six_each_way(language):
    keys = Counter(
        (each.item.dimension, each.item.sign) for each in shipped("bigfive-60", language)
    )
    assert keys == {(d.name, sign): 6 for d in SLOAN.dimensions for sign in (1, -1)}


def test_numbers_and_keys_are_the_same_in_both_languages():
    for name in SHIPPED:
        en, zh = (
            [
                (each.item.number, each.item.dimension, each.item.sign)
                for each in shipped(name, lang)
            ]
            for lang in LANGUAGES
        )
        assert en == zh
        assert [number for number, _, _ in en] == [str(n) for n in range(1, 61)]


def test_every_sentence_is_there_once_and_in_its_language():
    for language in LANGUAGES:
        items = [each for name in SHIPPED for each in shipped(name, language)]
        questions = [each.question for each in items]
        statements = [each.item.statement for each in items]
        assert len(set(questions)) == len(set(statements)) == 120
        for text in (*questions, *statements):
            assert bool(HAN.search(text)) == (language == "zh"), text
        assert all(text.endswith(("?", "？")) for text in questions)
        assert all(text.endswith((".", "。")) for text in statements)


def test_no_two_of_our_sentences_are_nearly_the_same():
    for language in LANGUAGES:
        texts = [each.question for name in SHIPPED for each in shipped(name, language)]
        near = [(a, b) for i, a in enumerate(texts) for b in texts[:i] if overlap(a, b) > 0.6]
        assert near == []


def test_a_question_does_not_say_what_its_statement_says():
    """The statement would be the answer: who is asked must not be led."""
    for name in SHIPPED:
        for each in shipped(name):
            assert overlap(each.question, each.item.statement) < 0.5, each


def test_none_of_our_sentences_is_from_a_published_questionnaire():
    published = [
        text
        for name in ("BFI", "16Personalities")
        for entry in json.loads(shared("questionnaires", f"{name}.json").read_text("utf-8"))[
            "questions"
        ].values()
        for key, text in entry.items()
        if key.startswith(("origin", "rewritten"))
    ]
    items = json.loads(shared("ipip", "ipip_neo_120.json").read_text("utf-8"))["items"]
    published += [item[key] for item in items for key in ("text", "text_zh")]
    assert len(published) == 2 * 2 * (44 + 60) + 240
    near = []
    sets = [(text, words(text)) for text in published]
    for name in SHIPPED:
        for language in LANGUAGES:
            for each in shipped(name, language):
                for ours in (each.question, each.item.statement):
                    mine = words(ours)
                    near += [
                        (ours, text)
                        for text, theirs in sets
                        if len(mine & theirs) > 0.3 * len(mine | theirs) and alike(ours, text)
                    ]
    assert near == []
