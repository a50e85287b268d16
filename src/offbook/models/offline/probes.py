"""The offline answers to the probes of ``offbook doctor``.

Takes: the inputs of a probe.  Gives: its right answer; rules neither miscount nor truncate.
"""

from __future__ import annotations

from offbook.prompts.probes import (
    NeedleProbeInputs,
    NumberedWord,
    NumberedWords,
    StructuredProbeInputs,
)


def numbered_words(inputs: StructuredProbeInputs) -> NumberedWords:
    """The words with their numbers."""
    items = [NumberedWord(number=at, word=word) for at, word in enumerate(inputs.words, start=1)]
    return NumberedWords(items=items)


def needle(inputs: NeedleProbeInputs) -> str:
    """The word at the head of the prompt."""
    return inputs.needle
