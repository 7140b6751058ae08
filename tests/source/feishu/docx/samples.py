"""Documents as the API gives them: blocks of every type, articles like those of a blog, and lists of any shape.

Everything is made from a number alone, so that a server and what looks at its answers can make the same document.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

Json = dict[str, Any]

KEYS = {
    1: "page", 2: "text", **{number: f"heading{number - 2}" for number in range(3, 12)}, 12: "bullet", 13: "ordered",
    14: "code", 15: "quote", 16: "equation", 17: "todo", 18: "bitable", 19: "callout", 20: "chat_card", 21: "diagram",
    22: "divider", 23: "file", 24: "grid", 25: "grid_column", 26: "iframe", 27: "image", 28: "isv", 29: "mindnote",
    30: "sheet", 31: "table", 32: "table_cell", 33: "view", 34: "quote_container", 35: "task", 36: "okr",
    37: "okr_objective", 38: "okr_key_result", 39: "okr_progress", 40: "add_ons", 41: "jira_issue", 42: "wiki_catalog",
    43: "board", 44: "agenda", 45: "agenda_item", 46: "agenda_item_title", 47: "agenda_item_content",
    48: "link_preview", 49: "source_synced", 50: "reference_synced", 51: "sub_page_list", 52: "ai_template",
    53: "reference", 999: "undefined",
}  # fmt: skip
MERMAID = "blk_631fefbbae02400430b8f9f4"


def run(content: str, link: str = "", /, **style: bool) -> Json:
    """A `text_run`; its link is given percent-encoded, as the API gives it."""
    styled: Json = dict(style)
    if link:
        styled["link"] = {"url": quote(link, safe="")}
    return {"text_run": {"content": content, "text_element_style": styled}}


def user(open_id: str = "ou_18eac85d35a26f989317ad4f02e8bbbb") -> Json:
    return {"mention_user": {"user_id": open_id, "text_element_style": {}}}


def mention(token: str, title: str, *, obj_type: int = 22, url: str = "") -> Json:
    url = url or f"https://team.feishu.cn/docx/{token}"
    return {"mention_doc": {"token": token, "obj_type": obj_type, "url": url, "title": title}}


def tex(content: str) -> Json:
    return {"equation": {"content": f"{content}\n", "text_element_style": {}}}


def reminder(expire_time: str = "1641967200000", *, whole_day: bool = False) -> Json:
    said = {"create_user_id": "0", "expire_time": expire_time, "is_notify": True, "is_whole_day": whole_day}
    return {"reminder": {**said, "notify_time": expire_time}}


def attached(token: str, source: str = "") -> Json:
    return {"file": {"file_token": token, "source_block_id": source}}


def texts(*elements: Json | str, **style: object) -> Json:
    """The object of a block of text."""
    return {"style": dict(style), "elements": [run(each) if isinstance(each, str) else each for each in elements]}


@dataclass
class Document:
    """A document in the making. `strays`: give each block a key of another type, as one client was seen to do."""

    id: str
    title: str
    revision: int = 1
    strays: bool = False
    _blocks: dict[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        page = {"block_id": self.id, "parent_id": "", "block_type": 1, "page": texts(self.title)}
        self._blocks[self.id] = page

    def add(self, block_type: int, own: Mapping[str, Any] | None = None, *, into: str = "") -> str:
        """Put a block at the end of another one (of the page where none is named). Returns its id."""
        parent = into or self.id
        key = f"doxcn{self.id[-8:]}{len(self._blocks):06d}"
        block: Json = {"block_id": key, "parent_id": parent, "block_type": block_type}
        block[KEYS.get(block_type, "something_new")] = dict(own or {})
        if self.strays and block_type != 22:
            block["divider"] = {}
        self._blocks[key] = block
        self._blocks[parent].setdefault("children", []).append(key)
        return key

    def text(self, *elements: Json | str, into: str = "", **style: object) -> str:
        return self.add(2, texts(*elements, **style), into=into)

    def heading(self, level: int, *elements: Json | str, into: str = "") -> str:
        return self.add(2 + level, texts(*elements), into=into)

    def bullet(self, *elements: Json | str, into: str = "") -> str:
        return self.add(12, texts(*elements), into=into)

    def ordered(self, *elements: Json | str, into: str = "", sequence: str = "") -> str:
        style = {"sequence": sequence} if sequence else {}
        return self.add(13, texts(*elements, **style), into=into)

    def todo(self, *elements: Json | str, done: bool = False, into: str = "") -> str:
        return self.add(17, texts(*elements, done=done), into=into)

    def code(self, source: str, language: int = 1, *, into: str = "") -> str:
        return self.add(14, texts(source, language=language, wrap=False), into=into)

    def callout(self, emoji: str = "", *, into: str = "") -> str:
        return self.add(19, {"background_color": 2, **({"emoji_id": emoji} if emoji else {})}, into=into)

    def image(self, token: str, *, caption: str = "", into: str = "") -> str:
        said = {"caption": {"content": caption}} if caption else {}
        return self.add(27, {"token": token, "width": 981, "height": 800, "align": 2, **said}, into=into)

    def file(self, token: str, name: str, *, into: str = "") -> str:
        view = self.add(33, {"view_type": 1}, into=into)
        return self.add(23, {"token": token, "name": name, "view_type": 1}, into=view)

    def table(
        self,
        rows: Sequence[Sequence[str]],
        *,
        head: bool = True,
        spans: Mapping[tuple[int, int], tuple[int, int]] | None = None,
        into: str = "",
    ) -> list[list[str]]:
        """A table of texts. `spans`: place -> (rows, columns). Returns the ids of its cells."""
        width = len(rows[0])
        merged = [
            {"row_span": down, "col_span": across}
            for y in range(len(rows))
            for x in range(width)
            for down, across in [(spans or {}).get((y, x), (1, 1))]
        ]
        shape = {"row_size": len(rows), "column_size": width, "column_width": [100] * width, "header_row": head}
        own = self.add(31, {"property": {**shape, "merge_info": merged}}, into=into)
        cells: list[list[str]] = []
        for row in rows:
            cells.append([])
            for said in row:
                cell = self.add(32, into=own)
                self.text(*([said] if said else []), into=cell)
                cells[-1].append(cell)
        self._blocks[own]["table"]["cells"] = [cell for row in cells for cell in row]
        return cells

    @property
    def blocks(self) -> list[Json]:
        """All blocks; the page first, as the API lists them."""
        return list(self._blocks.values())

    @property
    def meta(self) -> Json:
        """What the document itself answers."""
        return {"document_id": self.id, "revision_id": self.revision, "title": self.title}

    def pages(self, size: int = 500) -> list[list[Json]]:
        """The blocks as pages of a listing."""
        return [self.blocks[at : at + size] for at in range(0, len(self.blocks), size)]

    @property
    def media_tokens(self) -> list[str]:
        """The tokens of images and files, in order, each once."""
        held = (block.get(key, {}).get("token", "") for block in self.blocks for key in ("image", "file"))
        return list(dict.fromkeys(token for token in held if token))


_TOPICS = ("增量同步", "高水位", "失败隔离", "缩略图", "对象存储", "限流与退避", "文档块", "幻灯片")
_SENTENCES = (
    "最初的想法是，每天定时跑一次，把所有文章都拉下来，处理一遍，再传上去。",
    "全量同步一轮下来要将近 1 小时 40 分钟，而超时上限设的是 60 分钟。",
    "The checkpoint moves only over what was stored; a failed part keeps its mark.",
    "水位只能跟自己的水位线比，mtime 不能跨类型混着比。",
    "Costs: 3*4 requests, <10 ms each & less than $5 a month, see `__init__`.",
)
_SOURCE = (
    "for (const folder of folders) {\n\tconst max = maxTime(await list(folder));\n\n\tif (max > mark) return true;\n}"
)


def article(number: int, *, revision: int = 1) -> Document:
    """An article of a blog: text in every style, lists, code, images, a table, a callout."""
    dice = random.Random(number)
    topic = dice.choice(_TOPICS)
    made = Document(
        f"doxcnArticle{number:08d}", f"无服务器博客搭建记（{number}）：{topic}", revision, strays=number % 3 == 0
    )
    made.text(dice.choice(_SENTENCES), run(f"第 {revision} 版。", bold=True))
    made.image(f"boxcnImage{number:08d}a", caption=f"图 1：{topic}" if number % 2 else "")
    for chapter in range(dice.randint(2, 4)):
        made.heading(2, f"{chapter + 1}. {dice.choice(_TOPICS)}")
        made.text(dice.choice(_SENTENCES), run("关键", bold=True, italic=chapter % 2 == 0), dice.choice(_SENTENCES))
        _chapter(made, dice, number, chapter)
    made.add(22)
    made.text("参考：", run("原文", f"https://blog.example.org/post/{number}?from=feishu&lang=zh"), " ", user())
    return made


def _chapter(made: Document, dice: random.Random, number: int, chapter: int) -> None:
    kind = (number + chapter) % 5
    if kind == 0:
        first = made.ordered("列出文件夹", sequence="1")
        made.bullet("只问", run("两三次", bold=True), into=first)
        made.code(_SOURCE, 63, into=first)
        made.ordered("比较水位", sequence="auto")
    elif kind == 1:
        box = made.callout("bulb")
        made.text(dice.choice(_SENTENCES), into=box)
    elif kind == 2:
        made.table([["类型", "文件", "水位"], ["文章", "a.docx | b", "2024-05-01"], ["播客", "c.mp3", "2024-05-02"]])
    elif kind == 3:
        made.file(f"boxcnFile{number:08d}{chapter}", f"附件 {number}-{chapter}.pdf")
        made.text("公式 ", tex("w_{t} \\le \\max_i m_i"), " 总是成立。")
    else:
        made.todo("传索引", done=True)
        made.todo("传图片")
        made.image(f"boxcnImage{number:08d}{chapter}")


OWN: Mapping[int, Json] = {
    **{number: texts(f"words of {key}") for number, key in KEYS.items() if number in range(2, 18)},
    18: {"token": "bascnBase_tblTable", "view_type": 1},
    19: {"background_color": 1, "emoji_id": "gift"},
    20: {"chat_id": "oc_a0553eda9014c201e6969b478895c230", "align": 1},
    21: {"diagram_type": 1},
    23: {"token": "boxcnFile", "name": "report (final).pdf", "view_type": 1},
    24: {"column_size": 2},
    25: {"width_ratio": 50},
    26: {"component": {"iframe_type": 99, "url": quote("https://player.example.org/v?id=1&t=2", safe="")}},
    27: {"token": "boxcnImage", "width": 640, "height": 480, "align": 2},
    28: {"component_id": "7056882725002051603", "component_type_id": "blk_5f992038c64240015d280958"},
    29: {"token": "bmncnMind"},
    30: {"token": "shtcnSheet_a1b2c3", "row_size": 3, "column_size": 4},
    35: {"task_id": "e7ea5e2b-7c3c-4d2a", "folded": False},
    36: {"okr_id": "7076349900476448796"},
    37: {"objective_id": "7109022409227026460", "content": texts("words of the objective")},
    38: {"kr_id": "7109022573011894300", "content": texts("words of the key result")},
    40: {"component_type_id": "blk_other", "record": "{}"},
    41: {"id": "10000", "key": "OKF-42"},
    42: {"wiki_token": "wikcnNode"},
    43: {"token": "wbcnBoard", "align": 1, "width": 820, "height": 400},
    46: texts("words of agenda_item_title"),
    48: {"url": quote("https://applink.feishu.cn/client/message?id=1", safe=""), "url_type": "MessageLink"},
    49: texts("words of source_synced"),
    50: {"source_block_id": "doxcnSource", "source_document_id": "doxcnOther"},
    51: {"wiki_token": "wikcnNode"},
}
"""What a block of each type has of its own."""


def every_block() -> Document:
    """A document with each type of block once, containers with a text in them, and a type that nobody knows."""
    made = Document("doxcnEveryBlockOfAll", "Every block")
    for number in [n for n in KEYS if n not in (1, 25, 31, 32)]:
        key = made.add(number, OWN.get(number))
        if number in (19, 33, 34, 45, 47):
            made.text(f"inside of {KEYS[number]}", into=key)
        if number == 24:
            for side in ("left", "right"):
                made.text(f"the {side} column", into=made.add(25, OWN[25], into=key))
    made.table([["a", "b"], ["c", "d"]])
    made.add(777)
    return made
