"""Code blocks: whitespace and blank lines exact, language kept, line numbers undone."""

from __future__ import annotations

import re
from typing import cast

from lxml import etree

from git_okf.source.markdown.escape import longest_run
from git_okf.source.web.extract.convert.page import Block, Page
from git_okf.source.web.extract.remember import remembered
from git_okf.source.web.extract.tree import class_names, classes, raw_text, words

BOXES = ("prism-code", "fragment", "CodeMirror-code", "cm-content")
"""Classes of elements that hold code without `<pre>`: old Docusaurus, Doxygen, editors."""

_NUMBERS = words(
    "linenos lineno linenodiv linenum linenumber line-number line-numbers line-numbers-rows line-numbers-wrapper gutter"
    " lnt ln hljs-ln-numbers hljs-ln-n rouge-gutter blob-num codeLineNumber linenumbers"
    " react-syntax-highlighter-line-number rouge-line-number ttc"
)
_NO_CODE = frozenset(("button", "script", "style", "template", "noscript"))
_LINES = frozenset(("div", "li", "p", "tr"))
_CHANGED = _NO_CODE | _LINES | {"br"}
"""Elements that are more, or less, than the text in them."""
_CLASSES = etree.XPath("descendant::*/@class", smart_strings=False)
"""Of the many elements of a highlighter, without an object for each."""
_LANGUAGE = re.compile(
    r"(?:language|lang|mw-highlight-lang|highlight-source|highlight-text|highlight|brush:?)-(?P<name>[\w+#.-]+)\Z", re.I
)
_BRUSH = re.compile(r"\bbrush:\s*([\w+#.-]+)")
_NAME = re.compile(r"[A-Za-z0-9_+#.-]{1,32}\Z")
_NONE = frozenset(
    ("default", "none", "nohighlight", "no-highlight", "plain", "undefined", "source", "auto", "highlight", "literal")
)
_BARE = ("sourceCode", "src", "rust", "prettyprint", "hljs", "programlisting", "codehilite", "chroma", "sh_sourceCode")
_NOISE = re.compile(
    r"(?:notranslate|numberSource|numberLines|linenums(?::\d+)?|prettyprinted|literal-block|highlight|shiki|prism-code"
    r"|code|codeblock|listing|screen|sourceCode|src|hljs|prettyprint|programlisting|codehilite|chroma|rust-example-rendered"
    r"|item-decl|playground|copy|line-numbers|match-braces|ignore|no_run|should_panic|compile_fail|edition\d*)\Z"
)


def pre(el: etree._Element, page: Page) -> list[Block]:
    """A `<pre>` as a fence; nothing for an empty one."""
    text = content(el)
    return [fence(text, language(el))] if text.strip() else []


def box(el: etree._Element, page: Page) -> list[Block]:
    """An element that stands for a `<pre>`."""
    return page.flow(el, page) if next(el.iterdescendants("pre"), None) is not None else pre(el, page)


def numbered(table: etree._Element) -> str | None:
    """The code of a table that only sets line numbers beside code; None for any other table."""
    if not _is_numbered(table):
        return None
    rows: list[str] = []
    for row in table.iter("tr"):
        cells = [c for c in row.iter("td", "th") if not _is_number_cell(c)]
        rows.extend(content(next(c.iter("pre"), c)) for c in cells)
    return "\n".join(rows)


def _is_numbered(table: etree._Element) -> bool:
    numbers = code = 0
    for cell in table.iter("td", "th"):
        if _is_number_cell(cell):
            numbers += 1
        elif _is_code_cell(cell):
            code += 1
        else:
            return False
    return numbers >= code > 0 and next(table.iterdescendants("table"), None) is None


def _is_number_cell(cell: etree._Element) -> bool:
    if not _NUMBERS.isdisjoint(classes(cell)):
        return True
    if not len(cell):
        return False
    inner = next(cell.iter("pre"), None)
    if inner is None:
        return next(iter(cell), None) is not None and bool(_NUMBERS.intersection(classes(cell[0])))
    text = raw_text(inner)
    return bool(re.fullmatch(r"[\d\s]+", text)) and "\n" in text.strip()


def _is_code_cell(cell: etree._Element) -> bool:
    names = classes(cell)
    return next(cell.iter("pre", "code"), None) is not None or any(
        "code" in n.lower() or n == "blob-code" for n in names
    )


def fence(text: str, name: str = "") -> Block:
    """A fence longer than any in the text."""
    mark = "`" * max(3, longest_run(text, "`") + 1)
    return Block("code", f"{mark}{name}\n{text}\n{mark}")


def content(el: etree._Element) -> str:
    """The text of a code block: numbers and buttons left out, line elements ended, no-break spaces made blanks."""
    text = raw_text(el) if _is_plain(el) else _composed(el)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ")
    return text.removeprefix("\n").rstrip()


def _is_plain(el: etree._Element) -> bool:
    """Whether the text of a code block is all the text in it: no lines of their own, no numbers, no buttons."""
    if not len(el):
        return True
    values = set(cast("list[str]", _CLASSES(el)))
    return next(el.iterdescendants(*_CHANGED), None) is None and not any(map(_is_number, values))


@remembered(4096)
def _is_number(value: str) -> bool:
    return not _NUMBERS.isdisjoint(class_names(value))


def _composed(el: etree._Element) -> str:
    parts: list[str] = []
    _content(el, parts)
    return "".join(parts)


def _content(el: etree._Element, parts: list[str]) -> None:
    if el.text:
        parts.append(el.text)
    for child in el:
        tag = child.tag
        if tag == "br":
            parts.append("\n")
        elif tag not in _NO_CODE and not (child.get("class") and _NUMBERS.intersection(classes(child))):
            _content_of(child, parts, tag in _LINES)
        if child.tail:
            parts.append(child.tail)


def _content_of(el: etree._Element, parts: list[str], line: bool) -> None:
    if not line:
        _content(el, parts)
        return
    if parts and parts[-1] and not parts[-1].endswith("\n"):
        parts.append("\n")
    at = len(parts)
    _content(el, parts)
    if not "".join(parts[at:]).endswith("\n") and not (el.tail or "").startswith("\n"):
        parts.append("\n")


def language(el: etree._Element) -> str:
    """The language a code block says of itself, or its box does; "" where it says none."""
    inner = [c for c in el if c.tag == "code"][:1]
    for candidate in (*inner, el):
        name = _declared(candidate) or _bare(candidate)
        if name:
            return _known(name)
    parent = el.getparent()
    for _ in range(3):
        if parent is None or parent.tag not in ("div", "figure", "td", "section", "span", "code-block"):
            return ""
        name = _declared(parent)
        if name:
            return _known(name)
        parent = parent.getparent()
    return ""


def _declared(el: etree._Element) -> str:
    if not el.keys():
        return ""
    for attribute in ("data-lang", "data-language", "data-code-lang", "language"):
        value = el.get(attribute)
        if value and _NAME.match(value):
            return value
    value = el.get("lang") if el.tag == "code-block" else None
    if value and _NAME.match(value):
        return value
    parameters = el.get("data-syntaxhighlighter-params")
    brush = _BRUSH.search(parameters) if parameters else None
    if brush:
        return brush[1]
    value = el.get("class")
    return _named(value) if value else ""


@remembered(4096)
def _named(value: str) -> str:
    """The language that a `class` names."""
    names = value.split()
    for i, name in enumerate(names):
        match = _LANGUAGE.match(name)
        if match:
            return match["name"]
        if name.rstrip(":") == "brush" and i + 1 < len(names):
            return names[i + 1].rstrip(";")
    return ""


def _bare(el: etree._Element) -> str:
    """`class="sourceCode python"`, `class="hljs js"`, `class="rust"`: a language beside a highlighter's own name."""
    names = (el.get("class") or "").split()
    if "rust" in names:
        return "rust"
    if "mermaid" in names:
        return "mermaid"
    if not any(name in _BARE for name in names):
        return ""
    for name in names:
        if not _NOISE.match(name) and _NAME.match(name) and name[0].isalpha() and "-" not in name:
            return name.removeprefix("src-")
        if name.startswith("src-"):
            return name.removeprefix("src-")
    return ""


def _known(name: str) -> str:
    name = name.strip().lower()
    return "" if name in _NONE or not _NAME.match(name) else name
