"""Changes of the user's settings file: comments stay, what is wrong is refused."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from offbook.errors import ConfigurationError
from offbook.settings.user_file import edited

FILE = Path("config.toml")
TEXT = """\
# mine
method = "naive"  # because

[chat]
# the model
model = "old"
api_key = "sk-1"
"""


def test_comments_and_order_stay_and_the_old_value_is_told():
    edit = edited(TEXT, {"chat.model": "new", "limits.rpm": "3"}, FILE)
    assert edit.text.startswith(TEXT.replace('"old"', '"new"').rstrip("\n"))
    assert tomllib.loads(edit.text)["limits"] == {"rpm": 3}
    assert [each.in_words() for each in edit.changes] == [
        "chat.model = new (before: old)",
        "limits.rpm = 3",
    ]


def test_what_is_taken_out_leaves_the_rest():
    edit = edited(TEXT, {"chat.model": None, "chat.base_url": None}, FILE)
    assert edit.text == TEXT.replace('model = "old"\n', "")
    assert [each.as_json() for each in edit.changes] == [
        {"name": "chat.model", "before": "old", "after": None}
    ]


def test_what_is_as_it_was_changes_nothing():
    edit = edited(TEXT, {"chat.model": "old", "chat.api_key": "sk-1"}, FILE)
    assert (edit.text, edit.changes) == (TEXT, ())


def test_a_key_is_told_by_stars_only():
    (change,) = edited(TEXT, {"chat.api_key": "sk-2"}, FILE).changes
    assert "sk-" not in repr(change)


def test_a_setting_without_section_goes_above_the_sections():
    text = edited("[chat]\nmodel = 'm'\n", {"method": "naive"}, FILE).text
    assert tomllib.loads(text) == {"method": "naive", "chat": {"model": "m"}}


@pytest.mark.parametrize(
    "text", ["", "chat.model = 'a'\n", "prices = {x = {prompt=1, completion=2}}"]
)
def test_every_way_to_write_sections_is_written_into(text):
    values = {
        "chat.base_url": "http://127.0.0.1:1/v1",
        "prices.gpt-4.1-mini.prompt": "1",
        "prices.gpt-4.1-mini.completion": 2,
        "server.hosts": "a,b",
    }
    tree = tomllib.loads(edited(text, values, FILE).text)
    assert tree["chat"]["base_url"] == "http://127.0.0.1:1/v1"
    assert tree["prices"]["gpt-4.1-mini"] == {"prompt": 1.0, "completion": 2.0}
    assert tree["server"]["hosts"] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "values", "part"),
    [
        (TEXT, {"naive.k": "many"}, "naive.k"),
        (TEXT, {"nive.k": 3}, "nive.k"),
        (TEXT, {"nive.k": None}, "nive.k"),
        (TEXT, {"prices.m.prompt": 1}, "prices.m.completion"),
        ("[chat\n", {"naive.k": 3}, "config.toml"),
        ("colour = 1\n", {"naive.k": 3}, "colour"),
    ],
)
def test_what_is_wrong_is_refused_by_its_name(text, values, part):
    with pytest.raises(ConfigurationError, match=part):
        edited(text, values, FILE)
