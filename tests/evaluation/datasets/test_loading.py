"""Datasets by name: options."""

import pytest

from offbook.errors import UsageError
from offbook.evaluation.datasets.loading import load_dataset


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("file", {"colour": "red"}, "no option 'colour'"),
        ("mbti-60", {"language": "fr"}, "language is 'fr'"),
        ("demo", {"questions": "none"}, "questions is 'none'"),
    ],
)
def test_an_option_that_there_is_not_names_those_there_are(name, options, said):
    with pytest.raises(UsageError, match=said) as caught:
        load_dataset(name, options=options)
    assert "known: " in caught.value.hint
