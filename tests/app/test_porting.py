"""Export files appear whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from offbook.app import Offbook
from offbook.errors import StoreFailed, UsageError


async def test_an_export_replaces_an_older_one(book: Offbook, tmp_path: Path):
    file = tmp_path / "ada.offbook"
    file.write_bytes(b"older")
    await book.export("ada-byrne", file)
    assert file.read_bytes().startswith(b"PK")
    assert [path.name for path in tmp_path.glob("*ada.offbook*")] == ["ada.offbook"]


async def test_a_failure_keeps_the_older_one(book: Offbook, tmp_path: Path, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "ada.offbook"
    await book.export("ada-byrne", file)
    before = file.read_bytes()
    monkeypatch.setattr("offbook.stores.portable.export_character", full)
    with pytest.raises(StoreFailed, match="No space left"):
        await book.export("ada-byrne", file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.glob("*ada.offbook*")] == ["ada.offbook"]


async def test_the_home_sign_is_understood(book: Offbook, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    await book.export("ada-byrne", "~/ada.offbook")
    assert (tmp_path / "ada.offbook").exists()
    assert (await book.import_("~/ada.offbook", replace=True)).id == "ada-byrne"


@pytest.mark.parametrize("target", ["", "none/ada.offbook"])
async def test_a_target_that_cannot_be_is_refused(book: Offbook, tmp_path: Path, target: str):
    with pytest.raises(UsageError, match="folder"):
        await book.export("ada-byrne", tmp_path / target)


async def test_what_is_no_file_is_refused(book: Offbook, tmp_path: Path):
    with pytest.raises(UsageError, match="there is no file"):
        await book.import_(tmp_path / "none")
