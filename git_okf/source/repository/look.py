"""One look at a repository: which commit does a ref stand for? One round trip (`ls-remote`), and no object moves.

Over HTTP that is a GET in protocol v0, a GET and a POST in v2. What comes back are all the refs the host shows: git has
no way to ask for a few by name and learn of `HEAD` as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum

from git_okf.errors import ConfigError
from git_okf.source.repository import redirects
from git_okf.source.repository.address import Address
from git_okf.source.repository.errors import KEPT, RefMissing, Unreachable, trouble, words_of
from git_okf.source.repository.transport import Transport

_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHORT_ID = re.compile(r"[0-9a-fA-F]{4,64}")
_NO_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/.]|[/.]$|/\.|\.lock(/|$)|^@$")
"""git-check-ref-format(1), and names that git would take for an option."""


class RefKind(StrEnum):
    """What the word in the configuration stands for."""

    BRANCH = "branch"
    TAG = "tag"
    COMMIT = "commit"
    OTHER = "ref"


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a look found."""

    address: Address
    """Where the repository answered; another address than asked for where it moved."""
    kind: RefKind
    ref: str
    """The full name (`refs/heads/main`); "" for a commit id, which no ref changes."""
    commit: str
    """The full id. Of an annotated tag what it points to."""
    tag: str = ""
    """The id of an annotated tag itself."""
    shadowed: tuple[str, ...] = ()
    """Refs that are named like the commit id. They are not followed."""


@dataclass(frozen=True, slots=True)
class Refs:
    """What a repository shows: full names with ids (`^{}` for what a tag points to), and what `HEAD` is another name
    of ("" where it is a commit of its own)."""

    ids: Mapping[str, str]
    head: str


def look(transport: Transport, address: Address, ref: str = "HEAD") -> Head:
    """The commit that a branch, a tag, a full commit id or `HEAD` stands for now.

    ConfigError for what can be no ref; Unreachable and its kin where nobody answers; RefMissing where the repository
    answers and has no such ref, or a branch and a tag of that name. A full id is never looked for among the names.
    """
    _check(ref)
    found, refs = _refs(transport, address)
    return resolve(found, refs, ref)


def _refs(transport: Transport, address: Address) -> tuple[Address, Refs]:
    asked = address
    for _ in range(redirects.MOST + 1):
        done = transport.run(address, "ls-remote", "--quiet", "--symref", "--", address.url)
        if done.returncode == 0:
            return address, _parsed(done.stdout)
        said = words_of(done.stderr)
        if not redirects.is_redirect(said):
            raise trouble(said, address.shown)
        address = redirects.target(transport, address)
    raise Unreachable(f"{asked.shown} redirects more than {redirects.MOST} times; {KEPT}")


def _parsed(listed: bytes) -> Refs:
    ids: dict[str, str] = {}
    head = ""
    for line in listed.decode("utf-8", "surrogateescape").split("\n"):
        value, _, name = line.partition("\t")
        if value.startswith("ref: "):
            head = value.removeprefix("ref: ") if name == "HEAD" else head
        elif name:
            ids[name] = value
    return Refs(ids, head)


def _check(ref: str) -> None:
    if not ref or _NO_REF.search(ref) or not ref.isprintable():
        raise ConfigError(f"{ref!r} is no branch, tag or full commit id", "write it like main or v1.2")


def resolve(address: Address, refs: Refs, ref: str) -> Head:
    """What a ref stands for among those that a repository shows. Pure."""
    if _FULL_ID.fullmatch(ref.lower()):
        commit = ref.lower()
        named = tuple(name for name in _candidates(ref) if name in refs.ids)
        return Head(address=address, kind=RefKind.COMMIT, ref="", commit=commit, shadowed=named)
    if not refs.ids:
        raise RefMissing(f"{address.shown} is empty: it has no branch yet; {KEPT}", "push something to it first")
    if ref == "HEAD":
        return _default(address, refs)
    named = tuple(name for name in _candidates(ref) if name in refs.ids)
    if len(named) > 1:
        raise RefMissing(
            f"{address.shown} has a branch and a tag named {ref}, and either could be meant; {KEPT}",
            f"write {named[0]} or {named[1]}",
        )
    if not named:
        raise RefMissing(f"{address.shown} has no branch or tag named {ref}; {KEPT}", _hint(refs, ref))
    return _head(address, refs, named[0])


def _candidates(ref: str) -> tuple[str, ...]:
    return (ref,) if ref.startswith("refs/") else (f"refs/heads/{ref}", f"refs/tags/{ref}")


def _default(address: Address, refs: Refs) -> Head:
    if "HEAD" not in refs.ids:
        raise RefMissing(f"{address.shown} names a default branch that does not exist; {KEPT}", _hint(refs, "main"))
    if refs.head in refs.ids:
        return _head(address, refs, refs.head)
    return Head(address=address, kind=RefKind.OTHER, ref="HEAD", commit=refs.ids["HEAD"])


def _head(address: Address, refs: Refs, name: str) -> Head:
    oid = refs.ids[name]
    commit = refs.ids.get(f"{name}^{{}}", oid)
    kind = RefKind.BRANCH if name.startswith("refs/heads/") else RefKind.OTHER
    if name.startswith("refs/tags/"):
        kind = RefKind.TAG
    return Head(address=address, kind=kind, ref=name, commit=commit, tag=oid if oid != commit else "")


def _hint(refs: Refs, ref: str) -> str:
    names = sorted(
        name.split("/", 2)[2]
        for name in refs.ids
        if name.startswith(("refs/heads/", "refs/tags/")) and not name.endswith("^{}")
    )
    near = [name for name in get_close_matches(ref, names, n=3) or names[:3] if name.isprintable()]
    if _SHORT_ID.fullmatch(ref):
        return "an abbreviated commit id cannot be looked up, and may come to mean another one: write all 40 digits"
    return f"it has {', '.join(near)}" if near else ""


def hold(head: Head, ref: str, commit: str) -> tuple[Head, str]:
    """The head to go on with where a tag was moved: the commit it stood for last time (`ref` and `commit` as they were
    recorded), and a sentence for the report; "" where nothing was moved. A tag is a promise, so it is not followed."""
    if head.kind is not RefKind.TAG or head.ref != ref or not commit or commit == head.commit:
        return head, ""
    said = (
        f"the tag {head.ref.removeprefix('refs/tags/')} of {head.address.shown} was moved from {commit[:12]} to"
        f" {head.commit[:12]}: it is not followed. If the new commit is meant, write its full id as `ref`"
    )
    return replace(head, commit=commit, tag=""), said


def notices_of(head: Head, before: str) -> Iterator[str]:
    """What people should know of where the repository is (`before`: where it was, "" if nobody knows); nothing depends
    on it."""
    if before and before != head.address.shown:
        yield f"the repository was at {before} and is at {head.address.shown} now"
    if head.kind is RefKind.COMMIT and head.shadowed:
        yield f"{', '.join(head.shadowed)} is named like the commit id in `ref`; the commit was taken"
