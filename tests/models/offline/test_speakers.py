"""Speakers: who says a quotation; what cannot be told stays open."""

from __future__ import annotations

import random
import re
import time

import pytest

from offbook.names.cast import CastMember, CastMention
from offbook.rules.cast import read_cast
from offbook.rules.speakers import attribute
from offbook.text.grammar import Gender

NAMES: tuple[tuple[str, tuple[str, ...], Gender], ...] = (
    ("Ida Wren", ("Ida", "Ida Wren"), "f"),
    ("Tom Lane", ("Tom", "Mr. Lane", "Tom Lane"), "m"),
    ("Rose Hale", ("Rose", "Mrs. Hale"), "f"),
)
MEMBERS = tuple(CastMember(name, aliases, gender) for name, aliases, gender in NAMES)
FORMS = {alias: n for n, (_, aliases, _) in enumerate(NAMES) for alias in aliases}
PATTERN = re.compile("|".join(sorted(map(re.escape, FORMS), key=len, reverse=True)))


def speakers(text):
    """The first name of who says each quotation, or None, with the basis."""
    mentions = [CastMention(0, m.start(), m.end(), FORMS[m[0]]) for m in PATTERN.finditer(text)]
    return [
        (q.speaker if q.speaker is None else NAMES[q.speaker][1][0], q.basis)
        for q in attribute([text], MEMBERS, mentions)
    ]


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("“Come,” said Ida.", "Ida"),
        ("“Come,” Ida said.", "Ida"),
        ("“Come!” cried Mr. Lane.", "Tom"),
        ("“Why?” Ida at last asked.", "Ida"),
        ("“Come,” said poor old Ida, turning to Tom.", "Ida"),
        ("“Come,” smiled Ida.", "Ida"),
        ("“Come,” was Ida’s answer.", "Ida"),
        ("“Come,” came Ida’s voice.", "Ida"),
        ("“Come,” came at last from Ida.", "Ida"),
        ("“Come,” said her friend Ida.", "Ida"),
        ("Ida looked at Tom, and with a sigh repeated, “Come.”", "Ida"),
        ("Ida’s last words were: “Come.”", "Ida"),
        ("“Come,” Ida, who had been looking at Tom, replied.", "Ida"),
        ("Ida said: “Come.”", "Ida"),
        ("Ida looked at Tom and said, “Come.”", "Ida"),
        ("When Tom came in, Ida turned and said: “Come.”", "Ida"),
        ("Having seen Tom, Ida went out and asked: “Who?”", "Ida"),
        ("Tom was silent; but Ida, looking at Rose, said: “Come.”", "Ida"),
        ("Tom heard Ida say, “Come.”", "Ida"),
        ("“Come,” Tom heard Ida say.", "Ida"),
        ("Ida turned round, and then said--\n\n“Come.”", "Ida"),
        ("“Come!” was uttered by Ida in a low voice.", "Ida"),
        ("Ida whispered, “Come.” Tom heard it and smiled.", "Ida"),
        ("Tom was still, until at last Ida, growing tired, said, “Come.”", "Ida"),
        ("When Tom turned, Ida interrupted him by exclaiming, “Come!”", "Ida"),
        ("It began with Ida’s saying, in a low voice, “Come.”", "Ida"),
        ("Tom had this answer from Ida: “Come.”", "Ida"),
        ("Tom had it from Ida, who, seeing Rose, exclaimed, “Come!”", "Ida"),
        ("When Ida replied, ashamed of being supposed weak, “I come,” Tom was glad.", "Ida"),
        ("Tom looked at Rose. Ida interrupted him. “Come!”", "Ida"),
        ("Tom ran, and Ida still screamed like a child, “Come!”", "Ida"),
    ],
)
def test_a_name_in_a_tag_is_the_speaker(text, who):
    assert speakers(text) == [(who, "explicit")]


@pytest.mark.parametrize(
    "text",
    [
        "“Come,” said the miller. Ida and Tom looked up.",
        "“Come,” said Bramblett. Ida looked up.",
        "“Come,” they said. Ida and Tom were young.",
        "Ida said “No.” “Come,” said Tunnel Lane.",
        "Ida said “No.” “Come,” Lane said.",
        "“Come,” said a voice. Ida looked at Tom.",
        "Ida met Rose in the lane. “Come,” said a girl.",
        "Ida and Rose came in together. The two were sisters.\n\n“Come,” she said.",
        "“Come,” I said. Ida laughed.",
    ],
)
def test_whom_nobody_can_tell_stays_open(text):
    assert speakers(text)[-1] == (None, None)


def test_both_pieces_around_a_tag_are_one_speakers():
    assert speakers("“Come,” said Ida, “and sit.” She smiled. “Sit!”") == [("Ida", "explicit")] * 3


def test_two_tags_of_a_paragraph_part_two_speakers():
    text = "“Come,” said Ida; and Tom answered: “No.”"

    assert speakers(text) == [("Ida", "explicit"), ("Tom", "explicit")]


def test_a_sentence_that_begins_behind_the_words_is_of_the_next():
    text = "“Come,” said Ida, turning round. “Soon!” And Tom went out and echoed “Soon!”"

    assert speakers(text) == [("Ida", "explicit")] * 2 + [("Tom", "explicit")]


def test_a_pronoun_is_the_one_of_its_gender_who_is_about():
    text = "Ida met Tom in the lane. Tom stood still.\n\n“Well?” she said.\n\n“Well,” he said."

    assert speakers(text) == [("Ida", "anaphoric"), ("Tom", "anaphoric")]


def test_turns_alternate_between_two():
    text = "\n\n".join(
        [
            "“A cold day,” said Ida.",
            "“Very,” said Tom.",
            "“And wet.”",
            "“It is.”",
            "“Go,” said Ida.",
        ]
    )

    told = speakers(text)

    assert [name for name, _ in told] == ["Ida", "Tom", "Ida", "Tom", "Ida"]
    assert [basis for _, basis in told] == ["explicit"] * 2 + ["implicit"] * 2 + ["explicit"]


def test_who_is_called_by_name_does_not_speak_and_answers():
    said = ["“Cold, Tom,” said Ida.", "“Very.”", "“Is it wet, Tom?”", "“It is.”"]
    text = "\n\n".join(["Ida met Tom and Rose.", *said])

    assert [name for name, _ in speakers(text)] == ["Ida", "Tom", "Ida", "Tom"]


def test_who_alone_acts_beside_the_words_speaks_them():
    text = "Tom and Rose came in.\n\nIda started up. “You here!”"

    assert speakers(text) == [("Ida", "implicit")]


def test_a_speech_over_paragraphs_has_one_speaker():
    text = "“It began so,” said Ida. “I was young.\n\n“Then I was old.\n\n“That is all.”"

    assert speakers(text) == [("Ida", "explicit")] * 4


def test_turns_do_not_reach_over_a_heading():
    text = "“Cold,” said Ida.\n\n“Very,” said Tom.\n\nCHAPTER II.\n\n“And wet.”"

    assert speakers(text)[-1] == (None, None)


def test_labels_of_a_play_are_speakers():
    lines = ["Ida", "Tom", "Ida", "Ghost", "Tom", "Ghost"] * 2
    text = "\n\n".join(f"{name}:\nThe tide is out, and so are we." for name in lines)

    told = [name for name, _ in speakers(text)]

    assert told == ["Ida", "Tom", "Ida", None, "Tom", None] * 2


def test_chinese_names_before_a_colon_and_behind_the_words_are_speakers():
    text = "这时艾达看着汤姆说：“进来。”\n\n“不，”汤姆说。"
    members = (CastMember("艾达", ("艾达",), "f"), CastMember("汤姆", ("汤姆",), "m"))
    mentions = [
        CastMention(0, m.start(), m.end(), int(m[0] == "汤姆"))
        for m in re.finditer("艾达|汤姆", text)
    ]

    assert [q.speaker for q in attribute([text], members, mentions)] == [0, 1]


def test_several_texts_keep_their_own_offsets():
    texts = ["“Come,” said Ida.", "Nobody.", "“No,” said Tom."]
    mentions = [CastMention(0, 13, 16, 0), CastMention(2, 11, 14, 1)]

    found = attribute(texts, MEMBERS, mentions)

    assert [(q.text, texts[q.text][q.start : q.end], q.speaker) for q in found] == [
        (0, "“Come,”", 0),
        (2, "“No,”", 1),
    ]


def test_a_cast_has_the_quotations_of_its_texts():
    told = "“Come,” said Ida Wren. “Why?” asked Tom Brand. Ida Wren saw Tom Brand. "
    text = "\n\n".join([told * 2] * 4)

    cast = read_cast([text])

    assert cast.quotations
    assert {cast.members[q.speaker].name for q in cast.quotations if q.speaker is not None} == {
        "Ida Wren",
        "Tom Brand",
    }


def test_any_text_has_quotations_in_order_that_stand_in_it():
    draw = random.Random(5)
    parts = ["“", "”", '"', "'", "’", "—", "「", "\n", "\n\n", " ", "Ida", "Tom", " said ", " he "]
    parts += [".", ",", ":", "#", "CHAPTER I.", " a ", "'s"]
    for _ in range(500):
        text = "".join(draw.choices(parts, k=draw.randint(0, 50)))
        mentions = [CastMention(0, m.start(), m.end(), FORMS[m[0]]) for m in PATTERN.finditer(text)]

        found = attribute([text], MEMBERS, mentions)

        edges = [edge for quotation in found for edge in (quotation.start, quotation.end)]
        assert edges == sorted(edges)
        assert all(0 <= edge <= len(text) for edge in edges)
        assert all((q.speaker is None) == (q.basis is None) for q in found)


def test_time_grows_with_the_length_only():
    paragraph = (
        "“Well,” said Ida. “Very well,” he went on.\n\n“Tom, come here.”\n\nRose saw it.\n\n"
    )

    def seconds(copies):
        text = paragraph * copies
        begun = time.process_time()
        speakers(text)
        return time.process_time() - begun

    seconds(10)
    assert seconds(2000) < 8 * max(seconds(500), 0.05)
