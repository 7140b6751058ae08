"""Which URLs belong to a source, under which key, and by which rule. Pure and picklable.

Rules, the first that applies decides:

1. another host than the source's own (or a `host_alias` of it): out;
2. outside the path prefix: out;
3. an `exclude` pattern matches: out, the start URL included;
4. it is the start URL: in;
5. there are `include` patterns and none matches: out;
6. the path ends like a file that is no page (`.png`, `.zip`, `.css`): out;
7. in.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from dataclasses import dataclass

from git_okf.config import WebSource
from git_okf.errors import ConfigError
from git_okf.source.web import pattern as patterns
from git_okf.source.web import url as urls
from git_okf.source.web.pattern import Pattern

_ASSET_KINDS = {
    "picture": "apng avif bmp cur eps gif heic heif ico jfif jpeg jpg png psd svg svgz tif tiff webp",
    "font": "eot otf ttc ttf woff woff2",
    "sound": "aac aif aiff flac m4a mid mp3 oga ogg opus wav weba wma",
    "film": "3gp avi flv m4v mkv mov mp4 mpeg mpg ogv webm wmv",
    "archive": "7z bz2 cab gz jar lz lzma rar tar tgz txz war xz zip zst",
    "program": "apk deb dll dmg dylib egg exe gem iso msi nupkg pkg pyc pyd rpm wasm whl xpi",
    "document": "doc docm docx epub mobi odp ods odt pdf potx ppt pptx ps rtf xls xlsm xlsx",
    "part of a page": "cjs css js mjs webmanifest xsl xslt",
    "data": "atom csv dtd geojson ics json jsonl jsonld ndjson parquet rdf rss sqlite tsv vcf wsdl xml xsd",
    "signature": "asc md5 sha256 sha512 torrent",
}
# Words that also end names of things (`numpy.dot`, `Array.map`, `java.lang.Class`) are left out: what is behind such a
# URL is recognised by its bytes.
ASSETS = frozenset(word for words in _ASSET_KINDS.values() for word in words.split())
"""File name extensions of what is never a page."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a URL is taken, and the rule that decided, as a sentence."""

    accepted: bool
    rule: str


@dataclass(frozen=True, slots=True)
class Scope:
    """The borders of one source. Made by `Scope.of`."""

    start: str
    """Key of the source's own URL."""
    origin: str
    """`https://docs.example.com`: scheme, host and port of every key in scope."""
    prefix: str
    """"/", or a path whose last segment is whole: `/guide/`, or `/guide` for that and all below it."""
    aliases: frozenset[str]
    """Origins that stand for `origin`."""
    include: tuple[Pattern, ...]
    exclude: tuple[Pattern, ...]
    strip: re.Pattern[str] | None

    @staticmethod
    def of(source: WebSource) -> Scope:
        """The scope a configuration means. ConfigError names the pattern or host that cannot be used."""
        cleaned = urls.clean(source.url, source.url)
        if cleaned is None:
            raise ConfigError(
                f"{source.name}.url: {source.url!r} cannot be requested", "write it like https://docs.example.com/"
            )
        origin = urls.origin(cleaned)
        aliases = _aliases(source, origin)
        strip = re.compile("|".join(map(fnmatch.translate, source.strip_query))) if source.strip_query else None
        start = _stripped(urls.key(cleaned), strip)
        return Scope(
            start=start,
            origin=origin,
            prefix=_prefix(source.path_prefix, start),
            aliases=aliases,
            include=tuple(_pattern(text, aliases, origin) for text in source.include),
            exclude=tuple(_pattern(text, aliases, origin) for text in source.exclude),
            strip=strip,
        )

    def request(self, href: str, base: str) -> str | None:
        """What is requested for a link: as given, an alias replaced by the source's own host; None if unusable."""
        cleaned = urls.clean(href, base)
        return None if cleaned is None else self._mapped(cleaned)

    def key(self, href: str, base: str) -> str | None:
        """The identity of a link's target, whether in scope or not; None if it is no usable http(s) URL."""
        requested = self.request(href, base)
        return None if requested is None else self.identify(requested)

    def identify(self, requested: str) -> str:
        """The key of an absolute URL that `request` gave."""
        return _stripped(urls.key(requested), self.strip)

    def decide(self, key: str) -> Decision:
        """Whether the page of this key is taken, and why."""
        try:
            parts = urls.split(key)
        except ValueError:
            return Decision(False, "it is not an http or https URL")
        if f"{parts.scheme}://{parts.netloc}" != self.origin:
            return Decision(False, f"host {parts.netloc} is not the source's ({urls.split(self.start).netloc})")
        if not self.within_prefix(parts.path):
            return Decision(False, f"path is outside the prefix {self.prefix}")
        excluded = _first(self.exclude, key, parts)
        if excluded is not None:
            return Decision(False, f"exclude pattern {excluded.text!r} matches")
        if key == self.start:
            return Decision(True, "it is the start URL")
        included = _first(self.include, key, parts)
        if self.include and included is None:
            return Decision(False, "no include pattern matches")
        extension = asset_extension(parts.path)
        if extension:
            return Decision(False, f"a .{extension} file is no page")
        if included is not None:
            return Decision(True, f"include pattern {included.text!r} matches")
        return Decision(True, "same host" if self.prefix == "/" else f"same host, path inside the prefix {self.prefix}")

    def within_prefix(self, path: str) -> bool:
        """Whether a path is the prefix or below it; segments are never cut."""
        prefix = self.prefix
        if prefix.endswith("/"):
            return path.startswith(prefix) or (path == prefix[:-1] and path != "")
        return path == prefix or path.startswith(prefix + "/")

    def owns(self, url: str) -> bool:
        """Whether an absolute URL is a page of this source: a link to it is written as a link inside the bundle."""
        requested = self.request(url, self.start)
        if requested is None or not requested.startswith(self.origin):
            return False
        return self.decide(self.identify(requested)).accepted

    def unmatched(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The patterns that match none of the keys a run met, for its report."""
        silent = dict.fromkeys((*self.include, *self.exclude))
        for key in keys:
            if not silent:
                break
            try:
                parts = urls.split(key)
            except ValueError:
                continue
            for candidate in [p for p in silent if _matches(p, key, parts, self.origin)]:
                del silent[candidate]
        return tuple(p.text for p in silent)

    def _mapped(self, cleaned: str) -> str:
        if cleaned.startswith(self.origin) and cleaned[len(self.origin) : len(self.origin) + 1] in "/?":
            return cleaned
        origin = urls.origin(cleaned)
        return self.origin + cleaned[len(origin) :] if origin in self.aliases else cleaned


def _stripped(key: str, strip: re.Pattern[str] | None) -> str:
    """The key without the query parameters that name no other page."""
    path, mark, query = key.partition("?")
    if strip is None or not mark:
        return key
    kept = "&".join(field for field in query.split("&") if not strip.match(field.partition("=")[0]))
    return f"{path}?{kept}" if kept else path


def asset_extension(path: str) -> str:
    """The extension of a path that names a file which is no page, in small letters; else ""."""
    extension = _extension(path)
    return extension if extension in ASSETS else ""


def _extension(path: str) -> str:
    """What follows the last dot of the last segment, in small letters; "" where nothing stands before the dot."""
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    return name[dot + 1 :].lower() if dot > 0 else ""


def _prefix(configured: str | None, start: str) -> str:
    """None: the directory of the start URL. A last segment without a page's extension is a directory itself."""
    if configured is not None:
        return urls.split(urls.key(urls.clean(configured, start) or start)).path
    path = urls.split(start).path
    if path.endswith("/") or _extension(path) in urls.PAGE_EXTENSIONS:
        return path[: path.rindex("/") + 1]
    return path


def _aliases(source: WebSource, origin: str) -> frozenset[str]:
    """Every alias under both schemes; the own host under the other scheme, where its port is the default."""
    netloc = origin.partition("://")[2]
    names = [netloc] if not re.search(r":\d+\Z", netloc) else []
    for alias in source.host_alias:
        cleaned = urls.clean(alias if "://" in alias else f"http://{alias}/", "")
        if cleaned is None or urls.split(cleaned).path != "/":
            raise ConfigError(f"{source.name}.host_alias: {alias!r} is not a host", "write it like www.example.com")
        names.append(urls.split(cleaned).netloc)
    return frozenset(f"{s}://{name}" for name in names for s in ("http", "https")) - {origin}


def _pattern(text: str, aliases: frozenset[str], origin: str) -> Pattern:
    parsed = patterns.parse(text)
    head = re.match(r"(https?://[^/]*)(/.*)", text, re.IGNORECASE | re.DOTALL)
    if head and head[1].lower() in aliases:
        # Keys carry the source's own host; a pattern that names an alias means the same pages.
        return patterns.parse(origin + head[2])
    return parsed


def _first(candidates: tuple[Pattern, ...], key: str, parts: urls.Parts) -> Pattern | None:
    for candidate in candidates:
        if candidate.matches(parts.path + parts.query if candidate.on_path else key):
            return candidate
    return None


def _matches(candidate: Pattern, key: str, parts: urls.Parts, origin: str) -> bool:
    if not candidate.on_path:
        return candidate.matches(key)
    return f"{parts.scheme}://{parts.netloc}" == origin and candidate.matches(parts.path + parts.query)
