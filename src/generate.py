"""Writes the sources that follow from others: the types of ``offbook.sync``, and of settings.

Takes: the sources.  Gives: the files of ``FILES``; a test says when they are not current.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr

from offbook.settings import SettingsModel

SOURCE = Path(__file__).parent
CLASSES = {
    "Cards": ["offbook.app.cards:Cards"],
    "Conversations": ["offbook.app.conversations:Conversations"],
    "Memories": ["offbook.app.memories:Memories"],
    "Offbook": ["offbook.app.home:Home", "offbook.app.book:Offbook"],
    "Scene": ["offbook.agent.scene:Scene"],
    "Session": ["offbook.agent.session:Session"],
    "Users": ["offbook.app.users:Users"],
}
"""The faces, and the classes that each of them is made of."""
WITHOUT_FACE = {"Clients", "Learning", "Participant", "Runtime", "Store", "Wiring"}
"""Types of the inside; what takes or gives one has no place in the stub."""
STREAMS = ("AsyncIterator", "AsyncGenerator")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Stub:
    """The lines of a stub, and where the names in them are from."""

    modules: dict[str, str] = field(default_factory=dict)
    used: dict[str, set[str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def use(self, node: ast.AST | None) -> None:
        """Note where the names in an annotation are from."""
        names = _names(node)
        for name in names & self.modules.keys():
            if name not in CLASSES:
                self.used.setdefault(self.modules[name], set()).add(name)

    def text(self) -> str:
        """All of it."""
        imports = [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self.used.items())
        ]
        head = '"""The types of ``offbook.sync``; written by ``src/generate.py``."""\n'
        return "\n".join([head, *imports, *self.lines]) + "\n"


def sync_stub() -> str:
    """The types of the synchronous faces, as their asynchronous classes have them."""
    stub = Stub()
    stub.used = {"collections.abc": {"Generator"}, "offbook.sync.faces": {"ClosingFace", "Face"}}
    for name, origins in CLASSES.items():
        members: list[str] = []
        for origin in origins:
            module, _, attribute = origin.partition(":")
            tree = ast.parse(SOURCE.joinpath(*module.split(".")).with_suffix(".py").read_text())
            stub.modules = _modules(tree, module)
            kind = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == attribute)
            members += _members(kind, stub)
        base = "Face"
        if name == "Offbook":
            base = "ClosingFace"
            members.append("    def __enter__(self) -> Offbook: ...")
        about = (ast.get_docstring(kind) or "").partition("\n")[0]
        stub.lines += [f"class {name}({base}):", f'    """{about}"""', *members]
    return stub.text()


def _modules(tree: ast.Module, module: str) -> dict[str, str]:
    """Where each name of a module is from."""
    here = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    modules = dict.fromkeys(here, module)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules |= dict.fromkeys([alias.name for alias in node.names], node.module)
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            modules.setdefault(node.targets[0].id, module)
    return modules


def _members(kind: ast.ClassDef, stub: Stub) -> Iterator[str]:
    for node in kind.body:
        if not isinstance(node, Function):
            continue
        if node.name == "__init__":
            yield from _attributes(node, stub)
        elif not node.name.startswith("_"):
            yield from _method(node, stub)


def _attributes(init: Function, stub: Stub) -> Iterator[str]:
    for node in init.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute):
            name = node.target.attr
            if not name.startswith("_") and not WITHOUT_FACE & _names(node.annotation):
                stub.use(node.annotation)
                yield f"    {name}: {ast.unparse(node.annotation)}"


def _method(node: Function, stub: Stub) -> Iterator[str]:
    annotations = [each.annotation for each in ast.walk(node.args) if isinstance(each, ast.arg)]
    if any(WITHOUT_FACE & _names(each) for each in [*annotations, node.returns]):
        return
    returns = node.returns
    if isinstance(returns, ast.Subscript) and ast.unparse(returns.value) in STREAMS:
        returns = ast.parse(f"Generator[{ast.unparse(returns.slice)}]").body[0].value  # type: ignore[attr-defined]
    for each in [*annotations, returns]:
        stub.use(each)
    node.args.defaults = [ast.Constant(...) for _ in node.args.defaults]
    node.args.kw_defaults = [each and ast.Constant(...) for each in node.args.kw_defaults]
    docstring = ast.get_docstring(node, clean=False)
    body: list[ast.stmt] = [ast.Expr(ast.Constant(docstring or ...))]
    made = ast.FunctionDef(node.name, node.args, body, node.decorator_list, returns)
    yield from _indented(ast.unparse(ast.fix_missing_locations(made)).splitlines())


def _indented(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield f"    {line}" if line.strip() else ""


def _names(node: ast.AST | None) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} if node else set()


def formatted(path: Path, text: str) -> str:
    """A source as the formatter and the sorter of imports leave it."""
    ruff = str(Path(sys.executable).with_name("ruff"))
    for command in (["check", "--fix", "--exit-zero", "-q"], ["format", "-q"]):
        done = subprocess.run(
            [ruff, *command, "--stdin-filename", str(path), "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        text = done.stdout
    return text


def setting_keywords() -> str:
    """The settings as keywords, with ``__`` for the dot, and the types that they may have."""
    lines = [
        '"""The settings as keywords of a call; written by ``src/generate.py``.',
        "",
        "Takes: nothing.  Gives: the names and types that an editor completes.",
        '"""',
        "from collections.abc import Sequence",
        "from pathlib import Path",
        "from typing import Literal, TypedDict",
        "class SettingKeywords(TypedDict, total=False):",
        '    """Settings by name, with ``__`` for the dot; None: as it is configured."""',
    ]
    for name, annotation in _settings(SettingsModel, ""):
        kinds = dict.fromkeys([*_kinds(annotation), "None"])
        lines.append(f"    {name}: {' | '.join(kinds)}")
    return "\n".join(lines) + "\n"


def _settings(section: type[BaseModel], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, info in section.model_fields.items():
        kind: Any = info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _settings(kind, f"{prefix}{name}__")
        elif get_origin(kind) is not dict:  # models' names may have any letters
            yield f"{prefix}{name}", kind


def _kinds(annotation: Any) -> Iterator[str]:
    """The types that a setting takes, as code writes them."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        for each in get_args(annotation):
            yield from _kinds(each)
    elif origin is Literal:
        yield f"Literal{list(get_args(annotation))}"
    elif origin is tuple:
        yield from ("str", "Sequence[str]")
    elif origin is Annotated:
        yield from _kinds(get_args(annotation)[0])
    elif annotation is Path:
        yield from ("str", "Path")
    elif annotation is SecretStr:
        yield "str"
    else:
        yield "None" if annotation is type(None) else annotation.__name__


FILES = {
    "offbook/settings/keywords.py": setting_keywords,
    "offbook/sync/__init__.pyi": sync_stub,
}


def main() -> None:
    """Write the files."""
    for name, make in FILES.items():
        path = SOURCE / name
        path.write_text(formatted(path, make()), "utf-8")


if __name__ == "__main__":
    main()
