"""The laws of the code itself: who imports whom, how long things get, what stays light."""

from __future__ import annotations

import ast
import re
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "git_okf"

STAGES = ("source", "delta", "guard", "bundle", "store", "review", "publish")
SHARED = ("model", "errors", "digest", "config", "gitprogram", "jsonapi", "linksets")
INNERMOST: Mapping[str, tuple[str, ...]] = {
    "model": (),
    "errors": (),
    "linksets": (),
    "digest": ("errors",),
    "jsonapi": ("errors", "digest"),
    "config": ("errors",),
    "gitprogram": ("errors",),
    "report": ("model", "errors", "config"),
}
BORDERS: Mapping[str, tuple[str, ...]] = {
    "pygit2": ("store.repo",),
    "httpx": ("jsonapi.client",),
    "aiohttp": ("source.web.client", "source.web.exchange", "source.web.transport"),
    "trafilatura": ("source.web.extract",),
    "typer": ("cli",),
    "playwright": ("source.web.browser",),
    "obstore": ("publish.bucket",),
    "subprocess": ("gitprogram", "demo.run"),
}
HEAVY = (
    "aiohttp",
    "asyncio",
    "httpx",
    "lxml",
    "multiprocessing",
    "obstore",
    "pygit2",
    "regex",
    "selectolax",
    "trafilatura",
    "yaml",
)

MODULE_LINES = 350
FUNCTION_LINES = 45
ROOMY: Mapping[str, tuple[int, str]] = {
    "model": (400, "the values that all stages share, one after another"),
    "delta": (420, "the decision table and what each of its rows does"),
    "source.web.extract.themes": (450, "a flat declaration: one table a theme"),
    "store.repo": (420, "all of pygit2 behind one door"),
}
"""Modules that may be longer than the rest: how long, and why."""


def modules() -> list[str]:
    found = (path.relative_to(PACKAGE).with_suffix("").as_posix() for path in PACKAGE.rglob("*.py"))
    return sorted(name.removesuffix("/__init__").replace("/", ".") for name in found)


def source_of(module: str) -> Path:
    path = PACKAGE / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(source_of(module).read_text(encoding="utf-8"))


def imports(module: str) -> Iterator[str]:
    """Everything a module imports, inside functions too, with full names."""
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def ours(module: str) -> set[str]:
    """The first part below git_okf of each of our own modules it imports."""
    return {name.split(".")[1] for name in imports(module) if name.startswith("git_okf.")}


@pytest.mark.parametrize("module", [m for m in modules() if m.split(".")[0] in STAGES])
def test_a_stage_knows_no_other_stage(module: str) -> None:
    stage = module.split(".")[0]
    assert ours(module) - {stage, "__version__"} <= set(SHARED)


@pytest.mark.parametrize("module", [m for m in modules() if m.split(".")[0] in INNERMOST])
def test_shared_modules_know_only_what_lies_further_in(module: str) -> None:
    name = module.split(".")[0]
    assert ours(module) <= {name, *INNERMOST[name], "__version__"}


@pytest.mark.parametrize("library", BORDERS)
def test_a_library_stays_behind_its_border(library: str) -> None:
    users = {m for m in modules() if any(name.split(".")[0] == library for name in imports(m))}
    allowed = BORDERS[library]
    assert {m for m in users if not any(m == a or m.startswith(a + ".") for a in allowed)} == set()


@pytest.mark.parametrize("module", modules())
def test_only_the_command_line_ends_the_program(module: str) -> None:
    if module.split(".")[0] in ("cli", "__main__"):
        return
    names = {node.id for node in ast.walk(tree_of(module)) if isinstance(node, ast.Name)}
    assert not names & {"SystemExit", "print", "breakpoint"}
    assert not any(name in ("sys.exit", "os._exit") for name in imports(module))


@pytest.mark.parametrize("module", modules())
def test_modules_are_one_room_each(module: str) -> None:
    limit = ROOMY.get(module, (MODULE_LINES, ""))[0]
    assert len(source_of(module).read_text(encoding="utf-8").splitlines()) <= limit


def test_no_room_is_kept_for_a_module_that_does_not_need_it() -> None:
    assert set(ROOMY) <= set(modules())
    for module in ROOMY:
        assert len(source_of(module).read_text(encoding="utf-8").splitlines()) > MODULE_LINES, module


@pytest.mark.parametrize("module", modules())
def test_functions_are_short(module: str) -> None:
    functions = (n for n in ast.walk(tree_of(module)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    long = {f.name: f.end_lineno - f.lineno + 1 for f in functions if f.end_lineno}
    assert {name: lines for name, lines in long.items() if lines > FUNCTION_LINES} == {}


@pytest.mark.parametrize("module", modules())
def test_modules_say_what_they_are_for(module: str) -> None:
    tree = tree_of(module)
    assert ast.get_docstring(tree) or not tree.body


def test_nothing_in_the_project_speaks_of_where_it_was_made() -> None:
    words = re.compile(
        "|".join(("/" + "work/", r"\.\./" + "shared", "/tmp/" + "sites", "sub" + "agent", "before-" + "stop"))
    )
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    files = [ROOT / name for name in listed.decode().split("\0") if name]
    assert files, "the tests run in a clone of the project"
    found = {
        path.relative_to(ROOT).as_posix(): words.findall(path.read_text(encoding="utf-8"))
        for path in files
        if path.is_file() and path.suffix in (".py", ".md", ".toml", ".yaml", ".yml", ".txt", ".html", "")
    }
    assert {path: hits for path, hits in found.items() if hits} == {}


def test_the_command_line_imports_nothing_heavy() -> None:
    program = f"import sys, git_okf.cli; print(*(m for m in {HEAVY!r} if m in sys.modules))"
    said = subprocess.run([sys.executable, "-c", program], check=True, text=True, capture_output=True)
    assert said.stdout.split() == []


def test_help_costs_less_than_a_third_of_a_second() -> None:
    costs = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "git_okf", "--help"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(costs) < 0.3
