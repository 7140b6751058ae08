"""What follows the `#` of a link: ids of a page's HTML, and the slugs that Markdown readers give headings."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_DROPPED = re.compile(r"[^\w\s-]")
_BLANK = re.compile(r"\s")
_NO_LETTERS = re.compile(r"[\W_]+")
_SLUG = re.compile(r"[\w-]{1,200}\Z")
_COUNTED = re.compile(
    r"(?:id|idm|idp)[-_]?\d+(?:[-_]\d+)*(?:-[a-z]+)?\Z|(?=\w*\d)\w?[0-9a-f]{12,}\Z"
    r"|(?:index|l|line|fn|fnref|ftn|footnote|cite_ref|cite_note)[-_]?\d+(?:[-_]\d+)*\Z|top\Z|(?:page|main|post|article|doc)-title\Z"
)
"""Ids that a generator counted or drew: no one writes them, and no heading is called like them."""


def heading_slug(text: str) -> str:
    """GitHub's anchor for a heading with this text, before it is told from equal ones by a number."""
    return _BLANK.sub("-", _DROPPED.sub("", unicodedata.normalize("NFC", text).strip().lower()))


def letters(text: str) -> str:
    """What a generator cannot but keep of a text when it makes an id of it: letters without accents, and digits."""
    return _NO_LETTERS.sub("", unicodedata.normalize("NFKD", text).lower())


def is_made_of(name: str, text: str) -> bool:
    """Whether an id is nothing but its heading's text, written as some generator writes it."""
    wanted, said = letters(name), letters(text)
    return bool(wanted) and wanted in (said, said.lstrip("0123456789"))


@lru_cache(maxsize=64)
def _repeated(repeat: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(repeat)}(\d+)\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    """How a theme makes ids. The same rules are applied to a page's ids and to links to them from anywhere."""

    prefix: str = ""
    """What the ids it makes for headings begin with; it is left out (`idprefix` of Asciidoctor)."""
    separator: str = ""
    """In ids with that prefix, what stands for a blank (`idseparator` of Asciidoctor)."""
    repeat: str = ""
    """What stands between an id and the number that tells it from an equal one, where it is no hyphen."""
    elsewhere: str = ""
    """A regular expression of ids of the theme that are never those of headings."""

    def slug(self, name: str) -> str:
        """The anchor that stands for an id in Markdown; "" where it has none but in HTML (`pkg.Class`, `id4`)."""
        if self.elsewhere and re.match(self.elsewhere, name):
            return ""
        if self.repeat and name[-1:].isdecimal():
            name = _repeated(self.repeat).sub(r"-\1", name)
        if self.prefix and name.startswith(self.prefix) and len(name) > len(self.prefix):
            name = name.removeprefix(self.prefix)
            name = name.replace(self.separator, "-").strip("-") if self.separator else name
        if name != name.lower() or not _SLUG.match(name) or _COUNTED.match(name):
            return ""
        return name
