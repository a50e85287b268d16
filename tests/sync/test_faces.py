"""The library without ``async``: the same names, each of which waits."""

from __future__ import annotations

import _thread
import ast
import asyncio
import importlib
import inspect
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, assert_type

import pytest

import offbook
from offbook.app import book as asynchronous
from offbook.app.conversations import ConversationRow
from offbook.app.users import UserData
from offbook.errors import UnknownName, UsageError
from offbook.settings import Settings, load_settings
from offbook.sync import Conversations, Offbook, Scene, Session
from offbook.sync.faces import Face, background, face_of
from tests.cli.texts import ADA

SOURCE = Path(offbook.__file__).parents[1]
QUESTION = "Who taught you to trim the lamp?"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    flags = {"home": tmp_path / "home", "method": "naive"}
    return load_settings(flags, {}, tmp_path, tmp_path / "none")


@pytest.fixture
def book(settings: Settings, tmp_path: Path) -> Iterator[Offbook]:
    (tmp_path / "ada.md").write_text(ADA)
    with Offbook.open(settings) as opened:
        opened.create("Ada Byrne")
        opened.ingest("ada-byrne", tmp_path / "ada.md")
        yield opened


def test_a_question_is_answered_with_the_types_of_the_stub(book: Offbook) -> None:
    assert_type(book, Offbook)
    reply = book.ask("Ada Byrne", QUESTION)
    assert_type(reply, offbook.Reply)
    assert "Tom" in str(reply)
    assert_type(book.recall("Ada Byrne", QUESTION), offbook.Recall)
    assert [row.id for row in book.characters()] == ["ada-byrne"]
    assert book.meter.usage().calls == 0


def test_what_an_offbook_gives_that_has_to_be_waited_for_is_typed_as_its_face(
    book: Offbook,
) -> None:
    assert_type(book.conversations, Conversations)
    assert_type(book.conversations.list_all("ada-byrne"), list[ConversationRow])
    assert_type(book.users.list(), list[UserData])
    faces = {
        name: getattr(book, name) for name in dir(type(book)) if _is_property(type(book), name)
    }
    faces = {name: type(each).__name__ for name, each in faces.items() if isinstance(each, Face)}
    assert faces.pop("evaluation") == "Evaluation"  # typed as Any: its types need the extra
    assert faces
    assert set(faces.values()) <= vars(offbook.sync).keys()


def _is_property(kind: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(kind, name), property)


def test_a_conversation_streams(book: Offbook) -> None:
    talk = book.session("ada-byrne", session="evening")
    assert_type(talk, Session)
    assert isinstance(talk, Session)
    pieces = talk.say(QUESTION)
    assert_type(pieces, Generator[str, None, None])
    assert "Tom" in "".join(pieces)
    assert talk.last is not None
    assert "".join(talk.say("What happened to him?")) == talk.history[-1].content
    assert [message.role for message in talk.history] == ["user", "assistant"] * 2


def test_a_stream_that_is_closed_stores_nothing(book: Offbook) -> None:
    talk = book.session("ada-byrne", session="evening")
    pieces = talk.say(QUESTION)
    next(pieces)
    pieces.close()
    assert book.session("ada-byrne", session="evening").history == ()


def test_several_talk(book: Offbook, tmp_path: Path) -> None:
    book.create("Tom Reeve")
    book.ingest("tom-reeve", tmp_path / "ada.md")
    scene = book.scene(["ada-byrne", "tom-reeve"])
    assert_type(scene, Scene)
    assert {piece.name for piece in scene.say("Ada, who taught you?")} == {"Ada Byrne"}


def test_what_hangs_on_it_waits_as_well(book: Offbook) -> None:
    assert book.memories.search("ada-byrne", "the lamp") == []
    assert book.cards.files("ada-byrne") == []
    assert book.evaluation.runs() == []


def test_errors_are_the_same(book: Offbook) -> None:
    with pytest.raises(UnknownName, match="Ada Burn"):
        book.ask("Ada Burn", QUESTION)


async def test_it_works_where_a_loop_runs_already(book: Offbook) -> None:
    assert asyncio.get_running_loop().is_running()
    assert "Tom" in book.ask("ada-byrne", QUESTION).text


def test_it_is_not_called_from_its_own_loop(book: Offbook) -> None:
    errors: list[Exception] = []

    def progress(event: object) -> None:
        try:
            book.characters()
        except UsageError as error:
            errors.append(error)

    book.reembed("ada-byrne", progress=progress)
    assert "its own event loop" in str(errors[0])


def test_ctrl_c_ends_the_wait_and_the_work() -> None:
    begun, ends = threading.Event(), []

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ends.append("cancelled")

    def interrupt() -> None:
        begun.wait()
        _thread.interrupt_main()

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        background().wait(work())
    assert ends == ["cancelled"]


def test_a_face_has_the_names_documents_and_signatures() -> None:
    ours = asynchronous.Offbook
    for name in ("ask", "recall", "create_from", "scene"):
        face = getattr(face_of(ours), name)
        assert inspect.signature(face) == inspect.signature(getattr(ours, name))
        assert face.__doc__ == getattr(ours, name).__doc__
    with pytest.raises(AttributeError, match="has no attribute '_nothing'"):
        _ = face_of(ours)(object())._nothing


@pytest.fixture
def generate(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(SOURCE))
    return importlib.import_module("generate")


def test_what_is_generated_is_current(generate: Any) -> None:
    for name, make in generate.FILES.items():
        written = ast.parse((SOURCE / name).read_text("utf-8"))
        made = ast.parse(make())
        assert _sorted(written) == _sorted(made), "run .venv/bin/python src/generate.py"


def _sorted(tree: ast.Module) -> list[str]:
    """The statements without their layout; the formatter sorts imports and indents texts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = inspect.cleandoc(node.value)
    return sorted(ast.dump(node) for node in tree.body)
