"""Bundles of real sites: nothing is found in them while they are clean, and every planted defect once they are not."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bundle.test_conformance import JUDGES, judge
from hooking import PROGRAM, run
from planted import DEFECTS
from scenario import next_second
from site_server import Site

from git_okf.hook import Stake, check_bundles

if TYPE_CHECKING:
    from conftest import GitRepo, Run

Unpack = Callable[..., Path]
SITES = {"drf": ("v02", "v03"), "mkdocs-site": ("v01", "v02"), "git-htmldocs": ("v02", "v03")}
PLANTED = [
    (name, files["a.md"], finding) for name, files, finding in DEFECTS if len(files) <= 2 and finding[0] == "a.md"
]


@pytest.fixture(params=SITES)
def bundle(request: pytest.FixtureRequest, site: Site, okf: Run, repo: GitRepo, unpack: Unpack) -> GitRepo:
    """A repository with the bundle of a real site, one sync staged in it, and our hooks."""
    first, second = SITES[request.param]
    root = unpack(request.param, first, second)
    site.serve_directory(root / first)
    assert okf("build", site.url, "-o", "docs").code == 0
    assert run((*PROGRAM, "hooks", "install"), repo.path).returncode == 0
    site.serve_directory(root / second)
    next_second()
    assert okf("sync", "--stage").code == 0
    return repo


def errors(repo: GitRepo, stake: Stake) -> list[tuple[str, int, str]]:
    told = check_bundles(repo.path, os.environ, stake).findings
    assert {f.rule for _, f in told if f.severity == "warning"} <= {"dangling-link", "dangling-anchor"}
    return [(f.path, f.line, f.rule) for _, f in told if f.severity == "error"]


def test_a_clean_bundle_has_no_fault_and_every_planted_defect_is_found(bundle: GitRepo) -> None:
    assert errors(bundle, Stake()) == errors(bundle, Stake(whole=True)) == []
    subprocess.run(["git", "commit", "--quiet", "--message", "staged"], cwd=bundle.path, check=True)
    assert errors(bundle, Stake(whole=True)) == []
    for tool in JUDGES:
        said = judge(tool, bundle.path / "docs")
        assert said.returncode == 0 or check_bundles(bundle.path, os.environ, Stake(whole=True)).findings, said.stdout
    for number, (_, data, _) in enumerate(PLANTED):
        bundle.write(f"docs/planted-{number}.md", data)
    bundle.git("add", "--all")
    for stake in (Stake(), Stake(whole=True)):
        told = {(f.path, f.line, f.rule) for _, f in check_bundles(bundle.path, os.environ, stake).findings}
        missed = [
            name
            for number, (name, _, (_, line, rule, _)) in enumerate(PLANTED)
            if (f"planted-{number}.md", line, rule) not in told
        ]
        assert missed == []


def test_an_edit_anywhere_is_found(bundle: GitRepo) -> None:
    concepts = [p for p in bundle.git("ls-files", "docs/pages").splitlines() if not p.endswith("/index.md")]
    for path in concepts:
        bundle.write(path, (bundle.path / path).read_bytes() + b"mine\n")
    bundle.git("add", "--all")
    rules = Counter(rule for _, _, rule in errors(bundle, Stake()))
    assert rules["edited"] == len(concepts)
