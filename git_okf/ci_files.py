"""The CI file of a host, written into the repository, and what a person has to set there for it to work.

The files are templates in hooks/, which also run as they are. A line `#[NAME] TEXT` in one is for what a configuration
may ask for: it stands as TEXT, once for each value, or is left out; `@` in it is the value. Of .okf.yaml only names of
variables and the branch of reviews get into a file, written as YAML and free of expressions.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from git_okf.config import PLACEHOLDER, Config, FeishuSource, Review, SourceConfig, WebSource
from git_okf.errors import UsageError

_LINE = re.compile(r"^(?P<indent> *)#\[(?P<name>[a-z-]+)\] (?P<text>.*)\n", re.MULTILINE)
_GIVEN = re.compile(r"(?:CI|HOME|LANG|PATH|PWD|SHELL|TMPDIR|USER)\Z|(?:ACTIONS|CI|FORGEJO|GITEA|GITHUB|GITLAB|RUNNER)_")
"""Variables that the runner sets, or the file itself: never secrets of a source."""
_INCLUDE = "include:\n  - local: {path}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A host of CI: where its file goes, and which template it is made of."""

    name: str
    title: str
    template: str
    path: str
    sets: tuple[str, ...]
    """What a person has to set there, whatever is in .okf.yaml."""
    secrets: str
    """How it is told which variables of the sources are secrets there."""
    branch: str = "the default branch, the only one that schedules run on"
    """Where the file has to be."""


HOSTS: Mapping[str, Host] = {
    host.name: host
    for host in (
        Host(
            name="github",
            title="GitHub",
            template="github/sync.yml",
            path=".github/workflows/okf-sync.yml",
            sets=(
                "allow it to open pull requests: Settings > Actions > General > Workflow permissions > Allow GitHub "
                "Actions to create and approve pull requests",
                "if checks are to run on these pull requests: the variable OKF_APP_CLIENT_ID and the secret "
                "OKF_APP_PRIVATE_KEY of a GitHub App, or a token as the secret OKF_TOKEN",
            ),
            secrets="secrets that the sources need (Settings > Secrets and variables > Actions)",
        ),
        Host(
            name="gitlab",
            title="GitLab",
            template="gitlab/okf-sync.gitlab-ci.yml",
            path=".gitlab/okf-sync.gitlab-ci.yml",
            sets=(
                "a project access token with the scopes api and write_repository and the role Developer, as the masked "
                "variable GITLAB_TOKEN (Settings > CI/CD > Variables); or without one let the job's own token push "
                "(Settings > CI/CD > Job token permissions > Allow Git push requests to the repository): then the push "
                "opens the merge request, with less text, and closing it is not seen",
                "a schedule (Build > Pipeline schedules)",
            ),
            secrets="masked variables that the sources need (Settings > CI/CD > Variables)",
            branch="the branch that the schedule names",
        ),
        Host(
            name="gitea",
            title="Gitea",
            template="gitea/sync.yml",
            path=".gitea/workflows/okf-sync.yml",
            sets=("a token as the secret OKF_TOKEN, if that of the job may not push or open pull requests",),
            secrets="secrets that the sources need (Settings > Actions > Secrets)",
        ),
    )
}
_ENTRY = ".gitlab-ci.yml"
"""Where GitLab begins to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CiFiles:
    """What was written, and what is left to a person."""

    host: Host
    written: tuple[str, ...] = ()
    """Paths from the root of the repository; those that were as they should be are not among them."""
    todo: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    review: tuple[str, ...] = field(default=())
    """Lines that .okf.yaml lacks."""

    def text(self) -> str:
        lines = [f"✓ Written: {path}" for path in self.written] or [f"✓ Nothing to do: {self.host.path} is as it was"]
        lines += [f"  {number}. {each}" for number, each in enumerate(self.todo, 1)]
        return "\n".join(lines)

    def data(self) -> dict[str, Any]:
        return {
            "schema": 1,
            "host": self.host.name,
            "path": self.host.path,
            "written": list(self.written),
            "todo": list(self.todo),
            "secrets": list(self.secrets),
            "review": list(self.review),
        }


def host_of(name: str) -> Host:
    """UsageError lists the known ones."""
    if name not in HOSTS:
        raise UsageError(f"there is no CI file for {name!r}", f"known: {', '.join(HOSTS)}")
    return HOSTS[name]


def write(root: Path, settings: Config, host: Host, *, force: bool = False, report_issue: bool = False) -> CiFiles:
    """Write the file of a host below the root of a work tree. What is as it should be is left as it is.

    UsageError where another file is in its place, unless `force`, or where it cannot be written.
    """
    files = {host.path: rendered(host, settings, report_issue=report_issue)}
    included = host.name != "gitlab" or (root / _ENTRY).exists()
    if not included:
        files[_ENTRY] = _INCLUDE.format(path=host.path)
    for path, text in files.items():
        _check(root, path, text, force=force)
    written = tuple(path for path, text in files.items() if _put(root, path, text))
    needed = tuple(sorted({name for source in settings.sources.values() for name in _variables(source)}))
    lacking = _lacking(settings.review, host)
    todo = [*_review_steps(lacking, settings.review), *host.sets]
    if needed:
        todo.append(f"{host.secrets}: {', '.join(needed)}")
    if host.name == "gitlab" and included and host.path not in _read(root / _ENTRY):
        todo.append(f"in {_ENTRY}, so that GitLab reads it: include: [{{local: {host.path}}}]")
    todo.append(f"commit {' and '.join(files)}, and push to {host.branch}")
    return CiFiles(host=host, written=written, todo=tuple(todo), secrets=needed, review=lacking)


def rendered(host: Host, settings: Config, *, report_issue: bool = False) -> str:
    """The template with what the configuration asks for."""
    names = sorted({name for source in settings.sources.values() for name in _variables(source)})
    extras = sorted({"images" for s in settings.sources.values() if isinstance(s, FeishuSource) and s.thumbnails})
    asked: Mapping[str, Sequence[str]] = {
        "base": [_scalar(settings.review.base)] if settings.review.base else [],
        "secrets": [""] if names else [],
        "secret": names,
        "extras": extras,
        "report-issue": [""] if report_issue else [],
    }

    def lines(match: re.Match[str]) -> str:
        return "".join(f"{match['indent']}{match['text'].replace('@', value)}\n" for value in asked[match["name"]])

    return _LINE.sub(lines, _template(host.template))


def _template(name: str) -> str:
    places = (Path(__file__).with_name("hooks"), Path(__file__).parents[1] / "hooks")
    return next(place / name for place in places if (place / name).is_file()).read_text(encoding="utf-8")


def _scalar(text: str) -> str:
    """A text in YAML's double quotes, in which no host finds an expression."""
    import yaml

    plain = text.replace("${{", "${{ '${{' }}")
    return yaml.safe_dump(plain, default_style='"', allow_unicode=True, width=1 << 30).removesuffix("\n")


def _variables(source: SourceConfig) -> Iterator[str]:
    """The variables a source reads that somebody has to set."""
    texts: list[str] = []
    if isinstance(source, WebSource):
        texts = [text for _, text in source.headers]
    elif isinstance(source, FeishuSource):
        texts = [source.app_id, source.app_secret]
    for text in texts:
        yield from (name for name in PLACEHOLDER.findall(text) if not _GIVEN.match(name))


def _lacking(review: Review, host: Host) -> tuple[str, ...]:
    if review.forge == host.name:
        return ()
    return ("review:", f"  forge: {host.name}")


def _review_steps(lacking: tuple[str, ...], review: Review) -> Iterator[str]:
    if not lacking:
        return
    if review == Review():
        lines = "\n     ".join(lacking)
        yield f"in .okf.yaml, so that more than a branch is pushed:\n     {lines}"
    else:
        yield f"in .okf.yaml, below review, in place of forge: {review.forge}:\n     {lacking[1].strip()}"


# --- files ---


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}", "see that it is a file") from error


def _check(root: Path, path: str, text: str, *, force: bool) -> None:
    """UsageError where the path leads elsewhere, or something else is there that is not to be replaced."""
    for part in (PurePosixPath(path), *PurePosixPath(path).parents[:-1]):
        if (root / part).is_symlink():
            raise UsageError(
                f"{part} is a symbolic link; nothing was written", "put a directory and a file in its place"
            )
    file = root / path
    if file.exists() and not force and _read(file) != text:
        raise UsageError(
            f"{path} is there already and differs; nothing was written",
            "--force replaces it; commit it first, and `git diff` shows what becomes of it",
        )


def _put(root: Path, path: str, text: str) -> bool:
    """Whole or not at all; whether there was anything to do."""
    file = root / path
    if file.exists() and _read(file) == text:
        return False
    draft = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("x", encoding="utf-8", newline="\n") as handle:
            handle.write(text)
        draft.replace(file)
    except OSError as error:
        if draft.exists():
            draft.unlink()
        raise UsageError(
            f"{path} cannot be written: {error.strerror or error}", f"see that you may write to {file.parent}"
        ) from error
    return True
