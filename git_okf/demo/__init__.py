"""A small documentation site, in two versions, for trying git-okf out without a network.

The product is made up. The second version adds two pages, edits five, removes one, moves one (301), refuses one
(403), and changes the navigation and the footer of all of them, which is no change of content.
"""

from __future__ import annotations

from git_okf.demo.server import DemoSite, serve
from git_okf.demo.site import FAILING, MOVED, VERSIONS, pages

__all__ = ["FAILING", "MOVED", "VERSIONS", "DemoSite", "pages", "serve"]
