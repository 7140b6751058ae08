"""What a folder holds: to the end of its pages, each thing once, whatever it is called."""

from __future__ import annotations

import pytest
from feishu_drive import ARTICLE, PODCAST, mp3
from feishu_observing import Desk, outcomes
from hypothesis import given
from hypothesis import strategies as st

from git_okf.model import Gone
from git_okf.source import Ask
from git_okf.source.feishu.entries import entry_of, gathered


def notes(desk: Desk, count: int) -> list[str]:
    drive = desk.drive
    tokens = [drive.document(drive.root, f"note {number:03}", f"Text {number}.") for number in range(count)]
    drive.later(days=1)
    return tokens


def test_lark_04_a_folder_is_listed_to_its_end(desk: Desk) -> None:
    tokens = notes(desk, 7)
    desk.server.page_limit = 3
    seen = desk.sync()
    assert outcomes(seen) == dict.fromkeys(tokens, "Fetched") and seen.complete
    assert desk.server.count("list") == 3


def test_lark_04_an_empty_page_is_no_end(desk: Desk) -> None:
    tokens = notes(desk, 7)
    desk.server.page_limit, desk.server.empty_pages = 3, True
    assert outcomes(desk.sync()).keys() == set(tokens)
    assert desk.server.count("list") == 5


@pytest.mark.parametrize("quirk", ["lead_nowhere", "lead_back"])
def test_lark_04_a_listing_that_does_not_lead_on_takes_nothing_away(desk: Desk, quirk: str) -> None:
    tokens = notes(desk, 7)
    desk.sync()
    desk.drive.delete(tokens[6])
    desk.server.page_limit = 5
    setattr(desk.server, quirk, True)
    seen = desk.sync()
    assert not seen.complete and "could not be listed to its end" in seen.incomplete_reasons[0]
    assert desk.known.keys() == set(tokens) and not desk.delta.removed
    setattr(desk.server, quirk, False)
    assert isinstance(desk.sync().outcomes[tokens[6]], Gone)
    assert desk.subject() == "+0 -1 =0"


def test_lark_04_an_error_on_a_later_page_takes_nothing_away(desk: Desk) -> None:
    tokens = notes(desk, 7)
    desk.sync()
    desk.drive.delete(tokens[0])
    desk.server.page_limit = 3
    desk.server.fail("*/files", code=1061002, status=400, after=1)
    seen = desk.sync()
    assert not seen.complete and desk.known.keys() == set(tokens)


def test_lark_04_a_folder_of_an_article_that_is_not_listed_to_its_end_costs_that_article_alone(desk: Desk) -> None:
    drive = desk.drive
    blog, note = drive.blog("first", "Its text."), drive.document(drive.root, "second", "Its text.")
    for number in range(6):
        drive.file(blog.article, f"draft {number}.txt", b"x")
    drive.later(days=1)
    desk.server.page_limit, desk.server.lead_nowhere = 5, True
    assert outcomes(desk.sync()) == {blog.token: "Failed", note: "Fetched"}


def test_lark_04_shortcuts_and_loops_are_handled_once(desk: Desk) -> None:
    drive = desk.drive
    elsewhere = drive.folder("", "elsewhere")
    note = drive.document(elsewhere, "behind a shortcut", "Its text.")
    blog = drive.blog("a story", "Its text.", podcast=mp3(1))
    drive.move(blog.token, elsewhere)
    here = drive.document(drive.root, "here", "Its text.")
    for name, target in (("one", note), ("two", note), ("story", blog.token), ("again", here), ("up", drive.root)):
        drive.shortcut(drive.root, name, target)
    drive.shortcut(blog.token, PODCAST, drive.root)
    drive.shortcut(blog.token, "loop", blog.token)
    drive.later(days=1)
    seen = desk.sync()
    assert outcomes(seen) == dict.fromkeys((note, blog.token, here), "Fetched") and seen.complete
    assert seen.origins == {"documents": 2, "folders": 1, "shortcuts": 2}
    assert desk.marks(note) == {"article": "2026-01-01T00:00:00Z"}
    assert desk.known[here].title == "here"
    drive.later(days=1)
    assert set(outcomes(desk.sync()).values()) == {"NotModified"}
    assert desk.server.count("docx", "media") == 0
    drive.write(note, "Another text.")
    drive.later(days=1)
    desk.sync()
    assert desk.subject() == "+0 -0 =1", "a shortcut's own time tells nothing"


def test_a_sub_folder_behind_a_shortcut_is_a_sub_folder(desk: Desk) -> None:
    drive = desk.drive
    blog = drive.blog("a story", "Its text.")
    sounds = drive.folder("", "sounds")
    drive.file(sounds, "a story.mp3", mp3(1))
    drive.shortcut(blog.token, PODCAST, sounds)
    drive.later(days=1)
    desk.sync()
    assert "podcast" in desk.marks(blog.token)


def test_two_sub_folders_of_one_name_are_one(desk: Desk) -> None:
    drive = desk.drive
    blog = drive.blog("a story", "Its text.", podcast=mp3(1))
    drive.file(drive.folder(blog.token, PODCAST), "cover.png", b"\x89PNG\r\n\x1a\nx")
    drive.later(days=1)
    desk.sync()
    assert set(desk.known[blog.token].memo["parts"]["podcast"]["facts"]) == {"audio", "cover"}


def test_names_of_sub_folders_are_exact(desk: Desk) -> None:
    drive = desk.drive
    wrong = drive.folder(drive.root, "none")
    drive.document(drive.folder(wrong, f" {ARTICLE}"), "none", "Its text.")
    blog = drive.blog("a story", "Its text.")
    drive.file(drive.folder(blog.token, "ppt"), "deck.html", b"<html>")
    drive.later(days=1)
    seen = desk.sync()
    assert outcomes(seen) == {blog.token: "Fetched"}
    assert desk.known[blog.token].files == ()
    assert any("no sub-folder 文章: none" in notice for notice in seen.notices)
    assert any("none of the sub-folders in `types`" in notice for notice in seen.notices)


def test_an_article_whose_sub_folder_is_gone_is_kept(desk: Desk) -> None:
    drive = desk.drive
    blog = drive.blog("a story", "Its text.")
    drive.later(days=1)
    desk.sync()
    drive.rename(blog.article, "text")
    assert outcomes(desk.sync()) == {blog.token: "Failed"}
    assert blog.token in desk.known and desk.known[blog.token].failure


def test_a_listing_without_times_is_asked_for_them(desk: Desk) -> None:
    tokens = notes(desk, 2)
    desk.drive.nodes[tokens[0]].timeless = True
    desk.sync()
    assert desk.server.count("metas") == 1
    desk.sync()
    assert desk.server.asked("docx") == [tokens[0]] * 2, "who has no time at all is asked every time"


def test_only_the_folder_is_asked_where_a_run_only_looks(desk: Desk) -> None:
    tokens = notes(desk, 4)
    desk.sync()
    desk.drive.write(tokens[2], "Another text.")
    desk.drive.document(desk.drive.root, "new", "Its text.")
    desk.drive.later(days=1)
    seen = desk.look(Ask(look_only=True))
    assert outcomes(seen) == dict.fromkeys(tokens, "NotModified")
    assert seen.incomplete_reasons == ("2 articles may have changed: new, note 002",)
    assert desk.server.kinds() == {"auth": 1, "list": 1}


def test_only_what_failed_is_asked_where_that_is_wanted(desk: Desk) -> None:
    tokens = notes(desk, 4)
    desk.sync()
    for token in tokens[:2]:
        desk.drive.write(token, "Another text.")
    desk.drive.later(days=1)
    desk.server.fail(f"*/documents/{tokens[0]}", code=1770001, status=400)
    desk.sync()
    desk.drive.write(tokens[3], "Another text.")
    desk.drive.later(days=1)
    seen = desk.sync(Ask(retry_failed=True))
    assert outcomes(seen) == {tokens[0]: "Fetched"} and not seen.complete
    assert desk.known.keys() == set(tokens)


def test_a_run_whose_time_is_up_keeps_what_it_did_not_ask(desk: Desk) -> None:
    tokens = notes(desk, 6)
    desk.sync()
    desk.drive.delete(tokens[5])
    for token in tokens[:5]:
        desk.drive.touch(token)
    desk.drive.later(days=1)
    seen = desk.sync(Ask(deadline=desk.clock.seconds + 1))
    assert 0 < len(seen.outcomes) < 5 and seen.incomplete_reasons == ("the time budget ran out",)
    assert desk.known.keys() == set(tokens)


def test_a_document_moved_into_an_article_folder_is_another_article(desk: Desk) -> None:
    drive = desk.drive
    note = drive.document(drive.root, "a story", "Its text.")
    drive.later(days=1)
    desk.sync()
    top = drive.folder(drive.root, "a story")
    drive.move(note, drive.folder(top, ARTICLE))
    seen = desk.sync()
    assert outcomes(seen) == {note: "Gone", top: "Fetched"}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["token", "type", "name", "modified_time", "shortcut_info", "target_token", "target_type"]
                ),
                inner
                | st.sampled_from(["docx", "shortcut", "folder", "1686125119", "99999999999999999999", "-5", "٣"]),
                max_size=7,
            )
        ),
    )
)
def test_whatever_a_listing_holds_can_be_read(raw: object) -> None:
    entry = entry_of(raw)
    assert entry is None or (entry.token and (entry.modified is None or 0 < entry.modified < 10**12))
    assert len(gathered([[raw, raw]])) == (entry is not None)
