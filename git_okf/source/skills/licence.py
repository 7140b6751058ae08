"""Which licence a package has, and whether it may be copied. Pure.

A licence is known by its text, and only by the whole of it: a text with something added ("for non-commercial use
only", the Commons Clause) is another licence. The texts of a package itself beat those of the directories above it,
the nearest first; a text beats what the front matter claims. Without any known licence the rule is that nothing may
be copied (reference: agentskills; Apache-2.0 section 4 for what goes with a copy).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from git_okf.source.repository import paths
from git_okf.source.skills.licence_texts import LONG, SHORT, Long
from git_okf.source.skills.tree import Entry

NONE = "NONE"
"""SPDX's word for a package that names no licence."""
PROPRIETARY = "LicenseRef-Proprietary"
UNKNOWN = "LicenseRef-Unknown"
FREE = frozenset(
    {*SHORT, "Apache-2.0", "MPL-2.0", "CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "BSL-1.0", "Zlib", "EPL-2.0"}
    | {
        f"{name}-{suffix}"
        for name in ("GPL-2.0", "GPL-3.0", "LGPL-2.1", "LGPL-3.0", "AGPL-3.0")
        for suffix in ("only", "or-later")
    }
    | {"GPL-2.0", "GPL-3.0", "LGPL-2.1", "LGPL-3.0", "AGPL-3.0"}
)
"""Licences that let anyone pass on verbatim copies together with the licence's text."""

_LICENCE_FILE = re.compile(r"(?:UN)?LICEN[CS]ES?(?:[-_.][A-Za-z0-9+._-]*)?\Z|COPYING(?:[-_.][A-Za-z0-9+._-]*)?\Z", re.I)
_NOTICE_FILE = re.compile(r"(?:THIRD[-_]PARTY[-_])?NOTICES?(?:[-_.][A-Za-z0-9+._-]*)?\Z", re.I)
_CODE_FILE = re.compile(r"\.(?:py|js|ts|sh|rb|go|rs|c|h|java|json|ya?ml|html?)\Z", re.I)
_COPYRIGHT = re.compile(
    r"(?:copyright|\(c\)|©)(?:[\s:(©]|\Z)(?!\s*(?:holders?|owners?|notices?|and|or|in|interest|laws?|licen[cs]e)\b)",
    re.I,
)
"""A line that names who holds the rights; not one of the text's own that happens to begin with the word."""
_RESERVING = 4_000
"""Characters up to which a text that reserves rights is taken for no licence at all; longer ones are unknown ones."""
_TITLE_ROOM = 200
MOST_BYTES = 256 * 1024
"""Of a text that is looked at; the longest known one has an eighth of that."""
_SLACK = 260
"""Characters that may stand around a short text besides copyright lines: its title, a file's name, an address."""


def is_licence(path: str) -> bool:
    """Whether a file has the name of a licence text."""
    name = paths.name(path)
    return bool(_LICENCE_FILE.match(name)) and not _CODE_FILE.search(name)


def is_notice(path: str) -> bool:
    """Whether a file has the name of a notice that must go along with copies."""
    name = paths.name(path)
    return bool(_NOTICE_FILE.match(name)) and not _CODE_FILE.search(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Legal:
    """The texts that apply to a package, as entries of the tree."""

    own: tuple[Entry, ...]
    """Those that lie right in the package."""
    carried: tuple[Entry, ...]
    """Those above it that apply because the package has none of that sort."""

    @property
    def all(self) -> tuple[Entry, ...]:
        return (*self.own, *self.carried)


def by_directory(entries: Iterable[Entry]) -> dict[str, tuple[Entry, ...]]:
    """The licence and notice texts of a tree, by the directory they lie in."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.is_file and (is_licence(entry.path) or is_notice(entry.path)):
            found.setdefault(paths.parent(entry.path), []).append(entry)
    return {directory: tuple(texts) for directory, texts in found.items()}


def legal(key: str, texts: dict[str, tuple[Entry, ...]]) -> Legal:
    """Which texts apply to the package at `key`: its own, and for each sort it lacks those of the nearest directory."""
    own = texts.get(key, ())
    carried: list[Entry] = []
    for sort in (is_licence, is_notice):
        if not any(sort(entry.path) for entry in own):
            above = ([e for e in texts.get(place, ()) if sort(e.path)] for place in paths.ancestors(key))
            carried += next((found for found in above if found), [])
    return Legal(own=own, carried=tuple(carried))


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """What is known of a package's licence."""

    id: str
    """An SPDX expression, a `LicenseRef-...`, or NONE."""
    free: bool
    """Whether copies may be passed on together with the texts."""
    origin: str
    """Where it is said: a path in the repository, `front matter`, or ""."""
    warnings: tuple[str, ...] = ()


def judge(declared: str, own: Sequence[tuple[str, bytes]], carried: Sequence[tuple[str, bytes]]) -> Licence:
    """The licence of a package whose front matter declares `declared` and to which these texts (path, bytes) apply."""
    said = _declared(declared, [path for path, _ in (*own, *carried)])
    texts = [(path, data) for path, data in own if is_licence(path)]
    if texts:
        return _by_text(texts, said)
    if said == PROPRIETARY:
        return Licence(id=PROPRIETARY, free=False, origin="front matter")
    above = [(path, data) for path, data in carried if is_licence(path)]
    if said:
        known = _is_free(said)
        missing = () if above or not known else ("the licence is named, but its text is not there",)
        return Licence(id=said, free=known, origin="front matter", warnings=missing)
    if above:
        return _by_text(above, "")
    return Licence(id=NONE, free=False, origin="", warnings=("no licence: nothing says that it may be copied",))


def _by_text(texts: Sequence[tuple[str, bytes]], said: str) -> Licence:
    found = {path: detect(data) for path, data in texts}
    ids = sorted(set(found.values()))
    spdx = " AND ".join(ids)
    origin = ", ".join(sorted(found))
    warnings: tuple[str, ...] = ()
    if said and said not in (spdx, PROPRIETARY) and set(re.split(r" (?:AND|OR) ", said)) != set(ids):
        warnings = (f"the front matter says {said}, the text in {origin} is {spdx}",)
    if said == PROPRIETARY and _is_free(spdx):
        return Licence(id=PROPRIETARY, free=False, origin="front matter", warnings=warnings)
    return Licence(id=spdx, free=_is_free(spdx), origin=origin, warnings=warnings)


def detect(data: bytes) -> str:
    """The SPDX identifier of a licence text, PROPRIETARY where it reserves all rights, else UNKNOWN."""
    if len(data) > MOST_BYTES:
        return UNKNOWN
    written = data.decode("utf-8", "replace")
    text = plain(written)
    if "commons clause" not in text:
        for spdx, pattern in _short_patterns():
            match = pattern.search(text)
            if match and len(text) - len(match[0]) <= _SLACK:
                return spdx
        for spdx, long in LONG.items():
            if _is_long(text, long):
                return f"{spdx}-only" if "GPL" in spdx else spdx  # the text itself allows no later version
    reserved = re.search(r"all\s+rights\s+reserved|proprietary|confidential", written, re.I)
    return PROPRIETARY if reserved and len(text) < _RESERVING else UNKNOWN


def plain(text: str) -> str:
    """A licence text as it is compared: words in lower case with single spaces, without marks and copyright lines."""
    lines = [re.sub(r"^[\s>#*/;-]+", "", line) for line in text.splitlines()]
    kept = [line for line in lines if not _COPYRIGHT.match(line)]
    words = re.sub(r"[^a-z0-9\s]", " ", " ".join(kept).lower())
    words = re.sub(r"(?<=\s)(?:[0-9]|[a-d]|i{1,3})(?=\s+(?:redistributions|neither|the name of)\b)", " ", words)
    return " ".join(words.split())


@lru_cache(maxsize=1)
def _short_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Longer texts first: MIT holds MIT-0's beginning, BSD-3-Clause all of BSD-2-Clause's."""
    ordered = sorted(SHORT.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple((spdx, re.compile(_fillable(text))) for spdx, text in ordered)


def _fillable(text: str) -> str:
    """A regular expression of a text in the notation of `licence_texts`."""
    return re.escape(text).replace(r"\*", ".{1,120}?").replace(r"\[", "(?:").replace(r"\]", ")?")


def _is_long(text: str, long: Long) -> bool:
    least, most = long.characters
    if not least <= len(text) <= most or long.title not in text[:_TITLE_ROOM]:
        return False
    if not text.endswith(long.endings):
        return False
    at = 0
    for phrase in long.phrases:
        at = text.find(phrase, at)
        if at < 0:
            return False
    return True


_NAMES = {
    "mit license": "MIT", "the mit license": "MIT", "expat": "MIT", "apache license 2 0": "Apache-2.0",
    "apache license version 2 0": "Apache-2.0", "apache 2 0": "Apache-2.0", "apache 2": "Apache-2.0",
    "apache2": "Apache-2.0", "apache license": "Apache-2.0", "bsd 2 clause": "BSD-2-Clause",
    "bsd 3 clause": "BSD-3-Clause", "new bsd": "BSD-3-Clause", "simplified bsd": "BSD-2-Clause",
    "isc license": "ISC", "cc0": "CC0-1.0", "cc0 1 0 universal": "CC0-1.0", "cc by 4 0": "CC-BY-4.0",
    "the unlicense": "Unlicense", "gpl 2": "GPL-2.0-only", "gplv2": "GPL-2.0-only", "gpl v2": "GPL-2.0-only",
    "gpl 3": "GPL-3.0-only", "gplv3": "GPL-3.0-only", "gpl v3": "GPL-3.0-only", "agplv3": "AGPL-3.0-only",
    "agpl v3": "AGPL-3.0-only", "lgplv3": "LGPL-3.0-only", "mpl 2 0": "MPL-2.0", "mpl2": "MPL-2.0",
    "mozilla public license 2 0": "MPL-2.0",
}  # fmt: skip
"""How people write identifiers, in plain form."""
_EXPRESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*(?:\s+(?:AND|OR)\s+[A-Za-z0-9][A-Za-z0-9.+-]*)*\Z")


def _declared(text: str, files: Sequence[str]) -> str:
    """What the `license` field says: an SPDX expression, PROPRIETARY, or "" where it says nothing or names a file."""
    words = plain(text)
    if not words:
        return ""
    if re.search(r"\b(?:proprietary|all rights reserved|unlicensed|commercial|internal)\b", words):
        return PROPRIETARY
    spdx = _normal(text.strip())
    if spdx:
        return spdx
    if any(plain(paths.name(path)) in words for path in files) or re.search(r"\blicen[cs]e (?:txt|md)\b", words):
        return ""  # "Complete terms in LICENSE.txt": the text says it
    if _EXPRESSION.match(text.strip()):
        return text.strip() if " " in text.strip() else f"LicenseRef-{text.strip()}"
    return UNKNOWN


def _normal(text: str) -> str:
    """An expression of known identifiers in SPDX's own spelling; "" where it is none."""
    words = re.split(r"\s+(AND|OR)\s+", text.strip("() "))
    known = {spdx.lower(): spdx for spdx in FREE}
    out = []
    for at, word in enumerate(words):
        spelt = word if at % 2 else known.get(word.lower()) or _NAMES.get(plain(word).removesuffix(" license"), "")
        spelt = spelt or _NAMES.get(plain(word), "")
        if not spelt:
            return ""
        out.append(spelt)
    return " ".join(out)


def _is_free(expression: str) -> bool:
    """Whether an expression lets everyone pass copies on: one side of an OR is enough, of an AND all must."""
    choices = expression.split(" OR ")
    return any(all(part in FREE for part in choice.split(" AND ")) for choice in choices)
