"""What a fresh machine gets: HOOK-04. scripts/clean-install does the same with a real wheel and a real environment."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import git_okf

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def canonical(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()


DECLARED = {canonical(text) for text in PROJECT["dependencies"]}
OPTIONAL = {
    canonical(text) for name, extra in PROJECT["optional-dependencies"].items() if name != "test" for text in extra
}


def imported() -> set[str]:
    found: set[str] = set()
    for path in (ROOT / "git_okf").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names - {"git_okf"}


def test_hook_04_whatever_is_imported_is_declared() -> None:
    distributions = packages_distributions()
    for name in imported():
        providers = {canonical(provider) for provider in distributions.get(name, [name])}
        assert providers & (DECLARED | OPTIONAL), f"{name} is imported but not declared"


def test_hook_04_what_a_dependency_imports_without_asking_for_it_is_declared() -> None:
    asked = [canonical(text) for text in requires("justext") or () if "extra ==" not in text]
    assert "lxml" in asked
    assert "lxml-html-clean" in DECLARED


def test_hook_04_nothing_declared_is_unused() -> None:
    used = {canonical(d) for name in imported() for d in packages_distributions().get(name, ())}
    indirect = {"lxml-html-clean"}  # imported by a dependency that does not declare it
    assert DECLARED - used - indirect == set()


def test_hook_04_help_and_version_need_no_extractor() -> None:
    program = (
        "import sys\n"
        "for name in ('trafilatura', 'lxml', 'pygit2', 'aiohttp'):\n"
        "    sys.modules[name] = None\n"  # as if it could not be imported
        "sys.argv = ['git-okf', '--help']\n"
        "from git_okf.__main__ import main\n"
        "main()\n"
    )
    said = subprocess.run([sys.executable, "-c", program], check=False, text=True, capture_output=True)
    assert said.returncode == 0, said.stderr
    assert "sync" in said.stdout


def test_the_version_is_said_once() -> None:
    assert PROJECT["version"] == git_okf.__version__
    assert f"## [{git_okf.__version__}]" in (ROOT / "CHANGELOG.md").read_text(
        encoding="utf-8"
    ) or "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_scripts_name_no_index() -> None:
    for script in (ROOT / "scripts").iterdir():
        text = script.read_text(encoding="utf-8")
        assert not re.search(r"--(extra-)?index-url|--find-links|--trusted-host|\s-i\s", text.replace("-i OKF", ""))
