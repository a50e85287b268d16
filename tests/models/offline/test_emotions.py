"""Eight emotions, told by rules, in English and Chinese."""

from __future__ import annotations

import importlib
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from offbook.prompts.emotion import (
    ScoreEmotionsInputs,
    Utterance,
    check_emotions,
)
from offbook.rules.emotions import (
    PLAIN,
    chinese,
    english,
    examples,
    hear,
    levels,
    likeness,
    scale,
    score_emotions,
    strengths,
)
from offbook.text.emotion_names import EMOTIONS
from tests.tables import cases

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / ".." / "shared" / "data" / "emotion"


def scored(*texts, before=""):
    inputs = ScoreEmotionsInputs("Nora", tuple(Utterance(text, before) for text in texts))
    found = score_emotions(inputs)
    check_emotions(inputs, found)
    return [part.by_name() for part in found.items]


def felt(text, **more):
    (found,) = scored(text, **more)
    return found


@pytest.mark.parametrize(("text", "emotion"), cases(__file__, "what is plainly felt is strongest"))
def test_what_is_plainly_felt_is_strongest(text, emotion):
    found = felt(text)
    assert max(found, key=lambda name: found[name]) == emotion
    assert found[emotion] >= 5


def test_a_denied_feeling_is_not_that_feeling():
    assert felt("I am not happy.")["joy"] < felt("I am happy.")["joy"] - 2
    assert felt("我不高兴。")["joy"] < felt("我高兴。")["joy"]
    assert felt("I am not happy.")["sadness"] > felt("I am happy.")["sadness"]


@pytest.mark.parametrize(("text", "same"), cases(__file__, "these are heard alike"))
def test_these_are_heard_alike(text, same):
    assert (hear(text).weights == hear(same).weights).all()


def test_very_and_a_little_change_how_much():
    def joy(text):
        return hear(text).weights[0]

    assert joy("slightly happy") < joy("quite happy") < joy("very happy")


def test_without_a_word_nothing_is_felt():
    for text in ("", "   ", "...", "—"):
        assert set(felt(text).values()) == {1}


def test_plain_talk_is_felt_little():
    for text in (*examples()[PLAIN], *examples("zh")[PLAIN]):
        found = sorted(felt(text).values())
        assert found[-1] <= 6
        assert sum(level <= 3 for level in found) >= 5


def test_what_was_said_before_colours_the_answer():
    alone, after = felt("Yes."), felt("Yes.", before="Your mother died, I am so sorry.")
    assert after["sadness"] > alone["sadness"]
    assert felt("I am so happy!", before="I hate you.")["joy"] >= 7


def test_each_text_is_scored_on_its_own():
    texts = ["I am happy.", "I hate it!", "明天见。", ""]
    assert scored(*texts) == [felt(text) for text in texts]
    assert scored(*reversed(texts)) == [felt(text) for text in reversed(texts)]


def test_a_long_text_is_judged_by_how_densely_it_speaks():
    plain = "The train stops at the station and the man reads the paper. "
    texts = [plain + "I am glad.", (plain + "I am glad. ") * 200]
    once, often = levels(strengths(texts, likeness(texts)), scale("en"))
    assert abs(once - often).max() <= 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_levels_are_where_they_are_said_to_be(language):
    lines = examples(language)
    plain = strengths(lines[PLAIN], likeness(lines[PLAIN]))
    assert set(levels(plain.mean(axis=0)[None], scale(language))[0]) == {2}
    for at, name in enumerate(EMOTIONS):
        own = strengths(lines[name], likeness(lines[name]))
        assert np.median(levels(own, scale(language))[:, at]) == pytest.approx(8, abs=0.5)


def test_a_chinese_name_in_an_english_text_does_not_make_it_chinese():
    assert felt("I am so happy to see you, 王明!")["joy"] >= 7


def test_the_lists_hold_what_they_should():
    for lexicon in (english(), chinese()):
        assert len(lexicon.phrases) > 500
        for entry, weights in lexicon.phrases.items():
            assert 0 < weights.max() <= 3, entry
            assert all(unit == unit.lower() for unit in entry)
    assert all(len(lines) >= 10 for lines in examples().values())
    assert all(len(lines) >= 6 for lines in examples("zh").values())


@pytest.fixture
def quality(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module


def chosen(file):
    if not (DATA / file).exists():
        pytest.skip("the labelled texts are not there")
    return Namespace(file=DATA / file, model=None, base_url=None, centred=False)


@pytest.mark.parametrize(
    ("file", "floor"),
    [("xed_en.jsonl", 0.68), ("xed_zh.jsonl", 0.57), ("goemotions_plutchik.jsonl", 0.77)],
)
def test_the_levels_agree_with_what_people_labelled(quality, file, floor):
    report = quality("quality_emotion").run(chosen(file)).as_json()
    assert report["not_scored"] == 0
    assert report["mean_auc"]["value"] >= floor
    assert report["by_half"]["held_out"]["mean_auc"]["value"] >= floor - 0.01


def test_emotion_helps_recall(quality):
    report = quality("quality_emotion_retrieval").run(chosen("retrieval_task.jsonl"))
    found = report.as_json()["strategies"]["S-S"]
    assert found["difference"] >= 0.04
    assert found["difference_interval"][0] > 0


def test_the_area_is_that_of_all_pairs(quality):
    module = quality("quality_emotion")
    generator = np.random.default_rng(3)
    rated = generator.integers(1, 11, (60, 8))
    labels = generator.random((60, 8)) < 0.3
    for at, area in enumerate(module._areas(rated, labels)):
        pairs = [
            (a > b) + (a == b) / 2
            for a in rated[labels[:, at], at]
            for b in rated[~labels[:, at], at]
        ]
        assert area == pytest.approx(np.mean(pairs))


def test_ndcg_of_the_best_order_is_one(quality):
    module = quality("quality_emotion_retrieval")
    relevance = {"a": 1.0, "b": 0.5, "c": 0.25}
    assert module.ndcg([1.0, 0.5, 0.25, 0], relevance) == pytest.approx(1)
    assert module.ndcg([0, 0.5, 1.0], relevance) < 1
    assert module.ndcg([0, 0], {}) == 0
