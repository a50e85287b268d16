import pytest

from offbook.cards.decorators import Decorator, read_decorators
from tests.waiting import work_below


def test_lines_on_top_are_decorators_and_go():
    made = read_decorators("@@depth 4\r\n@@Role user\n\n@@activate\nText\n@@depth 9")
    assert made.known == {"depth": "4", "role": "user", "activate": ""}
    assert made.text == "Text\n@@depth 9"
    assert (made.whole("depth"), made.whole("scan_depth"), made.has("role")) == (4, None, True)
    assert made.unused == ()


def test_the_first_of_a_name_counts():
    made = read_decorators("@@depth 1\n@@depth 2\nx")
    assert made.known == {"depth": "1"}
    assert made.unused == ((Decorator("depth", "2"), "there is one of that name before it"),)


def test_a_fallback_stands_in_for_what_is_not_known():
    deep = "@@a\n@@@b\n@@@@c\n@@@@@d\n@@@@@@e\n@@@@@@@depth 3\nx"
    assert read_decorators(deep).known == {"depth": "3"}
    assert read_decorators("@@role user\n@@@depth 3\nx").known == {"role": "user"}
    assert read_decorators("@@a\n@@@depth 3\n@@@@role user\nx").known == {"depth": "3"}
    assert read_decorators("@@@depth 3\nx").known == {}


@pytest.mark.parametrize(
    "line",
    [
        "depth",
        "depth x",
        "depth -1",
        "role me",
        "position top",
        "disable_ui_prompt x",
        "is_user_icon",
        "additional_keys",
        "unheard_of 3",
    ],
)
def test_a_value_that_does_not_fit_does_not_count(line):
    made = read_decorators(f"@@{line}\nx")
    assert (made.known, made.text, len(made.unused)) == ({}, "x", 1)


def test_lists_are_split():
    assert read_decorators("@@additional_keys a, b ,,c\nx").names("additional_keys") == (
        "a",
        "b",
        "c",
    )
    assert read_decorators("x").names("additional_keys") == ()


@pytest.mark.parametrize(
    ("content", "lines", "left"),
    [
        ("@@depth 1\n" * 30_000, 30_000, 0),
        ("\n" * 10**6, 0, 10**6),
        ("@" * 10**6, 0, 10**6),
        ("@@a" + "b" * 10**6, 1, 0),
    ],
    ids=["many", "blank", "signs", "long"],
)
def test_a_hostile_entry_takes_little_time(content, lines, left):
    with work_below(5):
        made = read_decorators(content)
    assert (len(made.lines), len(made.text)) == (lines, left)
    assert set(made.known.items()) <= {("depth", "1")}
