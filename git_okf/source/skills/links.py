"""The links of a SKILL.md. Pure.

Only inline links, images and link definitions outside of code are looked at; everything else of the text stays as it
is, character for character.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator
from urllib.parse import unquote

from git_okf.source.repository import paths

_FENCE = re.compile(r"^[ \t>*+-]*(?:\d+[.)][ \t]+)?(`{3,}|~{3,})(.*)$")
_TICKS = re.compile(r"`+")
_INLINE = re.compile(
    r"(?P<bang>!?)\[(?P<text>(?:[^\[\]\\\n]|\\.|\[[^\[\]\n]*\])*)\]"
    r"\(\s*(?:<(?P<angle>[^<>\n]*)>|(?P<bare>[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))(?P<title>\s+[\"'(][^\n]{0,300}?[\"')])?\s*\)"
)
_DEFINITION = re.compile(r"^(?P<head> {0,3}\[[^\]\n^][^\]\n]*\]:[ \t]*)<?(?P<bare>[^\s<>]+)>?", re.MULTILINE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


def relative(text: str) -> Iterator[str]:
    """The paths that links of a text lead to, decoded, each once, in order; without addresses and anchors."""
    prose = _prose(text)
    targets = (link["angle"] if link["angle"] is not None else link["bare"] for link in _INLINE.finditer(prose))
    definitions = (link["bare"] for link in _DEFINITION.finditer(prose))
    seen: set[str] = set()
    for target in (*targets, *definitions):
        path = _path(target)
        if path and path not in seen:
            seen.add(path)
            yield path


def _path(target: str) -> str:
    """The path of a relative link's target, decoded; "" where it is an address, an anchor or nothing."""
    if not target or target.startswith("#") or _SCHEME.match(target):
        return ""
    return unquote(target.partition("#")[0].partition("?")[0])


def resolved(path: str, directory: str) -> str | None:
    """Where a link from a file right in a directory leads in the repository; None: out of it. `/x` is at its root."""
    base = "" if directory == paths.ROOT else directory
    joined = path.lstrip("/") if path.startswith("/") else posixpath.join(base, path)
    clean = posixpath.normpath(joined) if joined else paths.ROOT
    return None if clean == ".." or clean.startswith("../") else clean


def missing(text: str, directory: str, files: Collection[str]) -> tuple[str, ...]:
    """The links of a package's SKILL.md that lead to no file or directory of the package (`files`: full paths)."""
    there = set(files)
    there.update(place for path in files for place in paths.ancestors(path))
    return tuple(link for link in relative(text) if resolved(link, directory) not in there)


def rewritten(text: str, directory: str, address: Callable[[str], str]) -> str:
    """The text with relative links made absolute: `address` gives the URL of a path of the repository.

    Where it gives "", or the link leads out of the repository, its text stays, with the path as code after it.
    """
    prose = _prose(text)
    out, at = [], 0
    for link in sorted([*_INLINE.finditer(prose), *_DEFINITION.finditer(prose)], key=lambda link: link.start()):
        if link.start() >= at:
            out += [text[at : link.start()], _replacement(text, link, directory, address)]
            at = link.end()
    return "".join([*out, text[at:]])


def _replacement(text: str, link: re.Match[str], directory: str, address: Callable[[str], str]) -> str:
    whole = text[link.start() : link.end()]
    angle = link.groupdict().get("angle")
    target = angle if angle is not None else link["bare"]
    path = _path(target)
    if not path:
        return _nested(text, link, whole, directory, address)
    where = resolved(path, directory)
    url = address(where) if where is not None else ""
    inline = "bang" in link.groupdict()
    if not url:
        return _unlinked(text[link.start("text") : link.end("text")], path) if inline else whole
    fragment = target[len(target.partition("#")[0]) :]
    if not inline:
        return f"{link['head']}{url}{fragment}"
    inner = rewritten(text[link.start("text") : link.end("text")], directory, address)
    return f"{link['bang']}[{inner}]({url}{fragment}{link['title'] or ''})"


def _nested(text: str, link: re.Match[str], whole: str, directory: str, address: Callable[[str], str]) -> str:
    """A link to an address around an image with a relative path."""
    if "text" not in link.groupdict() or "](" not in link["text"]:
        return whole
    start, end = link.start("text"), link.end("text")
    return text[link.start() : start] + rewritten(text[start:end], directory, address) + text[end : link.end()]


def _unlinked(words: str, path: str) -> str:
    mark = "``" if "`" in path else "`"
    code = f"{mark}{path}{mark}"
    return code if not words or words.strip("`") == path else f"{words} ({code})"


def _prose(text: str) -> str:
    """The text with code blanked out, character for character."""
    if "`" not in text and "~~~" not in text:
        return text
    lines, fence = text.split("\n"), ""
    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
            lines[at] = " " * len(line)
        elif mark and not ("`" in mark[2] and mark[1][0] == "`"):
            fence, lines[at] = mark[1], " " * len(line)
    return _without_spans("\n".join(lines))


def _without_spans(text: str) -> str:
    """The text with code spans blanked out: from a run of backticks to the next one of its length. In one pass,
    whatever the text."""
    runs = [run.span() for run in _TICKS.finditer(text)]
    after: dict[int, int] = {}
    closing = [0] * len(runs)
    for at in range(len(runs) - 1, -1, -1):
        length = runs[at][1] - runs[at][0]
        closing[at] = after.get(length, -1)
        after[length] = at
    parts, done, at = [], 0, 0
    while at < len(runs):
        if closing[at] < 0:
            at += 1
            continue
        start, end = runs[at][0], runs[closing[at]][1]
        parts += [text[done:start], re.sub(r"[^\n]", "\x00", text[start:end])]
        done, at = end, closing[at] + 1
    return "".join([*parts, text[done:]])
