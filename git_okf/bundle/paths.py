"""URL -> the path of its concept inside the bundle.

`/` is `pages/home.md`; `/guide/`, `/guide`, `/guide.html` and `/guide/index.html` are `pages/guide.md`; a query adds
`~` and 8 hex digits. Only the extensions of pages are dropped: `/2.2.9` and `/2.2.9.html` are both `2.2.9.md`.

Every part is made of a whitelist of characters, NFC, at most 200 bytes, never begins with a dot, never ends with a
dot or a space, never is a device name of Windows or a short name git refuses (`git~1`), and a file is never `index.md`
or `log.md`. A part that had to be altered ends in `~` and 8 hex digits of what it was, so two URLs do not meet by
being altered. `~` stands nowhere else but at the beginning of a part (`~user`), so it always marks our digits.

Files always end in `.md` and directories never do: no file can stand where a directory must be.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Container, Iterable
from functools import lru_cache
from urllib.parse import unquote_to_bytes

ROOT = "pages"
HOME = "home"
PART_BYTES = 200
PATH_BYTES = 1024
"""Of the whole path: below the limits of Linux (4096), macOS (1024) and of git for deep checkouts."""

_PAGE_EXTENSION = re.compile(r"\.(?:html?|xhtml|shtml|php|aspx?|jsp|md)\Z", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.+=@,-]*[A-Za-z0-9_+=@,-])?\Z")
_SAFE_ASCII = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+=@,() ")
_RESERVED_FILES = frozenset({"index", "log"})
DEVICES = frozenset(
    {"con", "prn", "aux", "nul"} | {device + digit for device in ("com", "lpt") for digit in "0123456789¹²³"}
)


@lru_cache(maxsize=1 << 13)
def place(url: str) -> str:
    """The bundle path of the concept for a URL (or for a `/`-separated name): total, pure, the same everywhere.

    Scheme, host and fragment do not count: a source has one site.
    """
    path, query = _path_and_query(url)
    inner = path.removeprefix("/").removesuffix("/")
    segments = [s for s in inner.split("/") if s not in ("", ".", "..")]
    altered = bool(inner) and len(segments) <= inner.count("/")
    if segments and _is_index(segments[-1]):
        segments.pop()
    if not segments:
        return _join([], HOME, path, query, altered=altered)
    stem, changed = _stem(segments[-1], top=len(segments) == 1)
    return _join([_directory(s) for s in segments[:-1]], stem, path, query, altered=altered or changed)


def distinct(path: str, key: str, taken: Callable[[str], bool] | Container[str]) -> str:
    """The path, or where it is taken the path with `~` and 8 hex digits of the key before `.md`.

    `taken` holds, or answers for, names as `fold` makes them.
    """
    is_taken = taken if callable(taken) else taken.__contains__
    candidate, salt = path, 0
    while is_taken(fold(candidate)):
        head, slash, name = path.rpartition("/")
        digits = _digits(f"{key}\0{salt}" if salt else key)
        candidate = f"{head}{slash}{_cut(name.removesuffix('.md'), PART_BYTES - 12)}~{digits}.md"
        salt += 1
    return candidate


def fold(path: str) -> str:
    """The path as a file system sees it that knows no case and no normal form."""
    folded = (
        path.lower() if path.isascii() else unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())
    )
    return path if folded == path else folded  # most paths are folded already, and a bundle has as many as pages


class Names:
    """The paths of a bundle as a case-insensitive file system sees them, directories included.

    A directory that is already there in another case is used as it is there: `pages/API/` and `pages/api/` would be
    one directory elsewhere, with two `index.md`.
    """

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._files: set[str] = set()
        self._directories: dict[str, str] = {}
        for path in paths:
            self._add(path)

    def __contains__(self, path: str) -> bool:
        return fold(path) in self._files

    def claim(self, path: str, key: str) -> str:
        """A path for the item `key` that nothing else has; it is taken from now on."""
        head, slash, name = path.rpartition("/")
        given = distinct(self._directory(head) + slash + name, key, self._files)
        self._add(given)
        return given

    def _directory(self, directory: str) -> str:
        known = ""
        for part in directory.split("/") if directory else ():
            wanted = f"{known}/{part}" if known else part
            known = self._directories.get(fold(wanted), wanted)
        return known

    def _add(self, path: str) -> None:
        self._files.add(fold(path))
        head = path.rpartition("/")[0]
        while head and fold(head) not in self._directories:
            self._directories[fold(head)] = head
            head = head.rpartition("/")[0]


def _path_and_query(url: str) -> tuple[str, str]:
    """By hand, since it is called for every link and must not refuse any text."""
    url = url.partition("#")[0]
    scheme, mark, rest = url.partition("://")
    if mark and "/" not in scheme and "?" not in scheme:
        cut = min((i for i in (rest.find("/"), rest.find("?")) if i >= 0), default=len(rest))
        url = rest[cut:] or "/"
    path, _, query = url.partition("?")
    return path, query


def _is_index(segment: str) -> bool:
    return _PAGE_EXTENSION.sub("", segment).casefold() == "index"


def _join(parents: list[str], stem: str, path: str, query: str, *, altered: bool) -> str:
    everything = "~" + _digits(f"{path}?{query}")
    suffix = everything if altered else "~" + _digits(query) if query else ""
    room = PATH_BYTES - PART_BYTES - len(ROOT) - 1
    while sum(len(p.encode()) + 1 for p in parents) > room:
        parents.pop()
        suffix = everything
    if len(stem.encode()) + len(suffix) > PART_BYTES - 3:
        suffix = everything
        stem = _cut(stem, PART_BYTES - 3 - len(suffix))
    return "/".join((ROOT, *parents, f"{stem}{suffix}.md"))


@lru_cache(maxsize=1 << 13)
def _directory(segment: str) -> str:
    """One directory of the path."""
    name, altered = _safe(segment)
    if altered or name.casefold().endswith(".md") or len(name.encode()) > PART_BYTES:
        return f"{_cut(name, PART_BYTES - 9)}~{_digits(segment)}"
    return name


@lru_cache(maxsize=1 << 13)
def _stem(segment: str, *, top: bool) -> tuple[str, bool]:
    """The file's name without `.md`, and whether it needs our digits."""
    name, altered = _safe(_PAGE_EXTENSION.sub("", segment))
    reserved = name.casefold() in _RESERVED_FILES or (top and name.casefold() == HOME)
    return name, altered or reserved


def _safe(segment: str) -> tuple[str, bool]:
    """The readable form of a segment, and whether that has lost anything or is a name of its own somewhere."""
    if _PLAIN.match(segment):
        name = text = segment
    else:
        text = _decoded(segment)
        safe = "".join(ch if _is_safe(ch, at) else "-" for at, ch in enumerate(text))
        name = unicodedata.normalize("NFC", safe).strip(". ") or "page"
    if name.partition(".")[0].rstrip().casefold() in DEVICES:
        return name.replace(".", "-", 1), True
    return name, name != text


def _decoded(segment: str) -> str:
    """Percent-decoded NFC, or the segment itself where that is no UTF-8."""
    data = unquote_to_bytes(segment.encode("utf-8", "surrogatepass"))
    try:
        return unicodedata.normalize("NFC", data.decode("utf-8"))
    except UnicodeDecodeError:
        return segment


def _is_safe(ch: str, at: int) -> bool:
    if ch.isascii():
        return ch in _SAFE_ASCII or (ch == "~" and at == 0)
    return unicodedata.category(ch)[0] in "LMNPS" and ch != "\ufffd"


def _cut(text: str, size: int) -> str:
    """At most `size` bytes of UTF-8, cut at a character boundary."""
    data = text.encode()
    return text if len(data) <= size else data[:size].decode("utf-8", "ignore").rstrip(". ")


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
