"""The tables of seed 002 and the faults SKILL-01 to SKILL-06, row by row: which test proves what."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest
from packaged import MIT, skill
from skills_here import FIRST, Here, everywhere
from skills_here import here as here
from upstreams import Content, Exec, Link, Submodule, lfs_pointer

from git_okf.errors import EXIT_PARTIAL
from git_okf.store.checkpoint import WINDOW

TESTS = Path(__file__).parents[2]
ROWS: dict[str, tuple[str, ...]] = {
    # --- section 1: layered states ---
    "a rate limit is no outage": ("source/skills/test_source.py::test_a_rate_limit_is_no_outage",),
    "rechecked after a day, three days, every week": (
        "scenarios/test_source_life.py::test_an_unreachable_source_is_looked_at_after_a_day_three_days_and_then_every_week",
    ),
    "a pause is a person's": ("scenarios/test_source_life.py::test_a_pause_is_lifted_by_nobody_but_a_person",),
    "an ignore rule stops and deletes nothing": (
        "source/skills/test_source.py::test_an_ignore_rule_stops_a_package_and_deletes_nothing",
    ),
    "the states of an ingestion": (
        "source/skills/test_ingestion.py::test_the_states_are_those_of_the_seed",
        "source/skills/test_ingestion.py::test_only_the_transitions_of_the_table_are_possible",
        "source/skills/test_ingestion.py::test_validated_alone_is_not_ready_for_review",
    ),
    "an ingestion is settled with its review": (
        "scenarios/test_skill_reviews.py::test_what_is_offered_waits_for_review_and_a_merge_approves_it",
        "scenarios/test_skill_reviews.py::test_a_rejected_package_is_offered_again_only_when_its_content_differs",
        "scenarios/test_skill_reviews.py::test_what_a_source_took_back_is_superseded_and_can_be_offered_again",
    ),
    "only the newest target can be approved": (
        "source/skills/test_ingestion.py::test_only_the_latest_target_can_be_approved",
        "scenarios/test_skill_reviews.py::test_newer_content_takes_the_place_of_what_waits_and_only_the_newest_can_be_approved",
    ),
    "the backlog counts each coordinate once, unresolved and newest only": (
        "scenarios/test_skill_reviews.py::test_backpressure_counts_packages_each_once_and_the_newest_only",
        "scenarios/test_skill_reviews.py::test_a_conflict_that_waits_for_a_person_counts_towards_backpressure",
        "review/test_targets.py::test_the_backlog_counts_each_coordinate_once_and_what_is_unresolved_alone",
    ),
    "below low water the newest is read, and nothing in between": (
        "scenarios/test_skill_reviews.py::test_after_the_backlog_the_newest_revision_is_taken_and_none_in_between",
    ),
    # --- section 2: identity and durable records ---
    "the host's id is the identity, owner and name are display": (
        "source/repository/test_identity.py::test_the_hosts_own_id_is_the_identity",
        "source/repository/test_identity.py::test_a_renamed_or_transferred_repository_is_the_same",
        "source/repository/test_identity.py::test_a_new_repository_under_an_old_name_is_another_one",
        "source/skills/test_source.py::test_the_id_of_the_host_is_remembered_and_asked_only_where_something_moved",
    ),
    "leads are no sources, with budget and cursor": (
        "test_discovering.py::test_leads_are_listed_with_what_to_type_and_nothing_is_added",
        "test_discovering.py::test_a_search_keeps_to_its_budget_and_the_next_goes_on",
    ),
    "one unfinished run of a source": (
        "store/test_lease.py::test_a_second_run_is_told_who_holds_it_and_since_when",
        "store/test_lease.py::test_state_06_four_processes_never_hold_it_at_once",
    ),
    "a result reported twice is one, another digest is refused": (
        "source/skills/test_ingestion.py::test_the_same_report_again_is_the_same_ingestion",
        "source/skills/test_ingestion.py::test_another_digest_for_the_same_path_and_revision_is_a_conflict",
        "source/skills/test_source.py::test_one_revision_with_two_digests_is_a_conflict_that_blocks_that_package_alone",
    ),
    "the same content makes no second target": (
        "source/skills/test_ingestion.py::test_the_same_content_at_a_newer_revision_makes_no_second_target",
    ),
    "a rejected fingerprint is not offered again": (
        "source/skills/test_ingestion.py::test_a_rejected_target_is_not_offered_again",
        "scenarios/test_skill_reviews.py::test_a_new_package_that_is_rejected_is_remembered_though_it_was_never_here",
    ),
    "credentials are kept by nobody": (
        "scenarios/test_private_repositories.py::test_credentials_come_from_gits_helpers_and_are_nowhere_afterwards",
    ),
    "a move does not replace the latest target": (
        "source/skills/test_ingestion.py::test_a_package_that_moved_keeps_what_was_decided_and_its_latest_target",
        "source/skills/test_ingestion.py::test_content_waiting_at_the_old_path_is_superseded_by_content_at_the_new_one",
        "source/skills/test_moves.py::test_moves_are_one_to_one_and_certain",
    ),
    "paths are normalised or refused": (
        "source/repository/test_paths.py::test_a_path_that_could_be_another_file_is_refused",
        "source/repository/test_paths.py::test_what_leads_elsewhere_is_not_normalised_but_refused",
    ),
    # --- section 3: lease, replay, completion ---
    "a holder that was replaced stops and writes nothing": (
        "store/test_lease.py::test_state_06_an_expired_lease_is_taken_over_and_its_holder_cannot_write",
        "store/test_lease.py::test_state_06_a_stopped_holder_that_wakes_after_a_takeover_writes_nothing",
        "scenarios/test_pushing.py::test_state_06_a_run_whose_lease_was_taken_over_elsewhere_pushes_and_writes_nothing",
    ),
    "a retry keeps to its revision": (
        "source/skills/test_source.py::test_a_retry_asks_for_the_revision_of_the_failure",
    ),
    "fully processed needs a whole tree and a conclusion for each package": (
        "source/skills/test_source.py::test_packages_fail_alone",
        "source/skills/test_source.py::test_a_subtree_that_could_not_be_listed_proves_nothing_gone_and_is_asked_again",
        "source/skills/test_source.py::test_a_run_that_has_no_more_time_says_so_and_goes_on_the_next_time",
    ),
    "a look moves last_observed alone": (
        "source/skills/test_source.py::test_a_look_alone_takes_nothing_and_moves_only_last_observed",
        "scenarios/test_heads_that_move.py::test_it_costs_one_commit_of_the_state_and_nothing_else",
    ),
    # --- section 4: failures and what follows ---
    "the worker stops, or loses its lease": (
        "source/skills/test_source.py::test_what_was_taken_before_the_server_failed_is_not_asked_for_again",
        "source/skills/test_seed.py::test_seed_4_a_run_that_ended_early_is_not_paid_for_twice",
    ),
    "one package fails": (
        "source/skills/test_source.py::test_packages_fail_alone",
        "source/skills/test_sync.py::test_one_broken_package_leaves_the_others_going_and_its_old_content_in_place",
        "source/skills/test_moves.py::test_an_unconfirmed_old_path_that_could_be_it_forbids_the_move",
    ),
    "403, 429, an exhausted budget": (
        "source/skills/test_source.py::test_a_rate_limit_is_no_outage",
        "scenarios/test_source_life.py::test_a_limit_keeps_the_source_active_and_is_waited_for",
    ),
    "the backlog is at high water": (
        "scenarios/test_skill_reviews.py::test_backpressure_counts_packages_each_once_and_the_newest_only",
    ),
    "a tree that is cut off": (
        "source/skills/test_discovery.py::test_a_tree_that_could_not_be_listed_whole_is_incomplete",
        "source/skills/test_source.py::test_a_subtree_that_could_not_be_listed_proves_nothing_gone_and_is_asked_again",
    ),
    "no room on the disk": (
        "source/skills/test_taking.py::test_local_disk_budget_what_does_not_fit_together_is_taken_in_parts",
        "source/skills/test_taking.py::test_capacity_a_package_that_does_not_even_fit_alone_waits_and_leaves_the_others_going",
    ),
    "the repository or a path is gone": (
        "source/skills/test_source.py::test_an_unreachable_repository_is_no_observation",
        "source/skills/test_sync.py::test_a_package_gone_upstream_is_withdrawn_and_kept",
    ),
    "a staged object is damaged or too old": (
        "source/skills/test_seed.py::test_seed_4_a_staged_object_that_is_damaged_is_fetched_again",
        "source/skills/test_seed.py::test_seed_4_a_staged_object_that_is_too_old_is_fetched_again",
    ),
    "nothing changed; the licence alone did": (
        "source/skills/test_sync.py::test_packages_arrive_byte_for_byte_and_a_second_sync_writes_nothing",
        "scenarios/test_skill_reviews.py::test_a_changed_licence_alone_is_offered",
    ),
    "it would take the place of something else": (
        "source/skills/test_source.py::test_two_packages_that_want_one_place_block_the_newcomer",
        "source/skills/test_seed.py::test_seed_4_a_package_never_takes_the_place_of_a_file_of_ours",
    ),
    "newer content while a target waits": (
        "scenarios/test_skill_reviews.py::test_newer_content_takes_the_place_of_what_waits_and_only_the_newest_can_be_approved",
    ),
    # --- section 5: limits ---
    "100 files, 10 MiB a file, 100 MiB a package": (
        "source/skills/test_package.py::test_the_limits_are_those_of_the_seed",
        "source/skills/test_package.py::test_at_a_limit_a_package_is_taken",
        "source/skills/test_package.py::test_over_a_limit_the_whole_package_fails_for_good",
        "source/skills/test_source.py::test_limits_hold_whether_or_not_the_server_filters",
        "source/skills/test_taking.py::test_a_package_over_its_total_is_never_held_whole",
    ),
    # --- faults, section 11 ---
    "SKILL-01": (
        "source/skills/test_sync.py::test_skill_01_what_is_up_to_date_is_decided_from_the_tree",
        "source/skills/test_seed.py::test_skill_01_a_state_whose_revision_is_wrong_is_found_out",
    ),
    "SKILL-02": (
        "source/skills/test_sync.py::test_skill_02_a_dry_run_says_what_a_run_does_and_does_nothing",
        "scenarios/test_dry_runs.py::test_skill_02_a_question_writes_nothing",
    ),
    "SKILL-03": (
        "source/skills/test_sync.py::test_skill_03_files_of_the_users_own_survive_an_update",
        "source/skills/test_sync.py::test_skill_03_an_edit_of_a_package_survives_an_update_elsewhere_and_is_told",
        "source/skills/test_seed.py::test_skill_03_own_files_and_an_edit_survive_an_update_that_removes_and_changes",
    ),
    "SKILL-04": (
        "source/skills/test_seed.py::test_skill_04_a_tag_that_moved_is_told_and_its_package_stays",
        "source/repository/test_look.py::test_skill_04_a_branch_named_like_an_id_is_not_followed",
        "source/repository/test_look.py::test_skill_04_an_abbreviated_id_is_refused",
        "source/repository/test_look.py::test_skill_04_a_moved_tag_is_reported_and_not_followed",
        "source/skills/test_source.py::test_skill_04_a_tag_that_moved_is_told_and_not_followed",
    ),
    "SKILL-05": (
        "source/skills/test_seed.py::test_skill_05_each_kind_of_entry_has_its_rule_and_its_line",
        "source/skills/test_package.py::test_skill_05_an_entry_that_cannot_be_taken_fails_the_whole_package",
        "source/skills/test_package.py::test_skill_05_what_is_taken_with_a_doubt_is_warned_about",
        "source/skills/test_links.py::test_skill_05_links_to_missing_files_are_told_and_directories_count_as_there",
    ),
    "SKILL-06": (
        "source/skills/test_seed.py::test_skill_06_a_history_that_was_rewritten_is_followed_and_a_commit_that_is_gone_changes_nothing",
        "source/repository/test_mirror.py::test_skill_06_a_commit_outside_the_shallow_window",
        "source/repository/test_mirror.py::test_skill_06_a_server_that_refuses_ids_is_searched_in_all_refs",
        "source/repository/test_mirror.py::test_skill_06_a_rewritten_history_is_told_and_nothing_is_lost",
        "source/repository/test_mirror.py::test_two_commits_back_to_back",
        "source/skills/test_source.py::test_skill_06_a_revision_that_is_gone_keeps_the_old_content_and_says_so",
    ),
}  # fmt: skip


@cache
def _tests_of(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("row", ROWS)
def test_each_row_has_its_tests(row: str) -> None:
    missing = [name for name in ROWS[row] if name.split("::")[1] not in _tests_of(name.split("::")[0])]
    assert missing == []


# --- section 4: a run that ended before its end ---


def _package(number: int) -> dict[str, Content]:
    at = f"skills/s{number}"
    script = Exec(f"echo {number}\n")
    return {f"{at}/SKILL.md": skill(f"s{number}", f"# {number}\n"), f"{at}/LICENSE": MIT, f"{at}/run.sh": script}


MANY: dict[str, Content] = {path: data for number in range(6) for path, data in _package(number).items()}


def _interrupted(here: Here, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run whose server fails after some packages; where what it had is staged."""
    monkeypatch.setattr("git_okf.source.skills.taking.GROUP", 1)
    here.upstream.commit(MANY)
    here.server.fault("fetch", skip=5, status=500, times=None)
    here.sync("skills", code=4)
    here.server.heal()
    (staged,) = (here.repo.path / ".git/okf/checkpoint").iterdir()
    return staged


def _whole(here: Here) -> bool:
    return here.listed() == here.theirs("main")


def test_seed_4_a_run_that_ended_early_is_not_paid_for_twice(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    staged = _interrupted(here, monkeypatch)
    here.repo.git("gc", "--quiet", "--prune=now")
    saved = [json.loads(line)["result"]["key"] for line in (staged / "results.jsonl").read_text().splitlines()]
    assert len(saved) >= 2
    report = json.loads(here.sync("--json").out)["sources"][0]
    assert report["extracted"] == len(report["added"]) - len(saved)
    assert _whole(here)


def test_seed_4_a_staged_object_that_is_damaged_is_fetched_again(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    staged = _interrupted(here, monkeypatch)
    bodies = staged / "bodies"
    data = bytearray(bodies.read_bytes())
    at = re.search(rb"# DOCX", bytes(data))
    assert at is not None
    data[at.start()] ^= 0xFF
    bodies.write_bytes(bytes(data))
    report = json.loads(here.sync("--json").out)["sources"][0]
    assert report["extracted"] == len(report["added"]), "nothing behind the damage is trusted"
    assert _whole(here)


def test_seed_4_a_staged_object_that_is_too_old_is_fetched_again(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    results = _interrupted(here, monkeypatch) / "results.jsonl"
    assert WINDOW.days < 3650
    results.write_text(re.sub(r'"at": "\d{4}', '"at": "2001', results.read_text()))
    report = json.loads(here.sync("--json").out)["sources"][0]
    assert report["extracted"] == len(report["added"])
    assert _whole(here)


def test_seed_4_a_package_never_takes_the_place_of_a_file_of_ours(here: Here) -> None:
    mine = here.repo.commit("ours", {"vendor/skills/pdf/SKILL.md": "ours\n"})
    said = here.sync(code=EXIT_PARTIAL)
    assert "a file of yours stands where pdf/SKILL.md belongs" in said.out
    assert here.repo.git("show", "HEAD:vendor/skills/pdf/SKILL.md") == "ours"
    assert set(here.listed()) == {"pdf/SKILL.md", "docx/SKILL.md", "docx/LICENSE"}, "the other goes on"
    assert here.repo.git("log", "--format=%H", "--", "vendor/skills/pdf") == mine


# --- faults ---


@everywhere
def test_skill_01_a_state_whose_revision_is_wrong_is_found_out(here: Here) -> None:
    here.sync()
    head, state = here.repo.git("rev-parse", "HEAD"), "refs/heads/okf/state"
    facts = json.loads(here.repo.git("show", f"{state}:skills/source.json"))
    for name in ("revision", "last_fully_processed", "last_observed"):
        facts["watermarks"][name] = "0" * 40
    here.repo.git("worktree", "add", "--quiet", str(here.repo.path.parent / "state"), "okf/state")
    (here.repo.path.parent / "state/skills/source.json").write_text(json.dumps(facts))
    here.repo.git("-C", str(here.repo.path.parent / "state"), "commit", "--quiet", "--all", "--message", "wrong")
    here.repo.git("worktree", "remove", "--force", str(here.repo.path.parent / "state"))
    here.sync()
    assert here.repo.git("rev-parse", "HEAD") == head
    right = json.loads(here.repo.git("show", f"{state}:skills/source.json"))["watermarks"]
    assert right["last_fully_processed"] == right["revision"] == here.upstream.git("rev-parse", "main")
    here.upstream.commit({"skills/pdf/SKILL.md": skill("pdf", "# 2\n")})
    here.sync()
    assert _whole(here)


@everywhere
def test_skill_03_own_files_and_an_edit_survive_an_update_that_removes_and_changes(here: Here) -> None:
    here.sync()
    edited = skill("pdf", "# PDF\n\nSee [run](scripts/run.sh).\n\nOur own rule.\n")
    own = {"vendor/skills/pdf/templates/mine.md": "mine\n", "vendor/skills/pdf/.env": "KEY=1\n"}
    here.repo.commit("ours", {**own, "vendor/skills/pdf/SKILL.md": edited})
    here.upstream.commit({"skills/pdf/SKILL.md": skill("pdf", "# PDF\n\nOther.\n"), "skills/pdf/scripts/run.sh": None})
    said = here.sync(code=EXIT_PARTIAL)
    assert "edited here and changed at the source" in said.out
    assert {path: (here.repo.path / path).read_text() for path in own} == own
    assert (here.repo.path / "vendor/skills/pdf/SKILL.md").read_text() == edited
    assert "pdf/scripts/run.sh" in here.listed(), "the package is as it was, whole"
    here.sync("--theirs")
    assert {path: (here.repo.path / path).read_text() for path in own} == own
    assert set(here.listed()) - set(here.theirs("main")) == {"pdf/.env", "pdf/templates/mine.md"}
    assert here.listed().items() >= here.theirs("main").items()


@everywhere
def test_skill_04_a_tag_that_moved_is_told_and_its_package_stays(here: Here) -> None:
    here.upstream.tag("v1", here.upstream.git("rev-parse", "main"))
    text = (here.repo.path / ".okf.yaml").read_text()
    here.repo.commit("follow a tag", {".okf.yaml": text + "    ref: v1\n"})
    here.sync()
    head, packages = here.repo.git("rev-parse", "HEAD"), here.listed()
    here.upstream.tag("v1", here.upstream.commit({"skills/pdf/SKILL.md": skill("pdf", "# 2\n")}))
    said = here.sync()
    assert "tag v1" in said.out + said.err
    assert (here.repo.git("rev-parse", "HEAD"), here.listed()) == (head, packages)


@everywhere
def test_skill_05_each_kind_of_entry_has_its_rule_and_its_line(here: Here) -> None:
    odd: dict[str, Content] = {
        "skills/pdf/latest": Link("../docx"),
        "skills/sub/SKILL.md": skill("sub", "# Sub\n"),
        "skills/sub/vendor": Submodule(),
        "skills/fine/SKILL.md": skill("fine", "See [more](more.md).\n"),
        "skills/fine/LICENSE": MIT,
        "skills/fine/run.sh": Exec("echo\n"),
        "skills/fine/big.bin": lfs_pointer(),
        "skills/fine/empty/.gitkeep": "",
    }
    here.upstream.commit(odd)
    said = here.sync()
    for line in (
        "skills/pdf: not taken: latest is a symbolic link",
        "skills/sub: not taken: vendor is a submodule",
        "skills/fine: executable, and kept so: run.sh",
        "skills/fine: pointers of Git LFS",
        "more.md",
    ):
        assert line in said.out + said.err
    fine = {path: blob for path, blob in here.theirs("main").items() if path.startswith("fine/")}
    assert len(fine) == 5
    assert {path: blob for path, blob in here.listed().items() if path.startswith("fine/")} == fine


@everywhere
def test_skill_06_a_history_that_was_rewritten_is_followed_and_a_commit_that_is_gone_changes_nothing(
    here: Here,
) -> None:
    here.sync()
    here.upstream.commit({**FIRST, "skills/pdf/SKILL.md": skill("pdf", "# 2\n")}, orphan=True)
    here.upstream.collect()
    here.sync()
    assert here.listed() == here.theirs("main")
    head, gone = here.repo.git("rev-parse", "HEAD"), "7" * 40
    text = (here.repo.path / ".okf.yaml").read_text()
    here.repo.commit("pin what nobody has", {".okf.yaml": f"{text}    ref: '{gone}'\n"})
    said = here.sync("skills", code=4)
    assert gone[:12] in said.err
    assert here.listed() == here.theirs("main")
    assert here.repo.git("rev-parse", "HEAD~1") == head
