"""CSS selectors: simple ones matched in one pass over a tree, any other through cssselect and XPath."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from lxml import etree

from git_okf.source.web.extract.remember import remembered
from git_okf.source.web.extract.tree import found

_SIMPLE = re.compile(
    r"(?P<tag>[a-z][a-z0-9-]*)?(?P<rest>(?:[.#][\w-]+|\[[\w-]+(?:[\^*$]?=\"?[^\"\]]*\"?)?\])*)\Z", re.I
)
_IDENT = "[A-Za-z][A-Za-z0-9_-]*"
_DIRECT = re.compile(rf"\.(?P<class>{_IDENT})|#(?P<id>{_IDENT})|\[(?P<name>{_IDENT})=(?P<value>{_IDENT})\]")
"""Selectors of one class, id or attribute and nothing else."""
_WITH_TAG = re.compile(rf"[a-z][a-z0-9]*(?:\.{_IDENT})?(?:\[[a-z]+={_IDENT}\])?")
_CLASS_NAME = re.compile(r"[^ \t\r\n]+")
_NONE: Mapping[str, list[Simple]] = {}
_PART = re.compile(r"([.#])([\w-]+)|\[([\w-]+)(?:([\^*$]?=)\"?([^\"\]]*)\"?)?\]")


class BadSelector(ValueError):
    """A CSS selector that cannot be read."""


class Simple(NamedTuple):
    """`tag.class#id[attribute=value]`: one element looked at by itself."""

    tag: str
    classes: frozenset[str]
    attributes: tuple[tuple[str, str, str], ...]

    def suits(self, el: etree._Element) -> bool:
        """Whether it matches an element that has its classes."""
        if self.tag and el.tag != self.tag:
            return False
        return all(_holds(el.get(name), operator, value) for name, operator, value in self.attributes)


def _holds(actual: str | None, operator: str, value: str) -> bool:
    if actual is None:
        return False
    if not operator:
        return True
    if operator == "=":
        return actual == value
    if not value:
        return False  # as CSS says: nothing begins, ends or holds ""
    if operator == "^=":
        return actual.startswith(value)
    return value in actual if operator == "*=" else actual.endswith(value)


class Selector:
    """Many selectors at once: the simple ones are looked up by a class, an id, or a tag of each element."""

    def __init__(self, selectors: Iterable[str]) -> None:
        self.by_class: dict[str, list[Simple]] = {}
        self.by_value: dict[str, dict[str, list[Simple]]] = {}
        self.by_attribute: dict[str, list[Simple]] = {}
        self.by_tag: dict[str, list[Simple]] = {}
        self.xpaths: list[etree.XPath] = []
        for text in selectors:
            simple = _simple(text.strip())
            if simple is None:
                self.xpaths.append(compiled(text))
            else:
                self._enter(simple)
        self.of_class = remembered(4096)(self._of_class)
        """The rules that a `class` attribute of this value may suit."""
        self.by_name = self.by_value.keys() | self.by_attribute.keys() - {"class"}
        """Attributes that a rule begins with."""

    def _enter(self, rule: Simple) -> None:
        if rule.classes:
            self.by_class.setdefault(min(rule.classes), []).append(rule)
        elif not rule.attributes:
            self.by_tag.setdefault(rule.tag, []).append(rule)
        else:
            name, operator, value = rule.attributes[0]
            rules = self.by_value.setdefault(name, {}) if operator == "=" else self.by_attribute
            rules.setdefault(value if operator == "=" else name, []).append(rule)

    def _of_class(self, value: str) -> tuple[Simple, ...]:
        names = frozenset(value.split())
        by_name = (rule for name in names for rule in self.by_class.get(name, ()) if rule.classes <= names)
        return (*by_name, *self.by_value.get("class", _NONE).get(value, ()), *self.by_attribute.get("class", ()))

    def matches(self, el: etree._Element, keys: Sequence[str]) -> bool:
        """Whether a simple selector matches an element, whose attributes are named `keys`."""
        for key in keys:
            if key == "class":
                rules: Sequence[Simple] = self.of_class(el.get("class") or "")
            elif key in self.by_name:
                equal = self.by_value.get(key, _NONE).get(el.get(key) or "", ())
                rules = (*equal, *self.by_attribute.get(key, ()))
            else:
                continue
            if rules and any(rule.suits(el) for rule in rules):
                return True
        return el.tag in self.by_tag and any(rule.suits(el) for rule in self.by_tag[str(el.tag)])


def _simple(text: str) -> Simple | None:
    match = _SIMPLE.match(text)
    if not match or not text:
        return None
    names, attributes = set(), []
    for kind, word, attribute, operator, value in _PART.findall(match["rest"]):
        if kind == ".":
            names.add(word)
        elif kind == "#":
            attributes.append(("id", "=", word))
        else:
            attributes.append((attribute, operator, value))
    return Simple((match["tag"] or "").lower(), frozenset(names), tuple(attributes))


@lru_cache(maxsize=512)
def compiled(selector: str) -> etree.XPath:
    """A CSS selector as XPath. Raises BadSelector."""
    from cssselect import HTMLTranslator, SelectorError

    direct = _DIRECT.fullmatch(selector)
    if direct:
        return etree.XPath(_from_attribute(direct))
    try:
        return etree.XPath(HTMLTranslator().css_to_xpath(selector, prefix="descendant-or-self::"))
    except (SelectorError, etree.XPathError) as error:
        raise BadSelector(f"{selector!r} is no CSS selector: {error}") from None


def _from_attribute(match: re.Match[str]) -> str:
    """The XPath of one class, id or attribute, from the attributes on: cssselect asks each element."""
    if match["class"]:
        return f"descendant-or-self::*/@class[contains(concat(' ', normalize-space(.), ' '), ' {match['class']} ')]/.."
    name, value = ("id", match["id"]) if match["id"] else (match["name"].lower(), match["value"])
    return f"descendant-or-self::*/@{name}[. = '{value}']/.."


@lru_cache(maxsize=512)
def _tagged(selector: str) -> Simple | None:
    """A selector that begins with a tag, as it can be matched without XPath, which asks each element of the tree."""
    return _simple(selector) if _WITH_TAG.fullmatch(selector) else None


def _of_tag(root: etree._Element, simple: Simple) -> list[etree._Element]:
    return [el for el in root.iter(simple.tag) if simple.classes <= _names(el.get("class")) and simple.suits(el)]


def _names(value: str | None) -> frozenset[str]:
    """The names in a `class` attribute, parted where CSS parts them."""
    return frozenset(_CLASS_NAME.findall(value)) if value else frozenset()


def select(root: etree._Element, selector: str) -> list[etree._Element]:
    """The elements a CSS selector matches, in document order, without those inside another match."""
    tagged = _tagged(selector)
    matches = found(compiled(selector), root) if tagged is None else _of_tag(root, tagged)
    if len(matches) < 2:
        return matches
    inside = set(matches)
    return [el for el in matches if not any(parent in inside for parent in el.iterancestors())]
