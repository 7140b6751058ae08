"""The drive: folders listed to their end, and the times of what the listings tell no time of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from git_okf.jsonapi import ApiRefused, ApiUnavailable
from git_okf.source.feishu.api import Feishu, answered_at, payload
from git_okf.source.feishu.entries import DOCX, FILE, Entry, Listing, gathered

FILES = "/open-apis/drive/v1/files"
METAS = "/open-apis/drive/v1/metas/batch_query"
PAGE_SIZE = 200
BATCH = 200
MAX_PAGES = 1000


class Broken(Exception):
    """A listing that ended before its end; the text says why."""


def pages(api: Feishu, path: str, *parts: str, query: dict[str, Any], items: str) -> Iterator[tuple[list[Any], int]]:
    """The items of each page and when it was answered, to the end. Raises Broken where the end is not to be reached.

    The field that leads on is `next_page_token` in the drive and `page_token` elsewhere. An empty page is no end.
    """
    given: set[str] = set()
    while True:
        answer = api.get(path, *parts, query=query)
        data = payload(answer)
        found = data.get(items)
        if not isinstance(found, list) and not (found is None and "has_more" in data):
            raise Broken(f"page {len(given) + 1} holds no list")
        yield found or [], answered_at(answer)
        if not data.get("has_more"):
            return
        token = data.get("next_page_token") or data.get("page_token")
        if not isinstance(token, str):
            raise Broken(f"page {len(given) + 1} is not the last and does not lead on")
        if token in given or len(given) >= MAX_PAGES:
            raise Broken(f"page {len(given) + 1} leads back to an earlier one")
        given.add(token)
        query = {**query, "page_token": token}


class Drive:
    """Folders of the drive."""

    def __init__(self, api: Feishu) -> None:
        self._api = api

    def listing(self, folder: str) -> Listing:
        """What a folder holds, one level deep. An error on the first page is raised; a later one makes it broken."""
        # By creation, which an edit during the listing does not change.
        query = {"folder_token": folder, "page_size": PAGE_SIZE, "order_by": "CreatedTime", "direction": "ASC"}
        taken: list[list[Any]] = []
        listed_at, broken = 0, ""
        try:
            for found, at in pages(self._api, FILES, query=query, items="files"):
                listed_at = listed_at or at
                taken.append(found)
        except Broken as error:
            if not taken:
                raise
            broken = str(error)
        except (ApiRefused, ApiUnavailable) as error:
            if not taken:
                raise
            broken = f"page {len(taken) + 1} could not be had: {error.message}"
        entries = self._timed(gathered(taken))
        return Listing(entries=entries, listed_at=listed_at, broken=broken)

    def _timed(self, entries: Sequence[Entry]) -> tuple[Entry, ...]:
        """The entries with the times of documents and files of which the listing has none: those behind shortcuts."""
        timeless = [e for e in entries if e.modified is None and e.type in (DOCX, FILE)]
        times: dict[str, tuple[int | None, int | None]] = {}
        for start in range(0, len(timeless), BATCH):
            asked = [{"doc_token": e.token, "doc_type": e.type} for e in timeless[start : start + BATCH]]
            try:
                data = payload(self._api.post(METAS, {"request_docs": asked, "with_url": False}))
            except (ApiRefused, ApiUnavailable):
                continue  # without a time they are asked for themselves
            metas = data.get("metas")
            for meta in metas if isinstance(metas, list) else []:
                if isinstance(meta, dict):
                    told = gathered([[_as_file(meta)]])
                    times.update((entry.token, (entry.created, entry.modified)) for entry in told)
        timed = []
        for entry in entries:
            created, modified = times.get(entry.token, (None, None)) if entry.modified is None else (None, None)
            timed.append(replace(entry, created=created, modified=modified) if modified is not None else entry)
        return tuple(timed)


def _as_file(meta: dict[str, Any]) -> dict[str, Any]:
    """An answer about one object, as a listing would tell it."""
    return {
        "token": meta.get("doc_token"),
        "type": meta.get("doc_type"),
        "created_time": meta.get("create_time"),
        "modified_time": meta.get("latest_modify_time"),
    }
