import json

import pytest

from offbook.cards import (
    CardLimits,
    chatlog_from,
    exchanges,
    read_chatlog,
    speaker_of,
    speakers,
    write_chatlog,
)
from offbook.cards.chatlog import iso_time
from offbook.errors import UnreadableCard
from offbook.foreign_files import ChatTurn
from tests.cards.generator import chat_lines, lines, read_raw


def said(name, text, *, user=False, **more):
    return {"name": name, "is_user": user, "is_system": False, "mes": text, **more}


def test_a_log_of_sillytavern_is_read():
    log = read_chatlog(lines(chat_lines()))
    assert (log.user_name, log.character_name, log.source_format) == ("Sam", "Mira", "sillytavern")
    assert [m.text for m in log.messages][:3] == ["You missed it.", "When is the next?", "At six."]
    assert log.messages[2].swipes == ("At five.", "At six.")
    assert [m.hidden for m in log.messages].count(True) == 1
    assert [m.at for m in log.messages] == [
        "2023-11-05T14:02:00",
        "2023-11-05T14:02:30",
        "2023-11-05T14:03:00+00:00",
        None,
        "2023-11-05T14:03:20+00:00",
        None,
    ]
    assert log.warnings == ()


def test_exchanges_leave_the_greeting_and_hidden_messages_out():
    found = exchanges(read_chatlog(lines(chat_lines())))
    assert [(e.said, e.answered, e.at, e.message) for e in found] == [
        ("When is the next?", "At six.", "2023-11-05T14:03:00+00:00", 2),
        ("And then?", "Tomorrow.", "2023-11-05T14:03:20+00:00", 5),  # when it was asked
    ]


def test_several_messages_in_a_row_are_one():
    rows = [said("S", "a", user=True), said("S", "b", user=True), said("M", "c"), said("M", "d")]
    rows.append(said("S", "left over", user=True))
    (found,) = exchanges(read_chatlog(lines(rows)))
    assert (found.said, found.answered, found.message) == ("a\n\nb", "c\n\nd", 3)


def test_in_a_group_the_others_are_heard():
    rows = [said("Bo", "Me."), said("Mira", "No, me."), said("Bo", "Hm."), said("Mira", "Yes.")]
    log = read_chatlog(lines([said("Sam", "Who?", user=True), *rows]))
    assert [(e.said, e.answered) for e in exchanges(log, "mira")] == [
        ("Who?\n\nBo: Me.", "No, me."),
        ("Bo: Hm.", "Yes."),
    ]
    assert [(e.said, e.answered) for e in exchanges(log)] == [
        ("Who?", "Me."),
        ("Mira: No, me.", "Hm."),
    ]


def test_a_log_is_written_as_it_was_read():
    raw = chat_lines()
    again = [json.loads(line) for line in write_chatlog(read_chatlog(lines(raw))).splitlines()]
    assert again == raw
    assert [list(one) for one in again] == [list(one) for one in raw]


def test_lines_that_cannot_be_read_are_left_out_with_their_numbers():
    data = (
        lines(chat_lines()) + b'\n{"mes": broken\n\n[1]\n{"own": "no message"}\n{"mes": 5}\n\xff\n'
    )
    log = read_chatlog(data)
    assert [(f.code, f.path) for f in log.warnings] == [
        ("chat-line", "line 8"),
        ("chat-line", "line 10"),
        ("chat-line", "line 11"),
        ("chat-message", "line 12"),
        ("chat-line", "line 13"),
    ]
    assert len(log.messages) == 7


def test_a_log_without_header_gets_one():
    log = read_chatlog(lines(chat_lines()[1:]))
    assert log.header is None
    head = json.loads(write_chatlog(log).splitlines()[0])
    assert (head["user_name"], head["character_name"]) == ("Sam", "Mira")
    only = read_chatlog(b'{"chat_metadata": {}, "user_name": "unused"}\n{"mes": "a"}\n')
    assert (only.user_name, only.character_name, len(only.messages)) == ("", "", 1)


CHUB = [
    {"user_name": "S"},
    {"name": "S", "is_user": True, "mes": {"message": "Hi", "own": 1}},
    {"name": "M", "mes": {"message": "Ho"}, "swipes": [{"message": "Ho"}, {"message": "Hm"}]},
]
AGNAI = {
    "name": "M",
    "messages": [
        {"msg": "Hi", "userId": "u", "createdAt": "2024-01-01T00:00:00Z"},
        {"msg": "Ho", "characterId": "c"},
    ],
}
CAI = [
    {"src": {"is_human": True, "name": "S"}, "text": "Hi", "created": "2024-01-01"},
    {"src": {"is_human": False}, "text": "Ho"},
]
FOREIGN = [
    ("chub", lines(CHUB)),
    ("ooba", json.dumps({"data": [], "data_visible": [["Hi", "Ho"]]}).encode()),
    ("ooba", json.dumps({"visible": [["Hi", "Ho"]]}).encode()),
    ("agnai", json.dumps(AGNAI).encode()),
    ("cai", json.dumps({"histories": {"histories": [{"msgs": CAI}]}}).encode()),
]


@pytest.mark.parametrize(("form", "data"), FOREIGN)
def test_logs_of_other_programs_are_read_and_become_logs_of_sillytavern(form, data):
    log = read_chatlog(data)
    assert log.source_format == form
    assert [(e.said, e.answered) for e in exchanges(log)] == [("Hi", "Ho")]
    again = read_chatlog(write_chatlog(log))
    assert [(m.text, m.is_user) for m in again.messages] == [("Hi", True), ("Ho", False)]
    if form in ("chub", "ooba"):
        assert again.source_format == "sillytavern"
    if form == "chub":
        assert again.messages[1].swipes == ("Ho", "Hm")


@pytest.mark.parametrize("name", ["personality", "scenario", "mes_example"])
@pytest.mark.parametrize("own", ["messages", "visible"])
def test_a_card_with_a_list_of_its_own_is_no_chat_log(name, own):
    raw = {"name": "Mira", "description": "", "first_mes": "", name: "Calm.", own: [1]}
    assert read_raw(raw).card.raw[own] == [1]


def test_a_chat_log_with_a_scenario_is_no_card():
    raw = {"name": "Mira", "scenario": "A ferry.", "messages": [{"msg": "Hi", "userId": "1"}]}
    with pytest.raises(UnreadableCard, match="chat log"):
        read_raw(raw)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "empty"),
        (b"hello\nworld", "no message"),
        (b"{}", "no chat log"),
        (b"[]", "no chat log"),
        (b'{"chat_metadata": {}}\n{"chat_metadata": {}}\n', "no message"),
        (b'{"name": "x", "spec": 1}', "no chat log"),
        (b'{"messages": []}', "no message"),
    ],
)
def test_what_is_no_chat_log_is_refused(data, match):
    with pytest.raises(UnreadableCard, match=match):
        read_chatlog(data)


@pytest.mark.parametrize(
    "limits",
    [
        CardLimits(messages=2),
        CardLimits(chat_values=5),
        CardLimits(card_bytes=30),
        CardLimits(file_bytes=9),
    ],
)
def test_limits_of_chat_logs_hold(limits):
    with pytest.raises(UnreadableCard):
        read_chatlog(lines(chat_lines()), limits)


def test_a_log_is_made_from_turns():
    log = chatlog_from(
        [ChatTurn("Hi", "Ho", "2024-01-01T00:00:00"), ChatTurn("And?", "No.")],
        user="Sam",
        character="Mira",
    )
    again = read_chatlog(write_chatlog(log))
    assert again.warnings == ()
    assert (again.user_name, again.character_name) == ("Sam", "Mira")
    assert [(e.said, e.answered, e.at) for e in exchanges(again)] == [
        ("Hi", "Ho", "2024-01-01T00:00:00"),
        ("And?", "No.", None),
    ]
    assert "create_date" not in (
        chatlog_from([ChatTurn("a", "b")], user="S", character="M").header or {}
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("November 5, 2023 2:02pm", "2023-11-05T14:02:00"),
        ("November 5, 2023 12:02am", "2023-11-05T00:02:00"),
        ("November 5, 2023 2:02\u202fPM", "2023-11-05T14:02:00"),
        ("November 5, 2023 12:02pm", "2023-11-05T12:02:00"),
        ("Nov 5, 2023, 2:02:07 PM", "2023-11-05T14:02:07"),
        ("November 5, 2023 at 14:02", "2023-11-05T14:02:00"),
        ("5 November 2023 14:02", "2023-11-05T14:02:00"),
        ("5. Nov 2023, 09:02", "2023-11-05T09:02:00"),
        ("November 5, 2023 13:02pm", "2023-11-05T13:02:00"),
        ("2023-11-05 @14h 02m 30s 123ms", "2023-11-05T14:02:30"),
        ("2023-11-5@4h2m3s", "2023-11-05T04:02:03"),
        ("2023-11-05T14:02:30.123Z", "2023-11-05T14:02:30+00:00"),
        ("2023-11-05T14:02:30+02:00", "2023-11-05T12:02:30+00:00"),
        (1699193000000, "2023-11-05T14:03:20+00:00"),
        (1699193000, "2023-11-05T14:03:20+00:00"),
        ("1699193000000", "2023-11-05T14:03:20+00:00"),
        ("", None),
        ("yesterday", None),
        ("Smarch 5, 2023 2:02pm", None),
        ("2023-13-45@99h99m99s", None),
        (True, None),
        (-5, None),
        (1e300, None),
        (float("nan"), None),
        (None, None),
        ([], None),
        (10**30, None),
    ],
)
def test_times_of_all_kinds_are_read(value, expected):
    assert iso_time(value) == expected


def test_the_time_of_a_message_is_that_of_the_swipe_that_is_shown():
    infos = [{"send_date": "2024-01-01T00:00:00"}, {"gen_finished": "2024-01-02T00:00:00Z"}]
    row = said("M", "b", swipes=["a", "b"], swipe_id=1, swipe_info=infos)
    assert read_chatlog(lines([row])).messages[0].at == "2024-01-02T00:00:00+00:00"
    assert read_chatlog(lines([{**row, "swipe_id": 0}])).messages[0].at == "2024-01-01T00:00:00"
    for odd in (7, -1, True, None, "1"):
        assert read_chatlog(lines([{**row, "swipe_id": odd}])).messages[0].at is None
    own = {**row, "send_date": "2024-03-03T00:00:00"}
    assert read_chatlog(lines([own])).messages[0].at == "2024-03-03T00:00:00"


def test_a_message_that_is_no_text_is_the_swipe_that_is_shown():
    odd = said("M", [None], swipes=[{"message": "a"}, "b"], swipe_id=1)
    assert read_chatlog(write_chatlog(read_chatlog(lines([odd])))).messages[0].text == "b"
    row = said("M", None, swipes=["a", "b"], swipe_id=1)
    log = read_chatlog(lines([said("S", "?", user=True), row]))
    assert [(e.said, e.answered) for e in exchanges(log)] == [("?", "b")]
    assert json.loads(write_chatlog(log).splitlines()[2]) == row


def test_what_a_model_thought_aloud_is_no_memory():
    rows = [
        said("S", "What is </think>?", user=True),
        said("M", "<think>\nA trap.\n</think>\n\nA word."),
        said("S", "And?", user=True),
        said("M", "<think>nothing else</think>"),
        said("M", "No."),
    ]
    assert [(e.said, e.answered) for e in exchanges(read_chatlog(lines(rows)))] == [
        ("What is </think>?", "A word."),
        ("And?", "No."),
    ]


def test_flags_and_times_of_old_writers_are_read():
    rows = [
        {"name": "S", "is_user": 1, "mes": "Hi", "send_date": None},
        {"name": "X", "is_user": "false", "is_system": "true", "mes": "hidden"},
        {"name": "M", "is_user": 0, "is_system": None, "mes": "Ho"},
    ]
    log = read_chatlog(lines(rows))
    assert log.warnings == ()
    assert [(e.said, e.answered) for e in exchanges(log)] == [("Hi", "Ho")]
    assert [json.loads(line) for line in write_chatlog(log).splitlines()[1:]] == rows


def test_a_narrator_is_neither_the_person_nor_the_character():
    rows = [
        said("S", "Who is there?", user=True),
        said("System", "A door opens.", extra={"type": "narrator"}),
        said("Mira", "I am."),
    ]
    log = read_chatlog(lines(rows))
    assert speakers(log) == ("Mira",)
    assert [(e.said, e.answered) for e in exchanges(log, "Somebody Else")] == [
        ("Who is there?\n\nA door opens.", "I am.")
    ]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("Mira Vale",), "mira vale"),
        (("VALE Mira",), "mira vale"),
        (("Vale",), "mira vale"),
        (("Bo",), "Bo"),
        (("Bo the Elder",), "Bo"),
        (("Captain", "Bo"), "Bo"),
        (("Ann",), None),
        (("",), None),
        ((), None),
    ],
)
def test_who_of_a_group_is_meant_follows_from_the_name(names, found):
    log = read_chatlog(lines([said("mira vale", "a"), said("Bo", "b"), said("Kit Reed", "c")]))
    assert speaker_of(log, names) == found


def test_a_part_of_two_names_is_nobody():
    log = read_chatlog(lines([said("Mira Vale", "a"), said("Ann Vale", "b")]))
    assert speaker_of(log, ["Vale"]) is None
    assert speaker_of(read_chatlog(lines([said("Mira", "a")])), ["Bo"]) == "Mira"
    assert speaker_of(read_chatlog(lines([said("S", "a", user=True)])), ["Bo"]) is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig"])
def test_a_log_in_another_encoding_is_read(encoding):
    log = read_chatlog(lines(chat_lines()).decode().encode(encoding))
    assert len(log.messages) == 6
    assert log.character_name == "Mira"
