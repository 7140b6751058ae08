"""A drive of Feishu's in memory, for tests to edit: folders, documents with revisions, files, shortcuts, and its clock.

drive = Drive()
plain = drive.document(drive.root, "A note", "Its text.")
blog = drive.blog("A long story", "Its text.", podcast=b"ID3...", slides=b"<html>...")
drive.later(hours=1)
drive.write(plain, "Another text.")
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

START = 1_767_225_600
"""2026-01-01T00:00:00Z."""
ARTICLE, PODCAST, SLIDES, HTML = "文章", "播客", "PPT", "html"

Blocks = list[dict[str, Any]]


@dataclass(slots=True, kw_only=True)
class Node:
    """One thing in the drive."""

    token: str
    name: str
    type: str
    parent: str
    created: int
    modified: int
    target: str = ""
    data: bytes = b""
    revisions: list[Blocks] = field(default_factory=list)
    cover: str = ""
    timeless: bool = False
    """Its listing has no times."""
    gone: bool = False
    """Still listed, and answers that it was deleted."""
    forbidden: bool = False

    @property
    def blocks(self) -> Blocks:
        return self.revisions[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blog:
    """The tokens of an article folder and of what is in it; "" for what it does not have."""

    token: str
    article: str
    text: str
    cover: str = ""
    podcast: str = ""
    audio: str = ""
    script: str = ""
    slides: str = ""
    deck: str = ""
    html: str = ""
    page: str = ""


class Drive:
    def __init__(self) -> None:
        self.now = START
        self.nodes: dict[str, Node] = {}
        self.media: dict[str, bytes] = {}
        self.refused: set[str] = set()
        """Media that the app may not have."""
        self._count = 0
        self.root = self.folder("", "blog")

    # --- making ---

    def token(self, kind: str) -> str:
        self._count += 1
        return f"{kind}cn{self._count:05d}{zlib.crc32(f'{kind}{self._count}'.encode()):08x}"

    def _add(self, parent: str, name: str, kind: str, **more: Any) -> str:
        token = self.token({"folder": "fld", "docx": "dox", "file": "box", "shortcut": "nod"}.get(kind, "obj"))
        self.nodes[token] = Node(
            token=token, name=name, type=kind, parent=parent, created=self.now, modified=self.now, **more
        )
        return token

    def folder(self, parent: str, name: str) -> str:
        return self._add(parent, name, "folder")

    def document(self, parent: str, name: str, text: str | Blocks = "", *, cover: str = "") -> str:
        token = self._add(parent, name, "docx", cover=cover)
        self.nodes[token].revisions.append(blocks_of(token, name, text))
        return token

    def file(self, parent: str, name: str, data: bytes) -> str:
        return self._add(parent, name, "file", data=data)

    def other(self, parent: str, name: str, kind: str) -> str:
        return self._add(parent, name, kind)

    def shortcut(self, parent: str, name: str, target: str) -> str:
        return self._add(parent, name, "shortcut", target=target)

    def picture(self, seed: int = 0) -> str:
        """An image for a document; its token."""
        token = self.token("img")
        self.media[token] = png(seed=seed)
        return token

    def blog(
        self,
        name: str,
        text: str | Blocks = "",
        *,
        cover: bytes = b"",
        podcast: bytes = b"",
        script: str = "",
        slides: bytes = b"",
        html: bytes = b"",
    ) -> Blog:
        """An article folder."""
        top = self.folder(self.root, name)
        article = self.folder(top, ARTICLE)
        made = {"token": top, "article": article, "text": self.document(article, name, text)}
        if cover:
            made["cover"] = self.file(article, "cover.png", cover)
        if podcast or script:
            made["podcast"] = self.folder(top, PODCAST)
        if podcast:
            made["audio"] = self.file(made["podcast"], f"{name}.mp3", podcast)
        if script:
            made["script"] = self.document(made["podcast"], f"{name}", script)
        if slides:
            made["slides"] = self.folder(top, SLIDES)
            made["deck"] = self.file(made["slides"], f"{name}.html", slides)
        if html:
            made["html"] = self.folder(top, HTML)
            made["page"] = self.file(made["html"], "index.html", html)
        return Blog(**made)

    # --- editing ---

    def later(self, *, seconds: int = 0, hours: float = 0, days: float = 0) -> None:
        self.now += seconds + round(hours * 3600) + round(days * 86400)

    def write(self, token: str, text: str | Blocks, *, touch: bool = True) -> None:
        """A new revision of a document."""
        node = self.nodes[token]
        node.revisions.append(blocks_of(token, node.name, text))
        if touch:
            node.modified = self.now

    def put(self, token: str, data: bytes, *, touch: bool = True) -> None:
        """A new version of a file, under its token."""
        self.nodes[token].data = data
        if touch:
            self.nodes[token].modified = self.now

    def touch(self, token: str, at: int | None = None) -> None:
        self.nodes[token].modified = self.now if at is None else at

    def rename(self, token: str, name: str) -> None:
        """Renaming does not count as an edit."""
        self.nodes[token].name = name

    def move(self, token: str, parent: str) -> None:
        self.nodes[token].parent = parent

    def delete(self, token: str) -> None:
        for child in self.children(token):
            self.delete(child.token)
        del self.nodes[token]

    # --- looking ---

    def children(self, folder: str) -> list[Node]:
        """In an order of its own: by the last edit."""
        found = [node for node in self.nodes.values() if node.parent == folder and node.token != folder]
        return sorted(found, key=lambda node: (-node.modified, node.token))


def blocks_of(document: str, title: str, text: str | Blocks) -> Blocks:
    """A document's blocks: as given, or a paragraph for each paragraph of a text."""
    if not isinstance(text, str):
        return text
    inner = [
        {
            "block_id": f"{document}-{number}",
            "parent_id": document,
            "block_type": 2,
            "text": {"style": {"align": 1}, "elements": [run(part)]},
            "divider": {},
        }
        for number, part in enumerate(text.split("\n\n"), start=1)
        if part
    ]
    return [root_of(document, title, [str(block["block_id"]) for block in inner]), *inner]


def root_of(document: str, title: str, children: Sequence[str]) -> dict[str, Any]:
    return {
        "block_id": document,
        "parent_id": "",
        "block_type": 1,
        "children": list(children),
        "page": {"elements": [run(title)], "style": {"align": 1}},
    }


def run(text: str, **style: Any) -> dict[str, Any]:
    return {"text_run": {"content": text, "text_element_style": style}}


def with_pictures(document: str, title: str, text: str, pictures: Sequence[str], kinds: Sequence[int] = ()) -> Blocks:
    """A text, then images, then blocks of types that have no Markdown."""
    blocks = blocks_of(document, title, text)
    more: Blocks = [
        {
            "block_id": f"{document}-i{number}",
            "parent_id": document,
            "block_type": 27,
            "image": {"token": token, "width": 8, "height": 8, "align": 2},
        }
        for number, token in enumerate(pictures)
    ]
    more += [
        {"block_id": f"{document}-u{number}", "parent_id": document, "block_type": kind, "sheet": {"token": "sht_1"}}
        for number, kind in enumerate(kinds)
    ]
    blocks[0]["children"] += [block["block_id"] for block in more]
    return [*blocks, *more]


def png(width: int = 8, height: int = 8, seed: int = 0) -> bytes:
    """A picture of one colour."""
    row = b"\0" + bytes(random.Random(seed).randbytes(3)) * width

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b"")
    )


def mp3(seed: int, size: int = 20_000) -> bytes:
    return b"ID3\x04\0" + random.Random(seed).randbytes(size)


def page(title: str, seed: int = 0) -> bytes:
    return f"<!doctype html><title>{title}</title><script>run({seed})</script>\n".encode()


def populate(drive: Drive, count: int = 163, seed: int = 4, sound: int = 20_000) -> Mapping[str, str | Blog]:
    """A blog of all forms, always the same: plain documents, and folders with every mixture of types. By title.

    `sound`: bytes of each podcast.
    """
    dice = random.Random(seed)
    made: dict[str, str | Blog] = {}
    for number in range(count):
        drive.later(hours=1)
        title = f"第{number + 1}篇 On topic {number + 1}"
        text = "\n\n".join(prose(dice, number) for _ in range(3 + number % 4))
        if number % 5 < 2:
            token = drive.document(drive.root, title, text)
            if number % 2:
                pictures = [drive.picture(number * 10 + each) for each in range(1 + number % 3)]
                drive.nodes[token].revisions[-1] = with_pictures(token, title, text, pictures)
            made[title] = token
        else:
            made[title] = drive.blog(
                title,
                text,
                cover=png(640, 360, seed=number) if number % 4 else b"",
                podcast=mp3(number, sound) if number % 3 == 0 else b"",
                script="Welcome.\n\nWe talk about it." if number % 6 == 0 else "",
                slides=page(title, number) if number % 4 == 0 else b"",
                html=page(title, -number) if number % 7 == 0 else b"",
            )
    drive.later(days=1)
    return made


def prose(dice: random.Random, number: int) -> str:
    words = ("water", "mark", "folder", "article", "time", "change", "文章", "同步", "水位线", "播客")
    return f"Paragraph of {number}: " + " ".join(dice.choice(words) for _ in range(20)) + "."
