"""Where a link goes: relative to the page's own file for pages of the source, absolute for everything else."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import unquote, urljoin, urlsplit

from git_okf.source.markdown.destination import KEPT_SCHEMES, safe
from git_okf.source.web.extract.fragments import Ids, heading_slug, is_made_of
from git_okf.source.web.extract.remember import remembered

_IGNORED = re.compile(r"[\t\n\r\x00-\x1f\x7f]")
_PLAIN = re.compile(r"((?:\.\./)*)((?:[A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*)")
"""What most links look like: `../a/b.html`; there is nothing in it to resolve but the `../` it begins with."""
_WHOLE = re.compile(r"https?://[^/?#]")
"""How an address begins that is the same wherever it stands."""
_SETTLED = re.compile(
    r"https?://[A-Za-z0-9.-]+(?::[0-9]+)?/[A-Za-z0-9._~!$&'()*+,=:@%/-]*(?:\?[A-Za-z0-9._~!$&'()*+,=:@%/-]+)?"
)
"""An address in which there is nothing left to resolve: dots after a host stay as they are."""
_FOLDER = re.compile(r"(https?://[^/?#]+/(?:[^/?#;]*/)*)[^/?#;]*")
"""An address up to its last slash: what other addresses resolve against."""
_DOTS = frozenset(("", ".", ".."))
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_UNQUOTABLE = re.compile(r"[\s\"\\`|<>&\x00-\x1f\x7f]")
"""What would end or change the title of a link."""
_TWIN = re.compile(r"(?:/index|/readme|)\.mdx?$", re.I)


@dataclass(slots=True)
class Links:
    """The links of one page. `owns`, `place` and `key` are those of the options; see git_okf.source.web.extract."""

    url: str
    """Final URL of the page."""
    base: str
    """What relative references resolve against: `<base href>` on the final URL."""
    owns: Callable[[str], bool]
    place: Callable[[str], str]
    key: Callable[[str], str]
    relative: bool = True
    ids: Ids = field(default_factory=Ids)
    """How the theme of the source makes ids."""
    folder: str = ""
    own_page: str = ""
    """What a link to the page itself looks like."""
    folders: dict[str, str] = field(default_factory=dict)
    """`../`, or some of them, -> where that leads from the base."""
    known: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """Address, as it stands in the page, -> what to write for it, and whether a fragment may follow."""

    def __post_init__(self) -> None:
        self.folder = posixpath.dirname(self.place(self.key(self.url)))
        own = self.url.partition("#")[0]
        self.own_page = self._page(own, "") or safe(own)

    def target(self, href: str) -> str:
        """The destination to write for a link, or "" where there is none to write (scripts, data, empty)."""
        address, mark, fragment = _clean(href).partition("#")
        if not address and not mark:
            return ""
        known = self.known.get(address)
        if known is None:
            known = self.known[address] = self._target(address)
        if not fragment or not known[1]:
            return known[0]
        own = known[0] == self.own_page and bool(known[0])
        return safe(f"#{fragment}") if own else f"{known[0]}#{safe(fragment)}"

    def own_fragment(self, href: str) -> str:
        """The fragment of a link to the page itself, as it stands in the page; "" for any other link."""
        address, _, fragment = _clean(href).partition("#")
        known = self.known.get(address)
        if known is None:
            known = self.known[address] = self._target(address)
        return fragment if known[1] and known[0] == self.own_page else ""

    def destination(self, href: str, text: str) -> str:
        """Like `target`, for links to other pages of the source: a fragment that no heading of Markdown has is a title.

        The anchors of another page are not known here, but what they look like is: `#sqlalchemy.orm.Session` is none,
        and one that is made of the link's own text is that of a heading with this text.
        """
        target = self.target(href)
        path, mark, _ = target.partition("#")
        if not mark or not path or not self.relative or _SCHEME.match(target):
            return target
        fragment = _clean(href).partition("#")[2]
        slug = self.ids.slug(unquote(fragment))
        if slug and is_made_of(slug, text):
            slug = heading_slug(text)
        return f"{path}#{safe(slug)}" if slug else f'{path} "#{_title(fragment)}"'

    def titled(self, fragment: str, heading: str) -> str:
        """A link within the page to what has no anchor: to the heading above or the top, with the fragment as title."""
        if heading:
            return f'#{safe(heading)} "#{_title(fragment)}"'
        if not self.relative or _SCHEME.match(self.own_page):
            return f"{self.own_page}#{safe(fragment)}"
        return self.own_page if fragment == "top" else f'{self.own_page} "#{_title(fragment)}"'

    def _target(self, href: str) -> tuple[str, bool]:
        address = self.absolute(href) if href else self.base
        if not address.startswith(("http:", "https:")):
            return safe(address), False
        if self.relative:
            return _page_link(self.owns, self.place, self.key, self.folder, address) or safe(address), True
        return self._page(address, "") or safe(address), True

    def absolute(self, href: str) -> str:
        """`href` resolved on the base of the page; "" where it is no address."""
        match = _PLAIN.fullmatch(href)
        if match is None:
            if not _WHOLE.match(href) or not _WHOLE.match(self.base):
                return absolute(self.base, href)
            if _SETTLED.fullmatch(href):
                return href
            return _resolved(f"{self.base.partition('/')[0]}//example.org/", href)  # any host: it says its own
        climb, rest = match.groups()
        folder = self.folders.get(climb)
        if folder is None:
            around = _FOLDER.fullmatch(self.base)
            found = _resolved(around[1] if around else self.base, climb or "./")
            folder = self.folders[climb] = found if found.startswith(("http://", "https://")) else ""
        return folder + rest if folder.endswith("/") else absolute(self.base, href)

    def _page(self, address: str, fragment: str) -> str:
        """The relative link to a page of the source; the absolute one where links stay absolute; "" for other URLs."""
        if self.relative:
            link = _page_link(self.owns, self.place, self.key, self.folder, address)
            return link + safe(fragment) if link else ""
        return safe(address + fragment) if self.owns(address) else ""

    def twin(self, href: str) -> str:
        """Like `target`, for a page published as Markdown: a link to `page.md` means the page `page`."""
        url = absolute(self.base, _clean(href))
        address, _, fragment = url.partition("#")
        if address.startswith(("http:", "https:")) and not self.owns(address):
            parts = urlsplit(address)
            stem = _TWIN.sub("", parts.path)
            for path in (stem, f"{stem}/") if stem != parts.path else ():
                page = parts._replace(path=path or "/").geturl()
                if self.owns(page):
                    return self._page(page, f"#{fragment}" if fragment else "")
        return self.target(href)

    def resource(self, src: str) -> str:
        """The absolute URL of an image or another file, or ""."""
        url = absolute(self.base, _clean(src))
        return safe(url) if url.startswith(("http:", "https:")) else ""


@remembered(1 << 14)
def _page_link(
    owns: Callable[[str], bool],
    place: Callable[[str], str],
    key: Callable[[str], str],
    folder: str,
    address: str,
) -> str:
    """The link from a folder of the bundle to a page of the source; "" for an address that is none."""
    if not owns(address):
        return ""
    path = relative(place(key(address)), folder).replace("%", "%25")
    return safe(path if "/" in path or ":" not in path else f"./{path}")


def _clean(href: str) -> str:
    return (href if href.isprintable() else _IGNORED.sub("", href)).strip()


def relative(path: str, folder: str) -> str:
    """A path of the bundle as seen from a folder of the bundle ("" for its root)."""
    there, here = path.split("/"), folder.split("/") if folder else []
    if not _DOTS.isdisjoint(there) or not _DOTS.isdisjoint(here):
        return posixpath.relpath(path, folder or ".")
    shared = 0
    for one, other in zip(there, here, strict=False):
        if one != other:
            break
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:]) or "."


def absolute(base: str, href: str) -> str:
    """`href` resolved on `base`; "" where it is empty, broken, or of a scheme that is no address."""
    if not href:
        return ""
    scheme = _SCHEME.match(href)
    if scheme and scheme[1].lower() not in KEPT_SCHEMES:
        return ""
    try:
        url = urljoin(base, href)
        urlsplit(url)
    except ValueError:
        return ""
    return url


@remembered(1 << 12)
def _resolved(base: str, href: str) -> str:
    """`absolute`, for what the pages of a folder or of a site have in common."""
    return absolute(base, href)


def _title(fragment: str) -> str:
    return _UNQUOTABLE.sub(lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), fragment)
