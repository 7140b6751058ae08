"""index.md: one at the root of the bundle, one in every directory that holds concepts or leads to some.

A listing is a function of the directory's own concepts and subdirectories: it changes only with them. The root alone
says more: the OKF version, the source, and the time of the last change, in the body, since validators refuse any other
front matter there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from posixpath import basename, dirname
from types import MappingProxyType

from git_okf.bundle.prose import DESCRIPTION_LIMIT, TITLE_LIMIT, href, inline

FILE_NAME = "index.md"
OKF_VERSION = "0.2"
HOME = "pages/home.md"
"""The concept of a site's root, where a reader begins."""


_NO_TITLES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Entry:
    """One concept as its directory lists it. `path` is relative to the bundle."""

    path: str
    title: str = ""
    description: str = ""


def indexes(
    entries: Iterable[Entry],
    *,
    name: str,
    source_url: str,
    changed_at: str,
    touched: Collection[str] | None = None,
) -> dict[str, bytes | None]:
    """Every index.md of the bundle by path; None for one whose directory has nothing left.

    `touched` are the paths of the concepts that were added, updated or removed: only their directories and those above
    are made. Without it all are. `changed_at` is ISO 8601, as text.
    """
    concepts: dict[str, list[Entry]] = defaultdict(list)
    wanted = None if touched is None else {d for path in touched for d in _lineage(path)} | {""}
    subdirectories: dict[str, set[str]] = defaultdict(set)
    start = None
    for entry in entries:
        start = entry if entry.path == HOME else start
        directory = dirname(entry.path)
        if wanted is None or directory in wanted:
            concepts[directory].append(entry)
        while directory and basename(directory) not in subdirectories[dirname(directory)]:
            subdirectories[dirname(directory)].add(basename(directory))
            directory = dirname(directory)
    if wanted is None:
        wanted = {*concepts, *subdirectories, ""}
    made: dict[str, bytes | None] = {}
    for directory in sorted(wanted):
        inside, below = concepts.get(directory, []), subdirectories.get(directory, set())
        if not directory:
            made[FILE_NAME] = root_index(
                inside, below, name=name, source_url=source_url, changed_at=changed_at, start=start
            )
        else:
            made[f"{directory}/{FILE_NAME}"] = directory_index(directory, inside, below) if inside or below else None
    return made


def directory_index(directory: str, entries: Iterable[Entry], subdirectories: Iterable[str]) -> bytes:
    """The listing of one directory: its own concepts, then its subdirectories, by name."""
    concepts = sorted(entries, key=lambda e: e.path)
    lines = [f"# {inline(basename(directory))}"]
    lines += _listing(concepts, sorted(subdirectories))
    return ("\n".join(lines) + "\n").encode()


def root_index(
    entries: Iterable[Entry],
    subdirectories: Iterable[str],
    *,
    name: str,
    source_url: str,
    changed_at: str,
    start: Entry | None = None,
) -> bytes:
    """The bundle's own index: what it is, where it comes from, when it last changed, and where to begin."""
    concepts = sorted(entries, key=lambda e: e.path)
    lines = ["---", f'okf_version: "{OKF_VERSION}"', "---", "", f"# {inline(name)}", ""]
    lines += [f"Source: <{_autolink(source_url)}>", "", f"Last change: {inline(changed_at)}"]
    if start:
        lines += ["", "# Start", "", _bullet(start.title or start.path, start.path, start.description)]
    listing = _listing(concepts, sorted(subdirectories), {dirname(HOME): name})
    lines += ["", "# Contents", *listing] if listing else []
    return ("\n".join(lines) + "\n").encode()


def _listing(concepts: Sequence[Entry], below: Sequence[str], known: Mapping[str, str] = _NO_TITLES) -> list[str]:
    """A subdirectory has the title of the concept beside it, or that in `known`."""
    titles = {**known, **{basename(e.path).removesuffix(".md"): e.title for e in concepts}}
    lines = [
        _bullet(e.title or basename(e.path).removesuffix(".md"), basename(e.path), e.description) for e in concepts
    ]
    folders = [_bullet(f"{d}/", f"{d}/", f"Pages below {titles.get(d) or d}") for d in below]
    return [*([""] if lines else []), *lines, *([""] if folders else []), *folders]


def _bullet(title: str, target: str, description: str) -> str:
    text = inline(description, DESCRIPTION_LIMIT)
    return f"* [{inline(title, TITLE_LIMIT)}]({href(target)})" + (f" - {text}" if text else "")


def _lineage(path: str) -> Iterable[str]:
    """The directories above a path, the bundle's root ("") last."""
    directory = dirname(path)
    while directory:
        yield directory
        directory = dirname(directory)
    yield ""


def _autolink(url: str) -> str:
    return "".join(ch if ch > " " and ch not in '<>"`\\' and ch != "\x7f" else f"%{ord(ch):02X}" for ch in url)


def root_facts(data: bytes) -> dict[str, str] | None:
    """What a root index of ours says of itself, as the arguments of `root_index`; None where it is not one of ours."""
    match = _ROOT_FORM.match(data.decode("utf-8", "replace"))
    if not match:
        return None
    return {"name": re.sub(r"\\(.)", r"\1", match["name"]), "source_url": match["url"], "changed_at": match["at"]}


_ROOT_FORM = re.compile(
    rf'---\nokf_version: "{re.escape(OKF_VERSION)}"\n---\n\n# (?P<name>[^\n]+)\n\nSource: <(?P<url>[^>\n]+)>\n\n'
    r"Last change: (?P<at>[^\n]+)\n"
)
