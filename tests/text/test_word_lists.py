"""Word lists: what the shipped files hold is what the code reads."""

import re
from importlib.resources import files

import pytest

from offbook.text.word_lists import word_lists

PACKAGES = ["offbook.names", "offbook.rules", "offbook.text"]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_list_is_used_and_every_name_in_the_code_has_a_list(package):
    modules = [path for path in files(package).iterdir() if path.name.endswith(".py")]
    code = "".join(path.read_text("utf-8") for path in modules)
    named = re.findall(r'(?:_LISTS|word_lists\("[\w.]+"\))\["(.+?)"\]', code)
    assert set(named) == set(word_lists(package))


@pytest.mark.parametrize(
    ("package", "file"),
    [
        *((package, "words.tsv") for package in PACKAGES),
        ("offbook.memory", "small_talk.tsv"),
        ("offbook.names", "titles.tsv"),
        ("offbook.text", "related.tsv"),
    ],
)
def test_no_name_stands_twice_and_no_list_is_empty(package, file):
    text = files(package).joinpath(file).read_text("utf-8")
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    lists = word_lists(package, file)
    assert len(rows) == len(lists)
    assert all(lists.values())
