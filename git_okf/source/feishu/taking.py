"""One article is taken: those of its parts that are due, the others as they were.

The article itself failing fails the article; podcast, slides and HTML failing costs that part alone, which keeps its
old files and its old mark, so that the next run makes it up (seed 004).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from git_okf import digest
from git_okf.config import FeishuSource
from git_okf.model import Fetched, File
from git_okf.source import Tools
from git_okf.source.feishu.api import Feishu
from git_okf.source.feishu.article import Article
from git_okf.source.feishu.entries import name_of
from git_okf.source.feishu.memo import ARTICLE, PODCAST, TYPES, Left, Memo, Part, Prior
from git_okf.source.feishu.parts import Press
from git_okf.source.feishu.shelf import Shelf
from git_okf.source.feishu.text import Text, text_of
from git_okf.source.feishu.trouble import NotTaken
from git_okf.source.feishu.watermark import iso, standing

CONCEPT = "Article"


@dataclass(slots=True, kw_only=True)
class Parts:
    """What became of the parts of one article."""

    now: dict[str, Part] = field(default_factory=dict)
    left: dict[str, Left] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)


class Taking:
    """The taking of one article. `taken` are the types that were stored anew."""

    def __init__(
        self, api: Feishu, source: FeishuSource, tools: Tools, article: Article, prior: Prior | None, fingerprint: str
    ) -> None:
        self._api, self._source, self._tools = api, source, tools
        self._article, self._prior, self._fingerprint = article, prior, fingerprint
        self._shelf = Shelf(api, tools.spool, prior, source.max_file_bytes, lfs=source.lfs)
        self._press = Press(api, self._shelf, article, prior, thumbnails=source.thumbnails)
        self._parts = Parts()
        self.read = False
        """Whether the document was read."""

    @property
    def taken(self) -> tuple[str, ...]:
        return tuple(self._parts.taken)

    def fetched(self, due: frozenset[str]) -> Fetched:
        """The article with the types that are due taken. Raises NotTaken where the article itself cannot be had."""
        text = self._text() if ARTICLE in due else None
        for kind in TYPES:
            if kind != ARTICLE:
                self._beside(kind, kind in due)
        before = self._prior.memo.parts if self._prior else {}
        if text is None and any(_differ(before.get(kind), self._parts.now.get(kind)) for kind in TYPES[1:]):
            text = self._text()
        if text is None:
            return self._as_it_was()
        return self._whole(text)

    def _text(self) -> Text:
        choice = self._article.choice(ARTICLE)
        if choice.text is None:
            raise NotTaken(f"there is no document in its folder {self._source.types.article}")
        known = self._prior.memo.media if self._prior else {}
        self.read = True
        text = text_of(self._api, choice.text.token, self._shelf, known)
        if not text.body:
            raise NotTaken("its document has no text", retryable=self._prior is not None)
        cover = self._press.cover(text.cover)
        facts = {**cover.part.facts, "words": text.words}
        facts |= {n: v for n, v in (("placeholders", text.placeholders), ("missing", text.missing)) if v}
        self._parts.now[ARTICLE] = replace(cover.part, facts=facts)
        self._parts.taken.append(ARTICLE)
        self._parts.warnings += [*text.warnings, *cover.warnings]
        self._parts.failed += [cover.failed] if cover.failed else []
        return text

    def _beside(self, kind: str, due: bool) -> None:
        """A part that is not the article itself: taken, kept as it was, or taken away."""
        before = self._press.before(kind)
        if kind in self._article.failed:
            self._keep(kind, before, self._article.failed[kind])
        elif kind not in self._article.types:
            return
        elif not due:
            self._keep(kind, before)
            if self._prior and kind in self._prior.memo.left:
                self._parts.left[kind] = self._prior.memo.left[kind]
        else:
            self._take(kind, before)

    def _take(self, kind: str, before: Part | None) -> None:
        try:
            stored = self._press.beside(kind)
        except NotTaken as trouble:
            if trouble.too_large:
                listing = self._article.types[kind]
                held = standing(listing.entries, self._source.max_file_bytes)
                self._parts.left[kind] = Left(standing=held, why=trouble.reason)
                self._keep(kind, before)
            else:
                self._keep(kind, before, trouble.reason)
            return
        self._parts.now[kind] = stored.part
        self._parts.taken.append(kind)
        self._parts.warnings += stored.warnings

    def _keep(self, kind: str, before: Part | None, failure: str = "") -> None:
        if failure:
            self._parts.failed.append(f"{kind}: {failure}")
        if before is None:
            return
        self._parts.now[kind] = before
        for path in before.paths:
            self._shelf.known(path)

    # --- what it comes to ---

    def _memo(self, media: Mapping[str, str]) -> dict[str, Any]:
        parts = {kind: self._parts.now[kind] for kind in TYPES if kind in self._parts.now}
        return Memo(parts=parts, media=media, left=self._parts.left).told()

    def _as_it_was(self) -> Fetched:
        """Nothing in it differs from last time; what is remembered of it may."""
        prior = self._prior
        assert prior is not None
        if ARTICLE in prior.memo.parts:
            self._parts.now[ARTICLE] = prior.memo.parts[ARTICLE]
        memo, failed = self._memo(prior.memo.media), tuple(self._parts.failed)
        if prior.saved is not None:
            return replace(prior.saved, memo=memo, parts_failed=failed)
        return Fetched(
            key=self._article.entry.token,
            title=prior.title,
            description=prior.description,
            content_hash=prior.content_hash,
            compared_hash=prior.compared_hash,
            raw_hash=prior.raw_hash,
            fingerprint=prior.fingerprint,
            size=prior.size,
            name=prior.name,
            resource=self._resource(),
            type=CONCEPT,
            meta={"fingerprint": prior.compared_hash},
            files=tuple(sorted(prior.files.values())),
            memo=memo,
            parts_failed=failed,
        )

    def _whole(self, text: Text) -> Fetched:
        media = {token: file.path for token, file in text.media.items()}
        cover = self._parts.now[ARTICLE].facts.get("cover")
        if (
            text.cover
            and isinstance(cover, str)
            and cover not in (p for _, p in self._parts.now[ARTICLE].stored.values())
        ):
            media[text.cover] = cover
        wanted = {*media.values(), *(path for part in self._parts.now.values() for path in part.paths)}
        files = tuple(sorted(self._shelf.files[path] for path in wanted))
        title = self._article.entry.title or text.title
        told = self._told()
        content = digest.content_hash(text.body)
        compared = self._compared(text.body, title, files, told)
        self._tools.spool.put(content, text.body)
        return Fetched(
            key=self._article.entry.token,
            title=title,
            description=text.description,
            content_hash=content,
            compared_hash=compared,
            raw_hash=self._raw(text, title, files),
            fingerprint=self._fingerprint,
            size=len(text.body),
            name=name_of(title),
            resource=self._resource(),
            type=CONCEPT,
            meta={**told, **self._times(), "fingerprint": compared},
            files=files,
            memo=self._memo(media),
            warnings=tuple(self._parts.warnings),
            parts_failed=tuple(self._parts.failed),
        )

    def _raw(self, text: Text, title: str, files: tuple[File, ...]) -> str:
        """Of what came from the drive; the thumbnail is made of it."""
        made = self._parts.now[ARTICLE].facts.get("thumbnail")
        came = [name for name in _names(files) if name != made]
        return digest.raw_hash(json.dumps([text.raw, title, came]).encode())

    def _told(self) -> dict[str, Any]:
        """For the front matter, what counts as content of the article."""
        now = self._parts.now
        facts = now[ARTICLE].facts
        told: dict[str, Any] = {
            "form": "document" if self._article.is_document else "folder",
            "forms": [kind for kind in TYPES if kind == ARTICLE or (kind in now and now[kind].facts)],
        }
        told |= {
            name: facts[name] for name in ("cover", "thumbnail", "words", "placeholders", "missing") if name in facts
        }
        for kind in TYPES[1:]:
            if kind in now and now[kind].facts:
                facts = now[kind].facts
                told[kind] = facts["path"] if facts.keys() == {"path"} and kind != PODCAST else dict(facts)
        return told

    def _times(self) -> dict[str, str]:
        """When it was made and last changed, as the drive says."""
        entries = [entry for kind in self._parts.now for entry in self._article.choice(kind).entries]
        made = [entry.created for entry in entries if entry.created is not None]
        changed = [part.mark.at for part in self._parts.now.values() if part.mark is not None]
        times = {"created": min(made, default=None), "modified": max(changed, default=None)}
        return {name: iso(at) for name, at in times.items() if at is not None}

    def _compared(self, body: str, title: str, files: tuple[File, ...], told: Mapping[str, Any]) -> str:
        """Over all that counts: text, title, files (their paths are made of their content) and what is told of them."""
        text = digest.compared_hash(body, self._source.ignore) or digest.content_hash(body)
        whole = json.dumps([text, title, _names(files), told], sort_keys=True, ensure_ascii=False)
        return digest.raw_hash(whole.encode("utf-8", "surrogatepass"))

    def _resource(self) -> str:
        url = self._article.entry.url
        if url.startswith(("https://", "http://")) and url.isprintable() and " " not in url:
            return url
        kind = "docx" if self._article.is_document else "drive/folder"
        return f"{self._source.base_url}/{kind}/{quote(self._article.entry.token, safe='')}"


def _names(files: tuple[File, ...]) -> list[str]:
    return [file.path for file in files]


def _differ(before: Part | None, now: Part | None) -> bool:
    """Whether a part is stored as other files, or tells something else."""
    was, is_now = ((part.paths, dict(part.facts)) if part is not None else (set(), {}) for part in (before, now))
    return was != is_now
