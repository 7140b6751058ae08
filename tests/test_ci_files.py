"""`git okf ci`: what it writes, what it leaves alone, what it says is left to do; and what must hold in every file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import GitRepo, Run
from hooks.expressions import expand
from hypothesis import given
from hypothesis import strategies as st

from git_okf import __version__, ci_files, config
from git_okf.ci_files import HOSTS
from git_okf.errors import ConfigError

ROOT = Path(__file__).parents[1]
PLAIN = "sources: {docs: {url: 'https://docs.example.com/', bundle: docs}}\n"
SECRETS = """
sources:
  docs:
    url: https://docs.example.com/
    bundle: docs
    headers: {Authorization: "Bearer ${DOCS_TOKEN}", X-Run: "${GITHUB_RUN_ID}", X-Home: "${HOME}"}
  blog: {kind: feishu, folder: f, app_id: "${FEISHU_APP_ID}", app_secret: "${FEISHU_APP_SECRET}", bundle: blog}
"""
NEEDED = ["DOCS_TOKEN", "FEISHU_APP_ID", "FEISHU_APP_SECRET"]
GITHUB = HOSTS["github"].path


@pytest.fixture
def here(repo: GitRepo) -> GitRepo:
    repo.write(".okf.yaml", PLAIN)
    return repo


def configured(text: str) -> config.Config:
    return config.parse(text)


def rendered(host: str, text: str = PLAIN, **options: bool) -> Any:
    return yaml.safe_load(ci_files.rendered(HOSTS[host], configured(text), **options))


# --- what is written ---


@pytest.mark.parametrize("host", list(HOSTS))
def test_the_file_is_written_once_and_then_left_alone(here: GitRepo, okf_here: Run, host: str) -> None:
    path = HOSTS[host].path
    ran = okf_here("ci", host)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"✓ Written: {path}\n")
    assert "#[" not in (here.path / path).read_text().replace("#[...]", "")
    before = here.snapshot()
    ran = okf_here("ci", host)
    assert ran.code == 0 and ran.out.startswith(f"✓ Nothing to do: {path} is as it was\n")
    assert here.snapshot() == before


def test_a_file_that_differs_is_not_replaced_unless_that_is_said(here: GitRepo, okf_here: Run) -> None:
    mine = "# mine\n"
    here.write(GITHUB, mine)
    ran = okf_here("ci", "github")
    assert ran.code == 2
    assert f"{GITHUB} is there already and differs; nothing was written" in ran.err and "--force" in ran.err
    assert (here.path / GITHUB).read_text() == mine
    assert okf_here("ci", "github", "--force").code == 0
    assert (here.path / GITHUB).read_text() != mine
    assert sorted(p.name for p in (here.path / GITHUB).parent.iterdir()) == ["okf-sync.yml"]


def test_it_goes_to_the_root_from_wherever_it_is_typed(here: GitRepo, okf_here: Run) -> None:
    (here.path / "sub").mkdir()
    assert okf_here("ci", "gitea", cwd=here.path / "sub").code == 0
    assert (here.path / HOSTS["gitea"].path).is_file()


def test_without_a_configuration_or_with_another_host_nothing_is_written(repo: GitRepo, okf_here: Run) -> None:
    ran = okf_here("ci", "jenkins")
    assert ran.code == 2 and "known: github, gitlab, gitea" in ran.err
    ran = okf_here("ci", "github")
    assert ran.code == 2 and "there is no .okf.yaml" in ran.err
    assert [path.name for path in repo.path.iterdir()] == [".git"]


def test_gitlab_s_own_file_is_made_where_there_is_none_and_never_touched(here: GitRepo, okf_here: Run) -> None:
    ran = okf_here("ci", "gitlab")
    assert "✓ Written: .gitlab-ci.yml\n" in ran.out
    entry = here.path / ".gitlab-ci.yml"
    assert yaml.safe_load(entry.read_text()) == {"include": [{"local": HOSTS["gitlab"].path}]}
    assert "so that GitLab reads it" not in okf_here("ci", "gitlab").out
    entry.write_text("test: {script: [make]}\n")
    ran = okf_here("ci", "gitlab", "--force")
    assert "in .gitlab-ci.yml, so that GitLab reads it: include: [{local: .gitlab/okf-sync.gitlab-ci.yml}]" in ran.out
    assert entry.read_text() == "test: {script: [make]}\n"


@pytest.mark.parametrize("link", [".github", ".github/workflows", GITHUB])
def test_a_link_that_leads_elsewhere_is_not_followed(here: GitRepo, okf_here: Run, tmp_path: Path, link: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    place = here.path / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(elsewhere)
    ran = okf_here("ci", "github", "--force")
    assert ran.code == 2 and f"{link} is a symbolic link; nothing was written" in ran.err
    assert list(elsewhere.rglob("*")) == []


def test_a_file_that_cannot_be_written_or_read_is_said(here: GitRepo, okf_here: Run) -> None:
    here.write(".github", "a file\n")
    ran = okf_here("ci", "github")
    assert ran.code == 2 and f"{GITHUB} cannot be written: " in ran.err
    (here.path / GITHUB.replace("github", "gitea")).mkdir(parents=True)
    ran = okf_here("ci", "gitea")
    assert ran.code == 2 and "cannot be read: Is a directory" in ran.err


# --- what is said ---


def test_a_configuration_without_reviews_is_told_the_lines_that_it_lacks(here: GitRepo, okf_here: Run) -> None:
    ran = okf_here("ci", "github")
    assert "1. in .okf.yaml, so that more than a branch is pushed:\n     review:\n       forge: github\n" in ran.out
    assert (here.path / ".okf.yaml").read_text() == PLAIN
    here.write(".okf.yaml", PLAIN + "review:\n  forge: github\n")
    assert "in .okf.yaml" not in okf_here("ci", "github").out
    here.write(".okf.yaml", PLAIN + "review:\n  labels: [sync]\n")
    said = okf_here("ci", "gitea").out
    assert "1. in .okf.yaml, below review, in place of forge: none:\n     forge: gitea\n" in said


def test_what_a_person_has_to_set_is_said(here: GitRepo, okf_here: Run) -> None:
    here.write(".okf.yaml", SECRETS)
    said = okf_here("ci", "github").out
    assert "Allow GitHub Actions to create and approve pull requests" in said
    assert "OKF_APP_CLIENT_ID" in said and "OKF_APP_PRIVATE_KEY" in said
    assert f"Settings > Secrets and variables > Actions): {', '.join(NEEDED)}\n" in said
    assert f"commit {GITHUB}, and push to the default branch" in said
    said = okf_here("ci", "gitlab").out
    assert "or without one let the job's own token push" in said
    assert "masked variable GITLAB_TOKEN" in said and "Pipeline schedules" in said and "DOCS_TOKEN" in said
    assert "OKF_TOKEN" in okf_here("ci", "gitea").out


def test_the_same_as_data(here: GitRepo, okf_here: Run) -> None:
    here.write(".okf.yaml", SECRETS)
    said = json.loads(okf_here("ci", "gitlab", "--json").out)
    assert (said["schema"], said["host"], said["path"]) == (1, "gitlab", ".gitlab/okf-sync.gitlab-ci.yml")
    assert said["written"] == [said["path"], ".gitlab-ci.yml"]
    assert (said["secrets"], said["review"]) == (NEEDED, ["review:", "  forge: gitlab"])
    assert len(said["todo"]) == 5
    assert json.loads(okf_here("ci", "gitlab", "--json").out)["written"] == []


# --- what of .okf.yaml gets into a file ---


def test_the_secrets_of_sources_are_given_to_the_step_that_needs_them_and_no_other_variable() -> None:
    wanted = {name: f"${{{{ secrets.{name} }}}}" for name in NEEDED}
    github = rendered("github", SECRETS)["jobs"]["sync"]
    assert github["steps"][-1]["env"] == wanted
    assert github["steps"][-1]["with"]["extras"] == "images"
    assert not any("env" in step for step in (*github["steps"][:-1], github))
    steps = {step.get("name"): step for step in rendered("gitea", SECRETS)["jobs"]["sync"]["steps"]}
    assert wanted.items() <= steps["Sync"]["env"].items()
    assert steps["Install git-okf"]["env"] == {"REQUIREMENT": f"git-okf=={__version__}", "EXTRAS": "images"}
    assert rendered("gitlab", SECRETS)["okf-sync"]["variables"]["OKF_EXTRAS"] == "images"
    assert "env" not in rendered("github")["jobs"]["sync"]["steps"][-1]


@pytest.mark.parametrize("host", list(HOSTS))
def test_nothing_else_of_the_configuration_is_in_the_file(host: str) -> None:
    odd = "sources: {x-9.y_z: {url: 'https://marked.example.com/', bundle: 'marked $(id) ${{ x }}'}}\n"
    assert ci_files.rendered(HOSTS[host], configured(odd)) == ci_files.rendered(HOSTS[host], configured(PLAIN))


@given(st.text(min_size=1, max_size=60) | st.from_regex(r"(\$\{\{|\}\}|'|\"|@|:|#|[a-z/\\])+", fullmatch=True))
def test_the_branch_of_reviews_is_text_whatever_it_holds(base: str) -> None:
    try:
        settings = configured(PLAIN + f"review: {{base: {json.dumps(base)}}}\n")
    except ConfigError:
        return
    for host, count in (("github", 2), ("gitea", 1)):
        jobs = yaml.safe_load(ci_files.rendered(HOSTS[host], settings))["jobs"].values()
        said = [step["with"]["ref"] for job in jobs for step in job["steps"] if "ref" in step.get("with", {})]
        assert [expand(each, {}) for each in said] == [settings.review.base] * count


@pytest.mark.parametrize("host", ["github", "gitea"])
def test_issues_may_be_written_only_where_they_are_reported(host: str) -> None:
    def permissions(made: Any) -> dict[str, str]:
        found: dict[str, str] = made["jobs"]["sync"].get("permissions") or made["permissions"]
        return found

    least = {"contents": "write", "pull-requests": "write"}
    assert permissions(rendered(host)) == least
    assert permissions(rendered(host, report_issue=True)) == {**least, "issues": "write"}


def test_the_templates_are_what_a_plain_configuration_gets() -> None:
    for host in HOSTS.values():
        template = yaml.safe_load((ROOT / "hooks" / host.template).read_text(encoding="utf-8"))
        assert yaml.safe_load(ci_files.rendered(host, configured(PLAIN))) == template


def test_a_line_for_something_unknown_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ci_files, "_template", lambda name: "a:\n  #[nosuch] b: 1\n")
    with pytest.raises(KeyError):
        ci_files.rendered(HOSTS["github"], configured(PLAIN))


# --- what must hold ---


@pytest.mark.parametrize("host", ["github", "gitea"])
def test_a_workflow_has_a_schedule_and_a_manual_run_and_waits_for_one_under_way(host: str) -> None:
    made = rendered(host)
    triggers = made[True]
    assert set(triggers) == {"schedule", "workflow_dispatch"}, "never a pull request: its author is anybody"
    minute = triggers["schedule"][0]["cron"].split()[0]
    assert minute not in ("0", "30"), "everybody's jobs start then"
    assert set(triggers["workflow_dispatch"]["inputs"]) == {"sources", "force"}
    group = made["jobs"]["sync"].get("concurrency") or made["concurrency"]
    assert group["cancel-in-progress"] is False
    assert group["group"] == ("okf-sync-${{ matrix.source }}" if host == "github" else "okf-sync")


def test_the_plan_may_only_read() -> None:
    made = rendered("github")
    assert (made["permissions"], made["jobs"]["plan"]["permissions"]) == ({}, {"contents": "read"})
    assert made["jobs"]["sync"]["strategy"]["fail-fast"] is False


def test_gitlab_waits_for_a_job_under_way_and_runs_for_nobody_s_merge_request() -> None:
    job = rendered("gitlab")["okf-sync"]
    assert (job["resource_group"], job["interruptible"]) == ("okf-sync", False)
    assert all("schedule" in rule["if"] or "web" in rule["if"] for rule in job["rules"])


@pytest.mark.parametrize("host", list(HOSTS))
def test_a_run_ends_by_itself_before_the_job_is_ended(host: str) -> None:
    text = ci_files.rendered(HOSTS[host], configured(PLAIN))
    budget = re.search(r"(?:time-budget:|--time-budget|TIME_BUDGET:) (\d+)m", text)
    made = rendered(host)
    minutes = 60 if host == "gitlab" else made["jobs"]["sync"]["timeout-minutes"]
    assert host != "gitlab" or made["okf-sync"]["timeout"] == "1 hour"
    assert budget and int(budget[1]) + 5 <= minutes


def _scripts() -> list[str]:
    """The scripts that start a sync."""
    action = yaml.safe_load((ROOT / "hooks/github/action.yml").read_text(encoding="utf-8"))
    steps = [*action["runs"]["steps"], *rendered("gitea")["jobs"]["sync"]["steps"]]
    scripts = [step["run"] for step in steps if step.get("id") == "run"]
    return [*scripts, "\n".join(rendered("gitlab")["okf-sync"]["script"])]


def test_git_okf_takes_the_place_of_the_shell_that_a_cancelled_job_signals() -> None:
    scripts = _scripts()
    assert len(scripts) == 3
    for script in scripts:
        assert re.search(r"(?:^|\" )exec git-okf [^\n]+\Z", script.rstrip(), re.MULTILINE), script


def test_releases_are_those_of_this_version() -> None:
    for host in HOSTS.values():
        text = (ROOT / "hooks" / host.template).read_text(encoding="utf-8")
        pinned = re.findall(r"hooks/github@v(\S+)|git-okf==(\d\S+)|OKF_VERSION: (\S+)", text)
        assert pinned and {"".join(found) for found in pinned} == {__version__}, host.name


def test_a_shallow_clone_is_asked_for_everywhere() -> None:
    for name in ("github", "gitea"):
        steps = [step for job in rendered(name)["jobs"].values() for step in job["steps"]]
        depths = [step["with"]["fetch-depth"] for step in steps if step.get("uses", "").startswith("actions/checkout")]
        assert depths and set(depths) == {1}
    assert rendered("gitlab")["okf-sync"]["variables"]["GIT_DEPTH"] == "1"
