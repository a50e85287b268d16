"""Speech samples of persona documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.documents.sections import speech_samples
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
    return speech_samples(document, limit)


def test_quotations_and_bullets_of_a_section_for_speech_are_samples():
    assert texts(DOCUMENT) == [
        "Time is only a spring, wound tight.",
        "Mind the glass.",
        "Clocks first, people later.",
        "Hand me the file.",
    ]
    assert len(speech_samples(DOCUMENT, 2)) == 2
    assert speech_samples(DOCUMENT, 0) == []


HEADINGS = {
    "Well then.": (
        *("## Speech", "# Sayings and quotes", "## Example dialogue", "### Catchphrases"),
        *("**Voice:**", "## 语录", "## 口头禅", "## 말투", "## セリフ", "## Voice ##"),
    ),
    "": ("## Life", "## Quotes about Nora", "## Battle lines", "## Lifelines"),
}


@pytest.mark.parametrize(
    ("heading", "sample"), [(each, said) for said, some in HEADINGS.items() for each in some]
)
def test_some_headings_promise_speech_of_the_character(heading: str, sample: str):
    assert texts(f"{heading}\n- “Well then.”\n") == [sample] * bool(sample)


def test_prose_and_the_lines_of_others_are_no_samples():
    document = "## Dialogue\n{{user}}: Hello.\n{{char}}: The shop is shut.\nNora: Come in.\n"
    assert texts(document) == ["The shop is shut.", "Come in."]
    assert texts("## Voice\nHer voice is low and she hardly moves her lips.\n") == []


@given(st.text(alphabet='ab#-*“”" \n:', max_size=200))
def test_a_sample_stands_in_the_text_as_it_is(text):
    samples = speech_samples(f"## Voice\n{text}", 50)
    assert all(sample in text for sample in samples)
    assert len(samples) == len(set(samples))


@pytest.mark.long
@pytest.mark.parametrize("unit", ['- "', "# voice ", "**a", "“", " ", "x: ", "## Voice\n- a\n"])
def test_time_grows_with_the_length_only(unit):
    def sample(size: int) -> None:
        speech_samples("## Voice\n" + unit * (size // len(unit)), 10**9)

    assert work_is_linear(sample, 20_000)
