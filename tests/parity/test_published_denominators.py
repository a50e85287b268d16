"""Out of how many the papers' numbers are: what their printed digits allow, and what they do not.

A mean of n whole ratings is a whole number divided by n, which three or four printed digits show.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.parity import published
from tests.parity.published import rows, sums_behind

PUBLISHED = Path(__file__).resolve().parents[3] / "shared/data/published/paper_numbers.json"


def column(table, place):
    return [row[place] for row in rows(table)]


def none_of(cells, n):
    return [cell for cell in cells if not sums_behind(cell, n)]


def test_a_printed_mean_tells_what_it_may_come_from():
    assert sums_behind("0.6242", 157) == [98]
    assert sums_behind("0.6242", 156) == []
    assert sums_behind("7.685", 70) == [538]  # 7.6857, cut off
    assert sums_behind("7.686", 70) == [538]  # and rounded


# Emotional RAG


@pytest.mark.parametrize(
    ("dataset", "pairs", "right", "characters"),
    [
        ("InCharacter BFI", 157, [98, 100, 107, 114, 110, 110], 32),
        ("InCharacter MBTI", 121, [81, 81, 90, 96, 95, 95], 32),
        ("CharacterEval MBTI", 124, [64, 73, 74, 77, 73, 72], 31),
        ("Character-LLM MBTI", 36, [20, 25, 24, 25, 25, 25], 9),
    ],
)
def test_every_accuracy_of_emotional_rag_is_a_count(dataset, pairs, right, characters):
    table = published.EMOTIONAL[dataset]
    dims, fulls = column(table, 0), column(table, 1)
    assert [f"{count / pairs:.4f}" for count in right] == dims
    counts = [round(float(full) * characters) for full in fulls]
    assert [f"{count / characters:.4f}" for count in counts] == fulls


@pytest.mark.parametrize("dataset", published.EMOTIONAL)
def test_errors_of_emotional_rag_agree_with_one_another(dataset):
    # A mean of squares is at least the square of the mean; of parts of 1 it is at most the mean.
    for row in rows(published.EMOTIONAL[dataset]):
        mse, mae = float(row[2]), float(row[3])
        assert mae**2 <= mse <= mae


def test_the_tables_here_are_those_that_were_transcribed_before():
    if not PUBLISHED.exists():
        pytest.skip("no data/published beside the repository")
    numbers = json.loads(PUBLISHED.read_text("utf-8"))["emotional_rag"]
    for table, names in (
        ("table2", ("InCharacter BFI", "InCharacter MBTI")),
        ("table3", ("CharacterEval MBTI", "Character-LLM MBTI")),
    ):
        ours = [rows(published.EMOTIONAL[name]) for name in names]
        joined = [[float(cell) for cell in left + right] for left, right in zip(*ours, strict=True)]
        assert joined == list(numbers[table].values())


# AMADEUS


def test_every_cell_of_acc_is_out_of_450():
    cells = published.ACC.split()
    assert [f"{round(float(cell) * 4.5) / 4.5:.2f}" for cell in cells] == cells


@pytest.mark.parametrize(
    ("accuracies", "letters"), [(published.MBTI_ACCURACY, 60), (published.SLOAN_ACCURACY, 75)]
)
def test_printed_accuracies_follow_from_the_printed_sums(accuracies, letters):
    for wrong, printed in accuracies.items():
        assert f"{100 * (1 - wrong / letters):.2f}" == printed


def test_no_count_of_60_letters_gives_68_35():
    # 003, table 3, CRAG; 002 has 68.33.
    assert "68.35" not in {f"{100 * count / 60:.2f}" for count in range(61)}


def test_failures_of_guided_selection_are_out_of_all_questions():
    found = {n: round(float(cell) * n / 100) for n, cell in published.GS_FAILURE.items()}
    assert found == {450: 113, 900: 138}
    assert {n: f"{100 * count / n:.2f}" for n, count in found.items()} == published.GS_FAILURE


def test_one_mean_of_the_human_study_has_two_digits_only():
    unlike = []
    for raters, (bfi, mbti) in published.HUMAN_STUDY.items():
        for mean, median in (bfi, mbti):
            # With an even number of raters a median may end in one half.
            assert sums_behind(median, 60)
            if not sums_behind(mean, 30 * raters):
                unlike.append((raters, mean))
    assert unlike == [(14, "3.970")]
    assert sums_behind("3.97", 30 * 14)


# RoleRAG


def test_harry_potter_is_rated_on_140_questions_but_for_one_cell():
    assert none_of(column(published.ROLERAG_MAIN, 0), 140) == []
    assert none_of(column(published.ROLERAG_MAIN, 1), 140) == ["2.352"]


def test_unknown_question_rejection_is_averaged_over_all_questions():
    # 117 and 45 questions are out of scope (table 6); 357 and 859 are all.
    rolebench = column(published.ROLERAG_MAIN, 4)
    assert none_of(rolebench, 357) == ["0.600"]
    assert len(none_of(rolebench, 117)) > 12
    # Character-LLM: averages of two judgements, as a note to table 1 says.
    character_llm = column(published.ROLERAG_MAIN, 7)
    assert len(none_of(character_llm, 2 * 45)) > 12


@pytest.mark.parametrize("place", [2, 3])
def test_rolebench_is_rated_on_357_questions(place):
    assert none_of(column(published.ROLERAG_MAIN, place), 357) == []
    assert len(none_of(column(published.ROLERAG_MAIN, place), 240)) > 6


def test_cells_of_the_specific_questions_that_no_70_ratings_give():
    assert none_of(published.ROLERAG_GENERAL.split(), 70) == []
    assert none_of(published.ROLERAG_SPECIFIC.split(), 70) == [
        "6.587",
        "3.058",
        "3.070",
        "7.425",
        "7.902",
        "7.213",
    ]


def test_where_the_main_table_is_not_the_mean_of_general_and_specific_questions():
    main = rows(published.ROLERAG_MAIN)
    names = ("KE vanilla", "KE RoleRAG", "KH vanilla", "KH RoleRAG")
    differing = {}
    for place, model in enumerate(published.ROLERAG_MODELS):
        vanilla, rolerag = main[4 * place], main[4 * place + 3]
        whole = (vanilla[0], rolerag[0], vanilla[1], rolerag[1])
        halves = zip(
            rows(published.ROLERAG_GENERAL)[place],
            rows(published.ROLERAG_SPECIFIC)[place],
            strict=True,
        )
        for name, printed, (general, specific) in zip(names, whole, halves, strict=True):
            mean = (float(general) + float(specific)) / 2
            if abs(mean - float(printed)) > 0.0021:
                differing[model, name] = (printed, f"{mean:.3f}")
    assert differing == {
        ("Mistral-Small", "KE vanilla"): ("7.457", "7.037"),
        ("Mistral-Small", "KH vanilla"): ("2.229", "2.029"),
        ("Llama3.1", "KE vanilla"): ("7.579", "7.278"),
        ("Llama3.1", "KH RoleRAG"): ("2.352", "2.342"),
        ("Qwen2.5", "KE vanilla"): ("7.614", "7.519"),
        ("Qwen2.5", "KE RoleRAG"): ("7.986", "8.030"),
        ("Llama3.3", "KE vanilla"): ("7.414", "7.313"),
        ("GPT-4o-mini", "KE vanilla"): ("7.643", "7.492"),
    }
    # In two of these rows table 1 repeats the number of table 2.
    of_general = dict(
        zip(published.ROLERAG_MODELS, column(published.ROLERAG_GENERAL, 0), strict=True)
    )
    repeated = [model for (model, _), (cell, _) in differing.items() if cell == of_general[model]]
    assert repeated == ["Qwen2.5", "Llama3.3"]
