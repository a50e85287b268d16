"""Every golden number of the evaluation, to the printed digit; what the papers misprint is shown.

The types come from a copy of the golden file, which is compared with the original where it is at
hand. What needs the questionnaires, labels or the recorded interview is skipped without them.
"""

from __future__ import annotations

import itertools
import json
import statistics
from pathlib import Path

import pytest

from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.typology import (
    MBTI,
    SLOAN,
    LabelScore,
    agreement_with_labels,
    batched_score,
    batches,
    compare,
    label_type,
    sign_of,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"
COPY = Path(__file__).with_name("personality_types.json")
TYPES = {entry["id"]: entry for entry in json.loads(COPY.read_text("utf-8"))}
AMADEUS_MBTI = ("002-T4-AMADEUS", "003-T3-AMADEUS")
DIMENSIONS = [dimension.name for dimension in MBTI.dimensions]


def shared(name):
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"no {name} beside the repository")
    return path.read_text("utf-8")


def lines(name):
    return [json.loads(line) for line in shared(f"data/{name}").splitlines()]


def compared(entry, predicted=None):
    typology = MBTI if entry["kind"] == "mbti" else SLOAN
    return compare(
        {who: typology.letters(text) for who, text in (predicted or entry["pred"]).items()},
        {who: typology.letters(text) for who, text in entry["gt"].items()},
        typology,
    )


def test_the_copy_is_the_golden_file():
    assert json.loads(shared("golden/personality_types.json")) == list(TYPES.values())


@pytest.mark.parametrize("entry", TYPES.values(), ids=TYPES)
def test_types_are_scored_as_in_the_golden_file(entry):
    found = compared(entry)
    assert found.wrong == entry["sum_true"]
    assert found.accuracy.mean == pytest.approx(entry["acc_true"] / 100, abs=5e-5)
    assert found.average_f1.mean == pytest.approx(entry["f1"], abs=5e-7)
    assert list(found.f1.values()) == pytest.approx(entry["per_dim_f1"], abs=5e-7)
    by_name = {row.character: row.wrong for row in found.rows}
    assert [by_name[who] for who in entry["pred"]] == entry["true_d"]


@pytest.mark.parametrize(
    ("which", "wrong", "accuracy", "f1"),
    [
        ("002-T4-CRAG", 20, "66.67", "0.6448"),
        ("002-T4-LightRAG", 22, "63.33", "0.5344"),
        ("003-T3-AMADEUS", 9, "85.00", "0.8394"),
        ("002-T5-CRAG", 18, "76.00", "0.7313"),
        ("002-T5-LightRAG", 49, "34.67", "0.2774"),
        ("002-T5-AMADEUS", 14, "81.33", "0.7986"),
        ("003-T4-NaiveRAG", 22, "70.67", "0.6785"),
    ],
)
def test_the_table_of_types_to_the_printed_digit(which, wrong, accuracy, f1):
    found = compared(TYPES[which])
    assert found.wrong == wrong
    assert f"{100 * found.accuracy.mean:.2f}" == accuracy
    assert f"{found.average_f1.mean:.4f}" == f1
    assert found.accuracy.n == found.average_f1.n == (60 if TYPES[which]["kind"] == "mbti" else 75)


@pytest.mark.parametrize(
    ("which", "misprinted", "accuracy"),
    [
        ("002-T4-CRAG", {"Hitori Gotoh": (2, 3)}, "68.33"),
        ("002-T4-LightRAG", {"Tobio Kageyama": (1, 2)}, "65.00"),
        ("002-T4-AMADEUS", {"Mikoto Misaka": (2, 3)}, "85.00"),
        ("003-T3-AMADEUS", {}, "85.00"),
        ("002-T5-CRAG", {}, "76.00"),
        ("002-T5-LightRAG", {}, "34.67"),
        ("002-T5-AMADEUS", {}, "81.33"),
        ("003-T4-NaiveRAG", {"Anya Forger": (1, 2)}, "72.00"),
    ],
)
def test_distances_that_are_misprinted_and_the_accuracies_that_rest_on_them(
    which, misprinted, accuracy
):
    entry = TYPES[which]
    found = {row.character: row.wrong for row in compared(entry).rows}
    printed = dict(zip(entry["pred"], entry["printed_d"], strict=True))
    differing = {who: (printed[who], found[who]) for who in found if printed[who] != found[who]}
    assert differing == misprinted
    letters = len(found) * (4 if entry["kind"] == "mbti" else 5)
    assert f"{100 * (1 - sum(printed.values()) / letters):.2f}" == accuracy


@pytest.mark.parametrize("which", AMADEUS_MBTI)
def test_the_f1_that_both_versions_print_is_reproduced_by_nothing(which):
    entry = TYPES[which]
    types = ["".join(each) for each in itertools.product("EI", "SN", "TF", "PJ")]
    found = {
        f"{compared(entry, entry['pred'] | {who: text}).average_f1.mean:.4f}"
        for who in entry["pred"]
        for text in types
    }
    assert "0.8394" in found
    assert "0.8244" not in found


def test_the_two_versions_differ_in_one_character():
    first, second = (TYPES[which]["pred"] for which in AMADEUS_MBTI)
    assert {who: (first[who], second[who]) for who in first if first[who] != second[who]} == {
        "Mikoto Misaka": ("INFP", "INFJ")
    }
    assert f"{compared(TYPES[AMADEUS_MBTI[0]]).average_f1.mean:.4f}" == "0.8161"


def test_the_letters_of_mao_mao_are_those_of_the_printed_distance():
    # Our text of 003 has RCOAI (0) for naive RAG; nought wrong, and the printed F1, is RCOEI.
    entry = TYPES["003-T4-NaiveRAG"]
    found = compared(entry, entry["pred"] | {"Mao Mao": "RCOAI"})
    assert found.wrong == 23
    assert f"{found.average_f1.mean:.4f}" != "0.6785"
    assert dict(zip(entry["pred"], entry["printed_d"], strict=True))["Mao Mao"] == 0
    assert entry["pred"]["Mao Mao"] == entry["gt"]["Mao Mao"] == "RCOEI"


def test_what_the_published_letters_give_is_what_was_recomputed_before():
    numbers = json.loads(shared("data/published/paper_numbers.json"))["amadeus"]
    who = numbers["characters"]
    for name, expected in numbers["recomputed_from_letters"].items():
        kind, method = name.split("/")
        predicted = dict(zip(who, numbers[kind][method], strict=True))
        entry = {"kind": kind, "gt": dict(zip(who, numbers[kind]["GT"], strict=True))}
        found = compared(entry, predicted)
        printed = dict(zip(who, numbers[f"{kind}_printed_distance"][method], strict=True))
        assert found.wrong == expected["errors"]
        assert f"{found.accuracy.mean:.4f}" == f"{expected['accuracy']:.4f}"
        assert f"{found.average_f1.mean:.4f}" == f"{expected['macro_f1_mean_over_dims']:.4f}"
        assert sum(printed.values()) == expected["printed_error_sum"]
        differing = [row.character for row in found.rows if row.wrong != printed[row.character]]
        assert differing == expected["rows_where_printed_distance_differs"]


GUESSES = [
    # source, questionnaire, pairs, part of the span: acc, full, mse, mae
    ("pdb", "BFI", 98, 0.5, ".5102 .0500 .1858 .4217"),
    ("pdb", "BFI", 98, 0.75, ".4898 .0000 .2525 .4287"),
    ("pdb", "16Personalities", 75, 0.5, ".4933 .0500 .1920 .4301"),
    ("pdb", "16Personalities", 75, 0.75, ".5067 .1000 .2395 .4292"),
    ("annotation", "BFI", 85, 0.5, ".4353 .0500 .1239 .3324"),
    ("annotation", "BFI", 85, 0.75, ".5647 .1000 .1497 .3167"),
    ("annotation", "16Personalities", 73, 0.5, ".4932 .0500 .1319 .3486"),
    ("annotation", "16Personalities", 73, 0.75, ".5068 .1000 .1925 .3588"),
]


def batch_scale(questionnaire):
    return SCALES["bfi_batch" if questionnaire == "BFI" else "16p_batch"]


@pytest.mark.parametrize(("source", "questionnaire", "pairs", "part", "printed"), GUESSES)
def test_guessing_the_same_for_everyone(source, questionnaire, pairs, part, printed):
    on = batch_scale(questionnaire)
    labels = {
        (row["character"], row["dimension"]): LabelScore(row["type"], row["score"])
        for row in lines("questionnaires/labels_incharacter.jsonl")
        if (row["source"], row["questionnaire"]) == (source, questionnaire)
    }
    guess = on.low + part * on.span
    found = agreement_with_labels([dict.fromkeys(labels, guess)], labels, on)
    numbers = (found.acc_dim, found.acc_full, found.mse, found.mae)
    assert [f"{number.mean:.4f}".lstrip("0") for number in numbers] == printed.split()
    assert [number.n for number in numbers] == [pairs, 20, pairs, pairs]


def test_every_type_of_a_label_follows_from_its_score():
    rows = lines("questionnaires/labels_incharacter.jsonl")
    found = [label_type(row["score"], batch_scale(row["questionnaire"])) for row in rows]
    assert found == [row["type"] for row in rows]


def test_one_label_of_charactereval_is_typed_by_another_rule():
    rows = lines("questionnaires/labels_charactereval.jsonl")
    differing = [
        (row["dimension"], row["score"], row["type"], label_type(row["score"], SCALES["16p_batch"]))
        for row in rows
        if row["type"] != label_type(row["score"], SCALES["16p_batch"])
    ]
    assert differing == [("S/N", 44.0, "L", "X")]


def test_the_key_of_sixteen_personalities_differs_from_its_list_at_item_25():
    questionnaire = json.loads(shared("data/questionnaires/16Personalities.json"))
    keyed = {
        int(number): sign_of(item["category"], item["dimension"]) == -1
        for number, item in questionnaire["questions"].items()
    }
    assert {item for item in keyed if keyed[item] != (item in questionnaire["reverse"])} == {25}


def test_the_key_of_bfi_is_its_list():
    questionnaire = json.loads(shared("data/questionnaires/BFI.json"))
    turned = {
        int(number)
        for number, item in questionnaire["questions"].items()
        if sign_of(item["category"], item["dimension"]) == -1
    }
    assert turned == set(questionnaire["reverse"])


def assessment(name):
    return json.loads(shared(f"data/interviews/{name}"))


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_recorded_batches_are_ours(dimension):
    questions = json.loads(shared("data/questionnaires/16Personalities.json"))["questions"]
    asked = [number for number, item in questions.items() if item["dimension"] == dimension]
    recorded = assessment("incharacter_hutao_16p_assessment.json")[dimension]["details"]
    assert batches(asked) == [batch["id"] for batch in recorded]


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_recorded_scores_are_means_of_their_batches(dimension):
    recorded = assessment("incharacter_hutao_16p_assessment.json")[dimension]
    results = [batch["score"] for batch in recorded["details"]]
    score = batched_score(MBTI, dimension, results).score
    assert score == pytest.approx(recorded["score"], abs=1e-12)
    assert statistics.pstdev(results) == pytest.approx(recorded["intra_std"], abs=1e-12)


def letters(scores, tie="second"):
    return "".join(MBTI.letter(name, scores[name], tie) or "-" for name in DIMENSIONS)


def test_no_recorded_code_rests_on_a_tie_and_recorded_batches_on_one_are_read_either_way():
    for name, code in (
        ("incharacter_hutao_16p_final.json", "ENFP"),
        ("chatharuhi_hutao_mbti_assessment.json", "ISFP"),
    ):
        scores = {
            dimension: each["score"][dimension[0]] if "result" in each else each["score"]
            for dimension, each in assessment(name).items()
            if dimension in DIMENSIONS
        }
        assert letters(scores, "first") == letters(scores, "second") == code
    recorded = assessment("incharacter_hutao_16p_final.json")["T/F"]["details"][0]
    tied = [batch["score"] for batch in recorded if batch["score"] == 50]
    assert len(tied) == 2
    assert batched_score(MBTI, "T/F", tied, "first").letter == "T"
    assert batched_score(MBTI, "T/F", tied, "second").letter == "F"


def test_the_recorded_code_has_the_first_letter_above_fifty():
    final = assessment("incharacter_hutao_16p_final.json")
    scores = {name: final[name]["score"] for name in DIMENSIONS}
    assert letters(scores) == final["code"] == "ENFP"
    for name in DIMENSIONS:
        details = [[batch["score"] for batch in each] for each in final[name]["details"]]
        batched = [batched_score(MBTI, name, each).score for each in details]
        assert batched == pytest.approx([scores[name]])


def test_the_older_recording_has_the_same_batches_and_means_and_another_deviation():
    recorded = assessment("chatharuhi_hutao_bigfive_assessment.json")
    for dimension, own in recorded.items():
        asked = sorted(r["id"] for b in own["batch_results"] for r in b["batch_responses"])
        ids = [[each["id"] for each in batch["batch_responses"]] for batch in own["batch_results"]]
        assert batches(asked) == ids, dimension
        results = [batch["result"] for batch in own["batch_results"]]
        found = batched_score(SLOAN, SLOAN.dimensions[0].name, results)
        assert found.score == pytest.approx(own["score"], abs=1e-12)
        # ChatHaruhi's is that of a sample (n - 1), InCharacter's that of the population.
        assert statistics.stdev(results) == pytest.approx(own["standard_variance"], abs=1e-12)


def test_the_older_recording_of_types_has_the_first_letter_above_fifty():
    recorded = assessment("chatharuhi_hutao_mbti_assessment.json")
    scores = {name: own["score"][name[0]] for name, own in recorded.items()}
    assert letters(scores) == "".join(own["result"] for own in recorded.values()) == "ISFP"
    assert {sum(own["score"].values()) for own in recorded.values()} == {100}
