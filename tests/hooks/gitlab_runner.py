"""A runner of one GitLab job: its rules, its variables, its script in one shell, what it leaves behind.

As a real runner does it: a detached shallow clone whose origin holds the token of the job, `before_script` and `script`
as one bash script, `after_script` in a shell of its own also after a failure, reports kept whatever happened.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from hooks.actions_runner import bare_environment, programs

_TIMEOUT_S = 120
_RULE = re.compile(r'\$(?P<name>\w+)(?: == "(?P<value>[^"]*)")?')


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What became of a job: `success`, `warning` (a failure that is allowed), `failed`, `canceled`, `skipped`."""

    status: str
    code: int | None = None
    log: str = ""
    report: Mapping[str, str] | None = None
    """The variables of its dotenv report."""


class GitLabRunner:
    """A machine that runs the job `okf-sync`."""

    def __init__(self, folder: Path, remote: Path, given: Mapping[str, str]) -> None:
        """`given`: what the server says (`CI_API_V4_URL`, ...) and the variables of the project."""
        self._folder, self._remote, self._given = folder, remote, dict(given)
        self._path = programs(folder / "bin")
        self._count = 0
        self._process: subprocess.Popen[str] | None = None
        self._cancelled = False

    @property
    def installed(self) -> list[str]:
        return (self._folder / "installed").read_text().splitlines()

    def cancel(self) -> None:
        """A person cancels the job: SIGTERM goes to its shell."""
        assert self._process
        self._cancelled = True
        self._process.send_signal(signal.SIGTERM)

    def run(self, text: str, source: str = "schedule", **variables: str) -> Done:
        """One pipeline. `source`: what started it; `variables` are those a person or the schedule gave."""
        file = yaml.safe_load(text)
        job = file["okf-sync"]
        shared = {n: v["value"] if isinstance(v, Mapping) else v for n, v in file["variables"].items()}
        asked = {**shared, **job["variables"], **variables, "CI_PIPELINE_SOURCE": source}
        if not any(_applies(rule["if"], asked) for rule in job["rules"]):
            return Done(status="skipped")
        self._count += 1
        self._cancelled = False
        project = self._folder / f"build-{self._count}" / "docs"
        environ = {
            **bare_environment(),
            **self._given,
            **{name: str(value) for name, value in asked.items()},
            "CI": "true",
            "GITLAB_CI": "true",
            "CI_PROJECT_DIR": str(project),
            "PATH": f"{self._path}{os.pathsep}{os.environ['PATH']}",
        }
        self._clone(project, asked)
        code, log = self._shell([*job["before_script"], *job["script"]], project, environ)
        cancelled = self._cancelled
        after, said = self._shell(job["after_script"], project, environ)
        assert after == 0, said
        report = (project / job["artifacts"]["reports"]["dotenv"]).read_text(encoding="utf-8")
        allowed = code == job["allow_failure"]["exit_codes"]
        status = "canceled" if cancelled else "success" if not code else "warning" if allowed else "failed"
        return Done(status=status, code=code, log=log + said, report=_dotenv(report))

    def _clone(self, project: Path, asked: Mapping[str, Any]) -> None:
        assert asked["GIT_STRATEGY"] == "clone"
        command = ["git", "clone", "--quiet", f"--depth={asked['GIT_DEPTH']}", f"file://{self._remote}", str(project)]
        subprocess.run(command, check=True)
        for words in (
            ("checkout", "--quiet", "--detach"),
            ("branch", "--quiet", "-D", "main"),
            ("remote", "set-url", "origin", "http://gitlab-ci-token:job-0123@127.0.0.1:9/acme/docs.git"),
        ):
            subprocess.run(["git", *words], cwd=project, check=True)

    def _shell(self, lines: list[str], project: Path, environ: Mapping[str, str]) -> tuple[int, str]:
        script = project.parent / "script"
        script.write_text("\n".join(["set -eo pipefail", *lines]) + "\n")
        self._process = subprocess.Popen(
            ["bash", "--noprofile", "--norc", str(script)], cwd=project, env=environ, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
        )  # fmt: skip
        log, _ = self._process.communicate(timeout=_TIMEOUT_S)
        return self._process.returncode, log


def _applies(rule: str, variables: Mapping[str, Any]) -> bool:
    parts = [_RULE.fullmatch(part.strip()) for part in rule.split("&&")]
    for part in parts:
        assert part, rule
        value = str(variables.get(part["name"], ""))
        if value != part["value"] if part["value"] is not None else not value:
            return False
    return True


def _dotenv(text: str) -> dict[str, str]:
    """A report as GitLab takes it: a name and one line each."""
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r"([A-Za-z0-9_]+)=(.*)", line)
        assert match, line
        found[match[1]] = match[2]
    return found
