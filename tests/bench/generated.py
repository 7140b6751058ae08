"""A documentation site of any size, the same bytes everywhere: pages as Sphinx writes them, 15 to 40 kB each.

A page depends on its number, its revision and the size of the site alone. Its paragraphs, code blocks and tables come
from pools that are made once, so that 100,000 pages take a minute; each has words of its own besides. Nothing but
the start page lists more than a hundred pages, so that every page is at most four links away.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from random import Random

SEED = "git-okf"
EPOCH = 1_750_000_000
"""Modification time of the first revision; each later one is a minute younger."""
FOLDER = 100
"""Pages in a directory, directories in a part, parts on the start page."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SUBJECTS = (
    *("the scheduler", "a worker", "the connection pool", "the parser", "your configuration", "the cache"),
    *("each request", "the transaction log", "a background task", "the index", "the client library", "every plugin"),
    *("the default backend", "the event loop", "a deferred constraint", "the migration", "the session object"),
    *("a named cursor", "the template engine", "the build step"),
)
NOUNS = _words("""option value handler buffer timeout callback schema record queue session token header field module
process channel socket directory package function parameter argument object attribute method class statement query
result column table row type string number list mapping iterator stream file path system lock thread""")
VERBS = _words("""returns accepts rejects stores reads writes updates replaces inherits delegates awaits needs
validates normalises compares flushes reopens rebuilds registers resolves copies discards keeps reports""")
JOINTS = _words("""when before unless because if while after whenever although until""")
ADJECTIVES = _words("""optional explicit empty persistent nested temporary relative absolute shared default remote
local asynchronous immutable deprecated unique sorted partial strict internal public concurrent cached""")


@dataclass(frozen=True, slots=True)
class _Pools:
    paragraphs: tuple[str, ...]
    code: tuple[str, ...]
    tables: tuple[str, ...]
    lists: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Site:
    """`pages` pages besides those that list them."""

    pages: int
    revisions: dict[int, int] = field(default_factory=dict)
    """By number of the page, how often it has changed."""

    @cached_property
    def _pools(self) -> _Pools:
        rng = Random(SEED)
        return _Pools(
            tuple(_paragraph(rng) for _ in range(400)),
            tuple(_code(rng) for _ in range(200)),
            tuple(_table(rng) for _ in range(60)),
            tuple(_list(rng) for _ in range(80)),
            tuple(_note(rng) for _ in range(60)),
        )

    def path(self, number: int) -> str:
        """Of a page, below the root."""
        return f"{_folder(number)}/{_word(number)}-{number}.html"

    def listings(self) -> dict[str, str]:
        """The pages that lead to the pages, by path."""
        folders: dict[str, list[int]] = {}
        for number in range(self.pages):
            folders.setdefault(_folder(number), []).append(number)
        parts: dict[str, list[str]] = {}
        for folder in folders:
            parts.setdefault(folder.partition("/")[0], []).append(folder)
        listed = {f"{folder}/index.html": self._listing(folder, numbers) for folder, numbers in folders.items()}
        for part, inner in parts.items():
            links = [(f"{name.rpartition('/')[2]}/index.html", f"Chapter {name}") for name in inner]
            listed[f"{part}/index.html"] = _page(f"Part {part}", _toc(links), "", "../")
        listed["index.html"] = _page("The manual", _toc([(f"{p}/index.html", f"Part {p}") for p in parts]), "", "")
        return listed

    def _listing(self, folder: str, numbers: list[int]) -> str:
        links = [(self.path(n).rpartition("/")[2], _title(n)) for n in numbers]
        return _page(f"Chapter {folder}", _toc(links), "", "../../")

    def page(self, number: int) -> str:
        """The HTML of a page at its present revision."""
        rng = Random(f"{SEED} {number}")
        revision = self.revisions.get(number, 0)
        sections = [self._section(rng, number, at) for at in range(rng.randint(2, 4))]
        changed = f"<p>Changed in revision {revision} of page {number}.</p>" if revision else ""
        body = f"{_opening(rng, number)}{changed}{''.join(sections)}"
        first = number - number % FOLDER
        siblings = range(first, min(first + FOLDER, self.pages))
        menu = "".join(
            f'<li class="toctree-l1"><a class="reference internal" href="{self.path(n).rpartition("/")[2]}">'
            f"{_title(n)}</a></li>"
            for n in siblings
        )
        return _page(_title(number), body, f"<ul>{menu}</ul>", "../../")

    def _section(self, rng: Random, number: int, at: int) -> str:
        pools, level = self._pools, 2 if at % 3 == 0 else 3
        name = f"{rng.choice(ADJECTIVES)}-{rng.choice(NOUNS)}-{at}"
        parts = [
            f'<section id="{name}"><h{level}>{name.replace("-", " ").capitalize()}'
            f'<a class="headerlink" href="#{name}" title="Link to this heading">¶</a></h{level}>'
        ]
        for _ in range(rng.randint(2, 4)):
            parts.append(rng.choice(pools.paragraphs))
        parts.append(self._cross_reference(rng, number))
        parts.append(rng.choice(pools.code))
        if at % 2:
            parts.append(rng.choice(pools.lists))
        if at % 3 == 1:
            parts.append(rng.choice(pools.tables))
        if at % 4 == 2:
            parts.append(rng.choice(pools.notes))
        return "".join(parts) + "</section>"

    def _cross_reference(self, rng: Random, number: int) -> str:
        part = FOLDER * FOLDER
        first = number - number % part
        other = rng.randrange(first, min(first + part, self.pages))
        return (
            f'<p>Page {number} goes together with <a class="reference internal" href="../../{self.path(other)}">'
            f'{_title(other)}</a>, and with <a class="reference external" href="https://www.example.org/'
            f'{rng.choice(NOUNS)}/{rng.randrange(1000)}">what others have written</a>.</p>'
        )

    def write(self, root: Path, numbers: Iterable[int] | None = None) -> None:
        """Write pages below `root`; without numbers all of them and the listings."""
        if numbers is None:
            for path, text in self.listings().items():
                _write(root / path, text, 0)
            numbers = range(self.pages)
        for number in numbers:
            _write(root / self.path(number), self.page(number), self.revisions.get(number, 0))

    def change(self, root: Path, numbers: Iterable[int]) -> None:
        """Write a next revision of some pages."""
        changed = list(numbers)
        for number in changed:
            self.revisions[number] = self.revisions.get(number, 0) + 1
        self.write(root, changed)


def _write(path: Path, text: str, revision: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (EPOCH + 60 * revision,) * 2)


def _folder(number: int) -> str:
    chapter = number // FOLDER
    return f"part{chapter // FOLDER}/chapter{chapter}"


def _word(number: int) -> str:
    return NOUNS[number % len(NOUNS)]


def _title(number: int) -> str:
    return f"The {ADJECTIVES[number % len(ADJECTIVES)]} {_word(number)} ({number})"


def _toc(links: list[tuple[str, str]]) -> str:
    entries = (f'<li class="toctree-l1"><a class="reference internal" href="{u}">{t}</a></li>' for u, t in links)
    return f'<div class="toctree-wrapper compound"><ul>{"".join(entries)}</ul></div>'


def _opening(rng: Random, number: int) -> str:
    return f"<p>Page {number} tells how {_sentence(rng)} It was written for those who {rng.choice(VERBS)} things.</p>"


def _page(title: str, body: str, menu: str, up: str) -> str:
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} &#8212; The manual</title>
<meta name="description" content="{title}: what it is for and how it is used.">
<link rel="stylesheet" type="text/css" href="{up}_static/alabaster.css"><script src="{up}_static/doctools.js"></script>
</head><body>
<div class="related" role="navigation"><ul><li><a href="{up}index.html">The manual</a> &#187;</li></ul></div>
<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main">
<section id="top"><h1>{title}<a class="headerlink" href="#top" title="Link to this heading">¶</a></h1>
{body}
</section></div></div></div>
<div class="sphinxsidebar" role="navigation"><div class="sphinxsidebarwrapper">
<h3>Table of Contents</h3>{menu}</div></div>
</div><div class="footer">&#169; The authors. Created using <a href="https://www.sphinx-doc.org/">Sphinx</a> 7.2.</div>
</body></html>
"""


def _sentence(rng: Random) -> str:
    noun, other, third = rng.choice(NOUNS), rng.choice(NOUNS), rng.choice(NOUNS)
    code = f'<code class="docutils literal notranslate"><span class="pre">{other}_{third}</span></code>'
    marked = code if rng.random() < 0.3 else f"{rng.choice(ADJECTIVES)} {other}"
    return (
        f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} the {rng.choice(ADJECTIVES)} {noun} "
        f"{rng.choice(JOINTS)} the {marked} {rng.choice(VERBS)} a {rng.choice(ADJECTIVES)} {third}."
    )


def _paragraph(rng: Random) -> str:
    return f"<p>{' '.join(_sentence(rng).capitalize() for _ in range(rng.randint(2, 6)))}</p>\n"


def _code(rng: Random) -> str:
    lines = []
    for _ in range(rng.randint(2, 9)):
        name, value, text = rng.choice(NOUNS), rng.choice(NOUNS), escape(repr(rng.choice(ADJECTIVES)))
        call = f'<span class="n">{value}</span><span class="p">(</span><span class="s1">{text}</span>'
        lines.append(f'<span class="n">{name}</span> <span class="o">=</span> {call}<span class="p">)</span>')
    pre = "<pre><span></span>" + "\n".join(lines) + "\n</pre>"
    return f'<div class="highlight-python notranslate"><div class="highlight">{pre}</div></div>\n'


def _table(rng: Random) -> str:
    rows = "".join(
        f"<tr><td><p>{rng.choice(NOUNS)}_{n}</p></td><td><p>{rng.choice(ADJECTIVES)}</p></td><td><p>{_sentence(rng)}</p></td></tr>"
        for n in range(rng.randint(3, 12))
    )
    head = "<tr><th><p>Name</p></th><th><p>Type</p></th><th><p>Meaning</p></th></tr>"
    return f'<table class="docutils align-default"><thead>{head}</thead><tbody>{rows}</tbody></table>\n'


def _list(rng: Random) -> str:
    return f'<ul class="simple">{"".join(f"<li><p>{_sentence(rng)}</p></li>" for _ in range(rng.randint(3, 8)))}</ul>\n'


def _note(rng: Random) -> str:
    return f'<div class="admonition note"><p class="admonition-title">Note</p><p>{_sentence(rng)}</p></div>\n'
