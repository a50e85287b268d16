"""Measure how large the source is, and how much of it one answer enters.

python benchmarks/house.py [--json]
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import json
import os
import re
import statistics
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from offbook import demo
from offbook.app.book import Offbook
from offbook.models.openai_compatible import OpenAICompatible

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCE: Final = ROOT / "src" / "offbook"

WINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "rules": ("rules/",),
    "evaluation": ("evaluation/", "app/evaluation/", "cli/evaluation/", "stores/evaluat"),
    "cards": ("cards/",),
    "faces": ("server/", "ui/", "cli/"),
}
"""Wing to the paths that it holds, the first that fits; all else is the core."""

TARGETS: Final[Mapping[str, int]] = {
    "source.files": 430,
    "source.lines": 76_000,
    "wings.core.lines": 36_000,
    "wings.rules.lines": 7_500,
    "wings.evaluation.lines": 13_500,
    "wings.cards.lines": 8_500,
    "wings.faces.lines": 10_500,
    "beside.tests.lines": 55_000,
    "shape.modules_over_650": 5,
    "shape.modules_over_700": 0,
    "import_cycles.all.modules": 0,
    "habits.tuple_splats": 0,
    "ask.naive.files": 40,
    "ask.naive.functions": 250,
    "ask.ensemble.files": 60,
    "ask.ensemble.functions": 400,
    "frames_to.extract": 18,
}
"""The most that figures may be, by their place in the JSON document."""

METHODS: Final = ("naive", "rolerag", "ensemble")
REPEATED_FIELD: Final = re.compile(r"\bcompletion_tokens\b")
VAGUE_NAMES: Final = ("told", "asked", "found", "seen", "kept", "own", "at")
TEMPLATES: Final = (".jinja", ".js", ".css", ".html")
TABLES: Final = (".json", ".jsonl", ".toml", ".txt", ".csv", ".tsv", ".yaml", ".yml")

Figures = dict[str, Any]
Function = ast.FunctionDef | ast.AsyncFunctionDef


# -- what is read ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Module:
    """One file of source; ``place`` is its path below the package."""

    name: str
    place: str
    tree: ast.Module
    lines: Sequence[str]
    code_lines: int
    functions: Sequence[Function]


@dataclass(frozen=True)
class Edge:
    """One module imports another: at ``runtime``, ``lazy`` in a function, or for ``types`` only."""

    source: str
    target: str
    kind: str


def read_modules() -> dict[str, Module]:
    modules = {}
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE)
        parts = ("offbook", *place.with_suffix("").parts)
        name = ".".join(part for part in parts if part != "__init__")
        text = path.read_text(encoding="utf-8")
        tree, lines = ast.parse(text), text.splitlines()
        functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
        code_lines = count_code_lines(tree, lines)
        modules[name] = Module(name, place.as_posix(), tree, lines, code_lines, functions)
    return modules


def count_code_lines(tree: ast.Module, lines: Sequence[str]) -> int:
    """Count lines that are not blank, not a comment and not of a string that stands alone."""
    docstring_lines = {
        number
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node.value.value, str)
        for number in range(node.lineno, length(node) + node.lineno)
    }
    return sum(
        bool(line.strip()) and not line.lstrip().startswith("#") and number not in docstring_lines
        for number, line in enumerate(lines, 1)
    )


def length(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def import_edges(modules: Mapping[str, Module]) -> set[Edge]:
    return {
        Edge(module.name, target, kind)
        for module in modules.values()
        for statement, kind in import_statements(module.tree, "runtime")
        for target in imported_modules(statement, modules)
        if target != module.name
    }


def import_statements(node: ast.AST, kind: str) -> Iterator[tuple[ast.stmt, str]]:
    """Find the import statements below a node, each with its kind."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, kind
        elif isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            yield from import_statements(child, "types")
        else:
            yield from import_statements(child, "lazy" if isinstance(child, Function) else kind)


def imported_modules(statement: ast.stmt, modules: Mapping[str, Module]) -> Iterator[str]:
    """Find the package's modules that a statement imports; ``from package import module`` too."""
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names if alias.name in modules)
    elif isinstance(statement, ast.ImportFrom):
        for alias in statement.names:
            nested = f"{statement.module}.{alias.name}"
            if nested in modules or statement.module in modules:
                yield nested if nested in modules else str(statement.module)


# -- measures ----------------------------------------------------------------------------------


def package_of(module: Module) -> str:
    return module.place.split("/")[0].removesuffix(".py")


def wing_of(module: Module) -> str:
    holding = (wing for wing, folders in WINGS.items() if module.place.startswith(folders))
    return next(holding, "core")


def size(modules: Iterable[Module]) -> dict[str, int]:
    counts = [(1, len(module.lines), module.code_lines) for module in modules]
    return dict(zip(("files", "lines", "code"), map(sum, zip(*counts, strict=True)), strict=True))


def size_by(modules: Iterable[Module], group_of: Callable[[Module], str]) -> Figures:
    groups: defaultdict[str, list[Module]] = defaultdict(list)
    for module in modules:
        groups[group_of(module)].append(module)
    sizes = {name: size(members) for name, members in groups.items()}
    return dict(sorted(sizes.items(), key=lambda item: -item[1]["lines"]))


def size_of_files(folder: Path, suffixes: Sequence[str]) -> dict[str, int]:
    paths = [path for path in folder.rglob("*") if path.suffix in suffixes]
    return {"files": len(paths), "lines": sum(path.read_bytes().count(b"\n") for path in paths)}


def shape(modules: Mapping[str, Module]) -> Figures:
    lengths = [length(function) for m in modules.values() for function in m.functions]
    lines = [line for module in modules.values() for line in module.lines if line.strip()]
    wide = sum(len(line) > 88 for line in lines)
    longest = {module.place: len(module.lines) for module in modules.values()}
    return {
        "functions": len(lengths),
        "function_median": statistics.median(lengths),
        "function_p90": statistics.quantiles(lengths, n=10)[-1],
        "share_over_88_columns": round(wide / len(lines), 4),
        "modules_over_650": [place for place, lines in longest.items() if lines > 650],
        "modules_over_700": [place for place, lines in longest.items() if lines > 700],
    }


def fan_out(edges: Iterable[Edge], group_of: Callable[[str], str]) -> Figures:
    """Count how many others each imports: the mean and the ten with most."""
    pairs = {(group_of(edge.source), group_of(edge.target)) for edge in edges}
    counts = Counter(source for source, target in pairs if source != target)
    mean = round(statistics.mean(counts.values()), 2)
    return {"mean": mean, "largest": dict(counts.most_common(10))}


def modules_with_one_importer(edges: Iterable[Edge]) -> list[str]:
    pairs = {(edge.source, edge.target) for edge in edges}
    importers = Counter(target for _, target in pairs)
    return sorted(name for name, count in importers.items() if count == 1)


def import_cycles(edges: Iterable[Edge], *kinds: str) -> Figures:
    """Find groups of modules that import one another, in circles, the largest first."""
    graph: defaultdict[str, set[str]] = defaultdict(set)
    for edge in edges:
        if edge.kind in kinds:
            graph[edge.source].add(edge.target)
    reached = {name: reached_from(name, graph) for name in list(graph)}
    groups = {
        frozenset(other for other in others if name in reached.get(other, ()))
        for name, others in reached.items()
        if name in others
    }
    groups_by_size = sorted((sorted(group) for group in groups), key=len, reverse=True)
    return {"modules": sum(map(len, groups)), "groups": groups_by_size}


def reached_from(start: str, graph: Mapping[str, set[str]]) -> set[str]:
    """Find all modules that lie one edge or more from the start."""
    reached: set[str] = set()
    open_ends = list(graph[start])
    while open_ends:
        name = open_ends.pop()
        if name not in reached:
            reached.add(name)
            open_ends.extend(graph.get(name, ()))
    return reached


def tuple_splats(module: Module) -> Iterator[str]:
    """Find calls with ``*name`` of a tuple (or a choice of two) packed in the same function."""
    for function in module.functions:
        nodes = list(ast.walk(function))
        packed = {
            target.id
            for node in nodes
            if isinstance(node, ast.Assign)
            and isinstance(getattr(node.value, "body", node.value), ast.Tuple)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for call in (node for node in nodes if isinstance(node, ast.Call)):
            splats = [arg.value for arg in call.args if isinstance(arg, ast.Starred)]
            if any(isinstance(s, ast.Tuple) or getattr(s, "id", None) in packed for s in splats):
                yield f"{module.place}:{call.lineno}:{call.col_offset}"


def functions_with_vague_locals(modules: Mapping[str, Module]) -> dict[str, int]:
    """Count the functions that have a local or a parameter of each name."""
    counts: Counter[str] = Counter()
    for module in modules.values():
        for function in module.functions:
            nodes = list(ast.walk(function))
            names = {node.arg for node in nodes if isinstance(node, ast.arg)}
            stored = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            counts.update(names | {node.id for node in stored})
    return {name: counts[name] for name in VAGUE_NAMES}


# -- walks -------------------------------------------------------------------------------------


def entered_by(codes: Iterable[CodeType]) -> dict[str, int]:
    """Count files and functions; ``code_objects`` also comprehensions (up to Python 3.11)."""
    within = {code for code in codes if is_of_package(code)}
    functions = [c for c in within if c.co_name == "<lambda>" or not c.co_name.startswith("<")]
    files = {code.co_filename for code in within}
    return {"files": len(files), "functions": len(functions), "code_objects": len(within)}


def is_of_package(code: CodeType) -> bool:
    return code.co_filename.startswith(f"{SOURCE}{os.sep}")


async def walks() -> Figures:
    """Trace a second ``ask`` about the demo's character, and a second ``ingest`` of its text."""
    in_loop: set[CodeType] = set()
    in_threads: set[CodeType] = set()

    async def trace(work: Coroutine[Any, Any, object]) -> Figures:
        in_loop.clear()
        in_threads.clear()
        sys.setprofile(lambda frame, *_: in_loop.add(frame.f_code))
        try:
            await work
        finally:
            sys.setprofile(None)
        return {**entered_by(in_loop | in_threads), "without_threads": entered_by(in_loop)}

    threading.setprofile(lambda frame, *_: in_threads.add(frame.f_code))  # the store's, made later
    first, second = (question.question for question in demo.questions("knowledge")[:2])
    entered: Figures = {"ask": {}, "ingest": {}}
    for method in METHODS:
        async with await Offbook.open(method=method) as book:
            shipped, _ = await book.demo_character()
            await book.ask(shipped.name, first)
            entered["ask"][method] = await trace(book.ask(shipped.name, second))
            for _ in range(2):
                name = (await book.create("Somebody")).id
                work = book.ingest(name, [str(demo.persona_path())])
                entered["ingest"][method] = await trace(work)
    threading.setprofile(None)
    return entered


_creators: Final[ContextVar[tuple[CodeType, ...]]] = ContextVar("creators", default=())
"""The frames that stand above the running task: those of the task that created it, and so on."""


def stack_from(frame: FrameType | None) -> tuple[CodeType, ...]:
    """Collect the frames from this one outwards, then those of the tasks that led here."""
    codes = []
    while frame is not None:
        codes.append(frame.f_code)
        frame = frame.f_back
    return (*codes, *_creators.get())


def remember_creators(loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> Any:
    """Make a task that knows the frames of its creator; a task factory."""
    context = options.pop("context", None) or copy_context()
    context.run(_creators.set, stack_from(sys._getframe(1)))
    return asyncio.Task(work, loop=loop, context=context, **options)


async def frames_to_model() -> dict[str, int]:
    """Count the package's frames from ``Offbook.ingest`` to ``complete``, both counted, by prompt.

    The wrappers are those of an endpoint. Of several calls of a prompt the longest way counts.
    """
    asyncio.get_running_loop().set_task_factory(remember_creators)
    async with await Offbook.open() as book:
        offline = book.runtime().extractor
    frames: defaultdict[str, int] = defaultdict(int)

    async def complete(_: object, request: Any) -> Any:
        stack = [code for code in stack_from(sys._getframe(1)) if is_of_package(code)]
        prompt = request.origin[0].name
        frames[prompt] = max(frames[prompt], stack.index(Offbook.ingest.__code__) + 2)
        return await offline.complete(request)

    own_complete = OpenAICompatible.complete
    address: Figures = {"chat__model": "m", "chat__base_url": "http://127.0.0.1:9/v1"}
    try:
        setattr(OpenAICompatible, "complete", complete)  # noqa: B010  # in its place, offline
        async with await Offbook.open(method="rolerag", **address) as book:
            name = (await book.create("Somebody")).id
            await book.ingest(name, [str(demo.persona_path())])
    finally:
        setattr(OpenAICompatible, "complete", own_complete)  # noqa: B010
    return dict(sorted(frames.items()))


# -- all of it ---------------------------------------------------------------------------------


def measure() -> Figures:
    modules = read_modules()
    edges = import_edges(modules)
    with_field = [m for m in modules.values() if any(map(REPEATED_FIELD.search, m.lines))]
    return {
        "source": size(modules.values()),
        "wings": size_by(modules.values(), wing_of),
        "packages": size_by(modules.values(), package_of),
        "beside": {
            "benchmarks": size_of_files(ROOT / "benchmarks", [".py"]),
            "tests": size_of_files(ROOT / "tests", [".py"]),
            "tables": size_of_files(SOURCE, TABLES),
            "templates": size_of_files(SOURCE, TEMPLATES),
        },
        "shape": shape(modules),
        "fan_out": {
            "modules": fan_out(edges, str),
            "packages": fan_out(edges, lambda name: package_of(modules[name])),
        },
        "import_cycles": {
            "runtime": import_cycles(edges, "runtime"),
            "runtime_and_lazy": import_cycles(edges, "runtime", "lazy"),
            "runtime_and_types": import_cycles(edges, "runtime", "types"),
            "all": import_cycles(edges, "runtime", "lazy", "types"),
        },
        "habits": {
            "tuple_splats": sorted({place for m in modules.values() for place in tuple_splats(m)}),
            "modules_with_one_importer": modules_with_one_importer(edges),
            "files_with_completion_tokens": [module.place for module in with_field],
        },
        "functions_with_locals": functions_with_vague_locals(modules),
        **walks_and_frames(),
    }


def walks_and_frames() -> Figures:
    """Trace in a home that is thrown away, without anybody's settings."""
    for name in [name for name in os.environ if name.startswith(("OFFBOOK_", "OPENAI_"))]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as home:
        os.environ["OFFBOOK_HOME"] = home
        os.environ["OFFBOOK_CONFIG"] = str(Path(home) / "config.toml")
        return {**asyncio.run(walks()), "frames_to": asyncio.run(frames_to_model())}


def as_text(figures: Figures, place: str = "") -> Iterator[str]:
    """Write each group of figures as a line, lists as their length, beside the most wanted."""
    words = []
    for name, value in figures.items():
        if not isinstance(value, dict):
            target = TARGETS.get(f"{place}.{name}")
            most = "" if target is None else f" (at most {target:,})"
            words.append(f"{name} {len(value) if isinstance(value, list) else value:,}{most}")
    if words:
        yield f"{place:32} {', '.join(words)}"
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from as_text(value, f"{place}.{name}".strip("."))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    figures = measure()
    print(json.dumps(figures, indent=2) if as_json else "\n".join(as_text(figures)))


if __name__ == "__main__":
    main()
