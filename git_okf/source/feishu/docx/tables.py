"""Tables: cells in their places, with what they span."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from git_okf.source.feishu.docx.content import Block, Cell, Table
from git_okf.source.feishu.docx.given import listed, mapped, string, whole
from git_okf.source.feishu.docx.tree import Node


def read(node: Node, flow: Callable[[Sequence[Node]], list[Block]]) -> list[Block]:
    """A table, and after it what its block holds beside cells. Cells without a place get rows of their own.

    `cells` and `merge_info` go row by row. The cells that another one covers are still there; they are empty as a
    rule, and where they are not their content follows that of the covering one.
    """
    data = node.data
    given = mapped(data.get("property"))
    nodes = {child.id: child for child in node.children}
    ids = list(dict.fromkeys(key for key in map(string, listed(data.get("cells"))) if key)) or list(nodes)
    placed = set(ids)
    rest = [child for child in node.children if child.id not in placed]
    width = whole(given.get("column_size")) or len(listed(given.get("column_width"))) or 1
    width = min(width, max(len(ids), 1))
    height = -(-len(ids) // width)
    contents = [tuple(flow([nodes[key]])) if key in nodes else () for key in ids]
    contents += [()] * (height * width - len(contents))
    if not any(contents):
        return flow(rest)
    head, side = given.get("header_row") is True, given.get("header_column") is True
    cells = [
        Cell(content, heading=(head and at < width) or (side and at % width == 0))
        for at, content in enumerate(contents)
    ]
    rows = _merged(cells, width, height, listed(given.get("merge_info")))
    return [Table(rows, width, head), *flow(rest)]


def _merged(cells: list[Cell], width: int, height: int, info: Sequence[object]) -> tuple[tuple[Cell, ...], ...]:
    """Rows of cells that no other one covers. A span ends where the table does, or another span begins."""
    covered = [False] * (width * height)
    rows: list[tuple[Cell, ...]] = []
    for y in range(height):
        row: list[Cell] = []
        for x in range(width):
            at = y * width + x
            if covered[at]:
                continue
            columns, down = _spans(info[at] if at < len(info) else None)
            columns = next((i for i in range(1, min(columns, width - x)) if covered[at + i]), min(columns, width - x))
            down = min(down, height - y)
            down = next((j for j in range(1, down) if any(_line(covered, at + j * width, columns))), down)
            content = list(cells[at].content)
            for j in range(down):
                for i in range(columns):
                    covered[at + j * width + i] = True
                    content += cells[at + j * width + i].content if i or j else ()
            row.append(replace(cells[at], content=tuple(content), columns=columns, rows=down))
        rows.append(tuple(row))
    return tuple(rows)


def _line(covered: list[bool], at: int, columns: int) -> list[bool]:
    return covered[at : at + columns]


def _spans(info: object) -> tuple[int, int]:
    """(columns, rows) that a cell spans."""
    given = mapped(info)
    return whole(given.get("col_span")) or 1, whole(given.get("row_span")) or 1
