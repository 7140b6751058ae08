"""A runner of workflows: GitHub's and, without composite actions, Gitea's, as far as our files need one.

    runner = Runner(folder, remote, environ)
    runner.run("sync.yml" as text, inputs={"force": True})     # jobs by name; of a matrix one for each of its values

Every job has an empty workspace. Steps run as the real runner starts them: bash as the entry process, the script in a
file, `GITHUB_OUTPUT` and its kin as files, inputs of a composite action only where it passes them on. What lies outside
is stood in for: `actions/checkout` is a shallow clone, an app's token is a word, and `pip install` puts this checkout's
program in place and notes what it was asked for.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from hooks.expressions import PLAIN, evaluate, expand, said

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "hooks" / "github" / "action.yml"
OURS = re.compile(r"git-okf/git-okf/hooks/github@v[\d.]+\Z")
_TIMEOUT_S = 120
_OUTPUT = re.compile(r"(?P<name>[\w-]+)(?:=(?P<value>.*)|<<(?P<mark>\S+)\n(?P<lines>.*?)\n(?P=mark))\n", re.DOTALL)
_LINE = re.compile(r"(?P<name>[\w-]+)=(?P<value>[^\n]*)\n")
_PYTHON = """#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    cp "$0" "$3/bin/python3"
elif [ "$1 $2" = "-m pip" ]; then
    for wanted; do :; done
    printf '%s\\n' "$wanted" >>{installed}
    cp {program} "$(dirname "$0")/git-okf"
else
    exec {python} "$@"
fi
"""


def programs(folder: Path, program: str = "") -> Path:
    """A directory for PATH: Python, as it is where nothing of ours is installed. What is installed is noted beside it.

    `program`: the script that stands for git-okf; without one, this checkout's program.
    """
    folder.mkdir(parents=True)
    python = shlex.quote(sys.executable)
    git_okf = folder.parent / "git-okf.sh"
    git_okf.write_text(program or f'#!/bin/sh\nexec {python} -W error -m git_okf "$@"\n')
    git_okf.chmod(0o755)
    names = {"installed": folder.parent / "installed", "program": git_okf}
    text = _PYTHON.format(python=python, **{name: shlex.quote(str(path)) for name, path in names.items()})
    (folder / "python3").write_text(text)
    (folder / "python3").chmod(0o755)
    return folder


def bare_environment() -> dict[str, str]:
    """What a runner offers: nobody's name for commits, no token."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))}


@dataclass(slots=True, kw_only=True)
class Step:
    """What became of a step. `code` is its exit code, None where it started nothing."""

    id: str
    name: str
    outcome: str = "skipped"
    conclusion: str = "skipped"
    code: int | None = None
    outputs: dict[str, str] = field(default_factory=dict)
    log: str = ""

    def context(self) -> dict[str, Any]:
        return {"outcome": self.outcome, "conclusion": self.conclusion, "outputs": self.outputs}


@dataclass(slots=True, kw_only=True)
class Job:
    """What became of a job."""

    name: str
    workspace: Path
    result: str = "success"
    steps: list[Step] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""

    @property
    def log(self) -> str:
        return "".join(step.log for step in self.steps)

    @property
    def annotations(self) -> list[str]:
        """The commands that the log shows as errors and warnings."""
        return [line for line in self.log.splitlines() if line.startswith(("::error", "::warning"))]

    def step(self, name: str) -> Step:
        """By id or name."""
        return next(step for step in self.steps if name in (step.id, step.name))


@dataclass(slots=True)
class _Scope:
    """Where steps run: a job, or a composite action in it."""

    job: Job
    contexts: dict[str, Any]
    environ: dict[str, str]
    action: Path | None = None
    steps: list[Step] = field(default_factory=list)


class Runner:
    """Machines that run workflows over one remote."""

    def __init__(self, folder: Path, remote: Path, github: Mapping[str, str], *, program: str = "") -> None:
        """`github`: variables of the host (`GITHUB_API_URL`, ...), for every step; `token` is the built-in token."""
        self.remote = remote
        self.token = ""
        self.secrets: dict[str, str] = {}
        self.vars: dict[str, str] = {}
        self.checkouts: list[dict[str, Any]] = []
        self._folder = folder
        self._github = dict(github)
        self._path = programs(folder / "bin", program)
        self._count = itertools.count(1)
        self._running: list[subprocess.Popen[str]] = []
        self.cancelled = False

    @property
    def installed(self) -> list[str]:
        """What pip was asked for."""
        path = self._folder / "installed"
        return path.read_text().splitlines() if path.exists() else []

    def cancel(self) -> None:
        """A person presses "Cancel": SIGINT goes to the entry process of each step that runs, and to nothing else."""
        self.cancelled = True
        for process in self._running:
            process.send_signal(signal.SIGINT)

    def run(
        self, text: str, inputs: Mapping[str, Any] | None = None, *, at_once: bool = False, event: str = "schedule"
    ) -> dict[str, list[Job]]:
        """Run a workflow: its jobs by name. `at_once`: the jobs of a matrix at the same time."""
        self.cancelled = False
        workflow = yaml.safe_load(text)
        triggers = workflow[True]  # "on", to YAML 1.1
        assert event in triggers
        asked = dict(inputs or {})
        assert set(asked) <= set((triggers.get("workflow_dispatch") or {}).get("inputs") or {})
        done: dict[str, list[Job]] = {}
        for name, job in workflow["jobs"].items():
            needed = [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", [])
            contexts = {
                "inputs": asked,
                "secrets": self.secrets,
                "vars": self.vars,
                "github": {"token": self.token, "event_name": event},
                "needs": {n: {"result": _result(done[n]), "outputs": done[n][-1].outputs} for n in needed},
            }
            fine = all(_result(done[n]) == "success" for n in needed)
            if not fine or not evaluate(str(job.get("if", "true")), contexts):
                done[name] = [Job(name=name, workspace=self._folder, result="skipped")]
                continue
            made = list(_matrix(job, contexts))
            with ThreadPoolExecutor(len(made) if at_once else 1) as pool:
                done[name] = list(pool.map(lambda each: self._job(name, job, each), made))  # noqa: B023 - at once
        return done

    def _job(self, name: str, job: Mapping[str, Any], contexts: dict[str, Any]) -> Job:
        here = self._folder / f"job-{next(self._count)}"
        for part in ("workspace", "temp"):
            (here / part).mkdir(parents=True)
        done = Job(name=name, workspace=here / "workspace")
        environ = {
            **bare_environment(),
            **self._github,
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(done.workspace),
            "RUNNER_TEMP": str(here / "temp"),
            "PATH": f"{self._path}{os.pathsep}{os.environ['PATH']}",
        }
        environ |= _texts(expand(job.get("env", {}), contexts))
        scope = _Scope(done, {**contexts, "steps": {}}, environ)
        self._steps(job["steps"], scope)
        done.outputs = _texts(expand(job.get("outputs", {}), scope.contexts))
        return done

    def _steps(self, steps: list[Mapping[str, Any]], scope: _Scope) -> None:
        """Run the steps of a job or an action, to the end of those that are to run."""
        for number, given in enumerate(steps):
            step = Step(id=given.get("id", ""), name=str(given.get("name", given.get("uses", number))))
            functions = {
                **PLAIN,
                "success": lambda: scope.job.result == "success",
                "always": lambda: True,
                "failure": lambda: scope.job.result == "failure",
                "cancelled": lambda: scope.job.result == "cancelled",
            }
            condition = str(given.get("if", "true"))
            if not re.search(r"\b(success|always|failure|cancelled)\(", condition):
                condition = f"success() && ({condition})"
            if expand(f"${{{{ {condition} }}}}", scope.contexts, functions):
                self._step(step, given, scope)
                step.conclusion = step.outcome
                if step.outcome == "failure" and given.get("continue-on-error"):
                    step.conclusion = "success"
                if step.conclusion in ("failure", "cancelled"):
                    scope.job.result = step.conclusion
            scope.job.steps.append(step)
            if step.id:
                scope.contexts["steps"][step.id] = step.context()

    def _step(self, step: Step, given: Mapping[str, Any], scope: _Scope) -> None:
        environ = scope.environ | _texts(expand(given.get("env", {}), scope.contexts))
        if "run" in given:
            self._script(step, given, scope, environ)
            return
        uses, options = given["uses"], _texts(expand(given.get("with", {}), scope.contexts))
        step.outcome = "success"
        if uses.startswith("actions/checkout@"):
            self._check_out(scope.job.workspace, options)
        elif uses.startswith("actions/create-github-app-token@"):
            assert options["client-id"] == self.vars["OKF_APP_CLIENT_ID"]
            step.outputs["token"] = self.secrets["OKF_APP_PRIVATE_KEY"].removeprefix("key of ")
        else:
            assert OURS.fullmatch(uses), uses
            self._composite(step, options, scope, environ)

    def _check_out(self, workspace: Path, options: Mapping[str, str]) -> None:
        self.checkouts.append(dict(options))
        branch = ["--branch", options["ref"]] if options.get("ref") else []
        depth = options.get("fetch-depth", "1")
        shallow = [] if depth == "0" else [f"--depth={depth}"]
        command = ["git", "clone", "--quiet", *shallow, *branch, f"file://{self.remote}", str(workspace)]
        subprocess.run(command, check=True)

    def _composite(self, step: Step, options: Mapping[str, str], scope: _Scope, environ: dict[str, str]) -> None:
        action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
        assert set(options) <= set(action["inputs"]), f"{set(options)} are not all inputs"
        contexts = {"github": scope.contexts["github"]}
        defaults = _texts(expand({n: i.get("default", "") for n, i in action["inputs"].items()}, contexts))
        inside = _Scope(scope.job, {**contexts, "inputs": {**defaults, **options}, "steps": {}}, environ, ACTION.parent)
        self._steps(action["runs"]["steps"], inside)
        step.outcome = scope.job.result
        values = {name: output["value"] for name, output in action["outputs"].items()}
        step.outputs = _texts(expand(values, inside.contexts))

    def _script(self, step: Step, given: Mapping[str, Any], scope: _Scope, environ: dict[str, str]) -> None:
        assert given["shell"] == "bash", "a composite action has to name it"
        assert "${{" not in given["run"], "an expression in a script is code"
        temp = Path(environ["RUNNER_TEMP"])
        count = len(list(temp.glob("script-*")))
        files = {name: temp / f"{name}-{count}" for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.touch()
        script = temp / f"script-{count}.sh"
        script.write_text(given["run"])
        environ = environ | {name: str(path) for name, path in files.items()}
        if scope.action:
            environ["GITHUB_ACTION_PATH"] = str(scope.action)
        process = subprocess.Popen(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)], cwd=scope.job.workspace, env=environ,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
        )  # fmt: skip
        self._running.append(process)
        step.log, _ = process.communicate(timeout=_TIMEOUT_S)
        self._running.remove(process)
        step.code = process.returncode
        step.outcome = "cancelled" if self.cancelled else "failure" if step.code else "success"
        step.outputs = dict(outputs(files["GITHUB_OUTPUT"].read_text(encoding="utf-8")))
        added = files["GITHUB_PATH"].read_text().split()
        scope.environ["PATH"] = os.pathsep.join([*reversed(added), scope.environ["PATH"]])
        scope.job.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")


def outputs(text: str) -> Iterator[tuple[str, str]]:
    """The outputs that a step wrote into its file, later ones in place of earlier ones."""
    at = 0
    while at < len(text):
        match = _LINE.match(text, at) or _OUTPUT.match(text, at)
        assert match, text[at:]
        yield match["name"], match["value"] if "lines" not in match.groupdict() else match["lines"]
        at = match.end()


def _matrix(job: Mapping[str, Any], contexts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    strategy = job.get("strategy")
    if not strategy:
        yield contexts
        return
    ((name, values),) = expand(strategy["matrix"], contexts).items()
    assert values, "a matrix of nothing fails the run"
    assert len(values) <= 256
    for value in values:
        yield {**contexts, "matrix": {name: value}}


def _result(jobs: list[Job]) -> str:
    return next((job.result for job in jobs if job.result != "success"), "success")


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: said(value) for name, value in values.items()}
