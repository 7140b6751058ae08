"""Small bundles, clean and with one defect each, for the tests of the bundle."""

from __future__ import annotations

from datetime import UTC, datetime

from git_okf import digest
from git_okf.bundle import concept, index, log

WHEN = datetime(2026, 6, 30, 14, 0, tzinfo=UTC)
Bundle = dict[str, bytes]


def page(title: str, body: str, path: str = "x") -> bytes:
    return concept.render(
        title=title,
        description=f"About {title}.",
        resource=f"https://docs.example.com/{path}",
        body=body,
        content_hash=digest.content_hash(body),
        when=WHEN,
        version="0.1.0",
        source="docs",
    )


def ours() -> Bundle:
    """A clean bundle as git-okf writes it."""
    files = {
        "pages/home.md": page("Home", "# Home\n\n[Guide](guide.md), [install](/pages/guide/install.md)."),
        "pages/guide.md": page(
            "Guide", "# Guide\n\n[Install](guide/install.md#install) [up](./) [web](https://x.example/)"
        ),
        "pages/guide/install.md": page(
            "Install", "# Install\n\n```\n[no](link.md)\n<<<<<<< a\n=======\n>>>>>>> b\n```\n[^1]"
        ),
    }
    entries = [index.Entry(path, *titles(data)) for path, data in files.items()]
    made = index.indexes(
        entries, name="docs", source_url="https://docs.example.com/", changed_at=concept.timestamp(WHEN)
    )
    files |= {path: data for path, data in made.items() if data is not None}
    files["log.md"] = log.prepend(None, when=WHEN, added=sorted(files))
    return files


def titles(data: bytes) -> tuple[str, str]:
    header = concept.header(data)
    return header.title, header.description


def foreign(front: str = "", body: str = "# Text", **more: str) -> Bundle:
    """A bundle somebody else wrote, with one concept of interest."""
    return {
        "index.md": b"# All\n\n* [A](a.md) - First.\n",
        "a.md": f"---\ntype: Table\n{front}---\n\n{body}\n".encode(),
        **{path.replace("_md", ".md"): text.encode() for path, text in more.items()},
    }


# (name, bundle, finding as (path, line, rule, severity))
DEFECTS: list[tuple[str, Bundle, tuple[str, int, str, str]]] = [
    ("no front matter", {"a.md": b"# Text\n"}, ("a.md", 1, "front-matter", "error")),
    ("a stray README", foreign(README_md="# Read me"), ("README.md", 1, "front-matter", "error")),
    ("empty type", {"a.md": b"---\ntitle: x\ntype: ''\n---\n"}, ("a.md", 3, "type", "error")),
    ("blank type", {"a.md": b"---\ntype: ' '\n---\n"}, ("a.md", 2, "type", "error")),
    ("no type", {"a.md": b"---\ntitle: x\n---\n"}, ("a.md", 1, "type", "error")),
    ("type is a number", {"a.md": b"---\ntype: 5\n---\n"}, ("a.md", 2, "type", "error")),
    ("type is a list", {"a.md": b"---\ntype: [x]\n---\n"}, ("a.md", 2, "type", "error")),
    ("bad YAML", {"a.md": b"---\ntype: x\ntitle: a: b\n---\n"}, ("a.md", 3, "front-matter", "error")),
    ("unterminated", {"a.md": b"---\ntype: x\n\ntext\n"}, ("a.md", 1, "front-matter", "error")),
    ("list instead of mapping", {"a.md": b"---\n- type\n---\n"}, ("a.md", 2, "front-matter", "error")),
    ("not UTF-8", {"a.md": b"---\ntype: x\n---\n\ncaf\xe9\n"}, ("a.md", 5, "encoding", "error")),
    ("BOM", {"a.md": b"\xef\xbb\xbf---\ntype: x\n---\n"}, ("a.md", 1, "encoding", "error")),
    ("CRLF", {"a.md": b"---\ntype: x\n---\nab\r\n"}, ("a.md", 4, "line-ending", "warning")),
    ("duplicate key", foreign("title: a\ntitle: b\n"), ("a.md", 4, "duplicate-key", "error")),
    ("nested duplicate key", foreign("x: {a: 1, a: 2}\n"), ("a.md", 3, "duplicate-key", "error")),
    ("stale_after is a day", foreign("stale_after: 2026-06-30\n"), ("a.md", 3, "timestamp", "error")),
    ("stale_after is no day", foreign("stale_after: 2026-02-30T00:00:00Z\n"), ("a.md", 3, "timestamp", "error")),
    (
        "at without offset",
        foreign("generated: {by: x/1, at: 2026-06-30T14:00:00}\n"),
        ("a.md", 3, "timestamp", "error"),
    ),
    (
        "last_modified is a day",
        foreign("sources: [{resource: x, last_modified: 2026-01-01}]\n"),
        ("a.md", 3, "timestamp", "error"),
    ),
    ("window of days", foreign("usage_window: {from: 2026-01-01}\n"), ("a.md", 3, "timestamp", "error")),
    ("window is text", foreign("usage_window: always\n"), ("a.md", 3, "timestamp", "error")),
    ("crawled_at is a day", foreign("crawled_at: 2026-01-01\n"), ("a.md", 3, "timestamp", "warning")),
    ("generated without by", foreign("generated: {at: 2026-06-30T14:00:00Z}\n"), ("a.md", 3, "generated", "error")),
    ("generated is text", foreign("generated: me\n"), ("a.md", 3, "generated", "error")),
    ("verified without by", foreign("verified: [{at: 2026-06-30T14:00:00Z}]\n"), ("a.md", 3, "verified", "error")),
    ("verified at a day", foreign("verified: {by: human:a, at: 2026-06-30}\n"), ("a.md", 3, "timestamp", "error")),
    ("bad status", foreign("status: final\n"), ("a.md", 3, "status", "error")),
    ("no runtime", {"a.md": b"---\ntype: Attested Computation\n---\n"}, ("a.md", 2, "runtime", "error")),
    ("source without resource", foreign("sources: [{id: a}]\n"), ("a.md", 3, "sources", "error")),
    ("sources is a mapping", foreign("sources: {resource: a}\n"), ("a.md", 3, "sources", "error")),
    ("tags are text", foreign("tags: a, b\n"), ("a.md", 3, "tags", "error")),
    ("title is a number", foreign("title: 1.10\n"), ("a.md", 3, "field-type", "error")),
    ("footnote without source", foreign(body="Says who[^who].\n\n[^who]: me"), ("a.md", 5, "footnote", "warning")),
    ("dangling link", foreign(body="a\n[b](b%20c.md)"), ("a.md", 6, "dangling-link", "warning")),
    ("dangling reference", foreign(body="[b]\n\n[b]: ./b.md 'B'"), ("a.md", 7, "dangling-link", "warning")),
    ("dangling bundle link", foreign(body="[b](/x/b.md)"), ("a.md", 5, "dangling-link", "warning")),
    ("dangling anchor", foreign(body="# A\n\n[a](#a) [b](#b)"), ("a.md", 7, "dangling-anchor", "warning")),
    ("anchor in code", foreign(body="[a](#a)\n\n```\n# a\n```"), ("a.md", 5, "dangling-anchor", "warning")),
    ("link out of the bundle", foreign(body="[b](../secret.md)"), ("a.md", 5, "link-outside", "warning")),
    ("conflict", foreign(body="<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other"), ("a.md", 5, "conflict-marker", "error")),
    (
        "conflict in front matter",
        foreign("<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> x\n"),
        ("a.md", 3, "conflict-marker", "error"),
    ),
    (
        "conflict in a block scalar",
        foreign("d: |\n  x\nt: |2\n\n<<<<<<< H\n=======\n>>>>>>> x\n"),
        ("a.md", 7, "conflict-marker", "error"),
    ),
    (
        "front matter in a sub index",
        foreign(**{"x/index_md": "---\ntitle: x\n---\n# X\n"}),
        ("x/index.md", 1, "index-front-matter", "error"),
    ),
    (
        "extra key in the root index",
        {"index.md": b"---\nokf_version: '0.2'\ntitle: x\n---\n# X\n"},
        ("index.md", 3, "index-front-matter", "error"),
    ),
    (
        "broken front matter in the index",
        {"index.md": b"---\nokf_version: [\n# X\n"},
        ("index.md", 1, "index-front-matter", "error"),
    ),
    (
        "BOM in the index",
        {"index.md": b"\xef\xbb\xbf---\nokf_version: '0.2'\n---\n# X\n"},
        ("index.md", 1, "index-front-matter", "error"),
    ),
    ("index is not UTF-8", {"index.md": b"# \xff\n"}, ("index.md", 1, "encoding", "error")),
    (
        "version is a number",
        {"index.md": b"---\nokf_version: 0.2\n---\n# X\n"},
        ("index.md", 2, "okf-version", "warning"),
    ),
    ("index without heading", {"index.md": b"Some text.\n"}, ("index.md", 1, "index-heading", "error")),
    ("odd index entry", {"index.md": b"# X\n\n* just text\n"}, ("index.md", 3, "index-entry", "warning")),
    (
        "conflict in the index",
        {"index.md": b"# X\n<<<<<<< a\n=======\n>>>>>>> b\n"},
        ("index.md", 2, "conflict-marker", "error"),
    ),
    ("log heading in words", {"log.md": b"# Log\n\n## May 22, 2026\n"}, ("log.md", 3, "log-heading", "error")),
    ("log heading is no day", {"log.md": b"# Log\n\n## 2026-02-30\n"}, ("log.md", 3, "log-heading", "error")),
    ("log oldest first", {"log.md": b"## 2026-01-01\n* a\n## 2026-01-02\n* b\n"}, ("log.md", 3, "log-order", "error")),
    (
        "front matter in the log",
        {"log.md": b"---\ntype: Log\n---\n## 2026-01-01\n"},
        ("log.md", 1, "log-front-matter", "warning"),
    ),
    ("log is not UTF-8", {"log.md": b"\xff"}, ("log.md", 1, "encoding", "error")),
    ("case twins", {**foreign(), "A.md": foreign()["a.md"]}, ("a.md", 1, "case-collision", "error")),
    ("NFD twin", {"é.md": foreign()["a.md"], "e\u0301.md": foreign()["a.md"]}, ("é.md", 1, "case-collision", "error")),
    ("device name", {"con.md": foreign()["a.md"]}, ("con.md", 1, "file-name", "warning")),
    ("colon in a name", {"a:b.md": foreign()["a.md"]}, ("a:b.md", 1, "file-name", "warning")),
    ("trailing dot", {"a./b.md": foreign()["a.md"]}, ("a./b.md", 1, "file-name", "warning")),
]
