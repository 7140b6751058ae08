"""Skills under `git okf pr`: each package is decided for itself (seed 002, sections 1 to 4)."""

from __future__ import annotations

import pytest
from offered import BRANCH, Office
from packaged import MIT, RESERVED, skill
from upstreams import Content, Upstream

PDF, DOCX = "skills/pdf", "skills/docx"
TWO: dict[str, Content] = {f"{PDF}/SKILL.md": skill("pdf", "# 2\n")}
THREE: dict[str, Content] = {f"{PDF}/SKILL.md": skill("pdf", "# 3\n")}


def test_what_a_direct_sync_commits_is_approved_and_waits_for_nobody(office: Office) -> None:
    assert {key: office.state_of(key) for key in office.state().records} == {PDF: "APPROVED", DOCX: "APPROVED"}
    assert office.state().targets == ()


def test_what_is_offered_waits_for_review_and_a_merge_approves_it(office: Office) -> None:
    office.commit(TWO)
    assert office.decision() == "create"
    assert (office.state_of(PDF), office.state_of(DOCX)) == ("READY_FOR_REVIEW", "APPROVED")
    office.hub.squash(1)
    assert office.decision() == "nothing"
    assert (office.state_of(PDF), office.targets()) == ("APPROVED", [("APPROVED", 1)])
    before = office.refs()
    assert office.decision() == "nothing"
    assert office.refs() == before
    assert office.server.kinds() == ["advert", "ls-refs"]


def test_newer_content_takes_the_place_of_what_waits_and_only_the_newest_can_be_approved(office: Office) -> None:
    office.commit(TWO)
    office.decision()
    office.commit(THREE)
    assert office.decision() == "update"
    history = office.history(PDF)
    assert [each.state for each in history.earlier] == ["SUPERSEDED", "APPROVED"]
    assert office.state_of(PDF) == "READY_FOR_REVIEW"
    assert office.targets() == [("SUPERSEDED", 1), ("PENDING", 1)]
    office.hub.merge(1)
    office.decision()
    assert office.state_of(PDF) == "APPROVED"
    assert [each.state for each in office.history(PDF).earlier] == ["SUPERSEDED", "APPROVED"]
    assert "# 3" in office.on("main", "vendor/skills/pdf/SKILL.md")


@pytest.mark.parametrize("branch_deleted", [False, True])
@pytest.mark.parametrize("fresh", [False, True])
def test_a_rejected_package_is_offered_again_only_when_its_content_differs(
    office: Office, branch_deleted: bool, fresh: bool
) -> None:
    office.commit(TWO)
    office.decision()
    office.hub.close(1)
    if branch_deleted:
        office.hub.delete_branch(BRANCH)
    if fresh:
        office.fresh()
    assert office.decision() == "leave (rejected)"
    assert (office.state_of(PDF), office.targets()) == ("REJECTED", [("REJECTED", 1)])
    before = office.refs()
    assert office.decision() == "leave (rejected)"
    assert (office.refs(), office.server.kinds()) == (before, ["advert", "ls-refs"])
    office.commit({f"{DOCX}/SKILL.md": skill("docx", "# 2\n")})
    assert office.decision() == "create", "the other package changed"
    assert office.changed() == {"docx/SKILL.md"}, "what was refused is not in it"
    office.commit(THREE)
    assert office.decision() == "update"
    assert office.changed() == {"docx/SKILL.md", "pdf/SKILL.md"}
    assert [each.state for each in office.history(PDF).earlier] == ["REJECTED", "APPROVED"]


def test_a_package_changed_on_the_night_of_its_rejection_does_not_bring_the_rejected_one_back(office: Office) -> None:
    office.commit(TWO)
    office.decision()
    office.hub.close(1)
    office.commit({f"{DOCX}/SKILL.md": skill("docx", "# 2\n")})
    assert office.decision() == "create"
    assert office.changed() == {"docx/SKILL.md"}


def test_a_new_package_that_is_rejected_is_remembered_though_it_was_never_here(office: Office) -> None:
    new: dict[str, Content] = {"skills/xlsx/SKILL.md": skill("xlsx", "# 1\n"), "skills/xlsx/LICENSE": MIT}
    office.commit(new)
    office.decision()
    assert office.state_of("skills/xlsx") == "READY_FOR_REVIEW"
    office.hub.close(1)
    office.hub.delete_branch(BRANCH)
    office.fresh()
    assert office.decision() == "leave (rejected)"
    assert list(office.state().watermarks["rejected"]) == ["skills/xlsx"]
    office.commit(TWO)
    assert office.decision() == "create"
    assert office.changed() == {"pdf/SKILL.md"}
    office.commit({"skills/xlsx/SKILL.md": skill("xlsx", "# 2\n")})
    assert office.decision() == "update"
    assert "xlsx/SKILL.md" in office.changed()


def test_a_changed_licence_alone_is_offered(office: Office) -> None:
    office.commit({f"{PDF}/LICENSE": MIT.replace("2026", "2027")})
    assert office.decision() == "create"
    assert office.changed() == {"pdf/LICENSE"}
    assert office.state_of(PDF) == "READY_FOR_REVIEW"


def test_a_changed_licence_of_a_package_that_is_only_described_is_offered_and_stays(office: Office) -> None:
    office.commit({f"{PDF}/LICENSE": RESERVED})
    office.decision()
    office.hub.squash(1)
    office.commit({f"{PDF}/LICENSE": RESERVED + "Nobody at all.\n"})
    assert office.decision() == "create"
    assert office.decision() == "nothing"
    assert office.targets() == [("APPROVED", 1), ("PENDING", 2)]


def test_a_rejection_that_is_taken_back_is_no_rejection(office: Office) -> None:
    office.commit(TWO)
    office.decision()
    office.hub.close(1)
    office.decision()
    assert office.state_of(PDF) == "REJECTED"
    office.hub.reopen(1)
    assert office.decision() == "nothing"
    assert office.hub.pulls[1].stage == "open"
    assert (office.state_of(PDF), office.targets()) == ("READY_FOR_REVIEW", [("PENDING", 1)])
    assert "rejected" not in office.state().watermarks
    office.hub.squash(1)
    office.decision()
    assert office.state_of(PDF) == "APPROVED"


def test_what_a_source_took_back_is_superseded_and_can_be_offered_again(office: Office) -> None:
    office.commit(TWO)
    office.decision()
    office.commit({f"{PDF}/SKILL.md": skill("pdf", "# 1\n")})
    assert office.decision() == "close (obsolete)"
    assert office.state_of(PDF) == "SUPERSEDED"
    office.commit(TWO)
    assert office.decision() == "create"
    assert office.state_of(PDF) == "READY_FOR_REVIEW"


def test_what_a_merge_left_out_waits_for_a_decision_again(office: Office) -> None:
    office.commit({**TWO, f"{DOCX}/SKILL.md": skill("docx", "# 2\n")})
    office.decision()
    old = {
        path: office.on("main", path) + "\n"
        for path in ("vendor/skills/pdf/SKILL.md", "okf/skills/pages/pdf.md", "okf/skills/pages/index.md")
    }
    office.hub.squash(1)
    office.hub.edit("main", old, "Take back pdf")
    assert office.decision() == "create"
    assert office.changed() == {"pdf/SKILL.md"}
    assert (office.state_of(PDF), office.state_of(DOCX)) == ("READY_FOR_REVIEW", "APPROVED")
    office.hub.close(2)
    assert office.decision() == "leave (rejected)"
    assert (office.state_of(PDF), office.state_of(DOCX)) == ("REJECTED", "APPROVED")


MORE = "  other: {{kind: skills, url: '{base}acme/other.git', packages: vendor/other, bundle: okf/other}}\n"


@pytest.mark.parametrize("office", [{"more": MORE, "review": ", high_water: 3, low_water: 2"}], indirect=True)
def test_backpressure_counts_packages_each_once_and_the_newest_only(office: Office) -> None:
    other = Upstream.create(office.server.path("acme/other"))
    other.commit({"a/SKILL.md": skill("a", "# 1\n"), "a/LICENSE": MIT})
    office.commit({**TWO, f"{DOCX}/SKILL.md": skill("docx", "# 2\n")})
    office.decision()
    office.commit({"skills/xlsx/SKILL.md": skill("xlsx", "# 1\n"), "skills/xlsx/LICENSE": MIT, **THREE})
    assert office.decision() == "update", "what waits does not keep newer content from taking its place"
    assert [each["items"] for each in office.state().targets] == [2, 3]
    office.server.forget()
    report = office.pr("other")["other"]
    assert report["review"]["decision"] == "leave (backlog)", "three packages wait, in one review"
    assert office.server.kinds() == ["advert", "ls-refs"], "it was only looked at"
    assert office.state().held == ""
    office.hub.squash(1)
    assert office.pr("other")["other"]["review"]["decision"] == "create", "settled ones do not count"


@pytest.mark.parametrize("office", [{"more": MORE, "review": ", high_water: 1, low_water: 1"}], indirect=True)
def test_after_the_backlog_the_newest_revision_is_taken_and_none_in_between(office: Office) -> None:
    other = Upstream.create(office.server.path("acme/other"))
    other.commit({"a/SKILL.md": skill("a", "# 1\n"), "a/LICENSE": MIT})
    office.commit(TWO)
    assert office.decision() == "create"
    seen = []
    for version in (2, 3):
        seen.append(other.commit({"a/SKILL.md": skill("a", f"# {version}\n")}))
        assert office.pr("other")["other"]["review"]["decision"] == "leave (backlog)"
        assert office.server.kinds() == ["advert", "ls-refs"]
    office.hub.squash(1)
    assert office.pr("other")["other"]["review"]["decision"] == "create"
    assert seen[0] not in office.server.wants()
    assert seen[1] in office.server.wants()
    assert "# 3" in office.on("okf/sync/other", "vendor/other/a/SKILL.md")


@pytest.mark.parametrize("office", [{"more": MORE, "review": ", high_water: 1, low_water: 1"}], indirect=True)
def test_a_conflict_that_waits_for_a_person_counts_towards_backpressure(office: Office) -> None:
    other = Upstream.create(office.server.path("acme/other"))
    other.commit({"a/SKILL.md": skill("a", "# 1\n"), "a/LICENSE": MIT})
    office.commit({"skills/PDF/SKILL.md": skill("PDF", "# 1\n")})
    office.decision()
    assert office.pr("other")["other"]["review"]["decision"] == "leave (backlog)"


BOOK = "  book: {{kind: git, url: '{base}acme/book.git', bundle: okf/book}}\n"


@pytest.mark.parametrize("office", [{"more": BOOK}], indirect=True)
def test_of_markdown_files_a_changed_front_matter_is_offered_and_stays_until_it_is_merged(office: Office) -> None:
    book = Upstream.create(office.server.path("acme/book"))
    for tag in ("one", "two"):
        book.commit({"a.md": f"---\ntags: [{tag}]\n---\n\n# A\n\nThe same text.\n"})
        assert office.pr("book")["book"]["review"]["decision"] == "create"
        assert office.pr("book")["book"]["review"]["decision"] == "nothing"
        (pull,) = office.hub.open_pulls()
        office.hub.squash(pull.number)
    assert office.pr("book")["book"]["review"]["decision"] == "nothing"
    assert "two" in office.on("main", "okf/book/pages/a.md")


@pytest.mark.parametrize("office", [{"forge": "none"}], indirect=True)
def test_without_a_host_the_base_tells_what_became_of_a_package(office: Office) -> None:
    office.commit(TWO)
    assert office.decision() == "create"
    assert office.state_of(PDF) == "READY_FOR_REVIEW"
    office.hub.git("update-ref", "-d", f"refs/heads/{BRANCH}")
    assert office.decision() == "leave (rejected)"
    assert office.state_of(PDF) == "REJECTED"
    office.commit({f"{DOCX}/SKILL.md": skill("docx", "# 2\n")})
    assert office.decision() == "create"
    assert office.changed() == {"docx/SKILL.md"}
    office.hub.git("update-ref", "refs/heads/main", f"refs/heads/{BRANCH}")
    assert office.decision() == "leave (rejected)"
    assert office.state_of(DOCX) == "APPROVED"


def test_a_direct_sync_approves_what_waits_in_a_review(office: Office) -> None:
    office.commit(TWO)
    office.decision()
    ran = office.okf("sync", "skills", cwd=office.repo.path)
    assert ran.code == 0, ran.err
    found = Office.state_of
    office.repo.git("push", "--quiet", "origin", "main", "okf/state")
    assert found(office, PDF) == "APPROVED"


def test_that_a_package_was_withdrawn_is_reviewed_like_a_change_of_it(office: Office) -> None:
    office.commit({PDF: None})
    assert office.decision() == "create"
    assert "withdrawn:" in office.on(BRANCH, "okf/skills/pages/pdf.md")
    assert office.decision() == "nothing"
    office.hub.squash(1)
    assert office.decision() == "nothing"
    assert "withdrawn:" in office.on("main", "okf/skills/pages/pdf.md")
    before = office.refs()
    assert office.decision() == "nothing"
    assert (office.refs(), office.server.kinds()) == (before, ["advert", "ls-refs"])
    office.commit(THREE)
    assert office.decision() == "create", "it is back"
    assert "withdrawn:" not in office.on(BRANCH, "okf/skills/pages/pdf.md")


def test_a_rejected_mark_is_not_offered_again(office: Office) -> None:
    office.commit({PDF: None})
    assert office.decision() == "create"
    office.hub.close(1)
    for _ in range(3):
        assert office.decision() == "leave (rejected)"
    assert office.targets() == [("REJECTED", 1)]
