"""`git okf publish`: what differs is uploaded, in an order that a reader can trust, and nothing else."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from pathlib import Path

import pytest
from publish.desk import BUNDLE, PREFIX, Desk, Desks
from publish.storage import KEY, SECRET, Answer, Server
from scenario import Docs, assert_same, everything, to_the_last_byte

OWN = f"{PREFIX}/.okf/docs.json"


def test_the_first_publication_uploads_all_and_says_which_commit_it_is(desk: Desk) -> None:
    head = desk.repo.git("rev-parse", "HEAD")
    said = desk.publish()
    assert said["result"] == "published" and said["added"] == sorted(BUNDLE)
    assert (said["commit"], said["before"]) == (head, None)
    desk.assert_whole()
    assert desk.manifest()["commit"] == head
    remembered = json.loads(desk.repo.git("show", "okf/state:.published/docs.json"))
    assert remembered == {"commit": head, "url": f"s3://{desk.bucket}/{PREFIX}"}
    desk.quiet()


def test_what_is_said_to_people(desk: Desk) -> None:
    head, url = desk.repo.git("rev-parse", "--short=7", "HEAD"), f"s3://{desk.bucket}/{PREFIX}"
    counts = "  Added: 10\n  Updated: 0\n  Removed: 0\n  Unchanged: 0\n"
    assert desk.run().out == f"✓ Published: docs  ({head} to {url})\n{counts}"
    assert desk.run().out == f"✓ Up to date: docs  (10 objects at {url})\n"
    assert desk.run("--quiet").out == ""
    desk.commit({"docs/pages/p1.md": "new\n"}, "docs/pages/p2.md")
    assert desk.run("--verbose").err == "docs: = docs/pages/p1.md\ndocs: - docs/pages/p2.md\n"


# --- content decides (PUB-01) ---


def test_pub_01_a_change_of_the_same_size_is_uploaded_and_nothing_else(desk: Desk) -> None:
    desk.commit({"docs/pages/p1.md": "1"})
    desk.publish()
    desk.gate.forget()
    desk.commit({"docs/pages/p1.md": "2"})
    said = desk.publish()
    assert desk.gate.written() == [f"{PREFIX}/docs/pages/p1.md"]
    assert (said["added"], said["updated"], said["removed"]) == ([], ["docs/pages/p1.md"], [])
    assert desk.body("docs/pages/p1.md") == b"2"
    desk.assert_whole()


def test_pub_01_a_clone_with_other_times_uploads_nothing(desk: Desk, tmp_path: Path) -> None:
    desk.publish()
    clone = desk.clone(tmp_path / "clone")
    for path in BUNDLE:
        os.utime(clone.path / path, (1, 1))
    desk.quiet(cwd=clone.path)


def test_pub_01_a_failure_half_way_leaves_the_old_manifest_valid(desk: Desk) -> None:
    desk.publish()
    old, head = desk.manifest(), desk.commit({path: f"{text}more\n" for path, text in BUNDLE.items() if "/p" in path})
    count = 0

    def fail_the_fifth(method: str, key: str) -> Answer | None:
        nonlocal count
        count += method == "PUT" and "/pages/p" in key
        return Answer(403, b"<Error><Code>AccessDenied</Code></Error>") if count >= 5 and "/pages/p" in key else None

    desk.gate.before = fail_the_fifth
    said = desk.publish(code=2)
    assert "AccessDenied" in said["error"]["message"]
    now = desk.manifest()
    assert {name: now[name] for name in ("commit", "objects")} == {name: old[name] for name in ("commit", "objects")}
    desk.gate.quiet()
    assert desk.publish()["result"] == "published"
    desk.assert_whole(head)


def test_pub_01_removals_obey_the_guard(desk: Desk) -> None:
    desk.publish()
    desk.commit({}, *sorted(BUNDLE)[:6])
    desk.gate.forget()
    before = everything(desk.repo)
    said = desk.publish(code=1)
    assert said["guard"] == {"name": "page-count", "limit": 5.0, "actual": 4, "total": 10}
    assert desk.gate.methods() == {"GET"} and len(desk.held()) == 10
    assert_same(before, everything(desk.repo))
    assert desk.run(code=1).err == (
        "error: docs: only 4 of 10 published objects would stay: the page-count guard stopped the publication"
        " (limit 5). Nothing was written\n  see what changed: git okf publish docs --dry-run --force\n"
        "  if that is right: git okf publish docs --force\n"
    )
    assert len(desk.publish("--force")["removed"]) == 6
    desk.assert_whole()


def test_max_removed_guards_too(desk: Desk) -> None:
    desk.configure(removal={"max_removed": 1})
    desk.publish()
    desk.commit({}, "docs/pages/p1.md", "docs/pages/p2.md")
    assert desk.publish(code=1)["guard"]["name"] == "max-removed"
    assert desk.publish("--force")["result"] == "published"


# --- the order of the writes ---


def test_content_comes_before_listings_before_the_manifest_before_removals(desk: Desk) -> None:
    desk.publish()
    desk.gate.forget()
    desk.commit({"docs/pages/new.md": "new\n", "docs/pages/index.md": "# New\n", "docs/index.md": "#\n"}, "docs/log.md")
    desk.publish()
    done = [(each.method, each.key.removeprefix(f"{PREFIX}/")) for each in desk.gate.requests if each.method != "GET"]
    assert [pair for pair in done if pair[1] != ".okf/probe" and pair[0] != "HEAD"] == [
        ("PUT", ".okf/docs.json"),
        ("PUT", "docs/pages/new.md"),
        ("PUT", "docs/pages/index.md"),
        ("PUT", "docs/index.md"),
        ("PUT", ".okf/docs.json"),
        ("POST", ""),
        ("PUT", ".okf/docs.json"),
    ]
    assert all(
        {"if-match", "if-none-match"} & each.headers.keys() for each in desk.gate.requests if each.method == "PUT"
    )
    desk.assert_whole()


def test_no_request_carries_an_acl_or_tags_or_a_checksum_that_storages_refuse(desk: Desk) -> None:
    desk.publish()
    desk.commit({"docs/pages/p1.md": "new\n"}, "docs/pages/p2.md")
    desk.publish()
    sent = {name for each in desk.gate.requests if each.method == "PUT" for name in each.headers}
    assert {name for name in sent if name.startswith("x-amz-")} == {"x-amz-date", "x-amz-content-sha256"}
    assert not any("acl" in each.query or "tagging" in each.query for each in desk.gate.requests)


def test_a_rename_is_one_upload_and_one_removal(desk: Desk) -> None:
    desk.publish()
    desk.repo.git("mv", "docs/pages/p1.md", "docs/pages/moved.md")
    desk.commit({})
    said = desk.publish()
    assert (said["added"], said["removed"]) == (["docs/pages/moved.md"], ["docs/pages/p1.md"])
    desk.assert_whole()


def test_only_what_the_manifest_names_is_removed(desk: Desk) -> None:
    for key in (f"{PREFIX}/docs/other.txt", f"{PREFIX}/other.txt", "elsewhere.txt"):
        desk.client.put_object(Bucket=desk.bucket, Key=key, Body=b"not ours")
    desk.publish()
    desk.commit({}, "docs/pages/p1.md")
    desk.publish()
    assert desk.held() >= {"docs/other.txt", "other.txt", "elsewhere.txt"}
    assert "docs/pages/p1.md" not in desk.held()


def test_what_lies_there_already_is_replaced(desk: Desk) -> None:
    """A bucket that was filled in another way, or that lost its manifest."""
    desk.client.put_object(Bucket=desk.bucket, Key=f"{PREFIX}/docs/index.md", Body=b"old", ContentType="text/html")
    desk.publish()
    desk.assert_whole()
    assert desk.get("docs/index.md")["ContentType"] == "text/markdown; charset=utf-8"
    assert not [each for each in desk.gate.requests if each.status == 412 and ".okf/" not in each.key]
    desk.client.delete_object(Bucket=desk.bucket, Key=OWN)
    ran = desk.run()
    assert "has no manifest, though" in ran.err and "Added: 10" in ran.out
    desk.assert_whole()


def test_a_bundle_without_changes_is_quiet_whatever_else_is_committed(desk: Desk) -> None:
    desk.publish()
    desk.commit({"README.md": "other\n"})
    before = everything(desk.repo)
    desk.quiet()
    assert_same(before, everything(desk.repo))


def test_executable_files_are_published_and_links_are_not(desk: Desk) -> None:
    (desk.repo.path / "docs/link.md").symlink_to("index.md")
    desk.repo.write("docs/run.txt", "text\n").chmod(0o755)
    desk.repo.git("add", "docs")
    desk.commit({})
    desk.publish()
    assert desk.held() == {*BUNDLE, "docs/run.txt"}
    (desk.repo.path / "docs/log.md").unlink()
    (desk.repo.path / "docs/log.md").symlink_to("index.md")
    desk.repo.git("add", "docs")
    desk.commit({})
    assert desk.publish()["removed"] == ["docs/log.md"]


# --- dry runs ---


def test_a_dry_run_prints_the_plan_and_writes_nothing(desk: Desk) -> None:
    desk.publish()
    desk.commit({"docs/pages/p1.md": "other\n", "docs/pages/new.md": "new\n"}, "docs/pages/p2.md")
    before, there = to_the_last_byte(desk.repo.path), {**desk.objects(), "manifest": desk.body(".okf/docs.json")}
    desk.gate.forget()
    ran = desk.run("--dry-run")
    assert ran.out.splitlines()[1:] == [
        "  Added: 1", "  Updated: 1", "  Removed: 1", "  Unchanged: 8",
        "  + docs/pages/new.md", "  = docs/pages/p1.md", "  - docs/pages/p2.md",
    ]  # fmt: skip
    assert desk.publish("--dry-run")["dry_run"] is True
    assert desk.gate.methods() == {"GET"}
    assert to_the_last_byte(desk.repo.path) == before
    assert {**desk.objects(), "manifest": desk.body(".okf/docs.json")} == there


def test_a_first_dry_run_leaves_the_bucket_empty(desk: Desk) -> None:
    before = to_the_last_byte(desk.repo.path)
    assert len(desk.publish("--dry-run")["added"]) == 10
    assert desk.client.list_objects_v2(Bucket=desk.bucket).get("Contents", []) == []
    assert to_the_last_byte(desk.repo.path) == before


# --- keys ---


@pytest.mark.parametrize("storage", ["moto", "seaweedfs"])
def test_unusual_names_arrive_as_they_are(storage: str, desk_at: Desks, request: pytest.FixtureRequest) -> None:
    desk = desk_at(request.getfixturevalue(storage))
    desk.configure()
    names = [
        "a b.md", "a+b.md", "a~1b2c3d4e.md", "文章.md", "ü.md", "a%20b.md", "a#b.md", "a?b=c&d.md", "a;b,c@d$e!.md",
        "[a]{b}.md", "a'b\"c.md", "a^b|c`.md", "<a>*.md", "…/é è.md", ".hidden/x.md", "a:b.md", "🙂.md", "a.md.md",
    ]  # fmt: skip
    desk.commit({f"docs/{name}": name for name in names})
    desk.publish()
    assert desk.objects() == {f"docs/{name}": name.encode() for name in names}
    desk.quiet()
    desk.commit({}, *(f":(literal)docs/{name}" for name in names[1:]))
    desk.publish("--force")
    desk.assert_whole()


def test_names_are_published_in_one_unicode_form(desk: Desk) -> None:
    long_form = unicodedata.normalize("NFD", "docs/é.md")
    desk.repo.git("config", "core.precomposeunicode", "false")
    desk.commit({long_form: "text\n"})
    desk.publish()
    assert "docs/é.md" in desk.held() and long_form not in desk.held()
    desk.quiet()
    desk.commit({"docs/é.md": "another\n"})
    said = desk.publish(code=2)
    assert "would share the key 'docs/é.md'" in said["error"]["message"]
    desk.commit({}, long_form)
    assert desk.publish()["updated"] == ["docs/é.md"]
    assert desk.body("docs/é.md") == b"another\n"
    desk.quiet()


@pytest.mark.parametrize(
    "name", ["docs/a\\b.md", "docs/a\x01b.md", "docs/a\nb.md", f"docs/{'x' * 250}/{'y' * 250}/" * 3]
)
def test_names_that_no_storage_keeps_are_refused_before_anything_is_written(desk: Desk, name: str) -> None:
    tree = desk.repo.git("write-tree")
    blob = desk.repo.git("hash-object", "-w", "--stdin", input="text")
    for part in reversed((*name.removesuffix("/").split("/"),)):
        entry = f"{'100644 blob' if blob else '040000 tree'} {blob or tree}\t{part}\0"
        tree, blob = desk.repo.git("mktree", "-z", input=entry), ""
    desk.repo.git("update-ref", "HEAD", desk.repo.git("commit-tree", "-m", "odd", "-p", "HEAD", tree))
    said = desk.publish(code=2)
    assert "cannot be the key of an object" in said["error"]["message"]
    assert desk.gate.methods() == {"GET"}


# --- sources ---


def test_each_source_is_published_by_itself_with_all_its_directories(desk: Desk) -> None:
    skills = "skills: {kind: skills, url: 'https://example.org/s.git', bundle: okf/skills, packages: vendor/skills}"
    desk.configure("docs: {url: 'https://docs.example.org/', bundle: docs}, " + skills)
    desk.commit({"okf/skills/a.md": "a\n", "vendor/skills/a/SKILL.md": "b\n", "other/c.md": "c\n"})
    assert desk.publish("skills")["added"] == ["okf/skills/a.md", "vendor/skills/a/SKILL.md"]
    assert desk.held() == {"okf/skills/a.md", "vendor/skills/a/SKILL.md"}
    ran = desk.run("--json")
    assert [(each["name"], each["result"]) for each in json.loads(ran.out)["sources"]] == [
        ("docs", "published"),
        ("skills", "unchanged"),
    ]
    assert desk.manifest("skills")["places"] == ["okf/skills", "vendor/skills"]


def test_a_directory_that_went_to_another_source_is_not_removed_with_the_first(desk: Desk) -> None:
    desk.publish()
    desk.configure(
        "docs: {url: 'https://docs.example.org/', bundle: manual}, new: {url: 'https://x.example.org/', bundle: docs}"
    )
    desk.commit({"manual/a.md": "a\n"})
    ran = desk.run("new", "docs", "--force")
    assert "Published: docs" in ran.out
    assert desk.held() == {*BUNDLE, "manual/a.md"}


def test_one_source_s_trouble_does_not_stop_the_next(desk: Desk) -> None:
    desk.configure(
        "a: {url: 'https://a.example.org/', bundle: nothing}, docs: {url: 'https://docs.example.org/', bundle: docs}"
    )
    ran = desk.run(code=128)
    assert "a: commit" in ran.err and "has no files in nothing" in ran.err
    assert "Published: docs" in ran.out


def test_after_a_sync_exactly_what_it_changed_is_published(docs: Docs, desk_at: Desks, moto: Server) -> None:
    desk = desk_at(moto)
    docs.build("a", "b", "c")
    settings = json.dumps({"url": f"s3://{desk.bucket}/{PREFIX}", "endpoint": desk.gate.url})
    text = (docs.repo.path / ".okf.yaml").read_text(encoding="utf-8")
    docs.repo.commit("publish it", {".okf.yaml": f"{text}publish: {settings}\n"})
    desk.publish()
    desk.assert_whole()
    docs.quiet()
    docs.put("b", version=2)
    report = docs.sync()
    said = desk.publish()
    assert said["commit"] == report["commit"]
    assert said["updated"] == docs.repo.git("diff", "--name-only", "HEAD~1").splitlines()
    assert "docs/pages/docs/b.md" in said["updated"] and "docs/pages/docs/a.md" not in said["updated"]
    desk.assert_whole()
    docs.quiet()
    desk.quiet()


# --- what refuses ---


def test_without_the_extra_it_says_what_to_install(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore.store", None)
    ran = desk.run(code=2)
    assert "pip install 'git-okf[publish]'" in ran.err


def test_without_a_section_keys_or_commits_it_says_what_to_do(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    assert "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" in desk.run(code=2).err
    desk.configure(endpoint="${S3_ENDPOINT}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    assert "needs the environment variable S3_ENDPOINT" in desk.run(code=2).err
    monkeypatch.setenv("S3_ENDPOINT", f"http://{KEY}:{SECRET}@127.0.0.1")
    ran = desk.run(code=2)
    assert "S3_ENDPOINT" in ran.err and SECRET not in ran.err
    monkeypatch.setenv("S3_ENDPOINT", desk.gate.url)
    assert desk.publish()["result"] == "published"
    desk.repo.write(".okf.yaml", "version: 1\nsources: {docs: {url: 'https://docs.example.org/', bundle: docs}}\n")
    assert "there is no `publish` in .okf.yaml" in desk.run(code=2).err


def test_the_endpoint_may_come_from_where_aws_tools_take_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9")
    assert desk.publish()["result"] == "published"  # what the file says goes first
    desk.configure(endpoint=None)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", desk.gate.url)
    assert desk.publish()["result"] == "unchanged"


def test_a_bucket_that_is_not_there_is_named(desk: Desk) -> None:
    desk.configure(url="s3://no-such-bucket-anywhere/x")
    said = desk.publish(code=2)
    assert said["error"]["message"].startswith("the bucket of s3://no-such-bucket-anywhere/x does not exist")


def test_a_storage_that_does_not_answer_is_exit_4(desk: Desk) -> None:
    desk.configure(endpoint="http://127.0.0.1:9")
    said = desk.publish(code=4)
    assert said["result"] == "unavailable"
    assert "at http://127.0.0.1:9" in said["error"]["message"]


@pytest.mark.parametrize(("status", "code"), [(503, "SlowDown"), (500, "InternalError")])
def test_what_fails_for_a_moment_is_tried_again(desk: Desk, status: int, code: str) -> None:
    count: dict[str, int] = {}

    def slow_down(method: str, key: str) -> Answer | None:
        count[key] = count.get(key, 0) + 1
        return Answer(status, f"<Error><Code>{code}</Code></Error>".encode()) if count[key] <= 2 else None

    desk.gate.before = slow_down
    assert desk.publish()["result"] == "published"
    desk.gate.quiet()
    desk.assert_whole()


def test_a_storage_that_stays_overloaded_is_exit_4_and_the_next_run_completes(desk: Desk) -> None:
    desk.gate.before = lambda m, key: Answer(503, b"<Error><Code>SlowDown</Code></Error>") if "p4" in key else None
    said = desk.publish(code=4)
    assert "503 SlowDown" in said["error"]["message"]
    assert desk.manifest()["commit"] is None
    desk.gate.quiet()
    desk.publish()
    desk.assert_whole()


def test_answers_that_are_lost_are_no_conflict(desk: Desk) -> None:
    """Every write arrives, and the first answer to each does not."""
    lost = set()

    def lose(method: str, key: str) -> Answer | None:
        if method in ("PUT", "POST") and key not in lost:
            lost.add(key)
            return Answer(500, b"")
        return None

    desk.gate.after = lose
    desk.publish()
    desk.commit({"docs/pages/p1.md": "new\n"}, "docs/pages/p2.md")
    lost.clear()
    desk.publish()
    desk.gate.quiet()
    desk.assert_whole()


def test_secrets_are_never_said(desk: Desk) -> None:
    desk.gate.before = lambda method, key: Answer(
        403, f"<Error><Code>SignatureDoesNotMatch</Code><Message>{SECRET} {KEY}</Message></Error>".encode()
    )
    ran = desk.run("--json", code=2)
    assert "SignatureDoesNotMatch" in ran.err
    assert SECRET not in ran.out + ran.err and KEY not in ran.out + ran.err


def test_wrong_keys_are_exit_2(desk_at: Desks, seaweedfs: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = desk_at(seaweedfs)
    desk.configure()
    desk.commit(BUNDLE)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x" * 40)
    assert "403 SignatureDoesNotMatch" in desk.publish(code=2)["error"]["message"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 1}', '{"format": 1, "objects": 5, "headers": [], "rules": ""}']
)
def test_a_manifest_that_cannot_be_read_is_not_taken_for_none(desk: Desk, text: str) -> None:
    desk.client.put_object(Bucket=desk.bucket, Key=OWN, Body=text.encode())
    said = desk.publish(code=2)
    assert f"s3://{desk.bucket}/{OWN} cannot be read" in said["error"]["message"]
    assert desk.held() == set()


def test_a_manifest_of_a_newer_version_is_left_alone(desk: Desk) -> None:
    desk.client.put_object(Bucket=desk.bucket, Key=OWN, Body=b'{"format": 2}')
    assert "has format 2" in desk.publish(code=2)["error"]["message"]


def test_a_storage_that_ignores_conditions_is_refused_with_the_way_out(desk_at: Desks, rclone: Server) -> None:
    desk = desk_at(rclone)
    desk.configure()
    desk.commit(BUNDLE)
    said = desk.publish(code=2)
    assert "ignores the conditions of writes" in said["error"]["message"]
    assert "`conditional: false`" in said["error"]["hint"]
    assert desk.client.list_objects_v2(Bucket=desk.bucket).get("Contents", []) == []
    desk.configure(conditional=False)
    desk.publish()
    desk.commit({"docs/pages/p1.md": "new\n"}, "docs/pages/p2.md")
    desk.publish()
    desk.assert_whole()
    desk.quiet()
