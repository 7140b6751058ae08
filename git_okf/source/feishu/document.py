"""A document of the drive: one revision of it, all its blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from git_okf.jsonapi import ApiRefused
from git_okf.source.feishu import api as apis
from git_okf.source.feishu.api import Feishu
from git_okf.source.feishu.drive import pages
from git_okf.source.feishu.trouble import API_TROUBLE, NotTaken, not_taken

DOCUMENT = "/open-apis/docx/v1/documents/{}"
BLOCKS = "/open-apis/docx/v1/documents/{}/blocks"
PAGE_SIZE = 500
NEWEST = -1
READINGS = 3
"""How often a document is begun anew because it was edited while it was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What the drive says of a document at one revision."""

    token: str
    title: str
    revision: int
    cover: str
    """The token of its own cover image; "" for none."""
    blocks: Sequence[Mapping[str, Any]]


def read(api: Feishu, token: str) -> Document:
    """A document with all its blocks, all of one revision. Raises NotTaken."""
    try:
        return _read(api, token)
    except API_TROUBLE as error:
        trouble = not_taken(error)
        if not trouble.gone:
            raise trouble from None
    try:
        return _read(api, token)  # what is gone is asked for twice
    except API_TROUBLE as error:
        raise not_taken(error) from None


def _read(api: Feishu, token: str) -> Document:
    for _ in range(READINGS):
        about = apis.payload(api.get(DOCUMENT, token)).get("document")
        about = about if isinstance(about, Mapping) else {}
        revision = about.get("revision_id")
        revision = revision if isinstance(revision, int) else NEWEST
        try:
            blocks = _blocks(api, token, revision)
        except ApiRefused as error:
            if apis.code_of(error.answer) in apis.MOVED_ON:
                continue
            raise
        if not blocks:  # an empty document has its page block all the same
            raise NotTaken("the API sent a document without blocks")
        title, cover = about.get("title"), about.get("cover")
        cover = cover.get("token") if isinstance(cover, Mapping) else ""
        return Document(
            token=token,
            title=title if isinstance(title, str) else "",
            revision=revision,
            cover=cover if isinstance(cover, str) else "",
            blocks=blocks,
        )
    raise NotTaken(f"it was edited {READINGS} times while it was read")


def _blocks(api: Feishu, token: str, revision: int) -> list[Mapping[str, Any]]:
    query = {"page_size": PAGE_SIZE, "document_revision_id": revision}
    found: list[Mapping[str, Any]] = []
    for items, _ in pages(api, BLOCKS, token, query=query, items="items"):
        found += [item for item in items if isinstance(item, Mapping)]
    return found
