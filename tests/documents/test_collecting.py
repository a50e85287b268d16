from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from offbook.documents.sources import collect
from offbook.errors import UnreadableDocument, UsageError


def plant(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")
    return folder


def test_a_name_can_be_given_for_one_file_only(tmp_path: Path):
    plant(tmp_path, "a.md", "b.md")
    assert collect([tmp_path / "a.md"], name="Ada").documents[0].name == "Ada"
    with pytest.raises(UsageError, match="there are 2 files"):
        collect([tmp_path], name="Ada")


def test_nothing_is_dropped_in_silence(tmp_path: Path):
    plant(tmp_path, "a.md", "photo.jpg", "Makefile", ".notes.md", ".git/x.md", "sub/.hidden.txt")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path, target_is_directory=True)
    found = collect([tmp_path])
    assert [one.name for one in found.documents] == ["a.md"]
    assert [path.name for path in found.unknown] == ["Makefile", "photo.jpg"]
    assert [path.name for path in found.hidden] == [".git", ".notes.md", ".hidden.txt", "loop"]
    (named,) = collect([tmp_path / "sub" / ".hidden.txt"]).documents
    assert named.name == ".hidden.txt"


def test_two_files_of_one_name_are_refused(tmp_path: Path):
    plant(tmp_path, "one/ada.md", "two/ada.md")
    for paths in (
        [tmp_path / "one/ada.md", tmp_path / "two/ada.md"],
        [tmp_path / "one", tmp_path / "two"],
        [tmp_path / "one", tmp_path / "one/ada.md"],
        [path := tmp_path / "one/ada.md", path],
    ):
        with pytest.raises(UsageError, match=r"two files have the name 'ada\.md'") as error:
            collect(paths)
        assert error.value.exit_code == 2
    assert len(collect([tmp_path]).documents) == 2


def test_paths_that_are_not_there_or_of_unknown_type_are_refused(tmp_path: Path):
    plant(tmp_path, "a.odt")
    with pytest.raises(UnreadableDocument, match="there is no file"):
        collect([tmp_path / "gone.md"])
    with pytest.raises(UnreadableDocument, match="type that cannot be read"):
        collect([tmp_path / "a.odt"])


def test_names_in_any_script_are_nfc(tmp_path: Path):
    plant(tmp_path, "貝多芬.md", "Ame\u0301lie.md", "한국.txt", "Толстой.md")
    names = {one.name for one in collect([tmp_path]).documents}
    assert names == {"貝多芬.md", "Am\u00e9lie.md", "한국.txt", "Толстой.md"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_is_not_unicode_can_be_stored(tmp_path: Path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md")).write_text("x", encoding="utf-8")
    (found,) = collect([tmp_path]).documents
    assert found.name == "caf\ufffd.md"
    assert found.path.exists()


def test_a_directory_that_cannot_be_listed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def deny(path: object) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", deny)
    with pytest.raises(UnreadableDocument, match="cannot be listed: Permission denied"):
        collect([tmp_path])
