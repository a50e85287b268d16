"""Fetching a dataset from upstream, on a person's command and never otherwise.

A file is written whole or not at all, one that was broken off is resumed, and one that is there
already is checked instead of fetched. The hashes that the host lists for the commit are verified
each time; ``fetched.json`` records commit, licence and the SHA-256 of each file. Most sources are
on GitHub, which ``huggingface_hub`` does not read: one way serves both hosts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from offbook.errors import FetchFailed, UsageError
from offbook.evaluation.datasets.sources import Source

if TYPE_CHECKING:
    import httpx

LOCK_FILE: Final = "fetched.json"
PART: Final = ".part"
_BLOCK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Hosts:
    """Where the hosts answer; tests name a loopback server."""

    github_api: str = "https://api.github.com"
    github_raw: str = "https://raw.githubusercontent.com"
    huggingface: str = "https://huggingface.co"
    timeout_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file as the host lists it: ``git`` is its Git blob hash, ``sha256`` that of large files."""

    path: str
    url: str
    size: int
    git: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file that is there now; ``was_there`` where it did not have to be fetched."""

    path: str
    url: str
    size: int
    sha256: str
    was_there: bool = False


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a fetch left in ``folder``, to be shown: licence, page, commit and the files' hashes."""

    name: str
    folder: Path
    page: str
    commit: str
    licence: str
    files: tuple[FetchedFile, ...]

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self) | {"folder": str(self.folder)}


def folder_of(home: Path, name: str) -> Path:
    """Where a fetched dataset lies in a home folder."""
    return home.expanduser() / "datasets" / name


async def fetch(
    source: Source,
    folder: Path,
    *,
    hosts: Hosts | None = None,
    notify: Callable[[str], None] = lambda _: None,
) -> Fetched:
    """Fetch what is not there yet, and check what is.

    Raises:
        FetchFailed: no network, a refusal, too large, or a file that is not what it should be.
        UsageError: the folder cannot be written, or holds another commit.
    """
    _check_commit(folder, source)
    done: list[FetchedFile] = []
    async with _client(source, hosts or Hosts()) as client:
        listed = await _listing(client, source, hosts or Hosts())
        for number, remote in enumerate(listed, 1):
            notify(f"{number}/{len(listed)} {remote.path} ({remote.size:,} bytes)")
            done.append(await _one(client, remote, folder))
            fetched = Fetched(
                source.name, folder, source.page, source.commit, source.licence, tuple(done)
            )
            record = folder / (LOCK_FILE + PART)
            record.write_text(json.dumps(fetched.as_json(), indent=1), encoding="utf-8")
            record.replace(folder / LOCK_FILE)
    return fetched


# The hosts -----------------------------------------------------------------------------------


@asynccontextmanager
async def _client(source: Source, hosts: Hosts) -> AsyncIterator[httpx.AsyncClient]:
    import httpx

    async with httpx.AsyncClient(timeout=hosts.timeout_seconds, follow_redirects=True) as client:
        try:
            yield client
        except httpx.HTTPStatusError as error:
            status = error.response.status_code
            why = {
                403: "the host limits how much may be asked: try again later, it resumes",
                404: f"it may have moved: look at {source.page}",
            }
            hint = why.get(403 if status == 429 else status, "try again later, it resumes")
            raise FetchFailed(f"{error.request.url} answered {status}", hint) from error
        except httpx.HTTPError as error:
            said = str(error) or type(error).__name__
            raise FetchFailed(
                f"{source.name!r} could not be fetched: {said}",
                f"check the network and run it again, it resumes; or get {source.page} by other "
                "means and give its path",
            ) from error


async def _json(client: httpx.AsyncClient, url: str) -> tuple[Any, str | None]:
    """The JSON value at an address, and the address of the next page."""
    answer = await client.get(url)
    answer.raise_for_status()
    try:
        return answer.json(), answer.links.get("next", {}).get("url")
    except ValueError as error:
        raise FetchFailed(f"{url} answered with no JSON", "try again later") from error


async def _listing(client: httpx.AsyncClient, source: Source, hosts: Hosts) -> list[RemoteFile]:
    """The files that are wanted, once it is sure that they may be fetched."""
    remote = (_github if source.host == "github" else _huggingface)(client, source, hosts)
    listed = [each async for each in remote if source.wants(each.path)]
    if not listed:
        raise FetchFailed(
            f"{source.repository!r} at {source.commit[:12]} has none of the files looked for",
            f"looked for: {', '.join(source.patterns)}; look at {source.page}",
        )
    for path in (each.path for each in listed):
        if path.startswith(("/", "\\")) or ".." in PurePosixPath(path).parts or "\0" in path:
            raise FetchFailed(f"the host lists a file named {path!r}", "nothing was written")
    total = sum(each.size for each in listed)
    if total > source.most_bytes:
        raise FetchFailed(
            f"{source.name!r} is {total:,} bytes; {source.most_bytes:,} are allowed",
            f"it has changed: look at {source.page}",
        )
    return listed


async def _github(
    client: httpx.AsyncClient, source: Source, hosts: Hosts
) -> AsyncIterator[RemoteFile]:
    url = f"{hosts.github_api}/repos/{source.repository}/git/trees/{source.commit}?recursive=1"
    tree, _ = await _json(client, url)
    if tree.get("truncated"):
        raise FetchFailed(f"{url} lists only a part of the files", f"get {source.page} by Git")
    for entry in tree.get("tree", ()):
        if entry.get("type") == "blob":
            path = str(entry["path"])
            raw = f"{hosts.github_raw}/{source.repository}/{source.commit}/{quote(path)}"
            yield RemoteFile(path, raw, int(entry.get("size", 0)), git=str(entry.get("sha", "")))


async def _huggingface(
    client: httpx.AsyncClient, source: Source, hosts: Hosts
) -> AsyncIterator[RemoteFile]:
    base = f"{hosts.huggingface}/api/datasets/{source.repository}/tree/{source.commit}"
    url: str | None = f"{base}?recursive=true"
    while url:
        entries, url = await _json(client, url)
        for entry in entries:
            if entry.get("type") != "file":
                continue
            path, large = str(entry["path"]), entry.get("lfs") or {}
            raw = (
                f"{hosts.huggingface}/datasets/{source.repository}/resolve/"
                f"{source.commit}/{quote(path)}"
            )
            # Of a large file the Git hash is that of its pointer.
            git = "" if large else str(entry.get("oid", ""))
            yield RemoteFile(path, raw, int(entry.get("size", 0)), git, str(large.get("oid", "")))


# One file ------------------------------------------------------------------------------------


async def _one(client: httpx.AsyncClient, remote: RemoteFile, folder: Path) -> FetchedFile:
    target = folder / remote.path
    part = target.with_name(target.name + PART)
    try:
        if target.exists():
            sha256 = _checked(target, remote)
            return FetchedFile(remote.path, remote.url, remote.size, sha256, was_there=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            await _download(client, remote, part)
            sha256 = _checked(part, remote)
        except FetchFailed:
            part.unlink(missing_ok=True)
            raise
        part.replace(target)
    except OSError as error:
        raise UsageError(
            f"{str(target)!r} cannot be written: {error.strerror or error}",
            "check the folder and the space on the disk",
        ) from error
    return FetchedFile(remote.path, remote.url, remote.size, sha256)


async def _download(client: httpx.AsyncClient, remote: RemoteFile, part: Path) -> None:
    """Fetch into ``part``, from where it was broken off where the host can do that."""
    there = part.stat().st_size if part.exists() else 0
    if there and there >= remote.size:
        part.unlink()
        there = 0
    headers = {"Range": f"bytes={there}-"} if there else {}
    # Not compressed: the range and the size are those of the file.
    headers["Accept-Encoding"] = "identity"
    async with client.stream("GET", remote.url, headers=headers) as answer:
        answer.raise_for_status()
        resumed = answer.status_code == 206
        size = there if resumed else 0
        with part.open("ab" if resumed else "wb") as file:
            async for block in answer.aiter_bytes(_BLOCK):
                size += len(block)
                if size > remote.size:
                    raise FetchFailed(
                        f"{remote.url} is larger than the {remote.size:,} bytes that it is "
                        "listed with",
                        "nothing of it was kept; try again later",
                    )
                file.write(block)


def _checked(path: Path, remote: RemoteFile) -> str:
    """The SHA-256 of a file, once it is sure that it is the one that was listed."""
    size = path.stat().st_size
    if size != remote.size:
        raise FetchFailed(
            f"{str(path)!r} has {size:,} bytes, {remote.size:,} are listed",
            "it was changed or damaged: remove it and fetch again",
        )
    sha256, git = hashlib.sha256(), hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            sha256.update(block)
            git.update(block)
    made = sha256.hexdigest()
    for listed, computed in ((remote.sha256, made), (remote.git, git.hexdigest())):
        if listed and listed != computed:
            raise FetchFailed(
                f"{str(path)!r} has the hash {computed[:16]}..., listed is {listed[:16]}...",
                "it was changed or damaged: remove it and fetch again",
            )
    return made


def _check_commit(folder: Path, source: Source) -> None:
    """Refuse a folder that holds another commit of the source."""
    file = folder / LOCK_FILE
    if not file.exists():
        return
    try:
        commit = json.loads(file.read_text(encoding="utf-8"))["commit"]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{str(file)!r} cannot be read", "remove the folder and fetch again"
        ) from error
    if commit != source.commit:
        raise UsageError(
            f"{str(folder)!r} holds the commit {commit!r}, not {source.commit!r}",
            "remove the folder and fetch again",
        )
