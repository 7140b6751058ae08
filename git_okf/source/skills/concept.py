"""What the bundle says of a skill. Pure: a function of the package's bytes and of the configuration.

The commit stands in the front matter alone (`commit`, and in `resource`, a permalink). It is no content: a commit that
does not touch the skill changes nothing. Links in the body lead to the repository at the configured ref, since a link
out of the bundle is refused by readers of OKF, and one with a commit would change the body with every commit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from git_okf.digest import canonical, content_hash
from git_okf.model import File
from git_okf.source.markdown.escape import escape
from git_okf.source.markdown.invisible import without_invisible
from git_okf.source.repository.web import Web
from git_okf.source.skills import links
from git_okf.source.skills.homes import LICENCES
from git_okf.source.skills.package import Package, PackageFile

TYPE = "Skill"
COPY_FREE, COPY_ALWAYS, COPY_NEVER = "permissive", "always", "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What of the configuration shapes concepts."""

    ref: str
    web: Web
    copy: str = COPY_FREE
    packages: str = ""
    """Directory of the packages in this repository; "": they are not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A concept and the files beside it."""

    name: str
    title: str
    description: str
    body: str
    resource: str
    meta: dict[str, Any]
    files: tuple[File, ...]
    """Sorted by path, below the packages' directory."""
    kept: tuple[PackageFile, ...]
    """The bytes of `files`."""
    compared: str
    """Hash of all that counts as content: body, files, licence."""
    notes: tuple[str, ...] = ()


def may_copy(package: Package, copy: str) -> bool:
    """Whether the content of a package may be kept here: its licence says so, or a person took the decision."""
    return copy == COPY_ALWAYS or (copy == COPY_FREE and package.licence.free)


def made(package: Package, home: str, commit: str, setting: Setting) -> Concept:
    """The concept of a package at a commit, whose directory below `packages` is `home`."""
    copied = may_copy(package, setting.copy)
    body = canonical(_body(package, setting) if copied else _pointer(package, setting))
    files = _files(package, home) if copied and setting.packages else ()
    title, description = (_line(text) for text in (package.manifest.name, package.manifest.description))
    compared = _compared(package, title, description, body, [file for file, _ in files])
    return Concept(
        name=home,
        title=title,
        description=description,
        body=body,
        resource=setting.web.resource(commit, package.key),
        meta=_meta(package, home, commit, setting, compared, kept=bool(files)),
        files=tuple(file for file, _ in files),
        kept=tuple(data for _, data in files),
        compared=compared,
        notes=() if copied else (_why_not(package, setting.copy),),
    )


def _body(package: Package, setting: Setting) -> str:
    text, _ = without_invisible(package.manifest.body.replace("\r\n", "\n"))
    return links.rewritten(text, package.key, lambda path: setting.web.file(setting.ref, path))


def _pointer(package: Package, setting: Setting) -> str:
    """What may be said of a skill whose text may not be copied."""
    described = escape(_line(package.manifest.description))
    address = setting.web.directory(setting.ref, package.key)
    where = f"[It is at its source]({address})." if address else "It is at its source."
    licence = package.licence.id
    reason = "It names no licence" if licence == "NONE" else f"Its licence is {escape(_line(licence))}"
    return f"{described}\n\n{reason}; its text is not copied here. {where}"


def _why_not(package: Package, copy: str) -> str:
    reason = "`copy: never`" if copy == COPY_NEVER else f"the licence is {package.licence.id}"
    return f"not copied, metadata and link only: {reason}"


def _files(package: Package, home: str) -> list[tuple[File, PackageFile]]:
    """The package as it is, and beside all packages the texts from above that its licence needs to go with it."""
    placed = [(f"{home}/{file.path}", file) for file in package.files]
    placed += [(f"{LICENCES}/{home}/{file.path}", file) for file in package.carried]
    return [
        (File(path=path, blob=file.blob, size=len(file.data), executable=file.executable), file)
        for path, file in sorted(placed, key=lambda each: each[0])
    ]


def _compared(package: Package, title: str, description: str, body: str, files: Sequence[File]) -> str:
    """Of everything but the commit. Sizes are left out: the blobs say more."""
    listed = [(file.path, file.blob, file.executable) for file in files]
    parts = (title, description, content_hash(body), listed, package.content, package.compliance, package.licence.id)
    return content_hash(json.dumps(parts, ensure_ascii=False, separators=(",", ":")))


def _meta(package: Package, home: str, commit: str, setting: Setting, compared: str, *, kept: bool) -> dict[str, Any]:
    said = package.manifest
    meta: dict[str, Any] = {
        "fingerprint": compared,
        "license": package.licence.id,
        "license_source": package.licence.origin,
        "path": package.key,
        "commit": commit,
        "content_fingerprint": package.content,
        "compliance_fingerprint": package.compliance,
        "package": f"{setting.packages}/{home}" if kept else "",
        "licences": f"{setting.packages}/{LICENCES}/{home}" if kept and package.carried else "",
        "compatibility": _line(said.compatibility),
        "allowed_tools": _line(said.allowed_tools),
        "version": _line(said.said("version")),
        "author": _line(said.said("author")),
        "metadata": _pairs(said.metadata),
        "more": _pairs(said.extra),
    }
    return {key: value for key, value in meta.items() if value}


def _pairs(said: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    """What somebody else named, as values: their words never become keys of ours."""
    return [{"name": _line(name), "value": _line(value)} for name, value in said if name not in ("version", "author")]


def _line(text: str) -> str:
    """One line of text without characters nobody sees."""
    return " ".join(without_invisible(text)[0].split())
