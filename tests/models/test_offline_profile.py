"""The offline profile: one paragraph, extractive, in the third person."""

from __future__ import annotations

from pathlib import Path

import pytest

from offbook.prompts.summaries import ProfileInputs
from offbook.rules.summaries import profile

PROFILES = Path(__file__).resolve().parents[2] / ".." / "shared/data/character_llm/profiles"
NORA = (
    "# Nora Vey\n\nNora Vey (1871 – 1940) was a clockmaker in Hull [2].",
    "She was born in Whitby, the daughter of Amos Vey.",
    "The harbour froze in 1880. Ships lay still for weeks.",
    "Some biographers believe that Nora was in London.",
    "Nora was a clockmaker in Hull, and a good one.",
)


def test_it_is_made_of_the_sentences_that_say_who_the_character_is():
    paragraph = profile(ProfileInputs("Nora Vey", NORA))
    assert paragraph.startswith("Nora Vey was a clockmaker in Hull.")
    assert "born in Whitby" in paragraph
    assert "froze" not in paragraph
    assert "biographers" not in paragraph
    assert "\n" not in paragraph


def test_the_same_is_not_said_twice():
    assert profile(ProfileInputs("Nora Vey", NORA)).count("clockmaker") == 1


def test_passages_that_never_name_the_character_give_their_beginning():
    assert profile(ProfileInputs("Zed", ("## Notes", "It rained. It snowed."))) == (
        "It rained. It snowed."
    )


def test_without_passages_the_name_is_all_that_is_known():
    assert profile(ProfileInputs("Zed", ())) == "Zed"


def test_chinese_sentences_are_joined_without_blanks():
    text = "李白，字太白，是唐代诗人。李白出生于碎叶城。"
    assert profile(ProfileInputs("李白", (text,))) == text


@pytest.mark.skipif(not PROFILES.exists(), reason="the shared data are not beside the repository")
@pytest.mark.parametrize("name", ["Beethoven", "Caesar", "Cleopatra", "Newton", "Spartacus"])
def test_real_profiles_give_a_short_paragraph_about_the_character(name):
    passages = (PROFILES / f"{name}.md").read_text(encoding="utf-8").split("\n\n")
    paragraph = profile(ProfileInputs(name, tuple(passages)))
    assert name in paragraph[:40]
    assert 30 <= len(paragraph.split()) <= 125
    assert "[" not in paragraph
