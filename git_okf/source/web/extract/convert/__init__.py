"""A cleaned content node -> Markdown (CommonMark and GFM). Pure: the tree, the links and nothing else."""

from __future__ import annotations

from lxml import etree

from git_okf.source.web.extract.convert.anchors import Anchors, give_headings_their_ids
from git_okf.source.web.extract.convert.assemble import join
from git_okf.source.web.extract.convert.blocks import flow
from git_okf.source.web.extract.convert.footnotes import find_footnotes
from git_okf.source.web.extract.convert.links import Links
from git_okf.source.web.extract.convert.page import Page

__all__ = ["Links", "give_headings_their_ids", "to_markdown"]


def to_markdown(node: etree._Element, links: Links, *, tabs: bool = True) -> str:
    """The Markdown of a content node. Changes the tree (titles of admonitions are taken out of it).

    `tabs`: whether lists of tabs may stand in it (`tabs.may_hold`).
    """
    footnotes = find_footnotes(node)
    anchors = Anchors(links, links.ids)
    anchors.mark(node, footnotes)
    boxes = next(node.iter("input"), None) is not None
    page = Page(links=links, anchors=anchors, flow=flow, footnotes=footnotes, boxes=boxes, tabs=tabs)
    return anchors.resolve(join(flow(node, page)))
