"""The text of an article: its document as Markdown, with the images and files in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from git_okf import digest
from git_okf.model import File
from git_okf.source.feishu import docx
from git_okf.source.feishu.api import Feishu
from git_okf.source.feishu.document import Document, read
from git_okf.source.feishu.shelf import Shelf
from git_okf.source.feishu.trouble import NotTaken

UP = "../"
"""From a concept, which stands in `pages/`, to the bundle."""
SUMMARY = 200
"""Characters of a description."""
_WORD = re.compile(r"[㐀-鿿豈-﫿぀-ヿ가-힯]|[^\W_]+(?:['’-][^\W_]+)*")
_MARKUP = re.compile(r"<!--.*?-->|<[^>]*>|[*_~`]{1,3}|\\(?=\W)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_NO_PROSE = re.compile(r"[#>|`~!<$]|[-+*] |\d+[.)] |---|\[[ x]\]|    ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A document as it is to stand in its concept."""

    body: str
    title: str
    description: str
    raw: str
    """The hash of what it was made from."""
    words: int
    placeholders: int
    """Blocks that Markdown has nothing for, each with a visible sign in the text."""
    missing: int
    """Images and files that the app may not have; a visible sign stands for each."""
    media: Mapping[str, File] = field(default_factory=dict)
    cover: str = ""
    warnings: tuple[str, ...] = ()


def text_of(api: Feishu, token: str, shelf: Shelf, known: Mapping[str, str]) -> Text:
    """The text of a document; `known` are the paths of its media from last time. Raises NotTaken.

    An image that is refused for good leaves a sign and does not fail the article; one that could not be had now does,
    because an article is taken whole.
    """
    document = read(api, token)
    media: dict[str, File] = {}
    refused: list[str] = []
    for each in docx.media_of(document.blocks):
        try:
            media[each.token] = shelf.media(each.token, each.name, known)
        except NotTaken as trouble:
            if not trouble.is_lasting:
                raise NotTaken(f"an image or file in the text could not be had: {trouble.reason}") from None
            refused.append(trouble.reason)
    written = converted(document, lambda token: UP + media[token].path if token in media else None)
    said = [f"{len(refused)} images or files in the text could not be had: {refused[0]}"] if refused else []
    return Text(
        body=written.markdown,
        title=written.title or " ".join(document.title.split()),
        description=summary(written.markdown),
        raw=_raw(document, media),
        words=len(_WORD.findall(_plain(written.markdown))),
        placeholders=sum(written.unknown.values()),
        missing=len(refused),
        media=media,
        cover=document.cover,
        warnings=(*said, *_placeholders(written.unknown), *written.warnings),
    )


def transcript(api: Feishu, token: str) -> str:
    """A document as Markdown whose pictures are left away: what was said in a podcast. Raises NotTaken."""
    return converted(read(api, token), lambda token: None).markdown


def converted(document: Document, path: Callable[[str], str | None]) -> docx.Converted:
    """Links to other documents stay addresses: what another article is called is nothing of this one's."""
    context = docx.Context(media_path=path, doc_link=lambda token, obj_type: None)
    return docx.convert(document.blocks, document.token, context)


def _placeholders(unknown: Mapping[str, int]) -> list[str]:
    """Names of block types are ours, or numbers."""
    if not unknown:
        return []
    told = ", ".join(f"{name} ({count})" for name, count in sorted(unknown.items()))
    return [f"placeholders stand for blocks of these types: {told}"]


def _raw(document: Document, media: Mapping[str, File]) -> str:
    """Over what the text was made from: the blocks in the order of their ids, and which of its media are there."""
    blocks = sorted(json.dumps(block, sort_keys=True, ensure_ascii=False) for block in document.blocks)
    paths = {token: file.path for token, file in sorted(media.items())}
    text = json.dumps([document.title, blocks, paths], ensure_ascii=False)
    return digest.raw_hash(text.encode("utf-8", "surrogatepass"))


def summary(markdown: str) -> str:
    """The first sentence-like paragraph, without markup, for listings."""
    for block in markdown.split("\n\n"):
        if not _NO_PROSE.match(block):
            words = " ".join(_plain(block).split())
            if words:
                return words if len(words) <= SUMMARY else words[: SUMMARY - 1].rstrip() + "…"
    return ""


def _plain(markdown: str) -> str:
    return _MARKUP.sub("", _LINK.sub(r"\1", markdown))


def unused(names: Sequence[str]) -> str:
    """The sentence for files that were not taken."""
    shown = ", ".join(sorted(names)[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"not taken: {shown}"
