"""Formulas as TeX between dollars: from KaTeX and MathJax sources where the page holds them, from MathML where not."""

from __future__ import annotations

import re

from lxml import etree

from git_okf.source.web.extract.convert.mathml import tex
from git_okf.source.web.extract.convert.page import Block, Page
from git_okf.source.web.extract.tree import classes, text_of

INLINE = frozenset(("katex", "math", "arithmatex", "MathJax", "MathJax_Preview", "MathJax_SVG", "mathjax"))
"""Classes of elements that are a formula in a line."""
DISPLAY = ("katex-display", "MathJax_Display", "math-display")
"""Classes of elements that are a formula on lines of its own; a `div.math` is one, too (see `display`)."""

_DELIMITERS = (("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$"), ("$", "$"))


def source(el: etree._Element) -> str:
    """The TeX of a formula, or "" where there is none."""
    for note in el.iter("annotation"):
        if "tex" in (note.get("encoding") or "").lower():
            return " ".join((note.text or "").split())
    for script in el.iter("script"):
        if (script.get("type") or "").startswith("math/tex"):
            return " ".join((script.text or "").split())
    for formula in el.iter("math"):
        return formula.get("alttext") or tex(formula)
    value = el.get("data-tex") or el.get("data-latex") or el.get("data-expr")
    text = " ".join((value or text_of(el)).split())
    for start, end in _DELIMITERS:
        if text.startswith(start) and text.endswith(end) and len(text) > len(start) + len(end):
            return text[len(start) : -len(end)].strip()
    return text


def inline(el: etree._Element) -> str:
    """`$...$`, or `$$...$$` where the page sets the formula on a line of its own. "" for an empty formula."""
    if el.tag == "script" and not (el.get("type") or "").startswith("math/tex"):
        return ""
    if "MathJax_Preview" in classes(el):
        return ""
    text = source(el)
    if not text:
        return ""
    return f"$${text}$$" if _on_its_own(el) else f"${text}$"


def _on_its_own(el: etree._Element) -> bool:
    if "mode=display" in (el.get("type") or "") or el.get("display") in ("true", "block"):
        return True
    return any(f.get("display") == "block" for f in el.iter("math"))


def display(el: etree._Element, page: Page) -> list[Block]:
    """A formula as a block."""
    text = source(el)
    return [Block("math", f"$$\n{text}\n$$")] if text else []


def image(el: etree._Element) -> str:
    """A formula drawn as an image, whose alternative text is its TeX (Sphinx imgmath, MediaWiki)."""
    names = classes(el)
    if not ("math" in names or any(name.startswith("mwe-math") for name in names)):
        return ""
    text = " ".join((el.get("alt") or "").split())
    return f"${re.sub(r'^[$]+|[$]+$', '', text)}$" if text else ""
