"""Questions in other languages: their question words and common nouns are nobody."""

import pytest

from offbook.rules.question_names import names_in_question


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Wer ist Josef?", ["Josef"]),
        ("Wie heißt deine Schwester?", []),
        ("Kennst du Napoleon?", ["Napoleon"]),
        ("Wo wohnst du?", []),
        ("Qui est Henri ?", ["Henri"]),
        ("Où habites-tu ?", []),
        ("¿Quién es Lola?", ["Lola"]),
        ("Chi è Paolo?", ["Paolo"]),
        ("Кто такой Николай Орлов?", ["Николай Орлов"]),
        ("Где ты живёшь?", []),
        ("Расскажи о Николае Орлове.", ["Николае Орлове"]),
        ("Who is Josef?", ["Josef"]),
        ("who is josef kramer", ["josef kramer"]),
    ],
)
def test_a_question_word_names_nobody(question, names):
    assert [named.name for named in names_in_question(question, lambda word: True)] == names
