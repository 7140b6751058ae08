"""Pages from fragments, and the options of a small site at https://docs.example.org/."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote, urlsplit

from lxml import etree
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

from git_okf.source.web.extract import Extracted, Options, extract

SITE = "https://docs.example.org"
URL = f"{SITE}/guide/start.html"


def owns(url: str) -> bool:
    path = urlsplit(url).path
    return url.startswith(f"{SITE}/") and not path.endswith((".png", ".zip"))


def place(url: str) -> str:
    path = unquote(urlsplit(url).path).strip("/")
    return f"pages/{path.removesuffix('index.html').removesuffix('.html').strip('/') or 'home'}.md"


def key(url: str) -> str:
    return url.partition("#")[0]


OPTIONS = Options(owns=owns, place=place, key=key)


def page(body: str, *, head: str = "<title>A page</title>", url: str = URL, **options: object) -> Extracted:
    """A whole page around the content of its `<main>`."""
    html = (
        f"<!doctype html><html lang=en><head><meta charset=utf-8>{head}</head><body><main>{body}</main></body></html>"
    )
    return extract(html.encode(), url=url, content_type="text/html", options=replace(OPTIONS, **options))  # type: ignore[arg-type]


def markdown(body: str) -> str:
    """The Markdown of a page that has only this content."""
    return page(body).body


def rendered(text: str) -> str:
    """Markdown as HTML: CommonMark with the tables, strikethrough and footnotes of GitHub."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).use(footnote_plugin)
    return str(reader.render(text))


def seen(text: str) -> str:
    """The text a reader of rendered Markdown sees, white space folded."""
    tree = etree.fromstring(f"<div>{rendered(text)}</div>", etree.HTMLParser())
    return " ".join("".join(str(piece) for piece in tree.itertext()).split())
