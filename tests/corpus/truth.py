"""What really changed between two versions of a site, found without a line of our extractor."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import lxml.html

CHROME = frozenset({"script", "style", "noscript", "template", "nav", "button"})
PERMALINK = frozenset({"headerlink", "heading-anchor", "hash-link", "anchorjs", "anchor", "header-anchor"})


@dataclass(frozen=True, slots=True)
class Content:
    """A page's content node as a reader has it: its visible words, and what stands behind them."""

    text: str
    behind: tuple[str, ...]
    """Link targets, picture sources, languages of code, what is code or stressed: content that shows in no word."""


def content(page: Path, xpath: str) -> Content | None:
    """The content of one page; None where it has none."""
    raw = page.read_bytes()
    found = lxml.html.fromstring(raw).xpath(xpath) if raw.strip() else []
    if not isinstance(found, list) or not found:
        return None
    nodes = [node for node in found if isinstance(node, lxml.html.HtmlElement)]
    node = max(nodes, key=lambda n: len(n.text_content()))
    for element in list(node.iter()):
        classes = set((element.get("class") or "").split()) if isinstance(element.tag, str) else set()
        if element is not node and (not isinstance(element.tag, str) or element.tag in CHROME or classes & PERMALINK):
            element.drop_tree()
    behind = [element.get("href") or element.get("src") or "" for element in node.iter("a", "img")]
    behind += [f"{e.tag} {e.text_content()}" for e in node.iter("code", "em", "strong", "kbd")]
    behind += [f"{e.tag} {e.get('class') or ''}" for e in node.iter("pre", "code", "div") if _is_code(e)]
    return Content(" ".join(node.text_content().split()), tuple(behind))


def _is_code(element: lxml.html.HtmlElement) -> bool:
    return "highlight" in (element.get("class") or "") or "language-" in (element.get("class") or "")


@dataclass(frozen=True, slots=True)
class Change:
    """Relative paths of the HTML files of two versions that differ, and in what."""

    added: frozenset[str]
    removed: frozenset[str]
    bytes: frozenset[str]
    text: frozenset[str]
    behind: frozenset[str]


def compare(old: Path, new: Path, xpath: str) -> Change:
    """What changed from one version's directory to the next."""
    before, after = _pages(old), _pages(new)
    changed = {p for p in before.keys() & after.keys() if before[p].read_bytes() != after[p].read_bytes()}
    contents = {p: (content(before[p], xpath), content(after[p], xpath)) for p in changed}
    return Change(
        added=frozenset(after.keys() - before.keys()),
        removed=frozenset(before.keys() - after.keys()),
        bytes=frozenset(changed),
        text=frozenset(p for p, (a, b) in contents.items() if (a and a.text) != (b and b.text)),
        behind=frozenset(p for p, (a, b) in contents.items() if (a and a.behind) != (b and b.behind)),
    )


def _pages(folder: Path) -> dict[str, Path]:
    return {p.relative_to(folder).as_posix(): p for p in folder.rglob("*.htm*") if p.is_file()}
