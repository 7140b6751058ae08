"""An article as the drive lists it, and which of its content types are to be taken.

Two forms (seed 004): a document is an article with nothing beside it; a folder is one where it has a sub-folder for the
article, and it may have others for podcast, slides and HTML, told by their exact names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from git_okf import digest
from git_okf.config import FeishuSource
from git_okf.source.feishu import sniffing
from git_okf.source.feishu.drive import Drive
from git_okf.source.feishu.entries import DOCX, FILE, FOLDER, Entry, Listing, name_of
from git_okf.source.feishu.memo import ARTICLE, PODCAST, TYPES, Prior
from git_okf.source.feishu.trouble import API_TROUBLE, NotTaken, not_taken
from git_okf.source.feishu.watermark import membership, rises, standing

_COVER_WORDS = ("cover", "封面")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What of a type's files is taken."""

    text: Entry | None = None
    """The document of an article, the transcript of a podcast."""
    cover: Entry | None = None
    audio: Entry | None = None
    files: tuple[Entry, ...] = ()
    """All of them, where the type is files."""
    page: Entry | None = None
    """Of those the one that people open."""
    unused: tuple[Entry, ...] = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(e for e in (self.text, self.cover, self.audio, *self.files) if e is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One article as it is listed now."""

    entry: Entry
    types: Mapping[str, Listing]
    """What each type's sub-folder holds; of a document, itself alone."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Types whose sub-folder could not be listed, and why."""
    strange: tuple[str, ...] = ()
    """Names in the folder that are none of the types'."""

    @property
    def is_document(self) -> bool:
        return self.entry.type == DOCX

    def choice(self, kind: str) -> Choice:
        """Nothing where the type is not there, or could not be listed."""
        listing = self.types.get(kind)
        return chosen(kind, self.entry.title, listing) if listing is not None else Choice()

    def seen(self, kind: str) -> str:
        """16 hex digits for what is there under which names, and what of it is taken, which the title decides too."""
        choice = self.choice(kind)
        roles = [entry.token if entry is not None else "" for entry in (choice.text, choice.cover, choice.audio)]
        roles += [choice.page.token] if choice.page is not None else []
        return digest.fingerprint(membership(self.types[kind].entries), roles)


def looked_at(drive: Drive, source: FeishuSource, entry: Entry, listed_at: int) -> Article | None:
    """The article an entry of the root is, `listed_at` then; None for a folder that is none. Raises NotTaken."""
    if entry.type == DOCX:
        return Article(entry=entry, types={ARTICLE: Listing(entries=(entry,), listed_at=listed_at)})
    inside = _listed(drive, entry.token)
    loops = {source.folder, entry.token}
    folders = [each for each in inside.of_type(FOLDER) if each.token not in loops]
    names = {kind: getattr(source.types, kind) for kind in TYPES}
    strange = tuple(each.title for each in inside.entries if each.name not in names.values() or each not in folders)
    if not any(folder.name == names[ARTICLE] for folder in folders):
        return None
    types: dict[str, Listing] = {}
    failed: dict[str, str] = {}
    for kind, name in names.items():
        same = [folder.token for folder in folders if folder.name == name]
        try:
            if same:
                types[kind] = _together([_listed(drive, token) for token in same])
        except NotTaken as trouble:
            if kind == ARTICLE:
                raise
            failed[kind] = trouble.reason
    return Article(entry=entry, types=types, failed=failed, strange=strange)


def _listed(drive: Drive, token: str) -> Listing:
    try:
        listing = drive.listing(token)
    except API_TROUBLE as error:
        trouble = not_taken(error)
        raise NotTaken(f"its folder could not be listed: {trouble.reason}") from None
    if listing.broken:
        raise NotTaken(f"its folder could not be listed to the end: {listing.broken}")
    return listing


def _together(listings: list[Listing]) -> Listing:
    """Folders of one name are one: names are not unique in the drive."""
    found = {entry.token: entry for listing in listings for entry in listing.entries}
    return Listing(
        entries=tuple(sorted(found.values(), key=lambda entry: (entry.name, entry.token))),
        listed_at=min(listing.listed_at for listing in listings),
    )


def chosen(kind: str, title: str, listing: Listing) -> Choice:
    """What is taken of a type, by names and types alone: the same whatever else is known."""
    files = listing.of_type(FILE)
    texts = listing.of_type(DOCX)
    if kind == ARTICLE:
        text = _named(texts, title)
        choice = Choice(text=text, cover=_cover(files))
    elif kind == PODCAST:
        sounds = tuple(each for each in files if sniffing.is_sound(each.name))
        scripts = texts or tuple(each for each in files if sniffing.is_text(each.name))
        choice = Choice(text=_named(scripts, title), cover=_cover(files), audio=_named(sounds, title))
    else:
        choice = Choice(files=files, page=_first(files, title))
    used = {entry.token for entry in choice.entries}
    return replace(choice, unused=tuple(entry for entry in listing.entries if entry.token not in used))


def _named(entries: tuple[Entry, ...], title: str) -> Entry | None:
    """The one that has the article's name; else the first."""
    same = [e for e in entries if e.title == title or sniffing.stem(e.title) == title]
    return next(iter((*same, *entries)), None)


def _cover(files: tuple[Entry, ...]) -> Entry | None:
    pictures = [each for each in files if sniffing.is_picture(each.name)]
    said = [each for each in pictures if any(word in each.name.lower() for word in _COVER_WORDS)]
    return next(iter((*said, *pictures)), None)


def _first(files: tuple[Entry, ...], title: str) -> Entry | None:
    """The page that people open: the index, the one named like the article, or the first."""
    pages = [each for each in files if sniffing.suffix(each.name) in ("html", "htm")]
    index = [each for each in pages if sniffing.stem(each.name).lower() == "index"]
    named = [each for each in pages if sniffing.stem(each.title) == title]
    return next(iter((*index, *named, *pages, *files)), None)


def due(article: Article, prior: Prior | None, fingerprint: str, limit: int) -> frozenset[str]:
    """The types that are to be taken: above their own marks, or no longer made of the same files.

    A type that is no longer there is due too: it is to be taken away. `limit` in bytes is the one of files.
    """
    if prior is None:
        return frozenset(article.types)
    memo = prior.memo
    found = {kind for kind, listing in article.types.items() if _is_due(article, kind, listing, prior, limit)}
    found |= memo.parts.keys() - article.types.keys() - article.failed.keys()
    title = article.entry.title
    if (title and prior.name != name_of(title)) or prior.fingerprint != fingerprint or not prior.raw_hash:
        found.add(ARTICLE)
    if not set(memo.media.values()) <= prior.files.keys():
        found.add(ARTICLE)
    return frozenset(found)


def _is_due(article: Article, kind: str, listing: Listing, prior: Prior, limit: int) -> bool:
    left = prior.memo.left.get(kind)
    if left is not None and left.standing == standing(listing.entries, limit):
        return False
    part = prior.memo.parts.get(kind)
    if part is None or part.seen != article.seen(kind) or not prior.holds(part):
        return True
    return rises(part.mark, article.choice(kind).entries)
