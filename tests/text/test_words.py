"""Search terms: what counts as the same word, in any script."""

from __future__ import annotations

import random
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from offbook.text import words as words_module
from offbook.text.words import ENGLISH, fold, search_terms, search_words, word_term, words
from tests.tables import cases
from tests.waiting import work_is_linear


@pytest.mark.parametrize(("text", "folded"), cases(__file__, "fold makes equal what a reader"))
def test_fold_makes_equal_what_a_reader_takes_for_equal(text, folded):
    assert fold(text) == folded


@pytest.mark.parametrize("text", ["हिन्दी", "が", "각"])
def test_fold_keeps_marks_that_tell_words_apart(text):
    assert fold(text) == text


@given(st.text())
@example("\u1f91\u1cd1")
def test_fold_is_idempotent_and_sees_no_difference_between_normal_forms(text):
    once = fold(text)
    assert fold(once) == once
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@given(st.text(st.sampled_from("abz09'’‘—–“”…_.éßø«»¿♭♯¹ 中た\u2009\u203f\u00ad")))
def test_a_text_of_plain_letters_between_signs_of_print_reads_as_any_other(text):
    printed = f"{text} — "
    runs = words_module._RUN.finditer(fold(printed))
    assert words(printed) == [run.group() for run in runs]
    assert search_words(printed) == list(words_module._reduced_runs(fold(printed)))


def test_words_keep_order_and_stop_words():
    assert words("Who taught you, Edmond?") == ["who", "taught", "you", "edmond"]
    assert words("Ты — 你好 Dantès") == ["ты", "你好", "dantes"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Beethoven's teacher", ["beethoven", "teacher"]),
        ("Dantès’s father", ["dant", "father"]),
        ("don't you think it's theirs?", []),
        ("I'd ask what they've done", ["ask"]),
        ("D'Artagnan in the Château d'If", ["artagnan", "chateau", "dif"]),
        ("O'Brien", ["obrien"]),
        ("compose composed composing", ["compos"] * 3),
        ("in 1796", ["1796"]),
        ("a b c", []),
        ("", []),
        ("?!… — ", []),
        ("Please tell me: what do you think about your mother?", ["mother"]),
        # Scripts are separated within a run, and Indic words not torn at their vowel signs.
        ("我爱Beethoven的音乐2024年", ["爱", "beethoven", "音乐", "2024", "年"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
    ],
)
def test_terms(text, terms):
    assert search_terms(text) == terms


@pytest.mark.parametrize(("text", "terms"), cases(__file__, "scripts without blanks are cut"))
def test_scripts_without_blanks_are_cut_into_pairs(text, terms):
    assert search_terms(text) == terms


def test_search_words_names_the_word_behind_each_term():
    assert search_words("Beethoven's symphonies") == [
        ("beethoven", "beethoven"),
        ("symphonies", "symphoni"),
    ]


@pytest.mark.parametrize("word", ["what", "your", "the", "don't", "x", "'", ""])
def test_word_term_is_empty_for_words_without_a_subject(word):
    assert word_term(word) == ""


def test_stop_words_are_folded_words_without_apostrophes():
    assert all(fold(word) == word and word.isalpha() for word in ENGLISH)


@pytest.mark.parametrize("word", ["hell", "shell", "ill", "shed", "wed", "will power", "may day"])
def test_no_stop_word_hides_a_noun_that_a_contraction_spells(word):
    assert search_terms(word.split()[-1])


@given(st.text())
@example("\u1f91\u1cd1")
def test_terms_do_not_depend_on_case_or_normal_form(text):
    assert search_terms(text) == search_terms(unicodedata.normalize("NFD", text))
    assert search_terms(fold(text)) == search_terms(text)


@given(st.text(), st.text())
@example("\x80", "0`0")
@example("é", "5'10")
def test_terms_of_separate_lines_are_the_terms_of_each(one, other):
    assert search_terms(f"{one}\n{other}") == search_terms(one) + search_terms(other)


@given(st.text())
def test_no_term_is_empty(text):
    assert all(search_terms(text))


@pytest.mark.long
@pytest.mark.parametrize("unit", ["a'", "'s'", "word ", "的", "가", "x\u0301", "d'", "貝a"])
def test_time_grows_with_the_length_only(unit):
    assert work_is_linear(lambda size: search_terms(unit * (size // len(unit))), 20_000)


def test_threads_do_not_disturb_one_another():
    roots = ("relation", "vital", "hope", "general", "sensib", "operat", "revival", "formal")
    ends = ("", "s", "ize", "ational", "fulness", "ousness", "iveness", "ically", "ements")
    found = [f"{root}{end}{chr(97 + n)}ed" for root in roots for end in ends for n in range(26)]
    expected = {word: word_term(word) for word in found}
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        words_module._reduced.cache_clear()
        orders = [random.Random(seed).sample(found, len(found)) for seed in range(4)]
        with ThreadPoolExecutor(len(orders)) as pool:
            told = list(pool.map(lambda order: [(w, word_term(w)) for w in order], orders))
    finally:
        sys.setswitchinterval(before)
    assert all(dict(pairs) == expected for pairs in told)
