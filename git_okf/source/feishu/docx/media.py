"""Which images and files a document shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from git_okf.source.feishu.docx import kinds, text
from git_okf.source.feishu.docx.blocks import caption_of
from git_okf.source.feishu.docx.elements import file_name
from git_okf.source.feishu.docx.given import listed, mapped, string
from git_okf.source.feishu.docx.tree import Node, Tree
from git_okf.source.feishu.docx.values import FILE, IMAGE, Media


def find(tree: Tree) -> tuple[Media, ...]:
    """In order of appearance, each token once, with the first name it goes by."""
    found: dict[str, Media] = {}
    for node in tree.walk():
        for media in _of(node, tree):
            known = found.get(media.token)
            if known is None or (media.name and not known.name):
                found[media.token] = media if known is None else replace(known, name=media.name)
    return tuple(found.values())


def _of(node: Node, tree: Tree) -> Iterator[Media]:
    data = node.data
    for element in listed(data.get("elements")):
        inside = mapped(mapped(element).get("file"))
        yield from _media(inside.get("file_token"), FILE, file_name(inside, tree.blocks))
    if node.kind == kinds.IMAGE:
        yield from _media(data.get("token"), IMAGE, caption_of(data))
    if node.kind == kinds.FILE:
        yield from _media(data.get("token"), FILE, text.line(data.get("name")))


def _media(token: object, kind: str, name: str) -> Iterator[Media]:
    if string(token):
        yield Media(token=string(token), kind=kind, name=name)
