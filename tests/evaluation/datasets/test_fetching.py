"""Fetching from a loopback server that speaks as GitHub and Hugging Face do."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from offbook.errors import FetchFailed, UsageError
from offbook.evaluation.datasets.fetching import LOCK_FILE, PART, Hosts, fetch
from offbook.evaluation.datasets.sources import SOURCES, Source
from tests.waiting import PATIENCE_SECONDS

COMMIT = "c" * 40
FILES = {
    "data/a b.json": b'{"question": "Who?"}',
    "data/big.bin": bytes(range(256)) * 1024,
    "README.md": b"# Not wanted",
}


def git_hash(content: bytes) -> str:
    return hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass
class Upstream:
    """What the server has and how it misbehaves; ``asked`` are the paths with their ranges."""

    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    listed: dict[str, dict[str, Any]] = field(default_factory=dict)
    extra: list[dict[str, Any]] = field(default_factory=list)
    status: dict[str, int] = field(default_factory=dict)
    cut: dict[str, int] = field(default_factory=dict)
    ranges: bool = True
    truncated: bool = False
    bad_json: bool = False
    pages: bool = False
    asked: list[tuple[str, str]] = field(default_factory=list)
    base: str = ""

    @property
    def hosts(self) -> Hosts:
        return Hosts(f"{self.base}/gh", f"{self.base}/raw", f"{self.base}/hf", PATIENCE_SECONDS)

    def github(self) -> dict[str, Any]:
        tree: list[dict[str, Any]] = [{"type": "tree", "path": "data"}]
        for path, content in self.files.items():
            entry = {"type": "blob", "path": path, "size": len(content), "sha": git_hash(content)}
            tree.append(entry | self.listed.get(path, {}))
        return {"tree": tree + self.extra, "truncated": self.truncated}

    def huggingface(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = [{"type": "directory", "path": "data"}]
        for path, content in self.files.items():
            row = {"type": "file", "path": path, "size": len(content), "oid": git_hash(content)}
            if path.endswith(".bin"):
                row |= {"oid": "pointer", "lfs": {"oid": sha256(content)}}
            rows.append(row)
        return rows

    def answer(self, path: str) -> tuple[int, bytes]:
        if self.bad_json:
            return 200, b"<html>"
        if path.startswith("/gh/"):
            return 200, json.dumps(self.github()).encode()
        if "/api/" in path:
            rows = self.huggingface()
            if self.pages:
                rows = rows[2:] if "page=2" in path else rows[:2]
            return 200, json.dumps(rows).encode()
        for name, content in self.files.items():
            if path.endswith(name.replace(" ", "%20")):
                return self.status.get(name, 200), content
        return 404, b""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        upstream: Upstream = self.server.upstream  # type: ignore[attr-defined]
        wanted = self.headers.get("Range", "")
        upstream.asked.append((self.path, wanted))
        status, content = upstream.answer(self.path)
        if wanted and upstream.ranges and status == 200 and "/raw/" in self.path:
            status, content = 206, content[int(wanted.removeprefix("bytes=").rstrip("-")) :]
        keep = upstream.cut.pop(self.path.rsplit("/", 1)[-1], len(content))
        self.send_response(status)
        if upstream.pages and "/api/" in self.path and "page=2" not in self.path:
            self.send_header("Link", f'<{upstream.base}{self.path}&page=2>; rel="next"')
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[:keep])

    def log_message(self, *_):
        pass


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.upstream = Upstream(base=f"http://127.0.0.1:{server.server_port}")  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server.upstream  # type: ignore[attr-defined]
    server.shutdown()
    thread.join()
    server.server_close()


GITHUB = Source("set", "github", "a/b", COMMIT, "CC0", ("data/*",), 10**6)
HUGGING_FACE = replace(GITHUB, host="huggingface")
OUTSIDE = {"type": "blob", "path": "data/../../out.json", "size": 1, "sha": ""}


@pytest.mark.parametrize("origin", [GITHUB, HUGGING_FACE], ids=["github", "huggingface"])
async def test_a_fetch_leaves_the_files_with_their_hashes_and_the_licence(
    upstream, tmp_path, origin
):
    lines: list[str] = []
    done = await fetch(origin, tmp_path / "set", hosts=upstream.hosts, notify=lines.append)
    assert {file.path: file.sha256 for file in done.files} == {
        path: sha256(FILES[path]) for path in ("data/a b.json", "data/big.bin")
    }
    for file in done.files:
        assert (tmp_path / "set" / file.path).read_bytes() == FILES[file.path]
        assert COMMIT in file.url
    assert (done.licence, done.commit, len(lines)) == ("CC0", COMMIT, 2)
    assert COMMIT in done.page
    assert json.loads(json.dumps(done.as_json()))["files"][0]["size"] == 20
    record = json.loads((tmp_path / "set" / LOCK_FILE).read_text())
    hashes = {file["path"]: file["sha256"] for file in record["files"]}
    assert hashes["data/big.bin"] == sha256(FILES["data/big.bin"])
    assert record["licence"] == "CC0"
    assert not list(tmp_path.rglob(f"*{PART}"))


async def test_what_is_there_is_checked_and_not_fetched_again(upstream, tmp_path):
    await fetch(GITHUB, tmp_path, hosts=upstream.hosts)
    upstream.asked.clear()
    again = await fetch(GITHUB, tmp_path, hosts=upstream.hosts)
    assert all(file.was_there for file in again.files)
    assert not [path for path, _ in upstream.asked if path.startswith("/raw/")]


async def test_a_broken_download_is_resumed(upstream, tmp_path):
    upstream.cut["big.bin"] = 100_000
    with pytest.raises(FetchFailed) as caught:
        await fetch(GITHUB, tmp_path, hosts=upstream.hosts)
    assert "resumes" in caught.value.hint
    part = tmp_path / "data" / f"big.bin{PART}"
    there = part.stat().st_size
    assert 0 < there <= 100_000
    assert not (tmp_path / "data" / "big.bin").exists()
    assert (tmp_path / LOCK_FILE).exists()  # the other file is done
    done = await fetch(GITHUB, tmp_path, hosts=upstream.hosts)
    assert [file.was_there for file in done.files] == [True, False]
    assert upstream.asked[-1][1] == f"bytes={there}-"
    assert (tmp_path / "data" / "big.bin").read_bytes() == FILES["data/big.bin"]
    assert not part.exists()


async def test_a_damaged_beginning_is_found_and_removed(upstream, tmp_path):
    part = tmp_path / "data" / f"big.bin{PART}"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"something else")
    with pytest.raises(FetchFailed, match=r"has the hash .*, listed is"):
        await fetch(GITHUB, tmp_path, hosts=upstream.hosts)
    assert not part.exists()
    part.write_bytes(b"0" * len(FILES["data/big.bin"]))
    await fetch(GITHUB, tmp_path, hosts=upstream.hosts)
    assert (tmp_path / "data" / "big.bin").read_bytes() == FILES["data/big.bin"]


@pytest.mark.parametrize(
    ("upstream_has", "source_has", "said"),
    [
        ({"extra": [OUTSIDE]}, {}, "lists a file named"),
        ({}, {"most_bytes": 1000}, "bytes; 1,000 are allowed"),
        ({"listed": {"data/big.bin": {"size": 10, "sha": ""}}}, {}, "is larger than"),
        ({"listed": {"data/big.bin": {"size": 400_000, "sha": ""}}}, {}, "are listed"),
        ({"truncated": True}, {}, "only a part"),
        ({"bad_json": True}, {}, "no JSON"),
        ({}, {"patterns": ("other/*",)}, "none of the files"),
    ],
)
async def test_a_listing_that_cannot_be_followed_is_refused(
    upstream, tmp_path, upstream_has, source_has, said
):
    for name, value in upstream_has.items():
        setattr(upstream, name, value)
    with pytest.raises(FetchFailed, match=said):
        await fetch(replace(GITHUB, **source_has), tmp_path / "set", hosts=upstream.hosts)
    assert not (tmp_path / "out.json").exists()
    assert not (tmp_path / "set" / "data" / "big.bin").exists()
    if "listed" not in upstream_has:
        assert not [path for path, _ in upstream.asked if path.startswith("/raw/")]


@pytest.mark.parametrize(
    ("status", "hint"), [(404, "it may have moved"), (429, "limits how much"), (500, "try again")]
)
async def test_a_refusal_says_what_to_do(upstream, tmp_path, status, hint):
    upstream.status["data/big.bin"] = status
    with pytest.raises(FetchFailed, match=f"answered {status}") as caught:
        await fetch(GITHUB, tmp_path, hosts=upstream.hosts)
    assert hint in caught.value.hint


async def test_without_a_network_the_message_says_what_to_do(tmp_path):
    # Bound, so that nobody else answers there; it listens to nobody.
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        hosts = Hosts(github_api=f"http://127.0.0.1:{deaf.getsockname()[1]}")
        with pytest.raises(FetchFailed, match="'set' could not be fetched") as caught:
            await fetch(GITHUB, tmp_path, hosts=hosts)
    assert "give its path" in caught.value.hint
    assert GITHUB.page in caught.value.hint


async def test_a_listing_of_several_pages_is_read_to_its_end(upstream, tmp_path):
    upstream.pages = True
    done = await fetch(HUGGING_FACE, tmp_path, hosts=upstream.hosts)
    assert [file.path for file in done.files] == ["data/a b.json", "data/big.bin"]


async def test_a_folder_of_another_commit_or_with_a_broken_record_is_refused(upstream, tmp_path):
    await fetch(GITHUB, tmp_path, hosts=upstream.hosts)
    with pytest.raises(UsageError, match="holds the commit"):
        await fetch(replace(GITHUB, commit="d" * 40), tmp_path, hosts=upstream.hosts)
    (tmp_path / LOCK_FILE).write_text("{")
    with pytest.raises(UsageError, match="cannot be read"):
        await fetch(GITHUB, tmp_path, hosts=upstream.hosts)


async def test_a_folder_that_cannot_be_written_is_named(upstream, tmp_path):
    (tmp_path / "data").write_text("a file in the place of the folder")
    with pytest.raises(UsageError, match="cannot be written"):
        await fetch(GITHUB, tmp_path, hosts=upstream.hosts)


# The sources -----------------------------------------------------------------------------------


@pytest.mark.parametrize("each", SOURCES.values(), ids=lambda each: each.name)
def test_a_source_is_pinned_to_a_commit(each):
    assert each.licence
    assert each.page.startswith(("https://github.com/", "https://huggingface.co/datasets/"))
    assert re.fullmatch(r"[0-9a-f]{40}", each.commit)
    assert each.patterns
    assert each.most_bytes <= 200_000_000


async def test_a_file_that_was_changed_here_is_refused(upstream, tmp_path):
    await fetch(GITHUB, tmp_path, hosts=upstream.hosts)
    (tmp_path / "data" / "a b.json").write_bytes(b'{"question": "Why?"}')
    with pytest.raises(FetchFailed, match="listed is") as caught:
        await fetch(GITHUB, tmp_path, hosts=upstream.hosts)
    assert "remove it and fetch again" in caught.value.hint
