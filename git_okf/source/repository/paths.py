"""Which paths of a foreign tree may become files here. Pure.

A path is normalised, POSIX and relative to the repository; whatever could mean another file on some machine, or a
file of git's own, is refused with the reason (seed 002, section 2; reference: git's `verify_path`, Windows' rules for
file names). Paths come from git as bytes; those that are no UTF-8 arrive with surrogate escapes and are refused.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

PART_BYTES = 255
"""Of one name: the limit of every common file system."""
PATH_BYTES = 1000
"""Of the whole path: leaves room for the directory it is put into."""
ROOT = "."
"""The root of a repository, as a path; the key of a package that is the whole of it."""

_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {device + digit for device in ("com", "lpt") for digit in "0123456789¹²³"}
)
_INVISIBLE = frozenset(
    "\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u206a\u206b\u206c\u206d\u206e\u206f\ufeff"
)
"""What HFS+ leaves out when it compares names: `.g\u200cit` is `.git` there."""


def refusal(path: str) -> str:
    """Why a path of the tree cannot be taken; "" where it can."""
    if not path:
        return "is empty"
    if any("\ud800" <= ch <= "\udfff" for ch in path):
        return "is not UTF-8"
    if path.startswith("/") or (len(path) > 1 and path[1] == ":" and path[0].isalpha()):
        return "is absolute"
    if len(path.encode()) > PATH_BYTES:
        return f"is longer than {PATH_BYTES} bytes"
    return next((reason for part in path.split("/") if (reason := _part_refusal(part))), "")


def _part_refusal(part: str) -> str:
    if not part:
        return "has an empty part"
    if part in (".", ".."):
        return f"has a part {part!r}"
    if "\\" in part:
        return "has a backslash"
    if any(unicodedata.category(ch) == "Cc" for ch in part):
        return "has a control character"
    if ":" in part:
        return "has a colon, which names a stream of a file on Windows"
    if _is_gits(part):
        return "has a part that is git's own (.git)"
    if part[-1] in ". ":
        return "has a part that ends in a dot or a space"
    if part.partition(".")[0].rstrip().casefold() in _DEVICES:
        return "has a part that is a device on Windows"
    if len(part.encode()) > PART_BYTES:
        return f"has a part longer than {PART_BYTES} bytes"
    return ""


def _is_gits(part: str) -> bool:
    bare = "".join(ch for ch in part if ch not in _INVISIBLE).casefold().rstrip(". ")
    return bare in (".git", "git~1")


def normalised(path: str) -> str:
    """A path that a person or a manifest wrote (`./skills/pdf/`) as this module has them; ValueError says why not."""
    text = path.removesuffix("/")
    while text.startswith("./"):
        text = text.removeprefix("./")
    if text in ("", ROOT) and path:
        return ROOT
    reason = refusal(text)
    if reason:
        raise ValueError(f"{path!r} {reason}")
    return text


def below(directory: str, path: str) -> str:
    """A path inside a directory, relative to it; "" where it is not in there. Everything lies in the root."""
    if directory == ROOT:
        return path
    return path.removeprefix(directory + "/") if path.startswith(directory + "/") else ""


def fold(path: str) -> str:
    """The path as a file system sees it that knows neither case nor normal forms."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def collision(files: Iterable[str]) -> tuple[str, str] | None:
    """The first two paths (in order) that would be one on a file system without case: two files, or two spellings of
    a directory, or a file and a directory. None where there are none."""
    seen: dict[str, str] = {}
    for path in sorted(files):
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            name = "/".join(parts[:depth]) + ("/" if depth < len(parts) else "")
            other = seen.setdefault(fold(name.rstrip("/")), name)
            if other != name:
                return other, name
    return None


def depth(path: str) -> int:
    """How many directories lie above what is in it: the root has 0."""
    return 0 if path == ROOT else path.count("/") + 1


def parent(path: str) -> str:
    """The directory of a path; the root's is the root."""
    return path.rpartition("/")[0] or ROOT


def ancestors(path: str) -> tuple[str, ...]:
    """The directories above, the nearest first, the root last; none for the root."""
    if path == ROOT:
        return ()
    above = parent(path)
    return (above, *ancestors(above))


def shown(text: str) -> str:
    """Somebody else's words for a report: what is not printable, or not text at all, is U+FFFD."""
    return "".join(ch if ch.isprintable() else "\ufffd" for ch in text)


def name(path: str) -> str:
    """The last part."""
    return path.rpartition("/")[2]
