"""A wording does not change without a new version."""

from __future__ import annotations

import pytest

from offbook.prompts import lock


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "stage").mkdir()
    (tmp_path / "stage" / "greet.v1.jinja").write_text("Hello.\n", encoding="utf-8")
    assert lock.main([], tmp_path) == 0
    return tmp_path


def test_every_wording_is_as_it_was_locked():
    changed = lock.differences()
    assert changed == {}, "a wording changed: add a version, then `python -m offbook.prompts.lock`"


def test_a_new_wording_is_added(folder):
    (folder / "stage" / "greet.v2.jinja").write_text("Good day.", encoding="utf-8")
    assert lock.differences(folder) == {"greet.v2": "added"}
    assert lock.main([], folder) == 0
    assert lock.differences(folder) == {}


def test_a_changed_wording_is_refused_unless_it_was_never_released(folder, capsys):
    (folder / "stage" / "greet.v1.jinja").write_text("Hullo.", encoding="utf-8")
    assert lock.main([], folder) == 1
    assert "greet.v1 changed" in capsys.readouterr().err
    assert lock.differences(folder) == {"greet.v1": "changed"}
    assert lock.main(["--replace", "greet.v1"], folder) == 0
    assert lock.differences(folder) == {}


def test_a_wording_that_is_gone_is_refused(folder):
    (folder / "stage" / "greet.v1.jinja").unlink()
    assert lock.differences(folder) == {"greet.v1": "gone"}
    assert lock.main([], folder) == 1


def test_line_ends_of_the_checkout_do_not_matter(folder):
    (folder / "stage" / "greet.v1.jinja").write_bytes(b"Hello.\r\n")
    assert lock.differences(folder) == {}


def test_two_files_of_one_name_are_a_mistake(folder):
    (folder / "greet.v1.jinja").write_text("Hi.", encoding="utf-8")
    with pytest.raises(ValueError, match="greet"):
        lock.digests(folder)
