"""Is a bundle whole? The engine of `git okf verify` and of the hooks.

It checks any OKF v0.2 bundle; what git-okf made (`generated.by` begins with `git-okf/`) is also checked against its own
promises: the content hash is that of the body, and every index.md lists what its directory holds. It reads, and does
nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from posixpath import basename

from git_okf import digest
from git_okf.bundle import concept as concepts
from git_okf.bundle import index, log
from git_okf.bundle.concept import Concept, NotAConcept
from git_okf.bundle.rules import ERROR, WARNING, Finding
from git_okf.bundle.rules.fields import check_fields, is_timestamp
from git_okf.bundle.rules.history import changes, check_log_history
from git_okf.bundle.rules.links import Place, check_conflicts, check_footnotes, check_links, prose_of
from git_okf.bundle.rules.listings import OWN, Bundle, check_listings
from git_okf.bundle.rules.names import check_names
from git_okf.bundle.rules.reserved import check_index, check_log

__all__ = ["ERROR", "WARNING", "Finding", "check"]

WAY_OUT = "`git okf sync --theirs NAME` takes the source's text, `editable: true` in .okf.yaml allows this one"
"""NAME is the source's; whoever knows it puts it in."""


def check(
    files: Mapping[str, bytes],
    *,
    only: Collection[str] | None = None,
    expect: Mapping[str, str] | None = None,
    base: Mapping[str, bytes] | None = None,
    editable: bool = False,
    may_come: Callable[[str], bool] = lambda path: True,
) -> list[Finding]:
    """All findings, sorted.

    `files` are the bundle's files by path inside it; it may read on demand: names are looked at without reading.
    `only` limits the findings to these paths and what lists them; a path that is not in `files` was deleted.
    `expect` are the content hashes that were synced, by path: a hand that changes the front matter too is seen by it.
    `base` are the files of `only` as they were before, in a bundle that was whole: what it says of a change is checked
    as well, and a listing only where what it lists changed. `editable` allows edits of synced concepts. `may_come`
    says whether a page of the source could be at a path; in text that was not synced a link elsewhere is an error.
    """
    bundle = Bundle(files)
    wanted = sorted(files) if only is None else sorted(path for path in only if path in files)
    touched: Collection[str] = wanted if only is None else only
    found = [finding for finding in check_names(files) if only is None or finding.path in only]
    told = _Told(expect, editable, may_come)
    for path in wanted:
        if path.endswith(".md"):
            found += _check_file(bundle, path, told)
    if expect is not None:
        found += _missing(files, expect, only)
    if base is not None:
        seen = changes(bundle, base, touched)
        touched = seen.relisted
        found += [_mended(path) for path in seen.mended if not editable]
        if log.FILE_NAME in base and log.FILE_NAME in files:
            found += check_log_history(log.FILE_NAME, files[log.FILE_NAME], base[log.FILE_NAME])
    found += check_listings(bundle, touched, ours=expect is not None or base is not None)
    return sorted(set(found))


@dataclass(frozen=True, slots=True)
class _Told:
    """What is known of a bundle beyond its files."""

    expect: Mapping[str, str] | None
    editable: bool
    may_come: Callable[[str], bool]


def _check_file(bundle: Bundle, path: str, told: _Told) -> Iterator[Finding]:
    data = bundle.read(path)
    if b"\r" in data and b"\r\n" in data:
        line = data[: data.index(b"\r\n")].count(b"\n") + 1
        yield Finding(path, line, "line-ending", WARNING, "lines end in CR LF", "save it with LF")
    name = basename(path)
    if name == index.FILE_NAME:
        yield from check_index(path, data)
        yield from check_conflicts(path, data.decode("utf-8", "replace"))
    elif name == log.FILE_NAME:
        yield from check_log(path, data)
        yield from check_conflicts(path, data.decode("utf-8", "replace"))
    else:
        yield from _check_concept(bundle, path, data, told)


def _check_concept(bundle: Bundle, path: str, data: bytes, told: _Told) -> Iterator[Finding]:
    own = _own_form(data)
    if own is not None:
        body, first, stated = own
        synced = digest.content_hash(body) == stated
        yield from _check_hash(path, data, first, stated, synced, told)
    else:
        try:
            concept = concepts.parse(data)
        except NotAConcept as error:
            yield from check_conflicts(path, data.decode("utf-8", "replace"))
            yield Finding(path, error.line, _rule(error), ERROR, error.reason, _hint(error))
            return
        yield from check_fields(path, concept)
        body, first = concept.body, concept.line
        synced = _is_ours(concept) and digest.content_hash(body) == _stated(concept)
        if _is_ours(concept):
            yield from _check_hash(path, data, first, _stated(concept), synced, told)
        else:
            prose = prose_of(body)
            yield from check_conflicts(path, _head(data, first) + prose)
            yield from check_footnotes(path, prose, first, concept.front.get("sources"))
    place = Place(exists=bundle.exists, anchors=bundle.anchors)
    yield from check_links(path, body, first, place if synced else replace(place, may_come=told.may_come))


def _check_hash(path: str, data: bytes, first: int, stated: str, synced: bool, told: _Told) -> Iterator[Finding]:
    """A body with the hash that was synced is the source's own text, conflict marks in it included; where it may be
    edited, those in code are still taken for the source's."""
    if not data.endswith(b"\n"):
        line = data.count(b"\n") + 1
        yield Finding(path, line, "final-newline", WARNING, "the last line is not ended", "end it with a newline")
    if not synced:
        text = data.decode()
        yield from check_conflicts(path, prose_of(text) if told.editable else text)
        if not told.editable:
            yield Finding(path, first, "edited", ERROR, "the body is not the one that was synced", WAY_OUT)
    elif not told.editable and told.expect is not None and told.expect.get(path, stated) != stated:
        yield _mended(path)


def _mended(path: str) -> Finding:
    return Finding(path, 1, "edited", ERROR, "the content hash is not the one that was synced", WAY_OUT)


def _head(data: bytes, first: int) -> str:
    """The lines above the body."""
    return "".join(line + "\n" for line in data.decode().split("\n")[: first - 1])


def _own_form(data: bytes) -> tuple[str, int, str] | None:
    """(body, its first line, the hash it states) of a concept that is ours to the last key, without a YAML parser."""
    match = concepts.own_form(data)
    if match is None or not concepts.scalar(match["by"]).startswith(OWN):
        return None
    try:
        head, body = match.group().decode(), data[match.end() :].removesuffix(b"\n").decode()
    except UnicodeDecodeError:
        return None
    if not concepts.scalar(match["type"]).strip() or not is_timestamp(concepts.scalar(match["at"])):
        return None
    return body, head.count("\n") + 1, match["content_hash"].decode()


def _is_ours(concept: Concept) -> bool:
    generated = concept.front.get("generated")
    by = generated.get("by") if isinstance(generated, dict) else None
    return isinstance(by, str) and by.startswith(OWN)


def _stated(concept: Concept) -> str:
    stated = concept.front.get("content_hash")
    return stated if isinstance(stated, str) else ""


def _rule(error: NotAConcept) -> str:
    return "encoding" if error.reason == "not UTF-8" or "byte order mark" in error.reason else "front-matter"


def _hint(error: NotAConcept) -> str:
    if _rule(error) == "encoding":
        return "save it as UTF-8 without a byte order mark"
    return "every .md file of a bundle but index.md and log.md begins with front matter that has a `type`"


def _missing(files: Mapping[str, bytes], expect: Mapping[str, str], only: Collection[str] | None) -> Iterator[Finding]:
    for path in sorted(expect):
        if path not in files and (only is None or path in only):
            hint = "`git okf sync NAME` brings it back; exclude its URL to be rid of it"
            yield Finding(path, 1, "missing", ERROR, "a synced concept is not there", hint)
