"""Third person turned into first: tables of sentences, and laws over any text."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from offbook.language.clauses import quoted_spans
from offbook.language.first_person import FirstPerson
from offbook.language.grammar import word_set
from offbook.language.names import learn_names
from offbook.language.sentences import sentences
from tests.waiting import work_is_linear

HIM = FirstPerson(
    learn_names("Beethoven", ["Ludwig van Beethoven"], ["Beethoven was deaf. He was born in Bonn."])
)
HER = FirstPerson(learn_names("Nora Vey", [], ["Nora Vey repairs clocks. She lives in Hull."]))

ABOUT_HIM = [
    ("Beethoven was born in Bonn.", "I was born in Bonn."),
    ("He was born in Bonn and moves to Vienna.", "I was born in Bonn and move to Vienna."),
    ("Beethoven is a composer and has a brother.", "I am a composer and have a brother."),
    ("Beethoven, a German composer, was famous.", "I, a German composer, was famous."),
    ("Beethoven, a German composer, is famous.", "I, a German composer, am famous."),
    ("Beethoven (born in 1770) is a composer.", "I (born in 1770) am a composer."),
    (
        "Beethoven, who was born in Bonn, moves to Vienna.",
        "I, who was born in Bonn, move to Vienna.",
    ),
    ("Beethoven, who lives in Vienna, is deaf.", "I, who live in Vienna, am deaf."),
    ("Beethoven and Haydn met in Bonn.", "Haydn and I met in Bonn."),
    ("Haydn and Beethoven met in Bonn.", "Haydn and I met in Bonn."),
    ("Beethoven and his brother were friends.", "My brother and I were friends."),
    ("He and his brother were friends.", "My brother and I were friends."),
    ("Beethoven was taught by his father.", "I was taught by my father."),
    ("Beethoven's father was a singer.", "My father was a singer."),
    ("His father, Johann, taught him the piano.", "My father, Johann, taught me the piano."),
    ("The Beethoven Society met in London.", "The Beethoven Society met in London."),
    ("Archduke Rudolf admired Beethoven.", "Archduke Rudolf admired me."),
    ("The letters of Beethoven were found.", "My letters were found."),
    ("A friend of Beethoven's came to dinner.", "A friend of mine came to dinner."),
    ("Haydn taught Beethoven in Vienna.", "Haydn taught me in Vienna."),
    ("Neefe taught Beethoven composition.", "Neefe taught me composition."),
    ("Beethoven himself agreed.", "I myself agreed."),
    ("Beethoven saw himself as a poet.", "I saw myself as a poet."),
    ("When Beethoven plays, he closes his eyes.", "When I play, I close my eyes."),
    ("As Beethoven says, music is a revelation.", "As I say, music is a revelation."),
    ("The first work Beethoven wrote was lost.", "The first work I wrote was lost."),
    ("Nor does he trust princes.", "Nor do I trust princes."),
    ("Never has Beethoven bowed.", "Never have I bowed."),
    ("Beethoven doesn't dance.", "I don't dance."),
    ("He isn't afraid.", "I am not afraid."),
    ("He's a composer.", "I'm a composer."),
    ("He's been ill.", "I've been ill."),
    ("He'll come tomorrow.", "I'll come tomorrow."),
    (
        "Beethoven rarely visits friends, never dances and often loses his temper.",
        "I rarely visit friends, never dance and often lose my temper.",
    ),
    ("Beethoven studies, carries water and goes home.", "I study, carry water and go home."),
    ("He writes symphonies and concertos.", "I write symphonies and concertos."),
    ("He loves poems and plays.", "I love poems and plays."),
    (
        'Beethoven said, "Beethoven is great, and he knows it."',
        'I said, "Beethoven is great, and he knows it."',
    ),
    ("Beethoven called it “his Beethoven style”.", "I called it “his Beethoven style”."),
    (
        "He dedicated *Fidelio for Beethoven* to nobody.",
        "I dedicated *Fidelio for Beethoven* to nobody.",
    ),
    ("Ludwig van Beethoven was a pianist.", "I was a pianist."),
    ("Johann van Beethoven was a singer.", "Johann van Beethoven was a singer."),
    ("Mozart was born in Salzburg.", "Mozart was born in Salzburg."),
    ("After Beethoven left, the town was quiet.", "After I left, the town was quiet."),
    ("Music was dear to Beethoven.", "Music was dear to me."),
    ("The portrait of Beethoven hangs in Bonn.", "My portrait hangs in Bonn."),
    ("People believed that Beethoven was dead.", "People believed that I was dead."),
    ("Beethoven gave the score to his friend Franz.", "I gave the score to my friend Franz."),
    ("The young Beethoven was poor.", "I was poor."),
    ("The Emperor Concerto is by Beethoven.", "The Emperor Concerto is by me."),
    ("To Beethoven, freedom is sacred.", "To me, freedom is sacred."),
    ("Was Beethoven deaf?", "Was I deaf?"),
    ("He has a house, a dog and a piano.", "I have a house, a dog and a piano."),
    ("A prodigy, Beethoven performed at seven.", "A prodigy, I performed at seven."),
    ("In Vienna he lives alone and works at night.", "In Vienna I live alone and work at night."),
    ("His own hearing failed.", "My own hearing failed."),
    ("His only opera is Fidelio.", "My only opera is Fidelio."),
    ("The choice was his.", "The choice was mine."),
    ("Haydn praised Mozart and his wife.", "Haydn praised Mozart and his wife."),
    ("Beethoven scholars disagree.", "Beethoven scholars disagree."),
    ("A man called Beethoven lived here.", "A man called Beethoven lived here."),
    (
        "Beethoven has never married and does not regret it.",
        "I have never married and do not regret it.",
    ),
    ("Beethoven, however, was ill.", "I, however, was ill."),
    (
        "Josephine loved Beethoven, but she married a count.",
        "Josephine loved me, but she married a count.",
    ),
]

ABOUT_HIM += [
    (
        "Beethoven heard of Napoleon declaring himself Emperor.",
        "I heard of Napoleon declaring himself Emperor.",
    ),
    ("Of the children only Beethoven survived.", "Of the children only I survived."),
    (
        "There was a quarrel between Haydn and Beethoven in May.",
        "There was a quarrel between Haydn and me in May.",
    ),
    (
        "Beethoven is moved by the cruelty that men suffer, and helps the poor.",
        "I am moved by the cruelty that men suffer, and help the poor.",
    ),
    ("He made a vow to Our Lady in Bonn.", "I made a vow to Our Lady in Bonn."),
    ("Johann was the father of Beethoven and sang.", "Johann was my father and sang."),
    ("They mourned the reign of Beethoven and Haydn.", "They mourned the reign of me and Haydn."),
    ("All of Beethoven's known writings are lost.", "All of my known writings are lost."),
    (
        "It marred the lives of both Beethoven and Haydn.",
        "It marred the lives of both me and Haydn.",
    ),
    ("He grows pale when anger takes him.", "I grow pale when anger takes me."),
    (
        "He was known, and crowds came to watch him at play.",
        "I was known, and crowds came to watch me at play.",
    ),
    ("The early death of Beethoven shocked them.", "My early death shocked them."),
    ("The farewell letter of Beethoven says little.", "My farewell letter says little."),
    ("They promised to make Beethoven captain.", "They promised to make me captain."),
    (
        "Haydn and Beethoven spent much of their time apart and lost their way.",
        "Haydn and I spent much of our time apart and lost our way.",
    ),
    ("They placed Beethoven himself above Haydn.", "They placed me above Haydn."),
    (
        "He sends the crew to their bunks and steers alone.",
        "I send the crew to their bunks and steer alone.",
    ),
    (
        "Beethoven holds that a word, once given, binds any man.",
        "I hold that a word, once given, binds any man.",
    ),
]

ABOUT_HER = [
    ("Nora Vey repairs clocks.", "I repair clocks."),
    ("Her mother gave her a watch.", "My mother gave me a watch."),
    ("Nora helped her sister.", "I helped my sister."),
    ("The baker loves her.", "The baker loves me."),
    ("The clock is hers.", "The clock is mine."),
    ("She taught herself Latin.", "I taught myself Latin."),
    ("Nora's shop is small, and she keeps it clean.", "My shop is small, and I keep it clean."),
    ("The baker waited for Nora and her sister.", "The baker waited for me and my sister."),
    ("Tom wanted to keep her alive.", "Tom wanted to keep me alive."),
    ("Tom gave her bread, and she thanked him.", "Tom gave me bread, and I thanked him."),
    ("Miss Vey never sleeps before midnight.", "I never sleep before midnight."),
    ("Nora and Tom are friends.", "Tom and I are friends."),
    (
        "Nora catches thieves, fixes watches and pushes carts.",
        "I catch thieves, fix watches and push carts.",
    ),
]


@pytest.mark.parametrize(("told", "said"), ABOUT_HIM)
def test_what_is_told_of_a_man_is_said_by_him(told, said):
    assert HIM.sentence(told).text == said


DONE_TO_HER = [
    (
        "Old Captain Reed taught Nora to read the stars when she was twelve.",
        "Old Captain Reed taught me to read the stars when I was twelve.",
    ),
    (
        "Mrs Pell lent Nora Vey books before she turned 9.",
        "Mrs Pell lent me books before I turned 9.",
    ),
    (
        "Old Marsh found Nora on the quay when she was still a child.",
        "Old Marsh found me on the quay when I was still a child.",
    ),
    (
        "The doctor told Nora that she would never walk again.",
        "The doctor told me that I would never walk again.",
    ),
    (
        "Mrs Pell warned Nora Vey she would fall.",
        "Mrs Pell warned me I would fall.",
    ),
    # What somebody else does, feels or is.
    (
        "Mrs Pell told Nora that she had sold the shop.",
        "Mrs Pell told me that she had sold the shop.",
    ),
    (
        "Mrs Pell lent Nora books when she was in a good mood.",
        "Mrs Pell lent me books when she was in a good mood.",
    ),
    ("Nora's sister Ann died when she was twelve.", "My sister Ann died when she was twelve."),
    ("Mrs Pell learned to sail when she was twelve.",) * 2,
]


@pytest.mark.parametrize(("told", "said"), DONE_TO_HER)
def test_to_whom_something_is_done_may_be_whom_the_next_clause_is_about(told, said):
    assert HER.sentence(told).text == said


@pytest.mark.parametrize(("told", "said"), ABOUT_HER)
def test_what_is_told_of_a_woman_is_said_by_her(told, said):
    assert HER.sentence(told).text == said


@pytest.mark.parametrize(
    ("told", "said"),
    [(told, said) for told, said in ABOUT_HIM + ABOUT_HER if told == said],
)
def test_sentences_about_others_are_not_said_to_be_about_the_character(told, said):
    assert not HIM.sentence(told).about or "called" in told


def passage(speaker: FirstPerson, text: str) -> list[str]:
    return [told.text for told in speaker.passage(text, sentences(text))]


def test_pronouns_go_on_meaning_the_character_over_sentences():
    assert passage(HIM, "Beethoven was born in Bonn. His talent showed early. He left at 21.") == [
        "I was born in Bonn.",
        "My talent showed early.",
        "I left at 21.",
    ]


def test_a_pronoun_that_means_another_man_is_left_alone():
    told = HIM.passage(
        text := "Haydn came to Bonn. He was old. Beethoven played for him.", sentences(text)
    )
    assert [one.text for one in told][1:] == ["He was old.", "I played for him."]
    assert [one.about for one in told] == [False, False, True]


def test_a_doubtful_pronoun_makes_the_sentence_doubtful():
    told = HIM.sentence("Haydn met Beethoven when he was in Bonn.")
    assert told.certainty < 0.75


def test_a_relative_of_the_same_name_is_not_the_character():
    text = "Beethoven was the grandson of Ludwig van Beethoven, a singer. Ludwig had two sons."
    assert passage(HIM, text) == [
        "I was the grandson of Ludwig van Beethoven, a singer.",
        "Ludwig had two sons.",
    ]


def test_a_text_in_the_first_person_is_left_alone():
    text = "I was born in Hull. Nora Vey is my name, and she who taught me is dead."
    assert passage(HER, text) == [text[a:b] for a, b in sentences(text)]


def test_a_text_that_speaks_to_the_character_is_turned():
    text = "You are Nora Vey. Your father hates you. You were born in Hull, and I know you not."
    assert passage(HER, text)[:2] == ["I am Nora Vey.", "My father hates me."]


def test_a_sentence_that_leans_on_the_one_before_is_marked():
    told = HIM.passage(text := "Fidelio is an opera. It failed.", sentences(text))
    assert [one.dangling for one in told] == [False, True]


def test_a_pronoun_without_anybody_before_it_leans_on_an_earlier_sentence():
    text = "When Haydn came, he was old. Beethoven met him in Vienna."
    told = HIM.passage(text, sentences(text))
    assert [one.dangling for one in told] == [False, True]


def test_a_sentence_whose_she_may_be_the_character_is_doubtful_without_a_gender():
    speaker = FirstPerson(learn_names("Vex", [], ["Vex was here."]))
    assert speaker.sentence("Although she was ill, Vex sang.").certainty < 0.75
    assert speaker.sentence("Vex sang.").certainty == 1


def test_an_alias_beside_the_name_stays_a_name():
    names = learn_names(
        "Edmond Dantès",
        ["Edmond Dantès, Count of Monte Cristo"],
        ["Edmond Dantès was a sailor. He called himself Lord Wilmore."],
    )
    speaker = FirstPerson(names)
    assert (
        speaker.sentence("Lord Wilmore detests the Count of Monte Cristo.").text
        == "I detest the Count of Monte Cristo."
    )
    assert speaker.sentence("The Count eats little.").text == "I eat little."
    assert speaker.sentence("A count eats little.").text == "A count eats little."


def test_a_name_that_is_a_common_noun_is_told_from_the_noun():
    text = "Rose was a gardener. A rose grew by her door. Rose petals fell. Rose loved it."
    speaker = FirstPerson(learn_names("Rose", [], [text]))
    assert passage(speaker, text) == [
        "I was a gardener.",
        "A rose grew by my door.",
        "Rose petals fell.",
        "I loved it.",
    ]


WORDS = st.sampled_from(
    sorted(
        word_set(
            "Beethoven Haydn Ludwig he his him himself she her and or but , . ; ( ) is was has"
            " goes plays taught the a of to with who which when Vienna brother father music never"
            " 's \" “ ” * _ I you Nora Vey symphony in 1770 does not"
        )
    )
)
TEXTS = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
I_BEHIND_A_NAME = re.compile(r"\b[A-Z]\w* I\b")
"""As a king's numeral stands ("Charles I"): it does not tell that a text was turned before."""


@given(TEXTS)
def test_turning_twice_is_turning_once(text):
    once = HIM.passage(text, [(0, len(text))])[0].text
    assume(not I_BEHIND_A_NAME.search(once))
    assert HIM.passage(once, [(0, len(once))])[0].text == once


@given(TEXTS)
def test_quotations_are_kept_word_for_word(text):
    turned = HIM.sentence(text).text
    kept = [text[a:b] for a, b in quoted_spans(text) if text[a] in '"“']
    for quotation in kept:
        assert quotation in turned


@given(TEXTS)
def test_a_sentence_that_is_not_about_the_character_is_not_changed(text):
    told = HIM.sentence(text)
    assert told.about or told.text == text


@given(st.text(max_size=200))
def test_any_text_is_turned_without_failing(text):
    told = HER.passage(text, sentences(text))
    assert [(one.start, one.end) for one in told] == sentences(text)


@pytest.mark.parametrize(
    "unit", ["he ", "( ", "Beethoven and ", "who , ", "he is and ", "his ", "Haydn , "]
)
def test_time_grows_with_the_length_only(unit):
    def turn(size: int) -> None:
        HIM.sentence("Beethoven " + unit * (size // len(unit)))

    assert work_is_linear(turn, 2_000)
