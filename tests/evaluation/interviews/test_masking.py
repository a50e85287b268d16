"""Names are masked longest first, as whole words, in one pass."""

from __future__ import annotations

import pytest

from offbook.evaluation.benchmark import Subject
from offbook.evaluation.interviews.masking import masking

GRANGER = Subject("Hermione-en", ("Hermione", "Hermione Granger"), interviewer="Harry")


@pytest.mark.parametrize(
    ("subject", "text", "masked"),
    [
        (GRANGER, "I am Hermione Granger.", "I am the participant."),
        (GRANGER, "Hermione, Harry asks.", "the participant, the interviewer asks."),
        (GRANGER, "Harrys and Hermiones", "Harrys and Hermiones"),
        (GRANGER, "Hermione's book", "the participant's book"),
        (GRANGER, "在下Hermione是也", "在下the participant是也"),
        (Subject("hutao-zh", ("胡桃",)), "胡桃:「hutao」", "the participant:「the participant」"),
        (Subject("胡桃", ("胡",)), "胡桃和胡", "the participant和the participant"),
        (Subject("The", ("participant",)), "The participant", "the participant the participant"),
        (Subject("", ("", " ")), "Nobody here.", "Nobody here."),
        (Subject("A.B. (Jr)", ()), "A.B. (Jr) or AxB. (Jr)", "the participant or AxB. (Jr)"),
    ],
)  # fmt: skip
def test_names_are_masked(subject, text, masked):
    assert masking(subject)(text) == masked
