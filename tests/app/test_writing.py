"""A file appears whole or not at all, an export too."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from offbook.app import Offbook
from offbook.app.files import require_place, write_whole
from offbook.errors import StoreFailed, UsageError


def test_the_text_is_written_as_it_is(tmp_path: Path):
    file = tmp_path / "a.txt"
    write_whole(file, "é\r\n\u2028")
    assert file.read_bytes() == "é\r\n\u2028".encode()
    assert list(tmp_path.iterdir()) == [file]


def test_the_file_has_the_permissions_of_any_new_file(tmp_path: Path):
    plain, made = tmp_path / "plain", tmp_path / "made"
    plain.write_text("x")
    write_whole(made, "x")
    assert stat.S_IMODE(made.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_link_is_followed_and_not_replaced(tmp_path: Path):
    (tmp_path / "real.txt").write_text("older")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_whole(require_place(tmp_path / "link.txt"), "newer")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "newer"


def test_a_failure_keeps_the_older_file_and_leaves_no_part(tmp_path: Path, monkeypatch):
    file = tmp_path / "a.txt"
    file.write_text("older")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StoreFailed, match="No space left"):
        write_whole(file, "newer")
    assert file.read_text() == "older"
    assert list(tmp_path.iterdir()) == [file]


def test_a_very_long_name_is_no_reason_to_fail(tmp_path: Path):
    file = tmp_path / ("a" * 250 + ".json")
    write_whole(file, "{}")
    assert file.read_text() == "{}"


@pytest.mark.parametrize(("name", "what"), [(".", "is a folder"), ("no/a.txt", "in no folder")])
def test_a_place_where_no_file_can_be_is_bad_input(tmp_path: Path, name, what):
    with pytest.raises(UsageError, match=what):
        require_place(tmp_path / name)


async def test_a_failure_keeps_the_older_one(book: Offbook, tmp_path: Path, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "ada.offbook"
    await book.export("ada-byrne", file)
    before = file.read_bytes()
    monkeypatch.setattr("offbook.stores.export.export_character", full)
    with pytest.raises(StoreFailed, match="No space left"):
        await book.export("ada-byrne", file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.glob("*ada.offbook*")] == ["ada.offbook"]
