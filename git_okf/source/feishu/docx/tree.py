"""The flat list of blocks -> the tree that their `children` make.

The order of the list means nothing. Each block stands in the tree once, at its first place in the document; what no
block leads to stands at the end. The tree is never deeper than DEEPEST, so that whoever walks it may recurse: what
lies deeper follows its parent instead of standing inside of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from git_okf.source.feishu.docx import kinds
from git_okf.source.feishu.docx.given import listed, mapped, string

DEEPEST = 20

DOUBLED, STRAY, REPEATED, FLATTENED, NO_PAGE = "doubled", "stray", "repeated", "flattened", "no page"
"""What may be odd about a list of blocks."""


@dataclass(slots=True)
class Node:
    """A block in its place."""

    id: str
    kind: int
    """Its `block_type`: the only thing that says what a block is."""
    block: Mapping[str, Any]
    children: list[Node] = field(default_factory=list)

    @property
    def data(self) -> Mapping[str, Any]:
        """The object of the block's own type; other keys are strays, and are not looked at."""
        return mapped(self.block.get(kinds.NAMES.get(self.kind, "")))


@dataclass(frozen=True, slots=True)
class Tree:
    """All blocks of a document."""

    page: Node | None
    strays: tuple[Node, ...]
    """Blocks that nothing leads to, by id."""
    blocks: Mapping[str, Mapping[str, Any]]
    odd: Counter[str]

    def walk(self) -> Iterator[Node]:
        """All nodes, as they follow each other in the document."""
        stack = [*reversed(self.strays), *([self.page] if self.page else [])]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


def grow(blocks: Sequence[Mapping[str, Any]], document_id: str) -> Tree:
    """The tree of a document. Its page is the block of this id, or else the one that says it is a page."""
    odd: Counter[str] = Counter()
    known = _by_id(blocks, odd)
    seen: set[str] = set()
    page_id = document_id if document_id in known else _page_id(known)
    page = _branch(page_id, known, seen, odd) if page_id is not None else None
    odd[NO_PAGE] += page is None and bool(known)
    strays = tuple(_branch(key, known, seen, odd) for key in _stray_ids(known, seen))
    odd[STRAY] += len(strays) if page else 0
    return Tree(page, strays, known, odd)


def _by_id(blocks: Sequence[object], odd: Counter[str]) -> dict[str, Mapping[str, Any]]:
    """Of blocks that came twice (pages of a listing overlap) one, whichever came first."""
    known: dict[str, Mapping[str, Any]] = {}
    versions: dict[str, dict[str, Mapping[str, Any]]] = {}
    for block in blocks:
        if isinstance(block, Mapping):
            key = string(block.get("block_id")) or f"~{_text(block)}"
            if key in known:
                versions.setdefault(key, {_text(known[key]): known[key]})[_text(block)] = block
            known[key] = block
    for key, found in versions.items():
        known[key] = found[min(found)]
        odd[DOUBLED] += len(found) - 1
    return known


def _text(block: Mapping[str, Any]) -> str:
    return json.dumps(block, sort_keys=True, default=str)


def _page_id(known: Mapping[str, Mapping[str, Any]]) -> str | None:
    return min((key for key, block in known.items() if _kind(block) == kinds.PAGE), default=None)


def _kind(block: Mapping[str, Any]) -> int:
    kind = block.get("block_type")
    if isinstance(kind, str) and kind.isascii() and kind.isdigit() and len(kind) < 10:
        return int(kind)
    return kind if isinstance(kind, int) and not isinstance(kind, bool) and kind >= 0 else kinds.UNDEFINED


def _stray_ids(known: Mapping[str, Mapping[str, Any]], seen: set[str]) -> Iterator[str]:
    """Blocks not yet in the tree: first those that no other of them leads to, then one of each ring."""
    left = sorted(known.keys() - seen)
    led_to = {child for key in left for child in _child_ids(known[key]) if child != key}
    for key in [*(k for k in left if k not in led_to), *(k for k in left if k in led_to)]:
        if key not in seen:
            yield key


def _branch(root: str, known: Mapping[str, Mapping[str, Any]], seen: set[str], odd: Counter[str]) -> Node:
    """A block with everything below it, made without recursion: a hostile list may be as deep as it is long."""
    top = _node(root, known, seen)
    stack = [(iter(_child_ids(top.block)), top.children, 1)]
    while stack:
        ids, siblings, depth = stack[-1]
        key = next(ids, None)
        if key is None:
            stack.pop()
        elif key in seen:
            odd[REPEATED] += 1
        else:
            node = _node(key, known, seen)
            siblings.append(node)
            below = _child_ids(node.block)
            deeper = depth < DEEPEST
            odd[FLATTENED] += bool(below) and not deeper
            if below:
                stack.append((iter(below), node.children if deeper else siblings, depth + deeper))
    return top


def _node(key: str, known: Mapping[str, Mapping[str, Any]], seen: set[str]) -> Node:
    block = known.get(key)
    if block is None:
        return Node(key, kinds.MISSING, {})
    seen.add(key)
    return Node(key, _kind(block), block)


def _child_ids(block: Mapping[str, Any]) -> list[str]:
    """The ids a block leads to, each once: the cells of a table in their order, children, blocks inside of a line."""
    kind = _kind(block)
    own = mapped(block.get(kinds.NAMES.get(kind, "")))
    ids = [
        *(listed(own.get("cells")) if kind == kinds.TABLE else ()),
        *listed(block.get("children")),
        *(mapped(mapped(element).get("inline_block")).get("block_id") for element in listed(own.get("elements"))),
    ]
    return list(dict.fromkeys(key for key in map(string, ids) if key))
