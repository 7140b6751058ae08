"""A page's bytes -> canonical Markdown with title and description; one pure call, made for a process pool.

    bytes -> charset.decode -> tree -> themes.recognise -> node.find_content -> clean.clean -> convert.to_markdown
          -> digest.canonical -> hashes, metadata, coverage

The body is a function of the bytes, the URL and the options alone. Whatever no content can be made of is NoContent
with a reason, never an empty body (PAGE-03).
"""

from __future__ import annotations

import re
from urllib.parse import urljoin

from lxml import etree

from git_okf import digest
from git_okf.source.markdown import document
from git_okf.source.markdown.invisible import without_invisible
from git_okf.source.web.extract import coverage, metadata, shell, themes
from git_okf.source.web.extract.charset import decode
from git_okf.source.web.extract.clean import clean, controlled
from git_okf.source.web.extract.convert import Links, give_headings_their_ids, tabs, to_markdown
from git_okf.source.web.extract.fragments import Ids
from git_okf.source.web.extract.node import find_content
from git_okf.source.web.extract.parsing import Parsed, parse, tree_of
from git_okf.source.web.extract.reasons import FORWARDS, NEEDS_SELECTOR, NoContent
from git_okf.source.web.extract.select import select
from git_okf.source.web.extract.signs import recognise
from git_okf.source.web.extract.tree import text_of
from git_okf.source.web.extract.values import Extracted, Options
from git_okf.source.web.extract.ways import neighbours, remove_ways

__all__ = [
    "VERSION",
    "Extracted",
    "NoContent",
    "Options",
    "Parsed",
    "decode",
    "extract",
    "extract_parsed",
    "extract_published",
    "fingerprint",
    "parse",
]

VERSION = 3
"""Of the extractor: raised whenever the same bytes may give another body."""

FEW_WORDS = 12
"""A page with fewer words is looked at twice: it may be a shell, a forward or an error."""

_REFRESH = re.compile(r"<meta[^>]+http-equiv=[\"']?refresh[\"']?[^>]*url\s*=", re.I)
_FIRST_HEADING = re.compile(r"^#{1,6} (.+)$", re.M)
_MARKUP = re.compile(r"!?\[((?:[^\[\]\\]|\\.)*)\]\([^)]*\)|</?\w+[^>]*>|[*`]+|(?<!\w)_+|_+(?!\w)|~~")
_MAY_BE_MARKUP = re.compile(r"[\[<*`_~]")
"""How each alternative of it begins: most headings have none, and to look for it takes long."""
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def fingerprint(options: Options) -> str:
    """Of the extractor, the parser it stands on, and the options that change what it makes of the same bytes."""
    parser = ".".join(map(str, etree.LXML_VERSION[:2]))
    return digest.fingerprint(VERSION, parser, options.content, options.drop, options.ignore, options.links)


def extract(data: bytes, *, url: str, content_type: str = "", options: Options) -> Extracted:
    """A page as Markdown. `url` is the URL the bytes came from.

    Raises NoContent where the bytes are no text, or hold no content.
    """
    return extract_parsed(parse(data, content_type), url=url, options=options)


def extract_parsed(page: Parsed, *, url: str, options: Options) -> Extracted:
    """`extract` for a page that is parsed already; its tree is taken apart. Raises NoContent."""
    html, encoded, root = page.html, page.encoded, page.root
    meta = metadata.read(root)
    theme = recognise(encoded)
    node = find_content(root, theme, options.content, html)
    heading = _outer_heading(root, node, theme, meta)
    remove_ways(node, neighbours(root))
    give_headings_their_ids(node)
    drop = (*(theme.drop if theme else ()), *options.drop)
    hidden = clean(node, drop, opened=controlled(root, encoded))
    if heading is not None:
        node.insert(0, heading)
    before = coverage.measure(node)
    if before.total < FEW_WORDS:
        _refuse_empty(" ".join(before.texts), html, encoded)
    body, invisible = without_invisible(
        to_markdown(node, _links(url, root, options, theme), tabs=tabs.may_hold(encoded))
    )
    body = _guarded(digest.canonical(body))
    lost, words = coverage.losses(before, body)
    if not words:
        raise NoContent(shell.hint(tree_of(encoded)))
    return _result(body, meta, options, hidden=hidden + invisible, warnings=lost, words=words)


def extract_published(data: bytes, *, url: str, options: Options) -> Extracted:
    """Markdown that the site publishes, with its links made right. Title and description come from its front matter.

    Raises NoContent where the bytes are no text, hold none, or are HTML.
    """
    text = decode(data, "")
    if re.match(r"\s*(?:<!doctype|<html)", text, re.I):
        raise NoContent("the site answered with HTML where it publishes Markdown")
    front, rest = document.split(text)
    links = Links(url, url, options.owns, options.place, options.key, relative=options.links == "relative")
    body, invisible = without_invisible(document.relink(rest, links))
    body = _guarded(digest.canonical(body))
    words = len(re.findall(r"[^\W_]+", body))
    if not words:
        raise NoContent(NEEDS_SELECTOR)
    meta = metadata.Metadata(
        title="",
        og_title=metadata.line(str(front.get("title") or "")),
        site="",
        description=metadata.line(str(front.get("description") or front.get("summary") or "")),
        language=metadata.line(str(front.get("lang") or ""))[:35],
    )
    return _result(body, meta, options, hidden=invisible, warnings=(), words=words)


def _links(url: str, root: etree._Element, options: Options, theme: themes.Theme | None) -> Links:
    base = next((b.get("href") for b in root.iter("base") if b.get("href")), None)
    try:
        resolved = urljoin(url, base) if base else url
    except ValueError:
        resolved = url
    return Links(
        url,
        resolved,
        options.owns,
        options.place,
        options.key,
        relative=options.links == "relative",
        ids=theme.ids if theme else Ids(),
    )


def _outer_heading(
    root: etree._Element, node: etree._Element, theme: themes.Theme | None, meta: metadata.Metadata
) -> etree._Element | None:
    """The page's h1 where it stands outside of the content node (Asciidoctor, Javadoc)."""
    if next(node.iter("h1"), None) is not None:
        return None
    candidates = select(root, theme.heading) if theme and theme.heading else []
    sure = bool(candidates)
    for found in candidates or list(root.iter("h1")):
        text = text_of(found)
        if sure and text and node in found.iterancestors():
            found.tag = "h1"  # a title that is no heading in its HTML (Doxygen)
            return None
        if not text or node in found.iterancestors() or found is node or node in found.iter():
            continue
        if sure or metadata.is_page_heading(meta, text):
            heading = etree.Element("h1")
            heading.text = text
            return heading
    return None


def _refuse_empty(text: str, html: str, encoded: bytes) -> None:
    """NoContent for a page that says nothing, or so little that it may be a shell or a forward and is one."""
    words = shell.count_words(text)
    if words >= FEW_WORDS:
        return
    if _REFRESH.search(html):
        raise NoContent(FORWARDS)
    as_it_came = tree_of(encoded)
    if not words or shell.needs_browser(as_it_came):
        raise NoContent(shell.hint(as_it_came))


def _guarded(body: str) -> str:
    """A body that cannot be taken for front matter (SEC-06)."""
    if body.startswith(("---", "+++")):
        first, _, rest = body.partition("\n")
        return digest.canonical(f"***\n{rest}" if not first.strip("-") else f"\\{body}")
    return body


def _result(
    body: str, meta: metadata.Metadata, options: Options, *, hidden: int, warnings: tuple[str, ...], words: int
) -> Extracted:
    first = _FIRST_HEADING.search(body)
    heading = _plain(first[1]) if first else ""
    top = heading if first and first[0].startswith("# ") else ""
    name = metadata.title(meta, top, heading)
    return Extracted(
        title=name,
        description=metadata.description(meta, name, lambda: _plain(_first_paragraph(body))),
        body=body,
        content_hash=digest.content_hash(body),
        compared_hash=digest.compared_hash(body, options.ignore) if options.ignore else "",
        size=len(body),
        language=meta.language,
        warnings=warnings,
        hidden=hidden,
        words=words,
    )


def _first_paragraph(body: str) -> str:
    """The first paragraph of prose outside of code, tables and lists; any text where there is none."""
    head = body[:8000]
    blocks = head.split("\n\n")
    for block in blocks:
        if block[:1] not in "#|>`-*<![$" and not re.match(r"\d+\. ", block) and len(block) > 20:
            return block
    return next((b for b in blocks if b[:1] not in "#|`<" and len(b) > 20), "")


def _plain(text: str) -> str:
    for _ in range(2):
        if _MAY_BE_MARKUP.search(text):
            text = _MARKUP.sub(lambda m: m[1] or "", text)
    return metadata.line(_ESCAPE.sub(r"\1", text))
