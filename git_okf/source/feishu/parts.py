"""What a content type of an article is stored as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from git_okf.model import File
from git_okf.source.feishu import thumbnail
from git_okf.source.feishu.api import Feishu
from git_okf.source.feishu.article import Article, Choice
from git_okf.source.feishu.entries import DOCX, Entry
from git_okf.source.feishu.memo import ARTICLE, PODCAST, Part, Prior
from git_okf.source.feishu.shelf import Shelf
from git_okf.source.feishu.text import transcript
from git_okf.source.feishu.trouble import NotTaken
from git_okf.source.feishu.watermark import RACE_S, raised


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A part, and what there is to say about it."""

    part: Part
    failed: str = ""
    """What of it could not be had and is as it was."""
    warnings: tuple[str, ...] = ()


class Press:
    """Stores the parts of one article."""

    def __init__(self, api: Feishu, shelf: Shelf, article: Article, prior: Prior | None, *, thumbnails: bool) -> None:
        self._api, self._shelf, self._article = api, shelf, article
        self._prior = prior
        self._thumbnails = thumbnails

    def before(self, kind: str) -> Part | None:
        return self._prior.memo.parts.get(kind) if self._prior else None

    def beside(self, kind: str) -> Stored:
        """Podcast, slides or HTML, each file as it is. Raises NotTaken."""
        choice, before = self._article.choice(kind), self.before(kind)
        if kind == PODCAST:
            return Stored(part=self._podcast(choice, before))
        named = self._shelf.together(choice.files, before)
        facts: dict[str, Any] = {}
        if choice.page is not None:
            facts["path"] = named[choice.page.token].path
        if len(named) > 1:
            facts["files"] = sorted(file.path for file in named.values())
        return Stored(part=self._part(kind, named, facts))

    def _podcast(self, choice: Choice, before: Part | None) -> Part:
        files: dict[str, File] = {}
        facts: dict[str, str] = {}
        for name, entry in (("audio", choice.audio), ("transcript", choice.text), ("cover", choice.cover)):
            if entry is None:
                continue
            files[entry.token] = self._script(entry, before) if entry.type == DOCX else self._shelf.entry(entry, before)
            facts[name] = files[entry.token].path
        return self._part(PODCAST, files, facts)

    def _script(self, entry: Entry, before: Part | None) -> File:
        known = self._shelf.unchanged(entry, before)
        if known is not None:
            return known
        return self._shelf.keep(f"{transcript(self._api, entry.token)}\n".encode("utf-8", "replace"), "transcript.txt")

    def cover(self, token: str) -> Stored:
        """The cover of the article: the picture beside its document, else the document's own (`token`).

        One that could not be had does not fail the article: the one of last time stays, and the part is due again.
        """
        choice, before = self._article.choice(ARTICLE), self.before(ARTICLE)
        said = [f"{len(choice.unused)} things beside the document were not taken"] if choice.unused else []
        facts: dict[str, str] = {}
        files: dict[str, File] = {}
        try:
            cover = self._covering(choice.cover, token, before)
            if cover is not None:
                files = {choice.cover.token: cover} if choice.cover is not None else {}
                small = self._small(choice.cover, token, cover, before)
                facts = {"cover": cover.path, **({"thumbnail": small.path} if small is not None else {})}
        except NotTaken as trouble:
            if not (trouble.too_large or (choice.cover is None and trouble.is_lasting)):
                return Stored(
                    part=self._uncovered(choice, before), failed=f"cover: {trouble.reason}", warnings=tuple(said)
                )
            said.append(f"its cover could not be had: {trouble.reason}")
        return Stored(part=self._part(ARTICLE, files, facts), warnings=tuple(said))

    def _uncovered(self, choice: Choice, before: Part | None) -> Part:
        """With the cover of last time, and a memory that is another listing's: so it is due again."""
        facts: dict[str, Any] = {}
        stored: dict[str, tuple[int, str]] = {}
        if before is not None:
            facts = {name: before.facts[name] for name in ("cover", "thumbnail") if name in before.facts}
            stored = dict(before.stored)
        for path in (*facts.values(), *(path for _, path in stored.values())):
            self._shelf.known(path)
        listing = self._article.types[ARTICLE]
        read = [choice.text] if choice.text is not None else []
        mark = raised(before.mark if before else None, read, listing.listed_at)
        return Part(mark=mark, seen="", stored=stored, facts=facts)

    def _covering(self, entry: Entry | None, token: str, before: Part | None, *, anew: bool = False) -> File | None:
        if entry is not None:
            return self._shelf.entry(entry, before, anew=anew)
        known = self._prior.memo.media if self._prior and not anew else {}
        return self._shelf.media(token, "cover", known) if token else None

    def _small(self, entry: Entry | None, token: str, cover: File, before: Part | None) -> File | None:
        """The thumbnail of last time where it is of this cover: another version of Pillow makes other bytes of it."""
        if not self._thumbnails:
            return None
        path = thumbnail.path_of(cover.path)
        known = self._shelf.known(path)
        if known is not None or not thumbnail.is_possible():
            return known
        if cover.path not in self._shelf.fresh:
            self._covering(entry, token, before, anew=True)
        data = thumbnail.made(self._shelf.fresh.get(cover.path, b""))
        return self._shelf.keep(data, "", path) if data else None

    def _part(self, kind: str, files: Mapping[str, File], facts: Mapping[str, Any]) -> Part:
        listing = self._article.types[kind]
        taken = self._article.choice(kind).entries
        before = self.before(kind)
        times = {entry.token: _settled(entry, listing.listed_at) for entry in taken}
        return Part(
            mark=raised(before.mark if before else None, taken, listing.listed_at),
            seen=self._article.seen(kind),
            stored={token: (times.get(token, 0), file.path) for token, file in files.items()},
            facts=dict(facts),
        )


def _settled(entry: Entry, listed_at: int) -> int:
    """The modification time that proves the bytes; 0 where they may have changed again within that second."""
    modified = entry.modified or 0
    return 0 if abs(modified - listed_at) <= RACE_S else modified
