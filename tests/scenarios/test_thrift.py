"""Each run records what it was spared, and says when that falls although nothing changed at the source."""

from __future__ import annotations

import pytest
from scenario import Docs, paths

from git_okf.source.web.content import Reader

NAMES = [f"p{number}" for number in range(9)]


def touched(docs: Docs, version: int = 0) -> None:
    """The server sends every page again, in bytes that differ, with the text it had."""
    nonce = f"<head><meta name=nonce content=x{version}>".encode()
    for name in NAMES:
        page = docs.site.pages[f"/docs/{name}"]
        docs.site.page(f"/docs/{name}", page.body.replace(b"<head>", nonce))


def test_a_run_without_surprises_is_spared_everything_but_the_changes(docs: Docs) -> None:
    docs.build(*NAMES)
    docs.put("p0", version=2)
    report = docs.sync()
    assert report["spared"] == [1.0, 1.0]
    assert report["notices"] == []
    assert "spared in the last runs (% of pages, newest last): bodies 100, extraction 100" in docs.ok("status").out
    assert docs.sync()["spared"] == [1.0, 1.0]
    assert "bodies 100 100, extraction 100 100" in docs.ok("status").out


def test_validators_that_are_gone_are_said_once_they_were_there(docs: Docs) -> None:
    docs.build(*NAMES)
    docs.sync()
    docs.site.validators = "none"
    ran = docs.ok("sync")
    assert "10 of 10 pages were sent again although they had not changed; usually 0% are" in ran.err
    assert "Look for what broke before you give it more time" in ran.err
    assert "bodies 100 0, extraction 100 100" in docs.ok("status").out


def test_a_site_that_never_had_validators_is_no_news(docs: Docs) -> None:
    docs.site.validators = "none"
    docs.build(*NAMES)
    for _ in range(2):
        report = docs.sync()
        assert (report["spared"], report["notices"]) == ([1.0, 1.0], [])


def test_validators_that_are_gone_for_good_are_said_once(docs: Docs) -> None:
    docs.build(*NAMES)
    docs.sync()
    docs.site.validators = "none"
    assert docs.sync()["spared"] == [0.0, 1.0]
    report = docs.sync()
    assert (report["spared"], report["notices"]) == ([1.0, 1.0], [])


def test_pages_whose_bytes_changed_without_their_text_are_no_loss(docs: Docs) -> None:
    """As with a site that is built anew for each release: all pages have another footer, few another text."""
    docs.build(*NAMES)
    docs.sync()
    for version in range(2):
        touched(docs, version)
        docs.put("p0", version=2 + version)
        report = docs.sync()
        assert (report["updated"], report["extracted"]) == (paths("p0"), 9)
        assert (report["spared"], report["notices"]) == ([1.0, 1.0], [])


def test_pages_that_are_extracted_again_for_nothing_are_said(docs: Docs, monkeypatch: pytest.MonkeyPatch) -> None:
    docs.site.validators = "none"
    docs.build(*NAMES)
    docs.sync()
    monkeypatch.setattr(Reader, "has", lambda self, record, raw: False)
    ran = docs.ok("sync")
    assert "10 of 10 pages were extracted again although they had not changed" in ran.err


def test_a_state_that_was_lost_is_no_loss_to_be_looked_into(docs: Docs) -> None:
    docs.build(*NAMES)
    docs.put("p0", version=2)
    docs.sync()
    docs.ok("repair")
    report = docs.sync()
    assert (report["extracted"], report["spared"], report["notices"]) == (10, [1.0, 1.0], [])


def test_pages_that_changed_are_no_loss(docs: Docs) -> None:
    docs.build(*NAMES)
    docs.sync()
    docs.put(*NAMES, version=2)
    report = docs.sync()
    assert (report["spared"], report["notices"]) == ([1.0, 1.0], [])


def test_a_machine_without_a_past_knows_it_from_the_notes(docs: Docs) -> None:
    docs.build(*NAMES)
    docs.put("p0", version=2)
    docs.sync()
    (docs.repo.path / ".git/okf/last/docs.json").unlink()
    docs.site.validators = "none"
    assert "were sent again although" in docs.ok("sync").err


def test_few_pages_a_rebuild_and_what_cannot_be_read_say_nothing(docs: Docs) -> None:
    docs.build("a", "b")
    assert docs.sync()["spared"] is None
    docs.put(*NAMES)
    docs.sync()
    assert docs.sync("--rebuild")["spared"] is None
    docs.sync()
    file = docs.repo.path / ".git/okf/last/docs.json"
    file.write_text('{"spared": [["x"], 1]}')
    docs.site.validators = "none"
    assert docs.sync()["notices"] == []
