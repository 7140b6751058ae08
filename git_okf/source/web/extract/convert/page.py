"""What the converters of one page share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree

from git_okf.source.web.extract.convert.anchors import Anchors
from git_okf.source.web.extract.convert.links import Links


class Block(NamedTuple):
    """One block of Markdown: its text without indentation, and what it is ("ul" and "ol" for lists)."""

    kind: str
    text: str


@dataclass(slots=True)
class Page:
    """Shared by the converters of one page."""

    links: Links
    anchors: Anchors
    flow: Callable[[etree._Element, Page], list[Block]]
    """The blocks of an element's children (git_okf.source.web.extract.convert.blocks)."""
    footnotes: Mapping[str, str] = field(default_factory=dict)
    """Id of the footnote's element -> its label."""
    boxes: bool = True
    """Whether there are boxes to check (`<input>`) on the page."""
    tabs: bool = True
    """Whether there are lists of tabs on the page (git_okf.source.web.extract.convert.tabs.may_hold)."""
    in_link: bool = False
    """Markdown has no links inside of links."""
