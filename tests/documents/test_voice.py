"""Speech samples of persona documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.documents.voice import speech_samples
from tests.waiting import work_is_linear

DOCUMENT = """# Nora Vey
Nora said "never mind" once.

## Voice
She speaks slowly.

- "Time is only a spring, wound tight."
- “Mind the glass.”
- Clocks first, people later.

### At work
- "Mind the glass."
- "Hand me the file."

## Life
- "This is not a sample."
"""


def texts(document: str, limit: int = 20) -> list[str]:
    return [sample.text for sample in speech_samples(document, limit)]


def test_quotations_and_bullets_of_a_section_for_speech_are_samples():
    assert texts(DOCUMENT) == [
        "Time is only a spring, wound tight.",
        "Mind the glass.",
        "Clocks first, people later.",
        "Hand me the file.",
    ]


def test_the_limit_is_kept():
    assert len(speech_samples(DOCUMENT, 2)) == 2
    assert speech_samples(DOCUMENT, 0) == ()


def test_a_document_without_such_a_section_has_none():
    assert texts('# Nora\n\n## Life\n\n- "Never mind."\n') == []


@pytest.mark.parametrize("heading", ["## Quotes about Nora", "## Battle lines", "## Lifelines"])
def test_what_others_say_of_the_character_is_no_sample(heading):
    assert texts(f"{heading}\n- “She is mad.”\n") == []


@pytest.mark.parametrize(
    "heading",
    [
        "## Speech",
        "# Sayings and quotes",
        "## Example dialogue",
        "### Catchphrases",
        "**Voice:**",
        "## 语录",
        "## 口头禅",
        "## 말투",
        "## セリフ",
        "## Voice ##",
    ],
)
def test_headings_in_several_languages_promise_speech(heading):
    assert texts(f"{heading}\n- “Well then.”\n") == ["Well then."]


def test_of_an_example_dialogue_only_the_character_s_lines_are_taken():
    document = (
        "## Example dialogue\n{{user}}: Hello.\n{{char}}: The shop is shut.\nNora: Come in.\n"
    )
    assert texts(document) == ["The shop is shut.", "Come in."]


def test_prose_of_the_section_without_quotation_marks_is_no_sample():
    assert texts("## Voice\nHer voice is low and she hardly moves her lips.\n") == []


@given(st.text(alphabet='ab#-*“”" \n:', max_size=200))
def test_offsets_point_at_the_sample(text):
    document = f"## Voice\n{text}"
    for sample in speech_samples(document, 50):
        assert document[sample.start : sample.end] == sample.text


@pytest.mark.parametrize("unit", ['- "', "# voice ", "**a", "“", " ", "x: ", "## Voice\n- a\n"])
def test_time_grows_with_the_length_only(unit):
    def sample(size: int) -> None:
        speech_samples("## Voice\n" + unit * (size // len(unit)), 10**9)

    assert work_is_linear(sample, 20_000)
