"""A world for the command line: a home folder, settings, documents, and an endpoint to talk to.

Takes: the words of a command.  Gives: its exit code, its standard output and its messages.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import waiting
from tests.loopback import LoopbackServer

KEY = "sk-loopback-5b1f7c90d2e84a36"
"""A key that no output, no message and no file may hold."""

PROCESS = (sys.executable, "-W", "error", "-c", "from offbook.cli.main import run; run()")
"""The command line as a process of its own."""

PATIENCE_SECONDS = 4 * waiting.PATIENCE_SECONDS
"""How long a process may take that others take the processor from; none that passes takes it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left: its exit code, standard output and standard error."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which is exactly one JSON document."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, str]:
        """The error envelope."""
        found: dict[str, str] = self.json["error"]
        return found


@dataclass(slots=True)
class World:
    """A folder of its own for every test, with or without an endpoint.

    Args:
        folder: Holds the home, the configuration and the documents.
        server: The endpoint; None: offline.
    """

    folder: Path
    server: LoopbackServer | None = None
    flags: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.server is not None:
            self.set("chat.model=m", f"chat.base_url={self.server.base_url}", "embed.model=e")
            # A server of one's own is asked two things at once, unless more is wished for.
            self.set("limits.concurrency=16")

    @property
    def home(self) -> Path:
        """Where the database is."""
        return self.folder / "home"

    def set(self, *assignments: str) -> None:
        """Settings for all further commands."""
        for assignment in assignments:
            self.flags += ["--set", assignment]

    def unset(self) -> None:
        """Take back what ``set`` said."""
        self.flags.clear()

    def write(self, name: str, text: str) -> Path:
        """A document."""
        path = self.folder / "documents" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *words: str | Path) -> Outcome:
        """Run a command in this process."""
        from offbook.cli.main import main

        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main([*self.flags, *map(str, words)])
        return Outcome(code, out.getvalue(), err.getvalue())

    def done(self, *words: str | Path) -> Outcome:
        """Run a command that has to end well."""
        outcome = self.run(*words)
        assert outcome.code == 0, outcome
        return outcome

    def start(
        self,
        *words: str | Path,
        environment: Mapping[str, str] | None = None,
        command: Sequence[str] = PROCESS,
    ) -> subprocess.Popen[str]:
        """Start a command as a process."""
        return subprocess.Popen(
            [*command, *self.flags, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
        )

    def process(self, *words: str | Path, stdin: str = "") -> Outcome:
        """Run a command as a process to its end."""
        return ended(self.start(*words), stdin)

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """What is stored of all characters, without times and other accidents of a run."""
        return stored_rows(self.home / "offbook.db")

    def leaks(self, secret: str) -> list[str]:
        """Files of this world that hold ``secret``."""
        return [
            str(path.relative_to(self.folder))
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and secret.encode() in path.read_bytes()
        ]


def ended(process: subprocess.Popen[str], stdin: str = "") -> Outcome:
    """The outcome of a process when it has ended."""
    with process:
        try:
            out, err = process.communicate(stdin, timeout=PATIENCE_SECONDS)
        finally:
            process.kill()
    return Outcome(process.returncode, out, err)


def stored_rows(database: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Documents, chunks and vectors in a database; vectors by subject, whatever their set."""
    import sqlite3

    queries = {
        "characters": "SELECT id, name, embedder, dimension, profile, voice, profile_documents"
        " FROM characters ORDER BY id",
        "documents": "SELECT source_id, id, name, text, digest, ordinal, version, status"
        " FROM documents ORDER BY source_id, id",
        "chunks": 'SELECT source_id, id, document_id, chunking, ordinal, start, "end",'
        " headings, terms FROM chunks ORDER BY source_id, id",
        "vectors": "SELECT source_id, subject_id, vector FROM chunk_vectors"
        " ORDER BY source_id, subject_id",
        "open jobs": "SELECT source_id, kind, subject, status FROM jobs WHERE status != 'done'"
        " ORDER BY source_id, kind, subject",
    }
    connection = sqlite3.connect(database)
    try:
        return {name: connection.execute(query).fetchall() for name, query in queries.items()}
    finally:
        connection.close()


def story(paragraphs: int, *, first: int = 0, word: str = "lantern") -> str:
    """A persona document in which every paragraph is different and of about one length."""
    told = [
        f"In year {number} the keeper carried {word} number {number} up the stairs. "
        f"She counted {number + 3} ships from the gallery and wrote their names down. "
        f"The book of year {number} has a {('red', 'green', 'grey')[number % 3]} cover."
        for number in range(first, first + paragraphs)
    ]
    return "\n\n".join(["# The keeper of the light", *told]) + "\n"
