"""The elements of a text -> spans. Each element is known by the key it has; those without content are passed over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from git_okf.source.feishu.docx import links, text
from git_okf.source.feishu.docx.content import BOLD, BREAK, CODE, ITALIC, MATH, STRUCK, TEXT, UNDERLINED, Span, Spans
from git_okf.source.feishu.docx.given import listed, mapped, string
from git_okf.source.feishu.docx.values import Context

_STYLES = {"bold": BOLD, "italic": ITALIC, "strikethrough": STRUCK, "underline": UNDERLINED}
_READ = ("text_run", "mention_user", "mention_doc", "equation", "file", "reminder", "inline_block")
_MILLISECONDS = 100_000_000_000
"""From here on a time is in milliseconds: as seconds it would be in the year 5138."""
_PASSED_OVER = frozenset((*_READ, "text_element_style"))
"""Keys that ask for no placeholder."""
_SOMEONE = "@user"

Style = Mapping[str, Any]


class Elements:
    """Reads the elements of one document, and counts what it could not keep."""

    def __init__(self, context: Context, blocks: Mapping[str, Mapping[str, Any]]) -> None:
        self._context = context
        self._blocks = blocks
        self.unknown: Counter[str] = Counter()
        self.links_left_out = 0
        self.media_missing = 0
        readers = (self._run, self._user, self._doc, self._equation, self._file, self._reminder, self._block)
        self._readers: Mapping[str, Callable[[Style], Iterator[Span]]] = dict(zip(_READ, readers, strict=True))

    def spans(self, owner: Mapping[str, Any]) -> Spans:
        """The spans of the `elements` of an object."""
        return tuple(span for element in listed(owner.get("elements")) for span in self._element(element))

    def _element(self, element: object) -> Iterator[Span]:
        if not isinstance(element, Mapping):
            return
        known = [key for key in self._readers if isinstance(element.get(key), Mapping)]
        for key in known:
            yield from self._readers[key](element[key])
        if not known and not element.keys() <= _PASSED_OVER:
            yield from self.absent("undefined" if "undefined" in element else "element")

    def absent(self, name: str, detail: str = "", link: str = "") -> Spans:
        """What stands for something that cannot be shown here; it is counted under its name."""
        self.unknown[name] += 1
        named = f"block type {name}" if name.isdigit() else name
        said = f"Not included: {named} {detail}".strip()
        return (Span(TEXT, said, (ITALIC,), link),)

    def media(self, value: object, name: str, kind: str) -> tuple[str, Spans]:
        """The destination of an image or a file, or "" and what stands for it."""
        token = string(value)
        path = self._context.media_path(token) if token else None
        if path:
            return links.to_file(path), ()
        self.media_missing += 1
        named = name or "".join(c for c in token if c.isalnum() or c in "-_")
        return "", (Span(TEXT, f"Missing {kind}: {named}".rstrip(": "), (ITALIC,)),)

    def target(self, value: object) -> str:
        """The destination of a URL that the document gives; those that lead nowhere are counted."""
        found = links.target(value, self._context)
        self.links_left_out += not found and bool(text.line(value))
        return found

    def _run(self, run: Style) -> Iterator[Span]:
        style = _style(run)
        url = mapped(style.get("link")).get("url")
        target = self.target(url) if url else ""
        code = bool(style.get("inline_code"))
        content = text.verbatim(run.get("content")) if code else text.prose(run.get("content"))
        for i, piece in enumerate(content.split("\n")):
            if i:
                yield Span(BREAK)
            if piece and code and not piece.isspace():
                yield Span(CODE, piece, (), target)
            elif piece:
                yield Span(TEXT, piece, _marks(style), target)

    def _user(self, mention: Style) -> Iterator[Span]:
        yield Span(TEXT, _SOMEONE, _marks(_style(mention)))

    def _doc(self, mention: Style) -> Iterator[Span]:
        link = links.to_object(mention.get("token"), mention.get("obj_type"), self._context)
        link = link or self.target(mention.get("url"))
        title = text.line(mention.get("title")) or "document"
        yield Span(TEXT, title, _marks(_style(mention)), link)

    def _equation(self, equation: Style) -> Iterator[Span]:
        tex = text.lines_of_tex(equation.get("content"))
        if tex:
            yield Span(MATH, tex, _marks(_style(equation)))

    def _file(self, file: Style) -> Iterator[Span]:
        name = file_name(file, self._blocks)
        path, missing = self.media(file.get("file_token"), name, "file")
        yield from missing or (Span(TEXT, name or "file", _marks(_style(file)), path),)

    def _reminder(self, reminder: Style) -> Iterator[Span]:
        when = self._time(reminder.get("expire_time"), whole_day=bool(reminder.get("is_whole_day")))
        yield Span(TEXT, f"⏰ {when}".rstrip(), _marks(_style(reminder)))

    def _time(self, value: object, *, whole_day: bool) -> str:
        try:
            seconds = int(str(value))
        except ValueError:
            return ""
        if seconds >= _MILLISECONDS:
            seconds //= 1000
        try:
            when = datetime.fromtimestamp(seconds, self._context.zone)
        except (OverflowError, ValueError, OSError):
            return ""
        return when.strftime("%Y-%m-%d") if whole_day else when.isoformat(sep=" ", timespec="minutes")

    def _block(self, inside: Style) -> Iterator[Span]:
        """A block in a line follows the line as a block (see the tree); here it is told of where it is not named."""
        if not string(inside.get("block_id")):
            yield from self.absent("inline_block")


def file_name(file: Mapping[str, Any], blocks: Mapping[str, Mapping[str, Any]]) -> str:
    """The name of a file in a line: that of the block it came from; "" where that cannot be had."""
    block = mapped(blocks.get(string(file.get("source_block_id"))))
    return text.line(mapped(block.get("file")).get("name"))


def _style(element: Mapping[str, Any]) -> Style:
    return mapped(element.get("text_element_style"))


def _marks(style: Style) -> tuple[str, ...]:
    return tuple(mark for name, mark in _STYLES.items() if style.get(name) is True)
