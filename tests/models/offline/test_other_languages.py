"""Questions in other languages: their question words and common nouns are nobody."""

import pytest

from offbook.rules.question_names import names_in_question
from tests.tables import cases


@pytest.mark.parametrize(("question", "names"), cases(__file__, "a question word names nobody"))
def test_a_question_word_names_nobody(question, names):
    assert [named.name for named in names_in_question(question, lambda word: True)] == names
