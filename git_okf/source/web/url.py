"""URLs: what is requested, and what names a page. Pure.

Two strings are kept apart, because one string cannot be both (URL-01 of the fault list: a tool that "cleans" what it
requests meets 404s, a tool that identifies pages by what it requests stores them twice):

- `clean` gives the URL that goes onto the wire: the link as the page gave it, resolved as browsers do (WHATWG URL
  Standard, "basic URL parser", for the special schemes http and https), without its fragment.
- `key` gives the identity: RFC 3986 sections 6.2.2 to 6.2.3 and nothing beyond, since everything beyond is a guess.

Whether two keys are one page is decided on evidence by the crawl; `variants` and `family` only say which are worth
comparing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from git_okf.source.web.host import DEFAULT_PORTS, ascii_netloc

MAX_LENGTH = 8192
"""Characters; a longer URL is unusable: servers refuse it, and it is a trap or a data URL in disguise."""

_REPEATED = 400
"""Characters up to which links are remembered: no page can make what is remembered large."""

PAGE_EXTENSIONS = ("html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp", "md", "txt")

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_EDGES = "".join(map(chr, range(0x21)))
_TABS = str.maketrans("", "", "\t\r\n")
_ABSOLUTE = re.compile(r"(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?", re.DOTALL)
# Nothing in it that `clean` or `key` would change, once its host has been looked at.
_SIMPLE = re.compile(
    r"(https?)://([a-z0-9\-.]+(?::[0-9]+)?)(?:/[A-Za-z0-9\-_~!$&'()*+,;=:@][A-Za-z0-9\-_~!$&'()*+,;=:@.]*)*/?"
)
# `../a/b.html#part` and `/a/b`: what most links look like, resolved by putting two texts together.
_RELATIVE = re.compile(
    r"(/|(?:\.\./)*)((?:[A-Za-z0-9\-_~][A-Za-z0-9\-_~.]*/)*(?:[A-Za-z0-9\-_~][A-Za-z0-9\-_~.]*)?)(?:#.*)?", re.DOTALL
)
# What WHATWG percent-encodes in a path, and in the query of a special scheme; everything else stays as given.
_PATH_UNSAFE = re.compile(r"[^!$%&'()*+,\-./0-9:;=@A-Z\[\\\]_a-z|~]")
_QUERY_UNSAFE = re.compile(r"[^!$%&()*+,\-./0-9:;=?@A-Z\[\\\]^_`a-z{|}~]")
# A `%` that begins no triplet protects the two characters after it from being decoded into one (`%%34%31`).
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}|%(?:[0-9A-Fa-f]|%[0-9A-Fa-f]{2}){0,2}")
_TRIPLET = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DOT = re.compile(r"%2e", re.IGNORECASE)
_INDEX = re.compile(r"index\.html?\Z", re.IGNORECASE)
_HTML = re.compile(r"\.html?\Z", re.IGNORECASE)


class Parts(NamedTuple):
    """An absolute http(s) URL in four pieces; `query` holds its `?`, or is ""."""

    scheme: str
    netloc: str
    path: str
    query: str

    def text(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.path}{self.query}"


def split(url: str) -> Parts:
    """The pieces of a URL that `clean` or `key` made. ValueError for anything else."""
    match = _ABSOLUTE.match(url)
    if match is None:
        raise ValueError(f"not an absolute http(s) URL: {url!r}")
    scheme, netloc, path, query = match.groups("")
    return Parts(scheme, netloc, path or "/", query)


def origin(url: str) -> str:
    """Scheme, host and port: `https://docs.example.com`; what credentials and robots.txt belong to."""
    parts = split(url)
    return f"{parts.scheme}://{parts.netloc}"


def host(url: str) -> str:
    """The host alone, in lower case, without port or the brackets of an IPv6 address."""
    netloc = split(url).netloc
    if netloc.startswith("["):
        return netloc[1 : netloc.index("]")]
    return netloc.partition(":")[0]


# --- what is requested ---


def clean(href: str, base: str) -> str | None:
    """The absolute URL to request for `href` found on the page `base`; None if it is not http(s) or unusable.

    Tabs and newlines inside it and spaces around it are removed, `\\` is `/`, non-ASCII characters and spaces are
    percent-encoded, the host is in its ASCII form (IDNA; IPv4 in any notation as four numbers), dot segments are
    resolved, the default port and the fragment are dropped. Path and query are otherwise as given. A URL with a user
    name or password is unusable: it would carry a secret into files and logs.
    """
    return _resolver(base).resolve(href)


class Resolver:
    """`clean` for many links of one page."""

    __slots__ = ("_base", "_directories")

    def __init__(self, base: str) -> None:
        self._base = _absolute(base) if _SCHEME.match(base) else None
        self._directories: dict[str, str] = {}

    def resolve(self, href: str) -> str | None:
        if href.startswith(("http:", "https:")):
            if _is_simple(href):
                return href
        elif self._base is not None:
            path = _relative_path(href) if len(href) <= _REPEATED else None
            if path is not None:
                url = self._directory(path[0]) + path[1]
                return url if len(url) <= MAX_LENGTH else None
        text = href.strip(_EDGES).translate(_TABS).partition("#")[0]
        if len(text) > MAX_LENGTH:
            return None
        match = _SCHEME.match(text)
        parts = self._with_scheme(match[1].lower(), text[match.end() :]) if match else self._relative(text)
        if parts is None:
            return None
        url = parts.text()
        return url if len(url) <= MAX_LENGTH else None

    def _directory(self, climb: str) -> str:
        """Where `climb` (some `../`, or `/`) leads from the base."""
        known = self._directories.get(climb)
        if known is None:
            parts = self._relative(climb or "./")
            known = self._directories[climb] = parts.text() if parts is not None else ""
        return known

    def _with_scheme(self, scheme: str, rest: str) -> Parts | None:
        if scheme not in DEFAULT_PORTS:
            return None
        if not rest.startswith(("/", "\\")) and self._base is not None and self._base.scheme == scheme:
            return self._relative(rest)  # `https:page` is relative, as browsers have it
        return _absolute(f"{scheme}:{rest}")

    def _relative(self, text: str) -> Parts | None:
        base = self._base
        if base is None:
            return None
        reference, mark, query = text.partition("?")
        reference = reference.replace("\\", "/")
        if reference.startswith("//"):
            return _absolute(f"{base.scheme}:{reference}{mark}{query}")
        if not reference:
            return base._replace(query=_encode_query(mark + query)) if mark else base
        path = reference if reference.startswith("/") else base.path[: base.path.rindex("/") + 1] + reference
        return Parts(base.scheme, base.netloc, _remove_dots(_encode_path(path)), _encode_query(mark + query))


@lru_cache(maxsize=1 << 14)
def _relative_path(href: str) -> tuple[str, str] | None:
    """How far a link climbs and where it goes from there, if it looks like most; the pages of a site repeat them."""
    match = _RELATIVE.fullmatch(href)
    if match is None:
        return None
    climb, rest = match.groups()
    return (climb, rest) if climb or rest else None


def _is_simple(url: str) -> bool:
    match = _SIMPLE.fullmatch(url)
    if match is None or len(url) > MAX_LENGTH:
        return False
    scheme, netloc = match.groups()
    return match.end(2) < len(url) and ascii_netloc(netloc, scheme) == netloc


_resolver = lru_cache(maxsize=64)(Resolver)


def _absolute(text: str) -> Parts | None:
    text = text.strip(_EDGES).translate(_TABS).partition("#")[0]
    scheme, _, rest = text.partition(":")
    scheme = scheme.lower()
    if scheme not in DEFAULT_PORTS:
        return None
    before, mark, query = rest.partition("?")
    before = before.replace("\\", "/").lstrip("/")
    netloc, slash, path = before.partition("/")
    checked = ascii_netloc(netloc, scheme)
    if checked is None:
        return None
    return Parts(scheme, checked, _remove_dots(_encode_path(slash + path or "/")), _encode_query(mark + query))


def _encode_path(path: str) -> str:
    return _encode(path, _PATH_UNSAFE)


def _encode_query(query: str) -> str:
    return _encode(query, _QUERY_UNSAFE)


def _encode(text: str, unsafe: re.Pattern[str]) -> str:
    return unsafe.sub(_encode_character, text)


def _encode_character(match: re.Match[str]) -> str:
    character = match[0]
    if "\ud800" <= character <= "\udfff":
        character = "\ufffd"
    return "".join(f"%{byte:02X}" for byte in character.encode())


def _remove_dots(path: str) -> str:
    """RFC 3986 section 5.2.4, with `%2e` being a dot as it is for browsers."""
    if "/." not in path and "/%2" not in path:
        return path
    kept: list[str] = []
    plain = ""
    for segment in path.split("/")[1:]:
        plain = _DOT.sub(".", segment) if "%2" in segment else segment
        if plain == "..":
            if kept:
                kept.pop()
        elif plain != ".":
            kept.append(segment)
    if plain in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


# --- what names a page ---


def key(url: str) -> str:
    """The identity of a URL: equal for two URLs that RFC 3986 calls equivalent, and for no others.

    Scheme and host in lower case, percent-encodings in upper case, those of unreserved characters decoded, dot segments
    removed, no default port, "/" for an empty path, no empty query, no fragment. Text that is no usable http(s) URL is
    given back as it is.
    """
    if _is_simple(url):
        return url
    parts = _absolute(url)
    if parts is None:
        return url
    path = _remove_dots(_normalise(parts.path))
    query = _normalise(parts.query)
    return Parts(parts.scheme, parts.netloc, path, "" if query == "?" else query).text()


def _normalise(text: str) -> str:
    return _PERCENT.sub(_normalise_match, text) if "%" in text else text


def _normalise_match(match: re.Match[str]) -> str:
    text = match[0]
    if not _TRIPLET.fullmatch(text):
        return _TRIPLET.sub(lambda triplet: triplet[0].upper(), text)
    byte = int(text[1:], 16)
    return chr(byte) if byte in _UNRESERVED else text.upper()


def variants(key: str) -> tuple[str, ...]:
    """Other keys under which sites commonly serve the same page: slash or none, the directory's index, no `.html`."""
    try:
        parts = split(key)
    except ValueError:
        return ()
    path = parts.path
    folder, _, name = path.rpartition("/")
    if _INDEX.fullmatch(name):
        paths = [folder + "/", folder, f"{folder}/index.html", f"{folder}/index.htm"]
    elif not name:
        paths = [folder, f"{path}index.html", f"{path}index.htm"] + ([f"{folder}.html"] if folder else [])
    elif _HTML.search(name):
        stem = _HTML.sub("", path)
        paths = [stem, stem + "/"]
    else:
        paths = [f"{path}/", f"{path}/index.html", f"{path}/index.htm", f"{path}.html", f"{path}.htm"]
    return tuple(dict.fromkeys(parts._replace(path=p).text() for p in paths if p and p != path))


def family(key: str) -> str:
    """A text that is equal for keys that may be one page: variants, and spellings that differ in case alone."""
    try:
        parts = split(key)
    except ValueError:
        return key
    folder, _, name = parts.path.rpartition("/")
    name = "" if _INDEX.fullmatch(name) else _HTML.sub("", name)
    return f"{parts.scheme}://{parts.netloc}{f'{folder}/{name}'.rstrip('/')}{parts.query}".casefold()
