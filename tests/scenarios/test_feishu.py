"""A blog in Feishu becomes a bundle: the scenarios of the seed, through the installed program and a real socket."""

from __future__ import annotations

import pytest
from feishu_drive import mp3, page, png, with_pictures
from feishu_press import Press, whole
from feishu_press import press as press
from feishu_press import program as program
from feishu_press import server as server
from scenario import everything

from git_okf.bundle import concept
from git_okf.digest import blob_id


def test_an_article_that_has_everything_becomes_one_concept_with_its_files(press: Press) -> None:
    blog = whole(press.drive)
    plain = press.drive.document(press.drive.root, "A note")
    picture = press.drive.picture(7)
    press.drive.nodes[plain].revisions[-1] = with_pictures(plain, "A note", "Its text.", [picture], [30])
    press.drive.later(days=1)
    assert press.sync()["result"] == "synced"
    assert press.subject == "sync: +2 -0 =0 (blog)"
    front = press.front("水位线")
    assert (front["type"], front["title"]) == ("Article", "水位线")
    assert front["resource"] == f"https://acme.feishu.cn/drive/folder/{blog.token}"
    assert front["forms"] == ["article", "podcast", "slides", "html"]
    assert (front["created"], front["modified"]) == ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z")
    assert press.bytes_of(front["cover"]) == png(640, 360)
    assert press.bytes_of(front["thumbnail"])[8:12] == b"WEBP"
    assert press.bytes_of(front["podcast"]["audio"]) == mp3(1)
    assert press.bytes_of(front["podcast"]["transcript"]) == b"What was said.\n"
    assert press.bytes_of(front["slides"]) == page("slides", 1)
    assert press.bytes_of(front["html"]) == page("play", 2)
    assert press.body("水位线") == "The first text."
    note = press.front("A note")
    assert (note["form"], note["placeholders"]) == ("document", 1)
    (shown,) = [file["path"] for file in note["files"]]
    assert f"](../{shown})" in press.body("A note") and press.bytes_of(shown) == press.drive.media[picture]
    assert press.run("verify").code == 0
    press.quiet()


def test_the_worked_example_of_the_seed(program: Press) -> None:
    """Text and podcast were changed at nine in the evening; the day after nothing is transferred."""
    blog = whole(program.drive)
    program.drive.later(hours=9)
    for token in (blog.text, blog.audio, blog.deck, blog.page):
        program.drive.touch(token)
    program.drive.later(hours=3)
    program.sync()
    nine = "2026-01-01T09:00:00Z"
    assert program.marks(blog.token) == dict.fromkeys(("article", "podcast", "slides", "html"), nine)
    program.drive.later(hours=9)
    program.drive.write(blog.text, "The second text.")
    program.drive.put(blog.audio, mp3(2))
    program.drive.later(hours=8)
    program.sync()
    assert program.subject == "sync: +0 -0 =1 (blog)"
    evening = "2026-01-01T21:00:00Z"
    assert program.marks(blog.token) == {"article": evening, "podcast": evening, "slides": nine, "html": nine}
    assert program.server.asked("media") == [blog.audio]
    assert program.body("水位线") == "The second text."
    assert program.bytes_of(program.front("水位线")["podcast"]["audio"]) == mp3(2)
    program.drive.later(days=1)
    assert program.quiet()["fetched"] == 0
    assert program.server.kinds() == {"auth": 1, "list": 6}


def test_a_podcast_that_failed_is_made_up_for_the_next_day(program: Press) -> None:
    blog = whole(program.drive)
    program.drive.later(days=1)
    program.server.fail(f"*/files/{blog.audio}/download", status=400, code=1061002, times=1)
    report = program.sync(code=3)
    assert program.subject == "sync: +1 -0 =0 (blog)"
    assert report["retained"][0]["reason"].startswith("podcast: 1061002")
    assert "podcast" not in program.front("水位线") and "podcast" not in program.marks(blog.token)
    assert program.bytes_of(program.front("水位线")["slides"]) == page("slides", 1)
    program.drive.later(days=1)
    program.sync()
    assert program.subject == "sync: +0 -0 =1 (blog)"
    assert program.bytes_of(program.front("水位线")["podcast"]["audio"]) == mp3(1)
    assert program.server.asked("media") == [blog.audio]
    assert program.marks(blog.token)["podcast"] == "2026-01-01T00:00:00Z"
    program.quiet()


def test_a_podcast_that_is_newer_than_its_article_is_no_reason_to_sync_every_day(program: Press) -> None:
    """The mishap of the seed: what is made of an article is always newer than it."""
    blog = whole(program.drive)
    for hours, token in ((1, blog.audio), (2, blog.deck), (3, blog.page)):
        program.drive.touch(token, program.drive.now + hours * 3600)
    program.drive.later(days=1)
    program.sync()
    for _ in range(3):
        program.drive.later(days=1)
        program.quiet()
        assert program.server.count("docx", "media") == 0


@pytest.mark.parametrize("kind", ["podcast", "slides", "html"])
def test_a_part_that_fails_keeps_its_old_files_and_its_mark(press: Press, kind: str) -> None:
    blog = whole(press.drive)
    press.drive.later(days=1)
    press.sync()
    token = {"podcast": blog.audio, "slides": blog.deck, "html": blog.page}[kind]
    old, marks = press.front("水位线")[kind], press.marks(blog.token)
    press.drive.put(token, mp3(9))
    press.drive.write(blog.text, "The second text.")
    changed = press.drive.now
    press.drive.later(days=1)
    press.server.fail(f"*/files/{token}/download", status=400, code=1061002, times=None)
    report = press.sync(code=3)
    assert report["retained"][0]["reason"].startswith(f"{kind}: 1061002")
    assert press.body("水位线") == "The second text."
    assert press.front("水位线")[kind] == old
    assert press.marks(blog.token) == {**marks, "article": "2026-01-02T00:00:00Z"}
    assert changed == press.drive.nodes[token].modified
    press.server.heal()
    press.sync()
    assert press.front("水位线")[kind] != old
    assert press.marks(blog.token)[kind] == "2026-01-02T00:00:00Z"
    press.quiet()


def test_the_article_failing_keeps_all_of_it_and_stops_nothing_else(press: Press) -> None:
    first, second = whole(press.drive, "first"), whole(press.drive, "second")
    press.drive.later(days=1)
    press.sync()
    marks = press.marks(first.token)
    for blog in (first, second):
        press.drive.write(blog.text, "The second text.")
    press.drive.later(days=1)
    press.server.fail(f"*/documents/{first.text}/blocks", status=400, code=1770001, times=1)
    report = press.sync(code=3)
    assert (report["updated"], [r["path"] for r in report["retained"]]) == (["pages/second.md"], ["pages/first.md"])
    assert press.body("first") == "The first text." and press.marks(first.token) == marks
    press.sync()
    assert press.body("first") == "The second text."
    press.quiet()


def test_lark_07_titles_are_names_and_never_identities(press: Press) -> None:
    drive = press.drive
    first = drive.document(drive.root, "2024/04/28 test", "One.")
    second = drive.document(drive.root, "2024/04/28\n test", "Two.")
    third = drive.document(drive.root, 'A "quoted" title?', "Three.")
    drive.later(days=1)
    press.sync()
    paths = {press_key(press, path): path for path in concepts(press)}
    assert len(paths) == 3 and paths.keys() == {first, second, third}
    drive.rename(third, "B")
    report = press.sync()
    assert report["moved"] == [[paths[third], "pages/B.md"]]
    assert (press.repo.git("show", "-M", "--format=", "--name-status").count("R0"), press.body("B")) != (0, "")
    drive.rename(first, "B")
    drive.rename(third, "2024/04/28 test")
    press.sync()
    assert {press_key(press, path) for path in concepts(press)} == {first, second, third}
    assert press.body("B") == "One."
    press.quiet()


def test_lark_07_a_folder_that_is_renamed_takes_its_files_with_it(press: Press) -> None:
    blog = whole(press.drive, "old name")
    press.drive.later(days=1)
    press.sync()
    files = press.front("old name")["files"]
    press.drive.rename(blog.token, "new name")
    report = press.sync()
    assert report["moved"] == [["pages/old name.md", "pages/new name.md"]]
    assert press.front("new name")["files"] == files
    assert press.server.count("media") == 0
    press.quiet()


def concepts(press: Press) -> list[str]:
    listed = press.repo.git("-c", "core.quotePath=false", "ls-files", "blog/pages").splitlines()
    return [path.removeprefix("blog/") for path in listed if path.endswith(".md") and not path.endswith("/index.md")]


def press_key(press: Press, path: str) -> str:
    return concept.header((press.repo.path / "blog" / path).read_bytes()).key


def test_lark_10_permission_lost_is_not_deletion(press: Press) -> None:
    tokens = [press.drive.document(press.drive.root, f"note {number}", f"Text {number}.") for number in range(8)]
    press.drive.later(days=1)
    press.sync()
    for token in tokens[:3]:
        press.drive.nodes[token].forbidden = True
        press.drive.touch(token)
    press.drive.later(days=1)
    report = press.sync(code=3)
    assert (report["removed"], len(report["retained"])) == ([], 3)
    assert all(each["reason"].startswith("forbidden: 1770032") for each in report["retained"])
    assert len(concepts(press)) == 8


def test_lark_10_a_listing_that_shrinks_trips_the_guard(press: Press) -> None:
    tokens = [press.drive.document(press.drive.root, f"note {number}", f"Text {number}.") for number in range(8)]
    press.drive.later(days=1)
    press.sync()
    head = press.repo.git("rev-parse", "HEAD")
    for token in tokens[:5]:
        press.drive.move(token, "")
    report = press.sync(code=1)
    assert report["guard"]["name"] == "page-count"
    assert press.repo.git("rev-parse", "HEAD") == head


def test_a_document_that_is_deleted_goes_and_its_files_with_it(press: Press) -> None:
    for number in range(3):
        press.drive.document(press.drive.root, f"note {number}", f"Text {number}.")
    blog = whole(press.drive)
    listed = press.drive.document(press.drive.root, "listed still", "Its text.")
    press.drive.later(days=1)
    press.sync()
    press.drive.delete(blog.token)
    press.drive.nodes[listed].gone = True
    press.drive.touch(listed)
    press.sync()
    assert press.subject == "sync: +0 -2 =0 (blog)"
    assert not (press.repo.path / "blog/assets").exists()
    press.quiet()


def test_an_expiring_address_never_reaches_the_bundle(press: Press) -> None:
    token = press.drive.document(press.drive.root, "A note")
    picture = press.drive.picture()
    press.drive.nodes[token].revisions[-1] = with_pictures(token, "A note", "Its text.", [picture])
    press.drive.later(days=1)
    press.sync()
    text = press.file("A note").read_text()
    assert "tmp" not in text and press.server.url not in text


def test_a_dry_run_and_wrong_credentials_write_nothing(press: Press, monkeypatch: pytest.MonkeyPatch) -> None:
    whole(press.drive)
    press.drive.later(days=1)
    before = everything(press.repo)
    assert press.run("sync", "--dry-run").code == 0
    monkeypatch.setenv("FEISHU_APP_SECRET", "another-secret-altogether")
    ran = press.run("sync")
    assert ran.code == 2 and "10014" in ran.err and "another-secret" not in ran.out + ran.err
    after = everything(press.repo)
    assert {name: after[name] for name in ("refs", "index", "files")} == {
        name: before[name] for name in ("refs", "index", "files")
    }


def test_an_api_that_is_down_is_an_outage_and_no_deletion(press: Press) -> None:
    whole(press.drive)
    press.drive.later(days=1)
    press.sync()
    press.server.fail("*/files", status=403, code=1061004, times=None)
    report = press.sync(code=4)
    assert "1061004" in report["error"]["message"] and "nothing was changed" in report["error"]["message"]
    assert press.file("水位线").exists()


def test_lark_11_rebuilding_reads_everything_again_and_finds_what_no_time_told(press: Press) -> None:
    """LARK-11: the body changes and the modification time does not."""
    blog, other = whole(press.drive), press.drive.document(press.drive.root, "A note", "Its text.")
    press.drive.later(days=1)
    press.sync()
    press.drive.later(days=1)
    press.drive.write(other, "Changed behind the back.", touch=False)
    press.quiet()
    press.sync("--rebuild")
    assert press.subject == "sync: +0 -0 =1 (blog)"
    assert press.body("A note") == "Changed behind the back."
    assert set(press.server.asked("docx")) == {blog.text, blog.script, other}
    press.quiet()


def test_lark_11_a_time_that_changes_alone_is_asked_for_once(press: Press) -> None:
    """LARK-11: the modification time changes and the body does not."""
    blog = whole(press.drive)
    press.drive.later(days=1)
    press.sync()
    head = press.repo.git("rev-parse", "HEAD")
    press.drive.touch(blog.text)
    press.drive.later(days=1)
    assert press.sync()["result"] == "unchanged"
    assert press.server.asked("docx") == [blog.text, blog.text] and press.server.count("media") == 0
    assert press.repo.git("rev-parse", "HEAD") == head
    assert press.marks(blog.token)["article"] == "2026-01-02T00:00:00Z"
    press.quiet()


def test_lark_11_a_run_says_what_it_did_and_where_it_stands(press: Press) -> None:
    blog = whole(press.drive)
    press.drive.document(press.drive.root, "A note", "Its text.")
    press.drive.folder(press.drive.root, "no article")
    press.drive.other(press.drive.root, "numbers", "sheet")
    press.drive.later(days=1)
    press.sync()
    press.drive.put(blog.audio, mp3(5))
    press.drive.later(days=1)
    report = press.sync()
    summary = report["notices"][0]
    assert summary.startswith("articles: 2 asked, 1 skipped, 1 taken (article 1, podcast 1), 0 failed; ")
    assert summary.endswith("newest change 2026-01-02T00:00:00Z")
    assert "not taken, because they are neither documents nor folders: sheet 1" in report["notices"]
    assert any(notice.startswith("1 folders are no articles") for notice in report["notices"])
    assert report["origins"] == {"documents": 1, "folders": 1, "shortcuts": 0}


def test_a_skip_rate_that_falls_without_cause_is_said(press: Press) -> None:
    """Everything is taken again although nothing changed: said on the first such day, before the time limit is met."""
    tokens = [press.drive.document(press.drive.root, f"note {number}", f"Text {number}.") for number in range(8)]
    press.drive.later(days=1)
    press.sync()
    press.drive.later(days=1)
    press.sync()
    for token in tokens:
        press.drive.touch(token)
    press.drive.later(days=1)
    report = press.sync()
    assert (report["result"], report["fetched"]) == ("unchanged", 8)
    assert any("again although they had not changed" in notice for notice in report["notices"]), report["notices"]


def test_what_is_too_large_is_said_and_not_fetched_every_day(press: Press) -> None:
    blog = whole(press.drive)
    press.configure("max_file_bytes: 15000")
    press.drive.later(days=1)
    report = press.sync()
    assert any("水位线 (podcast): the answer is larger than 15000 bytes" in notice for notice in report["notices"])
    assert "podcast" not in press.front("水位线")
    report = press.quiet()
    assert press.server.count("media") == 0
    assert any("水位线 (podcast)" in notice for notice in report["notices"])
    press.drive.put(blog.audio, mp3(3, size=9000))
    press.drive.later(days=1)
    press.sync()
    assert press.bytes_of(press.front("水位线")["podcast"]["audio"]) == mp3(3, size=9000)
    press.quiet()


def test_files_without_a_state_are_known_again_from_the_bundle(press: Press) -> None:
    whole(press.drive)
    press.drive.later(days=1)
    press.sync()
    press.repo.git("branch", "-D", "okf/state")
    head = press.repo.git("rev-parse", "HEAD")
    assert press.sync()["result"] == "unchanged"
    assert press.repo.git("rev-parse", "HEAD") == head
    press.quiet()


def test_the_bundle_is_whole_and_its_index_stands_for_the_list_of_articles(press: Press) -> None:
    whole(press.drive)
    press.drive.document(press.drive.root, "A note", "Its text.")
    press.drive.later(days=1)
    press.sync()
    assert press.run("verify").code == 0
    index = (press.repo.path / "blog/pages/index.md").read_text()
    assert "A note" in index and "水位线" in index and "Its text." in index
    explained = press.run("explain", "https://acme.feishu.cn/docx/unknown1")
    assert explained.code in (0, 1) and "was not in the folder" in explained.out


def test_a_picture_two_articles_share_stays_while_one_of_them_needs_it(press: Press) -> None:
    drive = press.drive
    first, second = drive.document(drive.root, "first"), drive.document(drive.root, "second")
    for number in range(4):
        drive.document(drive.root, f"note {number}", f"Text {number}.")
    for token, title in ((first, "first"), (second, "second")):
        drive.nodes[token].revisions[-1] = with_pictures(token, title, f"Text of {title}.", [drive.picture(3)])
    drive.media[drive.picture(3)] = b""
    drive.later(days=1)
    press.sync()
    (path,) = {file["path"] for title in ("first", "second") for file in press.front(title)["files"]}
    drive.delete(first)
    press.sync()
    assert blob_id(press.bytes_of(path)) == path.rpartition("/")[2].removesuffix(".png")
    press.quiet()


def test_large_files_go_through_git_lfs_where_that_is_wanted(press: Press) -> None:
    audio = mp3(1, 1_500_000)
    press.drive.blog("a story", "Its text.", podcast=audio)
    press.drive.later(days=1)
    press.configure("lfs: true")
    refused = press.run("sync")
    assert refused.code == 128 and "git lfs" in refused.err and press.server.count() == 0
    press.repo.git("lfs", "install", "--local")
    press.repo.commit("track", {".gitattributes": "blog/large/** filter=lfs diff=lfs merge=lfs -text\n"})
    press.sync()
    path = press.front("a story")["podcast"]["audio"]
    assert path.startswith("large/") and press.bytes_of(path) == audio
    assert press.repo.git("cat-file", "-p", f"HEAD:blog/{path}").startswith(
        "version https://git-lfs.github.com/spec/v1"
    )
    assert press.repo.git("status", "--porcelain") == "" and press.run("verify").code == 0
    press.quiet()
