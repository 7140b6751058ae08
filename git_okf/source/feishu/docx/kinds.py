"""The numbers of block types, and the key under which a block of each type keeps its own object."""

from __future__ import annotations

PAGE, TEXT = 1, 2
HEADINGS = range(3, 12)
BULLET, ORDERED, CODE, QUOTE, EQUATION, TODO = range(12, 18)
BITABLE, CALLOUT, CHAT_CARD, DIAGRAM, DIVIDER, FILE = range(18, 24)
GRID, GRID_COLUMN, IFRAME, IMAGE, ISV, MINDNOTE, SHEET, TABLE, TABLE_CELL, VIEW = range(24, 34)
QUOTE_CONTAINER, TASK, OKR, OKR_OBJECTIVE, OKR_KEY_RESULT, OKR_PROGRESS = range(34, 40)
ADD_ONS, JIRA_ISSUE, WIKI_CATALOG, BOARD = range(40, 44)
AGENDA, AGENDA_ITEM, AGENDA_ITEM_TITLE, AGENDA_ITEM_CONTENT = range(44, 48)
LINK_PREVIEW, SOURCE_SYNCED, REFERENCE_SYNCED, SUB_PAGE_LIST, AI_TEMPLATE, REFERENCE = range(48, 54)
UNDEFINED = 999
MISSING = -1
"""Stands for a block that its parent names and the source did not deliver."""

NAMES = {
    MISSING: "missing",
    PAGE: "page",
    TEXT: "text",
    **{number: f"heading{number - HEADINGS.start + 1}" for number in HEADINGS},
    BULLET: "bullet",
    ORDERED: "ordered",
    CODE: "code",
    QUOTE: "quote",
    EQUATION: "equation",
    TODO: "todo",
    BITABLE: "bitable",
    CALLOUT: "callout",
    CHAT_CARD: "chat_card",
    DIAGRAM: "diagram",
    DIVIDER: "divider",
    FILE: "file",
    GRID: "grid",
    GRID_COLUMN: "grid_column",
    IFRAME: "iframe",
    IMAGE: "image",
    ISV: "isv",
    MINDNOTE: "mindnote",
    SHEET: "sheet",
    TABLE: "table",
    TABLE_CELL: "table_cell",
    VIEW: "view",
    QUOTE_CONTAINER: "quote_container",
    TASK: "task",
    OKR: "okr",
    OKR_OBJECTIVE: "okr_objective",
    OKR_KEY_RESULT: "okr_key_result",
    OKR_PROGRESS: "okr_progress",
    ADD_ONS: "add_ons",
    JIRA_ISSUE: "jira_issue",
    WIKI_CATALOG: "wiki_catalog",
    BOARD: "board",
    AGENDA: "agenda",
    AGENDA_ITEM: "agenda_item",
    AGENDA_ITEM_TITLE: "agenda_item_title",
    AGENDA_ITEM_CONTENT: "agenda_item_content",
    LINK_PREVIEW: "link_preview",
    SOURCE_SYNCED: "source_synced",
    REFERENCE_SYNCED: "reference_synced",
    SUB_PAGE_LIST: "sub_page_list",
    AI_TEMPLATE: "ai_template",
    REFERENCE: "reference",
    UNDEFINED: "undefined",
}


def name(number: int) -> str:
    """The name of a block type; its number where it has none that we know."""
    return NAMES.get(number, str(number))


DOC, OBJ_SHEET, OBJ_BITABLE, OBJ_MINDNOTE, OBJ_FILE, OBJ_SLIDES, OBJ_WIKI, OBJ_DOCX = 1, 3, 8, 11, 12, 15, 16, 22
"""`obj_type` of what a document mentions."""
