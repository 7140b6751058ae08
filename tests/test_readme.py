"""The README is run: every command in it, and every table in it is compared with the code.

A block of the language `console` holds commands after `$ ` and what they print. The blocks are run in their order, in
one fresh repository, against the demo site, which answers as `https://docs.example.com/`. A comment
`<!-- test: ... -->` between the blocks changes the site. What must vary (ids, hashes, times) is compared by its kind.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml
from conftest import GitRepo
from hooks.actions_runner import Job, Runner

from git_okf import __version__, cli, config, errors, guard, hook_files
from git_okf.demo import DemoSite, pages, serve
from git_okf.digest import IGNORE_PRESETS, compared_hash
from git_okf.source.web.extract.themes import THEMES
from git_okf.source.web.scope import Scope
from git_okf.store import notes, state

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHOOSING = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
SITE = "https://docs.example.com/"
_STEP = re.compile(r"^<!-- test: (?P<change>[^\n]*) -->$|^```console\n(?P<console>.*?)^```$", re.MULTILINE | re.DOTALL)
_KINDS = (
    (re.compile(r"\((?:just now|\d+ \w+ ago)\)"), "(AGE)"),
    (re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{8}"), "RUN"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)"), "TIME"),
    (re.compile(r"\b\d\d:\d\d:\d\dZ"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{7})\b"), "ID"),
    (re.compile(r"git-okf/[\w.]+"), "git-okf/VERSION"),
    (re.compile(r"\(\d+ characters, "), "(SIZE characters, "),
    (re.compile(r"\b\d+ requests\b"), "COUNT requests"),
)


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git okf` is this program, and git starts no pager."""
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "git-okf"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m git_okf "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GIT_PAGER", "cat")


# --- the session ---


def _second_version_whole(site: DemoSite) -> Callable[[str, str | None], tuple[int, dict[str, str], bytes]]:
    served = pages(2)
    usual = site.answer

    def answer(path: str, validator: str | None) -> tuple[int, dict[str, str], bytes]:
        if path not in served:
            return usual(path, validator)
        etag = f'"{hashlib.sha256(served[path]).hexdigest()[:16]}"'
        headers = {"Content-Type": "text/html; charset=utf-8", "ETag": etag}
        return (304, headers, b"") if validator == etag else (200, headers, served[path])

    return answer


class Changes:
    """What a comment in the README does to the site."""

    def __init__(self, site: DemoSite, patch: pytest.MonkeyPatch) -> None:
        self._site, self._patch = site, patch
        self._whole = _second_version_whole(site)
        self.by_name: Mapping[str, Callable[[], None]] = {
            "the site changes": self._second,
            "every page answers again": lambda: self._answer(self._whole),
            "most pages are gone": lambda: self._answer(self._few),
        }

    def _second(self) -> None:
        self._site.version = 2

    def _answer(self, answer: Callable[[str, str | None], tuple[int, dict[str, str], bytes]]) -> None:
        self._patch.setattr(self._site, "answer", answer)

    def _few(self, path: str, validator: str | None) -> tuple[int, dict[str, str], bytes]:
        if path in ("/", "/guide/", "/changelog.html", "/robots.txt"):
            return self._whole(path, validator)
        return 404, {"Content-Type": "text/html"}, b"<title>Not found</title>"


def _commands(console: str) -> Iterator[tuple[str, str]]:
    """Each command of a block with what it prints."""
    parts = re.split(r"^\$ (.*)\n", console, flags=re.MULTILINE)
    assert parts[0] == "", "a block begins with a command"
    return zip(parts[1::2], parts[2::2], strict=True)


def _alike(text: str) -> str:
    for pattern, kind in _KINDS:
        text = pattern.sub(kind, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


def run_session(readme: str, repo: GitRepo, patch: pytest.MonkeyPatch) -> Iterator[tuple[str, str, str]]:
    """Each command of the README: the command, what the README says it prints, what it prints."""
    with serve() as site:
        changes = Changes(site, patch)
        for step in _STEP.finditer(readme):
            if step["change"]:
                changes.by_name[step["change"]]()
                continue
            for command, said in _commands(step["console"]):
                done = subprocess.run(
                    ["sh", "-c", command.replace(SITE, site.url)],
                    cwd=repo.path,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    encoding="utf-8",
                    timeout=120,
                    check=False,
                )
                yield command, said, done.stdout.replace(site.url, SITE)


def test_every_command_prints_what_the_readme_says(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = 0
    for command, said, printed in run_session(README, repo, monkeypatch):
        assert _alike(printed) == _alike(said), command
        ran += 1
    assert ran == len(re.findall(r"^\$ ", README, re.MULTILINE)) >= 20


def test_no_block_is_left_out() -> None:
    """Every block is of a language that is run, read or compared here."""
    assert set(re.findall(r"^```(\w*)$", README, re.MULTILINE)) == {"console", "sh", "yaml", ""}
    known = {"./scripts/demo", "./scripts/test", "pipx install .", "uv tool install .", "python3 -m pip install ."}
    lines = [line for block in _blocks("sh") for line in block.splitlines()]
    assert [line for line in lines if line not in known] == PULL


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_all_commands_but_the_demo_take_json() -> None:
    commands = typer.main.get_command(cli.app).commands  # type: ignore[attr-defined]
    without = [n for n, c in commands.items() if "--json" not in [option for p in c.params for option in p.opts]]
    assert without == ["demo"]


@pytest.mark.parametrize("name", ["demo", "test"])
def test_the_scripts_it_names_are_there(name: str) -> None:
    script = ROOT / "scripts" / name
    assert os.access(script, os.X_OK)
    subprocess.run(["sh", "-n", str(script)], check=True)


def test_the_demo_script_hands_its_arguments_to_the_demo() -> None:
    assert (ROOT / "scripts" / "demo").read_text().rstrip().endswith('git-okf demo "$@"')


@pytest.mark.parametrize("text", [README, CHOOSING], ids=["README.md", "choosing.md"])
def test_every_link_to_a_file_leads_somewhere(text: str) -> None:
    place = ROOT if text is README else ROOT / "docs"
    targets = [t for t in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in t]
    assert targets
    for target in targets:
        assert (place / target).is_file(), target


# --- the tables ---


def _table(text: str, first: str) -> list[list[str]]:
    """The rows of the table whose first column has this head; cells without backticks around them."""
    lines = text.split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first} |")) + 2
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


def _code(cell: str) -> str:
    return cell.strip("`")


_TYPES = {
    "str": "text",
    "str | None": "text",
    "int": "whole number",
    "int | None": "whole number",
    "float": "number",
    "float | None": "number",
    "bool": "true or false",
    "tuple[str, ...]": "list of texts",
    "tuple[tuple[str, str], ...]": "mapping",
    "Removal": "mapping",
}


SECTIONS: Mapping[str, Any] = {
    "key": config.SourceConfig,
    "web key": config.WebSource,
    "git key": config.GitSource,
    "skills key": config.SkillsSource,
    "feishu key": config.FeishuSource,
    "review key": config.Review,
    "publish key": config.Publish,
}


def _keys(made: Any) -> dict[str, tuple[str, object]]:
    """Every key of a section with its type and default, as the configuration has them."""
    is_kind = issubclass(made, config.SourceConfig) and made is not config.SourceConfig
    shared = {f.name for f in fields(config.SourceConfig)} if is_kind else set()
    found: dict[str, tuple[str, object]] = {}
    for field in fields(made):
        if field.name in (shared - {"url"}) | {"name"}:
            continue
        if field.name == "types" or (field.name == "removal" and made is config.SourceConfig):
            part: Any = field.default_factory
            found |= {f"{field.name}.{f.name}": (_TYPES[str(f.type)], f.default) for f in fields(part)}
            continue
        default: Any = "required" if field.default is MISSING and field.default_factory is MISSING else field.default
        if isinstance(default, tuple):
            default = {} if field.name == "headers" else list(default)
        if field.name == "removal":
            default = {}
        found[field.name] = (_TYPES[str(field.type)], default)
    if made is config.SourceConfig:
        found["kind"] = ("text", "web")
        del found["url"]
    return found


@pytest.mark.parametrize("section", SECTIONS)
def test_the_tables_of_keys_are_those_of_the_configuration(section: str) -> None:
    told = {
        _code(key): (kind, yaml.safe_load(_code(default)) if default != "required" else default)
        for key, kind, default, _ in _table(README, section)
    }
    assert told == _keys(SECTIONS[section])


def test_the_example_configuration_can_be_read() -> None:
    (example,) = (block for block in _blocks("yaml") if block.startswith("version:"))
    source = config.parse(example).source("guide")
    assert isinstance(source, config.WebSource)
    Scope.of(source)
    assert source.max_depth == 4
    assert config.header_values(source, {"DOCS_TOKEN": "x"}) == {"Authorization": "Bearer x"}


def test_the_table_of_exit_codes_is_that_of_the_errors() -> None:
    codes = {value for name, value in vars(errors).items() if name.startswith("EXIT_")}
    assert [int(row[0]) for row in _table(README, "code")] == sorted(codes)


def test_the_table_of_guards_is_that_of_the_guards() -> None:
    rows = [(_code(name), _code(override)) for name, _, override in _table(README, "guard")]
    assert rows == [(n, "--force" if n in guard.FORCED else f"--allow {n}") for n in guard.NAMES]


def test_the_table_of_refs_is_that_of_the_store() -> None:
    assert [_code(row[0]) for row in _table(README, "ref")] == ["your branch", state.REF, notes.REF]


def test_the_example_patterns_match_as_told() -> None:
    rows = _table(CHOOSING, "pattern")
    assert len(rows) >= 8
    for pattern, url, answer in rows:
        source = config.WebSource(name="d", url=SITE, bundle="d", include=(_code(pattern),))
        decision = Scope.of(source).decide(_code(url))
        assert decision.accepted == {"yes": True, "no": False}[answer], (pattern, url, decision.rule)


def test_the_known_themes_are_those_of_the_extraction() -> None:
    (line,) = re.findall(r"^Themes: (.*?)\.$", CHOOSING, re.MULTILINE | re.DOTALL)
    assert sorted(re.findall(r"`(.*?)`", line)) == sorted(theme.name for theme in THEMES)


def test_the_presets_of_ignore_are_those_of_the_digest_and_leave_out_what_is_told() -> None:
    rows = _table(CHOOSING, "preset")
    assert [_code(row[0]) for row in rows] == [f"preset:{name}" for name in IGNORE_PRESETS]
    for preset, one, another in rows:
        assert one != another
        assert compared_hash(one, [_code(preset)]) == compared_hash(another, [_code(preset)]), preset


def test_the_example_settings_can_be_read() -> None:
    blocks = re.findall(r"^```yaml\n(.*?)^```$", CHOOSING, re.MULTILINE | re.DOTALL)
    values = {key: value for block in blocks for key, value in yaml.safe_load(block).items()}
    source = config.parse(yaml.safe_dump({"sources": {"d": {"url": SITE, "bundle": "d", **values}}})).source("d")
    assert isinstance(source, config.WebSource)
    assert (source.content, len(source.drop), len(source.ignore)) == ("main .article", 2, 2)
    assert compared_hash("Served by node-12", source.ignore) == compared_hash("Served by node-7", source.ignore)


# --- the hooks ---


def test_the_table_of_hooks_is_that_of_the_manifest() -> None:
    manifest = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    rows = [(_code(name), stages.split(", ")) for name, stages, _ in _table(README, "hook")]
    assert rows == [(hook["id"], hook["stages"]) for hook in manifest]


def test_the_table_of_git_hooks_is_that_of_the_files() -> None:
    assert [_code(row[0]) for row in _table(README, "git's hook")] == list(hook_files.NAMES)
    assert all((ROOT / "hooks" / name).is_file() for name in hook_files.NAMES)


def test_the_example_of_hooks_names_hooks_of_the_manifest_and_this_version() -> None:
    (example,) = (yaml.safe_load(block) for block in _blocks("yaml") if "repos:" in block)
    (repo,) = example["repos"]
    manifest = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in repo["hooks"]] == [hook["id"] for hook in manifest]
    assert repo["rev"] == f"v{__version__}"
    staged = {stage for hook in manifest for stage in hook["stages"]}
    assert set(example["default_install_hook_types"]) == staged - {"manual"}


# --- the job ---

(_WORKFLOW,) = (block for block in _blocks("yaml") if "jobs:" in block)
PULL = ["git okf init", "git okf sync --push"]
SHARED = ("refs/heads/main", state.REF, notes.REF)


def test_the_tables_of_the_action_are_those_of_its_file() -> None:
    action = yaml.safe_load((ROOT / "hooks" / "github" / "action.yml").read_text(encoding="utf-8"))
    told = {_code(name): _code(default) for name, default, _ in _table(README, "input")}
    given = {name: value["default"] for name, value in action["inputs"].items()}
    assert told == given | {"token": "the built-in one", "version": "that of the action"}
    assert re.findall(r"`([a-z-]+)`", " ".join(row[0] for row in _table(README, "output"))) == list(action["outputs"])


def test_the_action_of_the_example_is_of_this_version() -> None:
    assert re.findall(r"hooks/github@(\S+)", _WORKFLOW) == [f"v{__version__}"]


class Forge:
    """A bare remote, and the job run as a runner does it."""

    def __init__(self, folder: Path) -> None:
        self.remote = GitRepo(folder / "remote.git")
        self.remote.path.mkdir()
        self.remote.git("init", "--bare", "--quiet", "--initial-branch=main")
        self._runner = Runner(folder / "runner", self.remote.path, {})

    def refs(self) -> dict[str, str]:
        listed = self.remote.git("for-each-ref", "--format=%(refname) %(objectname)")
        found = dict(line.split() for line in listed.splitlines())
        return {name: oid for name, oid in found.items() if not name.startswith("refs/okf/lease/")}

    def run(self) -> Job:
        """One night."""
        (job,) = self._runner.run(_WORKFLOW)["sync"]
        return job


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    return Forge(tmp_path)


@pytest.fixture
def demo_site() -> Iterator[DemoSite]:
    with serve() as site:
        yield site


@pytest.fixture
def built(forge: Forge, repo: GitRepo, demo_site: DemoSite) -> GitRepo:
    """Somebody builds a bundle and pushes their branch alone."""
    repo.git("remote", "add", "origin", str(forge.remote.path))
    repo.git("okf", "build", demo_site.url, "-o", "docs")
    repo.git("push", "--quiet", "origin", "main")
    return repo


def test_the_job_pushes_branch_state_and_notes(forge: Forge, built: GitRepo, demo_site: DemoSite) -> None:
    demo_site.version = 2
    job = forge.run()
    assert (job.result, job.step("Sync").code) == ("success", 3), job.log
    refs = forge.refs()
    assert sorted(refs) == sorted(SHARED)
    assert forge.remote.git("log", "-1", "--format=%s", "main") == "sync: +3 -2 =5 (docs)"
    assert '"result": "partial"' in forge.remote.git("notes", "--ref=okf", "show", "main")


def test_the_next_night_goes_on_from_what_was_pushed_and_is_quiet(
    forge: Forge, built: GitRepo, demo_site: DemoSite
) -> None:
    built.git("push", "--quiet", "origin", state.REF, notes.REF)
    assert forge.run().result == "success"
    before, bodies = forge.refs(), demo_site.bodies
    assert forge.run().result == "success"
    assert forge.refs() == before
    assert demo_site.bodies == bodies, "a page was sent although nothing changed"


def test_the_job_builds_on_what_somebody_pushed_meanwhile(forge: Forge, built: GitRepo, demo_site: DemoSite) -> None:
    demo_site.version = 2
    usual, waiting = demo_site.answer, [1]

    def answer(path: str, validator: str | None) -> tuple[int, dict[str, str], bytes]:
        if waiting:
            waiting.clear()
            built.commit("Something else", {"other": "text"})
            built.git("push", "--quiet", "origin", "main")
        return usual(path, validator)

    demo_site.answer = answer  # type: ignore[method-assign]
    assert forge.run().result == "success"
    assert forge.remote.git("log", "-2", "--format=%s", "main").split("\n") == [
        "sync: +3 -2 =5 (docs)",
        "Something else",
    ]


def test_the_job_fails_where_the_site_is_away(forge: Forge, built: GitRepo, demo_site: DemoSite) -> None:
    before = forge.refs()
    demo_site.answer = lambda path, validator: (403, {}, b"")  # type: ignore[method-assign]
    assert forge.run().result == "failure"
    assert forge.refs() == before


def test_a_clone_of_your_own_fetches_what_the_job_pushed(forge: Forge, built: GitRepo, demo_site: DemoSite) -> None:
    built.git("push", "--quiet", "origin", state.REF, notes.REF)
    demo_site.version = 2
    forge.run()
    bodies = demo_site.bodies
    for line in PULL:
        built.git(*line.split()[1:], check=False)
    refs = forge.refs()
    assert [built.git("rev-parse", name) for name in SHARED] == [refs[name] for name in SHARED]
    assert demo_site.bodies == bodies
