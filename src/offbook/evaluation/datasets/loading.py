"""A dataset by its name: from the path that a person names, or from where it was fetched to."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path

from offbook import registry
from offbook.errors import UsageError
from offbook.evaluation.benchmark import Benchmark, Dataset
from offbook.evaluation.datasets.fetching import LOCK_FILE, folder_of
from offbook.evaluation.datasets.files import ROWS
from offbook.evaluation.datasets.sources import SOURCES

Loader = Callable[..., Dataset]
"""What is registered: ``load(path: Path | None, **options: str) -> Dataset``."""


def load_dataset(
    name: str,
    path: Path | None = None,
    options: Mapping[str, str] | None = None,
    *,
    home: Path | None = None,
) -> Dataset:
    """Load a dataset.

    Raises:
        UnknownName: no dataset of that name.
        UnreadableDocument, UsageError: an option that there is not, or a file that is no good.
    """
    load: Loader = registry.load("dataset", name)
    arguments = dict(options or {})
    known = list(inspect.signature(load).parameters)[1:]
    if odd := [option for option in arguments if option not in known]:
        raise UsageError(
            f"the dataset {name!r} has no option {odd[0]!r}",
            f"known: {', '.join(known) or 'none'}",
        )
    return load(path if path is not None else fetched(name, home), **arguments)


def load_benchmark(
    benchmark: Benchmark,
    path: Path | None = None,
    options: Mapping[str, str] | None = None,
    *,
    home: Path | None = None,
) -> Dataset:
    """Load the dataset of a benchmark; ``options`` win over those of the benchmark.

    Raises:
        UnreadableDocument, UsageError: as `load_dataset`; or nothing was named or fetched.
    """
    path = path if path is not None else fetched(benchmark.dataset, home)
    if benchmark.needs_path and path is None and not (options or {}).get(ROWS):
        can = benchmark.dataset in SOURCES
        raise UsageError(
            f"the benchmark {benchmark.name!r} is read from a folder or file, and none was named",
            (f"offbook eval fetch {benchmark.dataset}, or " if can else "")
            + "name it with --path; docs/datasets.md says where to get it",
        )
    return load_dataset(
        benchmark.dataset, path, {**dict(benchmark.options), **(options or {})}, home=home
    )


def fetched(name: str, home: Path | None) -> Path | None:
    """The folder that a dataset was fetched to, if it was."""
    if home is None or name not in SOURCES:
        return None
    folder = folder_of(home, name)
    return folder if (folder / LOCK_FILE).exists() else None
