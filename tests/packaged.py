"""Trees and packages of skills as values, for tests that need no repository."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from git_okf.digest import blob_id
from git_okf.source.repository.pattern import parse
from git_okf.source.skills import discovery, licence, package, tree
from git_okf.source.skills.limits import Limits
from git_okf.source.skills.package import Package, Refused, Wanted

MIT = """MIT License

Copyright (c) 2026 Example Ltd

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
"""
RESERVED = "(c) 2026 Example Ltd. All rights reserved.\n\nNobody may keep copies of these materials.\n"


def skill(name: str = "pdf", body: str = "# Use it\n", description: str = "What it does and when", **more: str) -> str:
    """A SKILL.md; `license_` stands for a key that is a word of Python's."""
    lines = [f"{key.rstrip('_').replace('_', '-')}: {value}\n" for key, value in more.items()]
    return f"---\nname: {name}\ndescription: {description}\n{''.join(lines)}---\n\n{body}"


@dataclass(frozen=True, slots=True)
class Odd:
    """Something in a tree with a mode of its own."""

    mode: int
    data: bytes = b""


Content = str | bytes | Odd
Files = Mapping[str, Content]


def script(text: str = "#!/bin/sh\n") -> Odd:
    return Odd(tree.EXECUTABLE, text.encode())


def link(to: str) -> Odd:
    return Odd(tree.SYMLINK, to.encode())


def submodule() -> Odd:
    return Odd(tree.SUBMODULE, b"elsewhere")


def _data(content: Content) -> bytes:
    if isinstance(content, Odd):
        return content.data
    return content.encode() if isinstance(content, str) else content


def listing(files: Files, *, commit: str = "c" * 40, unlisted: tuple[str, ...] = (), sizes: bool = False) -> tree.Tree:
    """The tree of these files, as a listing of the repository shows it."""
    entries = [
        tree.Entry(
            path=path,
            mode=content.mode if isinstance(content, Odd) else tree.FILE,
            id=blob_id(_data(content)),
            size=len(_data(content)) if sizes else None,
        )
        for path, content in files.items()
    ]
    return tree.of(commit, entries, unlisted)


def blobs(files: Files) -> dict[str, bytes]:
    """The content of the files by git's ids."""
    return {blob_id(_data(content)): _data(content) for content in files.values()}


def found(files: Files, *patterns: str) -> list[str]:
    """The keys of the packages in these files."""
    return [each.key for each in discovery.discover(listing(files), tuple(map(parse, patterns))).packages]


def inspected(files: Files, key: str, limits: Limits | None = None, *, sizes: bool = False) -> Wanted | Refused:
    """What the listing says of one package."""
    at = listing(files, sizes=sizes)
    package_found = next(each for each in discovery.discover(at).packages if each.key == key)
    texts = licence.legal(key, licence.by_directory(at.entries))
    return package.inspect(package_found, at, texts, limits or Limits(), "skills")


def judged(files: Files, key: str = "skills/pdf", limits: Limits | None = None) -> Package | Refused:
    """One package, made or refused."""
    wanted = inspected(files, key, limits)
    return wanted if isinstance(wanted, Refused) else package.assemble(wanted, blobs(files), limits or Limits())


def accepted(files: Files, key: str = "skills/pdf", limits: Limits | None = None) -> Package:
    """One package that has nothing against it."""
    made = judged(files, key, limits)
    assert isinstance(made, Package), made
    return made


def refused(files: Files, key: str = "skills/pdf", limits: Limits | None = None) -> Refused:
    """One package that is refused."""
    made = judged(files, key, limits)
    assert isinstance(made, Refused), made
    return made
