"""A repository of skills as a source: what is asked, what is taken, what is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from observing import tools
from packaged import MIT, RESERVED, skill
from skilled import Skills
from upstreams import Exec, Link, Submodule, lfs_pointer

from git_okf.errors import SourceUnavailable
from git_okf.model import Fetched, Gone, Moved, NotModified
from git_okf.source import Ask
from git_okf.source.repository.errors import HistoryRewritten, RevisionGone
from git_okf.source.repository.mirror import Mirror
from git_okf.source.repository.trees import Tree
from git_okf.source.skills import ingestion
from git_okf.source.skills.ingestion import State

FIRST: dict[str, str | bytes | Exec] = {
    "LICENSE": MIT,
    "README.md": "about\n",
    "skills/pdf/SKILL.md": skill("pdf", "# PDF\n"),
    "skills/pdf/scripts/run.sh": Exec("#!/bin/sh\n"),
    "skills/docx/SKILL.md": skill("docx", "# DOCX\n"),
    "skills/xlsx/SKILL.md": skill("xlsx", "# XLSX\n"),
}


@pytest.fixture
def first(skills: Skills) -> str:
    commit = skills.commit(FIRST)
    skills.run()
    return commit


@pytest.mark.parametrize("version", [0, 2])
@pytest.mark.parametrize("filters", [True, False])
def test_packages_are_taken_byte_for_byte_with_their_licence_beside_them(
    skills: Skills, version: int, filters: bool
) -> None:
    skills.server.version = version
    skills.upstream.config("uploadpack.allowFilter", str(filters).lower())
    commit = skills.commit(FIRST)
    delta = skills.run()
    assert [change.path for change in delta.added] == ["pages/docx.md", "pages/pdf.md", "pages/xlsx.md"]
    packages = {path: file for path, file in skills.files().items() if not path.startswith("_licences/")}
    assert packages == skills.there(commit)
    assert skills.files()["_licences/pdf/LICENSE"] == (MIT.encode(), False)
    fetched = skills.seen.outcomes["skills/pdf"]
    assert isinstance(fetched, Fetched)
    assert (fetched.type, fetched.meta["commit"], fetched.meta["path"]) == ("Skill", commit, "skills/pdf")
    assert skills.seen.complete


def test_where_nothing_moved_one_look_is_all_that_is_asked(skills: Skills, first: str) -> None:
    records, memory = dict(skills.known), dict(skills.memory)
    delta = skills.run()
    assert skills.server.kinds() == ["advert", "ls-refs"]
    assert skills.server.wants() == []
    assert {key: type(o) for key, o in skills.seen.outcomes.items()} == dict.fromkeys(skills.known, NotModified)
    assert (delta.changes_content, delta.retained) == (False, ())
    assert (skills.known, skills.memory) == (records, memory), "nothing is written"


def test_a_look_needs_no_mirror(skills: Skills, first: str, tmp_path: Path) -> None:
    skills.scratch = tmp_path / "lost"
    skills.run()
    assert skills.server.kinds() == ["advert", "ls-refs"]


def test_a_moved_head_with_the_same_packages_transfers_no_blob(skills: Skills, first: str) -> None:
    blobs = set(skills.upstream.git("rev-list", "--objects", "--all", "--filter=object:type=blob").split("\n"))
    skills.commit({"README.md": "new\n", "other/x": "y"})
    records = dict(skills.known)
    delta = skills.run()
    assert not delta.changes_content
    assert skills.known == records
    assert not blobs.intersection(skills.server.wants())
    assert [r.filter for r in skills.server.log if r.kind == "fetch"] == ["blob:none"]


def test_of_one_changed_package_only_what_changed_is_sent(skills: Skills, first: str) -> None:
    commit = skills.commit({"skills/pdf/SKILL.md": skill("pdf", "# PDF 2\n")})
    delta = skills.run()
    assert [change.path for change in delta.updated] == ["pages/pdf.md"]
    assert set(skills.server.wants()) == {commit, skills.upstream.blob(commit, "skills/pdf/SKILL.md")}
    assert skills.files()["pdf/SKILL.md"][0] == skill("pdf", "# PDF 2\n").encode()


def test_a_changed_licence_of_the_repository_changes_every_package_it_applies_to(skills: Skills, first: str) -> None:
    skills.commit({"LICENSE": MIT.replace("2026", "2027"), "skills/pdf/LICENSE.txt": MIT})
    delta = skills.run()
    assert [change.key for change in delta.updated] == ["skills/docx", "skills/pdf", "skills/xlsx"]
    skills.commit({"LICENSE": MIT.replace("2026", "2028")})
    delta = skills.run()
    assert [change.key for change in delta.updated] == ["skills/docx", "skills/xlsx"], "pdf has one of its own now"
    history = ingestion.from_memo(skills.known["skills/docx"].memo)
    assert history.latest is not None
    assert history.latest.content == history.earlier[0].content
    assert history.latest.compliance != history.earlier[0].compliance


def test_a_proprietary_package_is_described_and_not_copied(skills: Skills, first: str) -> None:
    skills.commit({"skills/pdf/LICENSE.txt": RESERVED})
    skills.run()
    assert not [path for path in skills.files() if path.startswith(("pdf/", "_licences/pdf"))]
    assert any("not copied" in notice for notice in skills.seen.notices)
    skills.run(copy="always")
    assert "pdf/SKILL.md" in skills.files()


def test_packages_fail_alone(skills: Skills) -> None:
    skills.commit(
        {
            **FIRST,
            "skills/pdf/latest": Link("../docx"),
            "skills/xlsx/vendor": Submodule(),
            "skills/bad/SKILL.md": "no front matter\n",
            "skills/lfs/SKILL.md": skill("lfs"),
            "skills/lfs/big.bin": lfs_pointer(),
        }
    )
    delta = skills.run()
    assert [change.key for change in delta.added] == ["skills/docx", "skills/lfs"]
    said = {key: skills.result(key) for key in skills.seen.outcomes}
    assert said == {
        "skills/bad": "TERMINAL_FAILURE",
        "skills/docx": "ACCEPTED",
        "skills/lfs": "ACCEPTED",
        "skills/pdf": "TERMINAL_FAILURE",
        "skills/xlsx": "TERMINAL_FAILURE",
    }
    assert "skills/pdf: not taken: latest is a symbolic link" in skills.seen.notices
    assert "skills/xlsx: not taken: vendor is a submodule" in skills.seen.notices
    assert any(notice.startswith("skills/lfs: pointers of Git LFS") for notice in skills.seen.notices)
    assert skills.memory["last_fully_processed"] == skills.memory["last_observed"], "all have a durable conclusion"


def test_a_package_that_failed_for_good_is_not_tried_again_until_it_changes(skills: Skills, first: str) -> None:
    skills.commit({"skills/pdf/SKILL.md": "broken\n"})
    delta = skills.run()
    assert [(item.key, item.outcome) for item in delta.retained] == [("skills/pdf", "TERMINAL_FAILURE")]
    assert skills.files()["pdf/SKILL.md"][0] == skill("pdf", "# PDF\n").encode(), "the old content is kept"
    skills.run()
    assert skills.server.kinds() == ["advert", "ls-refs"]
    assert [item.outcome for item in skills.delta.retained] == ["TERMINAL_FAILURE"]
    commit = skills.commit({"README.md": "x\n"})
    skills.run()
    assert skills.server.wants() == [commit]
    skills.commit({"skills/pdf/SKILL.md": skill("pdf", "# mended\n")})
    assert [change.key for change in skills.run().updated] == ["skills/pdf"]
    assert skills.delta.retained == ()


def test_raising_a_limit_lets_what_failed_be_tried_again(skills: Skills) -> None:
    skills.commit({**FIRST, "skills/pdf/big.txt": "x" * 5000})
    skills.run(max_file_bytes=4000)
    assert skills.result("skills/pdf") == "TERMINAL_FAILURE"
    assert "skills/pdf: not taken: big.txt has more than 4000 bytes (max_file_bytes)" in skills.seen.notices
    skills.run(max_file_bytes=6000)
    assert skills.result("skills/pdf") == "ACCEPTED"


@pytest.mark.parametrize("filters", [True, False])
def test_limits_hold_whether_or_not_the_server_filters(skills: Skills, filters: bool) -> None:
    skills.upstream.config("uploadpack.allowFilter", str(filters).lower())
    skills.commit({**FIRST, "skills/pdf/a.txt": "x" * 900, "skills/pdf/b.txt": "y" * 900})
    skills.run(max_package_bytes=1500)
    assert skills.result("skills/pdf") == "TERMINAL_FAILURE"
    assert skills.result("skills/docx") == "ACCEPTED"
    skills.run(max_files=2)
    assert skills.result("skills/pdf") == "TERMINAL_FAILURE"
    skills.run(max_file_bytes=800)
    assert skills.result("skills/pdf") == "TERMINAL_FAILURE"
    skills.run()
    assert skills.result("skills/pdf") == "ACCEPTED"


def test_a_package_gone_from_a_whole_tree_is_withdrawn_and_kept(skills: Skills, first: str) -> None:
    skills.commit({"skills/pdf": None})
    delta = skills.run()
    assert delta.removed == ()
    assert [(item.key, item.outcome) for item in delta.retained] == [("skills/pdf", "WITHDRAWN")]
    assert "pdf/SKILL.md" in skills.files()
    records = dict(skills.known)
    skills.run()
    assert skills.server.kinds() == ["advert", "ls-refs"]
    assert skills.known == records, "said once, and then quiet"
    skills.commit({"skills/pdf/SKILL.md": skill("pdf", "# back\n")})
    assert [change.key for change in skills.run().updated] == ["skills/pdf"]
    assert skills.delta.retained == ()


def test_with_removal_follow_a_package_that_is_gone_is_removed(skills: Skills, first: str) -> None:
    skills.options["removal"] = replace(skills.source().removal, follow=True)
    skills.commit({"skills/pdf": None})
    assert [record.key for record in skills.run().removed] == ["skills/pdf"]
    assert not [path for path in skills.files() if "pdf" in path]


def test_a_package_that_moved_is_recognised_by_its_content(skills: Skills, first: str) -> None:
    files = {path.replace("skills/pdf", "skills/pdf-reader"): data for path, data in FIRST.items() if "/pdf/" in path}
    skills.commit({"skills/pdf": None, **files})
    delta = skills.run()
    assert isinstance(skills.seen.outcomes["skills/pdf"], Moved)
    assert delta.moved == (("pages/pdf.md", "pages/pdf-reader.md"),)
    assert sorted(path for path in skills.files() if "pdf" in path) == [
        "_licences/pdf-reader/LICENSE",
        "pdf-reader/SKILL.md",
        "pdf-reader/scripts/run.sh",
    ]
    history = ingestion.from_memo(skills.known["skills/pdf-reader"].memo)
    assert history.latest is not None
    assert history.latest.key == "skills/pdf-reader"
    assert [old.key for old in history.earlier] == ["skills/pdf"]
    assert skills.run().changes_content is False


def test_a_copy_is_no_move(skills: Skills, first: str) -> None:
    files = {
        path.replace("skills/pdf", f"skills/{to}"): data
        for to in "ab"
        for path, data in FIRST.items()
        if "/pdf/" in path
    }
    skills.commit({"skills/pdf": None, **files})
    delta = skills.run()
    assert delta.moved == ()
    assert [item.outcome for item in delta.retained] == ["WITHDRAWN"]
    assert [change.key for change in delta.added] == ["skills/a", "skills/b"]


def test_an_ignore_rule_stops_a_package_and_deletes_nothing(skills: Skills, first: str) -> None:
    skills.options["ignore_paths"] = ("skills/pdf",)
    skills.commit({"skills/pdf/SKILL.md": skill("pdf", "# new\n")})
    delta = skills.run()
    assert (skills.result("skills/pdf"), delta.changes_content) == ("IGNORED", False)
    assert skills.files()["pdf/SKILL.md"][0] == skill("pdf", "# PDF\n").encode()
    skills.run()
    assert skills.server.kinds() == ["advert", "ls-refs"]
    skills.options.clear()
    assert [change.key for change in skills.run().updated] == ["skills/pdf"]


def test_a_package_that_paths_no_longer_means_is_out_of_scope(skills: Skills, first: str) -> None:
    skills.options["paths"] = ("skills/docx",)
    skills.run()
    assert [(item.key, item.outcome) for item in skills.delta.retained] == [
        ("skills/pdf", "OUT_OF_SCOPE"),
        ("skills/xlsx", "OUT_OF_SCOPE"),
    ]
    retained = skills.delta.retained
    skills.run()
    assert skills.server.kinds() == ["advert", "ls-refs"]
    assert skills.delta.retained == retained


def test_two_packages_that_want_one_place_block_the_newcomer(skills: Skills, first: str) -> None:
    skills.commit({"skills/PDF/SKILL.md": skill("pdf")})
    skills.run()
    assert skills.result("skills/PDF") == "TERMINAL_FAILURE"
    outcome = skills.seen.outcomes["skills/PDF"]
    assert getattr(outcome, "reason", "").startswith("BLOCKED: the package skills/pdf is where it would go")
    assert isinstance(skills.seen.outcomes["skills/pdf"], NotModified)


def test_skills_of_one_name_are_told_and_all_taken(skills: Skills) -> None:
    skills.commit({"LICENSE": MIT, "skills/a/SKILL.md": skill("pdf"), "skills/b/SKILL.md": skill("pdf")})
    assert len(skills.run().added) == 2
    assert "2 skills are named pdf: skills/a, skills/b" in skills.seen.notices


def test_a_look_alone_takes_nothing_and_moves_only_last_observed(skills: Skills, first: str) -> None:
    second = skills.commit({"skills/pdf/SKILL.md": skill("pdf", "# 2\n")})
    delta = skills.run(Ask(look_only=True))
    assert skills.server.kinds() == ["advert", "ls-refs"]
    assert (delta.changes_content, delta.retained) == (False, ())
    assert skills.seen.incomplete_reasons[0].startswith(f"only looked: the repository is at {second[:12]}")
    assert (skills.memory["last_observed"], skills.memory["last_fully_processed"]) == (second, first)
    third = skills.commit({"skills/pdf/SKILL.md": skill("pdf", "# 3\n")})
    skills.run()
    assert skills.memory["last_fully_processed"] == third, "the revision between them is not made up for"
    assert skills.files()["pdf/SKILL.md"][0] == skill("pdf", "# 3\n").encode()


def test_a_look_that_finds_nothing_new_is_complete(skills: Skills, first: str) -> None:
    skills.look(Ask(look_only=True))
    assert skills.seen.complete


# --- revisions: pinned, moved, gone ---


def test_skill_04_a_tag_that_moved_is_told_and_not_followed(skills: Skills, first: str) -> None:
    skills.upstream.tag("v1", first)
    skills.options["ref"] = "v1"
    skills.run()
    second = skills.commit({"skills/pdf/SKILL.md": skill("pdf", "# 2\n")})
    skills.upstream.tag("v1", second)
    delta = skills.run()
    assert not delta.changes_content
    assert any("was moved from" in notice and "not followed" in notice for notice in skills.seen.notices)
    assert skills.memory["revision"] == first


def test_skill_04_a_branch_named_like_a_commit_id_is_not_taken_for_it(skills: Skills, first: str) -> None:
    second = skills.commit({"skills/pdf/SKILL.md": skill("pdf", "# 2\n")})
    skills.upstream.ref(f"refs/heads/{first}", second)
    skills.run(ref=first)
    assert skills.memory["revision"] == first
    assert any("is named like the commit id" in notice for notice in skills.seen.notices)


@pytest.mark.parametrize("version", [0, 2])
def test_skill_06_a_revision_that_is_gone_keeps_the_old_content_and_says_so(skills: Skills, version: int) -> None:
    skills.server.version = version
    old = skills.commit(FIRST)
    skills.run(ref=old)
    skills.commit({**FIRST, "skills/pdf/SKILL.md": skill("pdf", "# other\n")}, orphan=True)
    skills.upstream.collect()
    assert not skills.run(ref=old).changes_content, "what is known needs no server"
    skills.known = {key: replace(record, raw_hash="") for key, record in skills.known.items()}
    skills.scratch = skills.scratch.with_name("lost")
    with pytest.raises((RevisionGone, HistoryRewritten)) as gone:
        skills.look(ref=old)
    assert old[:12] in gone.value.message
    assert "what was synced before is kept" in gone.value.message


def test_a_branch_that_was_pushed_anew_is_taken_as_it_is_now(skills: Skills, first: str) -> None:
    new = skills.commit({**FIRST, "skills/pdf/SKILL.md": skill("pdf", "# rewritten\n")}, orphan=True)
    skills.upstream.collect()
    assert [change.key for change in skills.run().updated] == ["skills/pdf"]
    assert skills.memory["revision"] == new


def test_the_repository_that_was_renamed_is_followed_and_told(skills: Skills, first: str) -> None:
    skills.server.rename("acme/skills", "acme/agent-skills")
    skills.upstream = replace(skills.upstream, path=skills.server.path("acme/agent-skills"))
    skills.commit({"skills/pdf/SKILL.md": skill("pdf", "# 2\n")})
    assert [change.key for change in skills.run().updated] == ["skills/pdf"]
    assert any("acme/agent-skills" in notice for notice in skills.seen.notices)


def test_the_id_of_the_host_is_remembered_and_asked_only_where_something_moved(skills: Skills) -> None:
    skills.ids = ["github.com#1", "never asked"]
    skills.commit(FIRST)
    skills.run()
    skills.run()
    assert skills.memory["identity"] == "github.com#1"
    assert skills.ids == ["never asked"]


# --- failures of the way (seed 002, section 4) ---


def test_an_unreachable_repository_is_no_observation(skills: Skills, first: str) -> None:
    skills.server.fault(status=503, times=None)
    with pytest.raises(SourceUnavailable):
        skills.look()


def test_a_rate_limit_is_no_outage(skills: Skills, first: str) -> None:
    skills.server.fault(status=429, times=None)
    with pytest.raises(SourceUnavailable) as limited:
        skills.look()
    assert limited.value.rate_limited


def test_what_was_taken_before_the_server_failed_is_not_asked_for_again(
    skills: Skills, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("git_okf.source.skills.taking.GROUP", 1)
    skills.commit(FIRST)
    skills.server.fault("fetch", skip=3, status=500, times=None)
    with pytest.raises(SourceUnavailable):
        skills.look()
    saved = set(skills.spool.saved)
    assert saved
    skills.server.heal()
    seen = skills.look()
    assert seen.counters.extracted == len(FIRST) - 3 - len(saved)
    assert {key for key, outcome in seen.outcomes.items() if isinstance(outcome, Fetched)} == {
        "skills/docx",
        "skills/pdf",
        "skills/xlsx",
    }


def test_a_retry_asks_for_the_revision_of_the_failure(skills: Skills, first: str) -> None:
    conclusion = ["RETRYABLE_FAILURE", "sha256:x", "content could not be fetched"]
    skills.memory = {**skills.memory, "not_taken": {"skills/pdf": conclusion}, "last_fully_processed": ""}
    pdf = skills.known["skills/pdf"]
    skills.known["skills/pdf"] = replace(pdf, raw_hash="", failure="content could not be fetched", tries=1)
    skills.commit({"skills/pdf/SKILL.md": skill("pdf", "# 2\n")})
    skills.run(Ask(retry_failed=True))
    assert skills.seen.incomplete_reasons == ("only failed items were asked",)
    assert skills.memory["revision"] == first
    assert skills.memory["last_fully_processed"] == first
    assert skills.known["skills/pdf"].failure == ""
    assert skills.files()["pdf/SKILL.md"][0] == skill("pdf", "# PDF\n").encode()


def test_a_run_that_has_no_more_time_says_so_and_goes_on_the_next_time(
    skills: Skills, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("git_okf.source.skills.taking.GROUP", 1)
    skills.commit(FIRST)
    clock = iter([0.0, 5.0, 20.0])
    skills.monotonic = lambda: next(clock)
    delta = skills.run(Ask(deadline=10.0))
    assert len(delta.added) == 2
    assert skills.seen.incomplete_reasons == ("the time ended before all skills were taken",)
    assert "last_fully_processed" not in skills.memory
    skills.monotonic = lambda: 0.0
    assert [change.key for change in skills.run().added] == ["skills/xlsx"]
    assert skills.memory["last_fully_processed"] == skills.memory["revision"]


def test_no_more_new_packages_are_taken_than_asked_for(skills: Skills) -> None:
    skills.commit(FIRST)
    assert len(skills.run(Ask(max_pages=2)).added) == 2
    assert skills.seen.incomplete_reasons == ("max_pages reached",)
    assert len(skills.run().added) == 1


def test_the_same_target_is_not_offered_again_after_a_rejection(skills: Skills, first: str) -> None:
    skills.commit({"skills/pdf/SKILL.md": skill("pdf", "# 2\n")})
    before = skills.known["skills/pdf"]
    skills.run()
    history = ingestion.from_memo(skills.known["skills/pdf"].memo)
    assert history.latest is not None
    assert history.latest.state is State.READY_FOR_REVIEW
    refused = ingestion.decided(history, history.latest.target, State.REJECTED)
    skills.known["skills/pdf"] = replace(before, memo={ingestion.MEMO: ingestion.to_memo(refused)})
    delta = skills.run()
    assert (skills.result("skills/pdf"), delta.changes_content) == ("IGNORED", False)
    skills.commit({"skills/pdf/SKILL.md": skill("pdf", "# 3\n")})
    assert [change.key for change in skills.run().updated] == ["skills/pdf"]


def test_a_target_rejected_before_it_was_ever_taken_is_remembered_by_the_source(skills: Skills) -> None:
    skills.commit(FIRST)
    skills.look()
    fetched = skills.seen.outcomes["skills/pdf"]
    assert isinstance(fetched, Fetched)
    latest = ingestion.from_memo(fetched.memo).latest
    assert latest is not None
    skills.spool = type(skills.spool)()
    skills.memory = {"rejected": {"skills/pdf": [latest.target]}}
    assert [change.key for change in skills.run().added] == ["skills/docx", "skills/xlsx"]
    assert skills.memory["rejected"] == {"skills/pdf": [latest.target]}


def test_one_revision_with_two_digests_is_a_conflict_that_blocks_that_package_alone(skills: Skills, first: str) -> None:
    pdf = skills.known["skills/pdf"]
    memo = ingestion.to_memo(ingestion.from_memo(pdf.memo))
    memo["latest"]["content"] = "sha256:" + "0" * 64
    skills.known["skills/pdf"] = replace(pdf, raw_hash="", memo={ingestion.MEMO: memo})
    skills.run()
    assert skills.result("skills/pdf") == "TERMINAL_FAILURE"
    assert "BLOCKED: at revision" in skills.known["skills/pdf"].failure
    assert isinstance(skills.seen.outcomes["skills/docx"], NotModified)


def test_a_marketplace_is_a_hint_and_the_tree_the_truth(skills: Skills) -> None:
    offer = '{"plugins": [{"source": "./", "skills": ["./skills/pdf", "./skills/gone"]}]}'
    skills.commit({**FIRST, ".claude-plugin/marketplace.json": offer})
    assert len(skills.run().added) == 3
    assert ".claude-plugin/marketplace.json names what has no SKILL.md: skills/gone" in skills.seen.notices


def test_another_place_for_packages_makes_them_anew(skills: Skills, first: str) -> None:
    skills.options["paths"] = ()
    delta = skills.run()
    assert sorted(skills.files())[-1] == "skills/xlsx/SKILL.md"
    assert delta.moved == (
        ("pages/docx.md", "pages/skills/docx.md"),
        ("pages/pdf.md", "pages/skills/pdf.md"),
        ("pages/xlsx.md", "pages/skills/xlsx.md"),
    )


def test_a_rebuild_reads_everything_again_and_changes_nothing(skills: Skills, first: str) -> None:
    seen = skills.look(Ask(afresh=True))
    assert seen.counters.fetched == 3
    assert not skills.take(seen).changes_content


def test_a_package_that_is_gone_is_gone_on_evidence_and_an_incomplete_tree_is_none(skills: Skills, first: str) -> None:
    skills.commit({"skills/pdf": None, "skills/a/b/c/d/e/f/g/h/SKILL.md": skill("h")})
    skills.options["paths"] = ()
    skills.run()
    assert not skills.seen.complete
    assert "skills/pdf" not in skills.seen.outcomes
    assert skills.known["skills/pdf"].missing_since == ""
    skills.options["paths"] = ("skills/*",)
    skills.run()
    assert isinstance(skills.seen.outcomes["skills/pdf"], Gone)


def test_a_run_that_must_stop_at_once_says_nothing_of_any_package(skills: Skills, first: str) -> None:
    seen = skills.repository().observe(skills.known, Ask(), tools(stopping=lambda: True))
    assert (dict(seen.outcomes), seen.complete, seen.memory) == ({}, False, None)


def test_the_same_place_gives_the_same_observation(skills: Skills) -> None:
    skills.commit(FIRST)
    one = skills.look()
    skills.spool = type(skills.spool)()
    two = skills.look()
    assert list(one.outcomes.items()) == list(two.outcomes.items())
    resumed = skills.look()
    assert dict(resumed.outcomes) == dict(two.outcomes)
    assert resumed.counters.extracted == 0


def test_a_dry_run_keeps_no_mirror_and_sees_the_same(skills: Skills, tmp_path: Path) -> None:
    skills.commit(FIRST)
    seen = skills.repository().observe({}, Ask(), tools())
    assert dict(seen.outcomes) == dict(skills.look().outcomes)


def test_a_private_repository_names_nobody_in_its_error(skills: Skills, first: str) -> None:
    skills.server.credentials = ("user", "secret-token")
    with pytest.raises(SourceUnavailable) as refused:
        skills.look()
    assert "secret-token" not in f"{refused.value.message} {refused.value.hint}"


def test_a_subtree_that_could_not_be_listed_proves_nothing_gone_and_is_asked_again(
    skills: Skills, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Mirror.tree
    gaps = [("skills/pdf/scripts", "its listing did not come"), ("skills/docx", "its listing did not come")]

    def partly(self: Mirror, commit: str) -> Tree:
        listed = whole(self, commit)
        hidden = tuple(f"{gap}/" for gap, _ in gaps)
        kept = tuple(entry for entry in listed.entries if not entry.path.startswith(hidden))
        return replace(listed, entries=kept, missing=tuple(gaps))

    skills.commit({"skills/xlsx/SKILL.md": skill("xlsx", "# XLSX 2\n")})
    with monkeypatch.context() as patch:
        patch.setattr(Mirror, "tree", partly)
        delta = skills.run()
    assert [change.key for change in delta.updated] == ["skills/xlsx"], "what was listed whole goes on"
    assert [(item.key, item.outcome) for item in delta.retained] == [
        ("skills/docx", "RETRYABLE_FAILURE"),
        ("skills/pdf", "RETRYABLE_FAILURE"),
    ]
    assert skills.seen.incomplete_reasons[0].startswith("parts of the tree could not be listed: skills/docx")
    assert skills.memory["last_fully_processed"] == first
    assert skills.run().retained == ()
    assert skills.memory["last_fully_processed"] == skills.memory["revision"] != first


def test_a_local_path_begins_at_the_root_of_our_repository(skills: Skills) -> None:
    skills.commit(FIRST)
    place = skills.upstream.path
    ours = place.parent / "ours"
    ours.mkdir()
    made = replace(tools(), root=ours)
    seen = skills.repository(url=f"../{place.name}").observe({}, Ask(), made)
    assert len(seen.outcomes) == 3
    assert skills.server.kinds() == []
