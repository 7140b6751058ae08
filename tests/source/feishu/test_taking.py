"""What is taken of an article, what is kept, and what it costs."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pytest
from feishu_drive import HTML, PODCAST, SLIDES, Blog, blocks_of, mp3, page, png, run, with_pictures
from feishu_observing import Desk, outcomes, reason

from git_okf.bundle.paths import place
from git_okf.digest import blob_id, lfs_pointer
from git_okf.model import Failed, Fetched, Gone
from git_okf.source.feishu import thumbnail
from git_okf.source.feishu.watermark import iso


def whole(desk: Desk, title: str = "a story") -> Blog:
    blog = desk.drive.blog(
        title, "Its text.", cover=png(640, 360), podcast=mp3(1), slides=page("s", 1), html=page("h", 2)
    )
    desk.drive.later(days=1)
    desk.sync()
    return blog


def taken(desk: Desk, key: str) -> Fetched:
    outcome = desk.sync().outcomes[key]
    assert isinstance(outcome, Fetched), outcome
    return outcome


def body_of(desk: Desk, key: str) -> str:
    fetched = taken(desk, key)
    return desk.spool.get(fetched.content_hash)


def memo_without(desk: Desk, key: str, kind: str) -> None:
    """Forget one watermark, as a person may who resets it."""
    record = desk.known[key]
    marks = {name: mark for name, mark in record.memo["syncCheckpoints"].items() if name != kind}
    desk.known[key] = replace(record, memo={**record.memo, "syncCheckpoints": marks})


# --- LARK-03: one type's trouble is its own ---


@pytest.mark.parametrize(("kind", "part"), [("podcast", "audio"), ("slides", "deck"), ("html", "page")])
def test_lark_03_resetting_one_mark_resets_none_of_the_others(desk: Desk, kind: str, part: str) -> None:
    blog = whole(desk)
    marks = desk.marks(blog.token)
    memo_without(desk, blog.token, kind)
    desk.sync()
    assert desk.server.asked("media") in ([], [getattr(blog, part)])
    assert desk.server.count("docx") == 0
    assert desk.marks(blog.token) == marks and not desk.delta.changes_content


def test_lark_03_a_type_that_is_named_later_begins_from_zero(desk: Desk) -> None:
    from git_okf.config.feishu import Types

    drive = desk.drive
    blog = drive.blog("a story", "Its text.", podcast=mp3(1))
    drive.file(drive.folder(blog.token, "网页"), "index.html", page("h"))
    drive.later(days=3)
    drive.touch(blog.text)
    drive.later(days=1)
    desk.sync()
    assert set(desk.marks(blog.token)) == {"article", "podcast"}
    desk.sync(types=Types(html="网页"))
    assert desk.marks(blog.token)["html"] == "2026-01-01T00:00:00Z"
    assert desk.subject() == "+0 -0 =1" and desk.server.count("media") == 1


def test_lark_03_a_type_that_fails_neither_holds_back_nor_advances_another(desk: Desk) -> None:
    blog = whole(desk)
    desk.drive.put(blog.audio, mp3(2))
    desk.drive.later(hours=1)
    desk.drive.put(blog.deck, page("s", 9))
    desk.drive.later(days=1)
    desk.server.fail(f"*/{blog.audio}/download", status=500, body=b"", times=None)
    fetched = taken(desk, blog.token)
    assert [part.partition(":")[0] for part in fetched.parts_failed] == ["podcast"]
    assert desk.marks(blog.token)["podcast"] == "2026-01-01T00:00:00Z"
    assert desk.marks(blog.token)["slides"] == "2026-01-02T01:00:00Z"
    assert desk.server.asked("media").count(blog.audio) == 3, "at most three tries"
    desk.server.heal()
    taken(desk, blog.token)
    assert desk.server.asked("media") == [blog.audio]
    assert desk.marks(blog.token)["podcast"] == "2026-01-02T00:00:00Z"


def test_lark_03_a_sub_folder_that_cannot_be_listed_costs_that_type_alone(desk: Desk) -> None:
    blog = whole(desk)
    desk.drive.write(blog.text, "Another text.")
    desk.drive.nodes[blog.podcast].forbidden = True
    desk.drive.later(days=1)
    fetched = taken(desk, blog.token)
    assert fetched.parts_failed[0].startswith("podcast: its folder could not be listed: forbidden")
    assert "podcast" in fetched.meta and "podcast" in desk.marks(blog.token)
    assert desk.subject() == "+0 -0 =1"


def test_a_part_that_goes_on_failing_costs_its_own_requests_alone(desk: Desk) -> None:
    blog = whole(desk)
    desk.drive.put(blog.audio, mp3(2))
    desk.drive.later(days=1)
    desk.server.fail(f"*/{blog.audio}/download", status=400, code=1061002, times=None)
    for _ in range(3):
        fetched = taken(desk, blog.token)
        assert fetched.parts_failed and not desk.delta.changes_content
        assert (desk.server.count("docx"), desk.server.count("media")) == (0, 1)


# --- times ---


def test_an_entry_with_the_time_of_the_mark_is_not_lost(desk: Desk) -> None:
    blog = whole(desk)
    script = desk.drive.document(blog.podcast, "a story", "What was said.")
    desk.drive.touch(script, desk.drive.nodes[blog.audio].modified)
    fetched = taken(desk, blog.token)
    assert "transcript" in fetched.meta["podcast"]


def test_an_entry_older_than_the_mark_is_not_lost(desk: Desk) -> None:
    blog = whole(desk)
    old = desk.drive.file("", "a story.txt", b"What was said.")
    desk.drive.touch(old, desk.drive.nodes[blog.audio].modified - 86_400)
    desk.drive.move(old, blog.podcast)
    assert "transcript" in taken(desk, blog.token).meta["podcast"]


def test_a_second_edit_in_the_second_of_the_listing_is_not_lost(desk: Desk) -> None:
    blog = whole(desk)
    desk.drive.write(blog.text, "Edited once.")
    desk.drive.put(blog.audio, mp3(2))
    desk.sync()
    desk.drive.write(blog.text, "Edited twice in that second.")
    desk.drive.put(blog.audio, mp3(3))
    desk.drive.later(days=1)
    taken(desk, blog.token)
    assert "Edited twice" in desk.spool.get(desk.known[blog.token].content_hash)
    assert desk.server.asked("media") == [blog.audio]
    desk.sync()
    assert desk.server.count("docx", "media") == 0


def test_what_changes_between_listing_and_reading_is_read_again(desk: Desk) -> None:
    """The mark is that of the listing: a later edit has a later time."""
    blog = whole(desk)
    desk.drive.write(blog.text, "Second.")
    desk.drive.later(hours=1)

    def meanwhile() -> None:
        desk.drive.later(hours=1)
        desk.drive.write(blog.text, "Third.")

    desk.server.when(f"*/documents/{blog.text}/blocks", meanwhile)
    desk.sync()
    assert desk.marks(blog.token)["article"] == "2026-01-02T00:00:00Z"
    desk.drive.later(days=1)
    desk.sync()
    assert desk.subject() == "+0 -0 =1" and desk.marks(blog.token)["article"] == "2026-01-02T02:00:00Z"


# --- documents ---


def long_document(desk: Desk, count: int, word: str = "Part") -> str:
    token = desk.drive.document(desk.drive.root, "long")
    desk.drive.nodes[token].revisions[-1] = blocks_of(token, "long", "\n\n".join(f"{word} {n}." for n in range(count)))
    desk.drive.later(days=1)
    return token


def test_a_document_of_many_pages_is_read_to_its_end(desk: Desk) -> None:
    token = long_document(desk, 1200)
    fetched = taken(desk, token)
    body = desk.spool.get(fetched.content_hash)
    assert re.findall(r"\d+", body) == [str(number) for number in range(1200)]
    assert desk.server.count("docx") == 1 + 3


@pytest.mark.parametrize("pins", [True, False])
def test_all_pages_of_a_document_are_of_one_revision(desk: Desk, pins: bool) -> None:
    token = long_document(desk, 700)
    desk.server.pins = pins
    text = "\n\n".join(f"Other {number}." for number in range(700))
    desk.server.when("*/blocks", lambda: desk.drive.write(token, text))
    body = body_of(desk, token)
    assert set(re.findall(r"[A-Z]\w+", body)) == ({"Part"} if pins else {"Other"})


def test_a_document_that_is_edited_all_the_time_is_left_for_the_next_run(desk: Desk) -> None:
    token = long_document(desk, 700)
    desk.server.pins = False
    for _ in range(3):
        desk.server.when("*/blocks", lambda: desk.server.when("*/blocks", edit))

    def edit() -> None:
        desk.drive.write(token, desk.drive.nodes[token].blocks)

    desk.server.fail("*/blocks", status=400, code=1770021, times=3)
    outcome = desk.sync().outcomes[token]
    assert isinstance(outcome, Failed) and outcome.retryable and "edited 3 times" in outcome.reason


def test_a_document_without_blocks_is_no_empty_document(desk: Desk) -> None:
    blog = whole(desk)
    desk.drive.touch(blog.text)
    desk.drive.later(days=1)
    desk.server.fail("*/blocks", body=b'{"code":0,"data":{"items":[],"has_more":false}}', times=None)
    assert "without blocks" in reason(desk.sync().outcomes[blog.token])
    assert not desk.delta.changes_content


def test_a_document_that_lost_its_text_is_kept(desk: Desk) -> None:
    blog = whole(desk)
    desk.drive.write(blog.text, "")
    desk.drive.later(days=1)
    assert "no text" in reason(desk.sync().outcomes[blog.token])
    assert not desk.delta.changes_content


def test_a_new_document_without_text_is_no_article_yet(desk: Desk) -> None:
    token = desk.drive.document(desk.drive.root, "empty", "")
    desk.drive.later(days=1)
    seen = desk.sync()
    assert seen.complete and token not in desk.known and not seen.side
    assert any("no text" in notice for notice in seen.notices)


@pytest.mark.parametrize("how", ["absent", "deleted"])
def test_lark_10_a_deleted_document_is_gone_only_after_two_answers(desk: Desk, how: str) -> None:
    token = desk.drive.document(desk.drive.root, "note", "Its text.")
    desk.drive.later(days=1)
    desk.sync()
    desk.drive.touch(token)
    desk.drive.later(days=1)
    code = 1770002 if how == "absent" else 1770003
    desk.server.fail(f"*/documents/{token}", status=404, code=code, times=1)
    assert outcomes(desk.sync()) == {token: "Fetched"}
    desk.drive.nodes[token].gone = True
    desk.drive.touch(token)
    desk.drive.later(days=1)
    outcome = desk.sync().outcomes[token]
    assert isinstance(outcome, Gone) and desk.server.asked("docx") == [token, token]


def test_lark_10_a_document_of_a_folder_that_is_forbidden_keeps_the_article(desk: Desk) -> None:
    blog = whole(desk)
    desk.drive.nodes[blog.text].forbidden = True
    desk.drive.touch(blog.text)
    desk.drive.later(days=1)
    outcome = desk.sync().outcomes[blog.token]
    assert isinstance(outcome, Failed) and not outcome.retryable and "1770032" in outcome.reason
    assert blog.token in desk.known


def test_lark_09_blocks_that_have_no_markdown_leave_a_sign_and_are_counted(desk: Desk) -> None:
    token = desk.drive.document(desk.drive.root, "note")
    desk.drive.nodes[token].revisions[-1] = with_pictures(token, "note", "Its text.", [], [30, 43, 999, 777])
    desk.drive.later(days=1)
    fetched = taken(desk, token)
    assert fetched.meta["placeholders"] == 4
    assert any("placeholders stand for blocks" in warning and "777" in warning for warning in fetched.warnings)
    body = desk.spool.get(fetched.content_hash)
    assert all(sign in body for sign in ("sheet", "777"))


# --- pictures and files ---


def pictured(desk: Desk, count: int = 2) -> tuple[str, list[str]]:
    token = desk.drive.document(desk.drive.root, "note")
    pictures = [desk.drive.picture(number) for number in range(count)]
    desk.drive.nodes[token].revisions[-1] = with_pictures(token, "note", "Its text.", pictures)
    desk.drive.later(days=1)
    return token, pictures


def test_pictures_are_files_named_by_their_content(desk: Desk) -> None:
    token, _ = pictured(desk)
    fetched = taken(desk, token)
    body = desk.spool.get(fetched.content_hash)
    for file in fetched.files:
        assert file.path == f"assets/{file.blob[:2]}/{file.blob}.png" and f"../{file.path}" in body


def test_pictures_that_did_not_change_are_not_downloaded_again(desk: Desk) -> None:
    token, pictures = pictured(desk)
    desk.sync()
    more = desk.drive.picture(9)
    desk.drive.write(token, with_pictures(token, "note", "Another text.", [*pictures, more]))
    desk.drive.later(days=1)
    taken(desk, token)
    assert desk.server.asked("media") == [more]
    assert len(desk.known[token].files) == 3


def test_a_picture_the_app_may_not_have_leaves_a_sign(desk: Desk) -> None:
    token, pictures = pictured(desk)
    desk.drive.refused.add(pictures[0])
    fetched = taken(desk, token)
    assert (fetched.meta["missing"], len(fetched.files), fetched.parts_failed) == (1, 1, ())
    assert any("could not be had: forbidden" in warning for warning in fetched.warnings)
    body = desk.spool.get(fetched.content_hash)
    assert "Its text." in body and "image" in body.lower()
    desk.drive.later(days=1)
    assert set(outcomes(desk.sync()).values()) == {"NotModified"}


def test_a_picture_that_could_not_be_had_now_fails_the_article_for_now(desk: Desk) -> None:
    token, pictures = pictured(desk)
    desk.server.fail(f"*/{pictures[1]}/download", status=502, body=b"", times=3)
    assert "an image or file in the text" in reason(desk.sync().outcomes[token])
    assert token not in {key for key, record in desk.known.items() if record.path}
    desk.sync()
    assert desk.subject() == "+1 -0 =0"


def test_the_cover_is_made_small(desk: Desk) -> None:
    from PIL import Image

    fetched = taken(desk, desk.drive.blog("a", "Its text.", cover=png(1200, 600, seed=5)).token)
    (small,) = [file for file in fetched.files if file.path == fetched.meta["thumbnail"]]
    with Image.open(io.BytesIO(desk.spool.file(small.blob))) as picture:
        assert (picture.format, picture.size) == ("WEBP", (400, 200))
    again = desk.fetched(fetched.key)
    assert again.files == fetched.files, "the same bytes for the same picture"


def test_a_cover_that_is_no_picture_has_no_thumbnail(desk: Desk) -> None:
    fetched = taken(desk, desk.drive.blog("a", "Its text.", cover=b"\x89PNG\r\n\x1a\n broken").token)
    assert "cover" in fetched.meta and "thumbnail" not in fetched.meta


@pytest.mark.parametrize("order", ["cover first", "text first"])
def test_a_cover_that_could_not_be_had_is_made_up_for_and_the_old_one_stays(desk: Desk, order: str) -> None:
    blog = whole(desk)
    old = desk.known[blog.token].files
    for what in ("cover", "text") if order == "cover first" else ("text", "cover"):
        desk.drive.later(hours=1)
        if what == "cover":
            desk.drive.put(blog.cover, png(640, 360, seed=9))
        else:
            desk.drive.write(blog.text, "New.")
    listed = desk.drive.nodes[blog.text].modified
    desk.drive.later(days=1)
    desk.server.fail(f"*/{blog.cover}/download", status=403, code=1061004, times=None)
    fetched = taken(desk, blog.token)
    assert fetched.parts_failed[0].startswith("cover: forbidden")
    assert fetched.files == old and desk.subject() == "+0 -0 =1"
    assert desk.marks(blog.token)["article"] == iso(listed), "no higher than what was stored"
    desk.server.heal()
    fetched = taken(desk, blog.token)
    assert desk.server.asked("media") == [blog.cover] and fetched.files != old
    desk.sync()
    assert desk.server.count("docx", "media") == 0


def test_a_narrow_cover_is_not_made_wider() -> None:
    small = thumbnail.made(png(100, 50))
    assert small is not None and small[8:12] == b"WEBP"


def test_without_pillow_it_is_said_once_and_everything_else_is_there(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thumbnail, "is_possible", lambda: False)
    for number in range(3):
        desk.drive.blog(f"blog {number}", "Its text.", cover=png(640, 360, seed=number))
    desk.drive.later(days=1)
    seen = desk.sync()
    assert [notice for notice in seen.notices if "git-okf[images]" in notice] == [
        "covers have no thumbnails: pip install 'git-okf[images]'"
    ]
    assert all(
        "cover" in o.meta and "thumbnail" not in o.meta for o in seen.outcomes.values() if isinstance(o, Fetched)
    )


def test_a_thumbnail_stays_where_another_machine_has_no_pillow(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    blog = whole(desk)
    files = desk.known[blog.token].files
    monkeypatch.setattr(thumbnail, "is_possible", lambda: False)
    desk.drive.write(blog.text, "Another text.")
    desk.drive.later(days=1)
    desk.sync()
    assert desk.known[blog.token].files == files


def test_thumbnails_that_nobody_wants_are_not_made(desk: Desk) -> None:
    blog = whole(desk)
    desk.sync(thumbnails=False)
    assert [change.key for change in desk.delta.rerendered] == [blog.token]
    assert not any(file.path.endswith("w.webp") for file in desk.known[blog.token].files)


def test_a_documents_own_cover_is_taken_where_there_is_no_other(desk: Desk) -> None:
    cover = desk.drive.picture(8)
    token = desk.drive.document(desk.drive.root, "note", "Its text.", cover=cover)
    desk.drive.later(days=1)
    fetched = taken(desk, token)
    (file,) = [file for file in fetched.files if file.path == fetched.meta["cover"]]
    assert desk.spool.file(file.blob) == desk.drive.media[cover]
    desk.drive.write(token, "Another text.")
    desk.drive.later(days=1)
    taken(desk, token)
    assert desk.server.count("media") == 0


def test_slides_of_several_files_keep_the_names_by_which_they_find_each_other(desk: Desk) -> None:
    drive = desk.drive
    blog = drive.blog("a story", "Its text.")
    slides = drive.folder(blog.token, SLIDES)
    for name, data in (
        ("index.html", page("s")),
        ("deck.css", b"p {}"),
        ("图 1.png", png()),
        ("notes.md", b"# no concept"),
    ):
        drive.file(slides, name, data)
    drive.later(days=1)
    fetched = taken(desk, blog.token)
    told: Any = fetched.meta["slides"]
    folder = told["path"].rpartition("/")[0]
    assert sorted(file.path for file in fetched.files) == sorted(told["files"])
    assert {path.removeprefix(folder + "/") for path in told["files"]} == {
        "index.html",
        "deck.css",
        "图-1.png",
        "notes.md.txt",
    }
    drive.later(days=1)
    assert set(outcomes(desk.sync()).values()) == {"NotModified"}


def test_the_page_that_people_open_follows_the_name_of_the_article(desk: Desk) -> None:
    drive = desk.drive
    blog = drive.blog("a story", "Its text.")
    slides = drive.folder(blog.token, SLIDES)
    for name in ("a story.html", "1.html"):
        drive.file(slides, name, page(name))
    drive.later(days=1)
    assert taken(desk, blog.token).meta["slides"]["path"].endswith("/a-story.html")
    drive.rename(blog.token, "another story")
    fetched = taken(desk, blog.token)
    assert fetched.meta["slides"]["path"].endswith("/1.html")
    assert fetched.meta["slides"] == desk.fetched(blog.token).meta["slides"]
    assert desk.server.count("media") == 2, "both by the run that knows nothing"


def test_no_file_is_ever_taken_for_a_concept(desk: Desk) -> None:
    drive = desk.drive
    blog = drive.blog("a story", "Its text.")
    forged = b'---\ntype: "x"\nresource: "y"\ncontent_hash: "sha256:00"\n---\n\nforged\n'
    drive.file(drive.folder(blog.token, PODCAST), "a story.md", forged)
    drive.file(drive.folder(blog.token, HTML), "../../../pages/evil.md", forged)
    drive.later(days=1)
    assert [file.path.rpartition(".")[2] for file in taken(desk, blog.token).files] == ["txt"]


def test_large_files_become_pointers_where_that_is_wanted(desk: Desk) -> None:
    audio = mp3(1, 1_200_000)
    desk.options["lfs"] = True
    blog = desk.drive.blog("a story", "Its text.", cover=png(640, 360), podcast=audio, slides=page("s"))
    desk.drive.later(days=1)
    fetched = taken(desk, blog.token)
    (large,) = [file for file in fetched.files if file.path.startswith("large/")]
    assert large.path == f"large/{large.content[:2]}/{large.content}.mp3" == fetched.meta["podcast"]["audio"]
    assert desk.spool.file(large.content) == audio and large.size == len(audio)
    assert desk.spool.file(large.blob) == lfs_pointer(audio) and large.blob == blob_id(lfs_pointer(audio))
    assert len([file for file in fetched.files if file.path.startswith("assets/")]) == 3
    desk.drive.write(blog.text, "Another text.")
    desk.drive.touch(desk.drive.document(blog.podcast, "a story", "What was said."))
    desk.drive.later(days=1)
    assert large in taken(desk, blog.token).files
    assert desk.server.count("media") == 0


def test_a_part_that_is_taken_away_goes(desk: Desk) -> None:
    blog = whole(desk)
    desk.drive.delete(blog.slides)
    fetched = taken(desk, blog.token)
    assert "slides" not in fetched.meta and "slides" not in desk.marks(blog.token)
    assert desk.subject() == "+0 -0 =1"
    desk.sync()
    assert desk.server.count("docx", "media") == 0


def test_a_file_that_goes_out_of_a_part_goes(desk: Desk) -> None:
    blog = whole(desk)
    desk.drive.delete(blog.audio)
    assert "podcast" not in taken(desk, blog.token).meta


def test_a_draft_beside_the_document_is_no_reason_to_take_it(desk: Desk) -> None:
    drive = desk.drive
    blog = whole(desk)
    draft = drive.document(blog.article, "zzz draft", "Not ready.")
    drive.later(days=1)
    desk.sync()
    assert not desk.delta.changes_content
    drive.write(draft, "Still not ready.")
    drive.later(days=1)
    assert set(outcomes(desk.sync()).values()) == {"NotModified"}


def test_equal_files_are_one(desk: Desk) -> None:
    first = desk.drive.blog("first", "Its text.", cover=png(640, 360))
    second = desk.drive.blog("second", "Its text.", cover=png(640, 360))
    desk.drive.later(days=1)
    desk.sync()
    assert desk.known[first.token].files == desk.known[second.token].files


def test_what_an_article_is_called_may_hold_anything(desk: Desk) -> None:
    titles = ["a/b", "a\nb", "%2e%2e%2f", "..", "con", "?x=1", "#a", "https://evil.example/x", "\u202egnp", "index", ""]
    keys = [desk.drive.document(desk.drive.root, title, f"Text {n}.") for n, title in enumerate(titles)]
    desk.drive.later(days=1)
    seen = desk.sync()
    assert outcomes(seen) == dict.fromkeys(keys, "Fetched")
    for outcome in seen.outcomes.values():
        assert isinstance(outcome, Fetched)
        assert not set(outcome.name) & set("/:?#\\\n")
        assert place(outcome.name).startswith("pages/") and place(outcome.name).count("/") == 1


def test_a_mention_of_another_document_does_not_make_one_article_depend_on_another(desk: Desk) -> None:
    drive = desk.drive
    other = drive.document(drive.root, "other", "Its text.")
    token = drive.document(drive.root, "note")
    url = f"https://acme.feishu.cn/docx/{other}"
    mention = {"mention_doc": {"token": other, "obj_type": 22, "url": url, "title": "other"}}
    blocks = blocks_of(token, "note", "See")
    blocks[1]["text"]["elements"] = [run("See "), mention]
    drive.nodes[token].revisions[-1] = blocks
    drive.later(days=1)
    body = body_of(desk, token)
    drive.rename(other, "renamed")
    desk.sync()
    assert url in body and not desk.delta.updated
