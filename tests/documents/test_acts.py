from __future__ import annotations

import itertools
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.documents.acts import ACTSSplitter, ATSSplitter, paragraphs
from offbook.documents.sections import bodies, sections
from offbook.documents.windows import ruler
from offbook.errors import ConfigurationError
from tests.documents.texts import (
    assert_covers,
    assert_exact,
    assert_within_sections,
    document,
    messy_texts,
)

PERSONA = """# Ada

Born in London. Died there.

## Work

She wrote notes. They were longer than the text.
They held a program.

### Legacy
"""

settings = st.fixed_dictionaries(
    {
        "alpha": st.sampled_from([1.1, 2.0, 3.0, 10.0]),
        "unit": st.sampled_from(["characters", "tokens"]),
        "paragraph": st.sampled_from(["line", "block"]),
        "limit": st.sampled_from([None, 3, 12, 40]),
    }
)


def test_length_and_overlap_come_from_the_longest_paragraph():
    parameters = ACTSSplitter().parameters(document(PERSONA))
    longest = len("She wrote notes. They were longer than the text.")
    assert parameters["l_max"] == parameters["longest_paragraph"] == longest
    assert parameters["overlap"] == longest // 2
    assert parameters["capped"] is False
    assert "warning" not in parameters
    assert ACTSSplitter(alpha=3).parameters(document(PERSONA))["overlap"] == longest // 3


def test_blocks_are_paragraphs_on_request():
    block = "She wrote notes. They were longer than the text.\nThey held a program."
    parameters = ACTSSplitter(paragraph="block").parameters(document(PERSONA))
    assert parameters["l_max"] == len(block)


def test_chunks_carry_their_heading_path_in_front_and_it_does_not_count():
    made = ACTSSplitter().split(document(PERSONA))
    assert [(chunk.headings, chunk.text) for chunk in made] == [
        (("Ada",), "Born in London. Died there."),
        (("Ada", "Work"), "She wrote notes. They were longer than the text."),
        (("Ada", "Work"), "They held a program."),
        (("Ada", "Work", "Legacy"), "Legacy"),
    ]
    assert made[1].text_with_headings.startswith("Ada, Work\nShe wrote")
    assert {chunk.chunking for chunk in made} == {"acts"}


def test_ats_is_acts_without_headings():
    acts, ats = ACTSSplitter().split(document(PERSONA)), ATSSplitter().split(document(PERSONA))
    assert [(chunk.start, chunk.end) for chunk in acts] == [(c.start, c.end) for c in ats]
    assert all(chunk.headings == () for chunk in ats)
    assert ATSSplitter().name == "ats"


@given(messy_texts, settings)
def test_the_laws_of_acts(text: str, values: dict[str, Any]):
    splitter = ACTSSplitter(**values)
    made = splitter.split(document(text))
    parameters = splitter.parameters(document(text))
    longest, overlap = parameters["l_max"], parameters["overlap"]
    rule = ruler(text, values["unit"])
    assert_exact(made, text)
    assert_covers(made, text, sections_only=True)
    assert_within_sections(made, text)
    assert overlap == min(int(longest / values["alpha"]), longest - 1)
    for chunk in made:
        assert rule.length(0, len(chunk.text)) <= longest or (
            rule.length(chunk.start, chunk.end) <= longest
        )
    for _, start, end in bodies(sections(text)):
        mine = [chunk for chunk in made if start <= chunk.start and chunk.end <= end]
        for before, after in itertools.pairwise(mine):
            assert before.start < after.start
            assert before.end < after.end
            if after.start < before.end:
                assert rule.length(after.start, before.end) <= overlap
        for first, last in paragraphs(text, start, end, "\n"):
            # What the chunk length is for: a paragraph that fits is whole in some chunk.
            if rule.length(first, last) <= longest:
                assert any(c.start <= first and last <= c.end for c in mine)


def test_overlaps_begin_at_a_sentence_and_reach_back_as_far_as_they_may():
    sentences = [f"Sentence number {number:02d} stands here." for number in range(40)]
    text = " ".join(sentences)
    made = ACTSSplitter(limit=200).split(document(text))
    assert len(made) > 2
    for before, after in itertools.pairwise(made):
        assert after.text.startswith("Sentence")
        assert before.text.endswith("here.")
        assert 100 - len(sentences[0]) - 1 <= before.end - after.start <= 100


def test_a_huge_paragraph_is_capped_with_a_warning(caplog: pytest.LogCaptureFixture):
    text = "word " * 5000
    splitter = ACTSSplitter(limit=512)
    with caplog.at_level(logging.WARNING):
        made = splitter.split(document(text, "huge.md"))
    assert "huge.md: the longest paragraph has 24999 characters" in caplog.text
    assert "cut at 512" in splitter.parameters(document(text))["warning"]
    assert max(len(chunk.text) for chunk in made) <= 512


def test_nobody_embeds_more_than_4000_characters():
    text = "x" * 9000
    assert ACTSSplitter(limit=8192).parameters(document(text))["l_max"] == 4000
    assert ACTSSplitter(unit="tokens").parameters(document(text))["l_max"] == 1000


def test_tokens_can_be_the_unit():
    text = "# A\n一二三四五六\nsix words are four tokens? no\n"
    parameters = ACTSSplitter(unit="tokens").parameters(document(text))
    assert parameters["longest_paragraph"] == 8
    assert ACTSSplitter(unit="tokens").split(document(text))[0].text.endswith("六")


def test_a_document_of_headings_only_can_still_be_searched():
    text = "# Ada\n## Likes tea\n## Hates rain\n"
    made = ACTSSplitter().split(document(text))
    assert [(chunk.headings, chunk.text) for chunk in made] == [
        (("Ada", "Likes tea"), "Likes tea"),
        (("Ada", "Hates rain"), "Hates rain"),
    ]


def test_no_headings_one_line_and_nothing():
    assert [chunk.headings for chunk in ACTSSplitter().split(document("just text"))] == [()]
    assert ACTSSplitter().split(document(" \n ")) == []
    assert ACTSSplitter().parameters(document(""))["longest_paragraph"] == 0


@pytest.mark.parametrize(
    "values", [{"alpha": 1.0}, {"alpha": float("nan")}, {"limit": 0}, {"unit": "words"}]
)
def test_settings_that_cannot_be_are_refused(values: dict[str, Any]):
    with pytest.raises(ConfigurationError):
        ACTSSplitter(**values)


@pytest.mark.parametrize("size", [5_000_000, pytest.param(100_000_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("word", ["word ", "語", "x"])
def test_one_enormous_line_is_cut(size: int, word: str):
    text = word * (size // len(word))
    made = ACTSSplitter().split(document(text))
    assert made[-1].end == len(text.rstrip())
    assert max(chunk.end - chunk.start for chunk in made) <= 4000
    assert len(made) < size / 1900


def test_published_profiles_keep_every_paragraph_whole():
    folder = Path(__file__).resolve().parents[2] / ".." / "shared/data/character_llm/profiles"
    if not folder.is_dir():
        pytest.skip("the shared data is not here")
    for path in sorted(folder.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        made = ACTSSplitter().split(document(text))
        assert_exact(made, text)
        assert_covers(made, text, sections_only=True)
        bodies_of_chunks = [chunk.text for chunk in made]
        for _, start, end in bodies(sections(text)):
            for first, last in paragraphs(text, start, end, "\n"):
                assert any(text[first:last] in body for body in bodies_of_chunks)
