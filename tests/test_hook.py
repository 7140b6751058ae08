"""What is being committed is what is checked: HOOK-01, HOOK-02, and every defect and rule, staged."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import hooking
import pytest
from conftest import GitRepo, Ran, Run
from hooking import CONFIG, GUIDE, HOME, INSTALL, PROGRAM, listed, many, run, synced, write
from planted import DEFECTS, Bundle, foreign, ours, page
from scenario import everything
from timing import in_starts

from git_okf.hook import Stake, check_bundles, check_config
from git_okf.verdicts import Verdicts

Commit = Callable[..., Ran]
NEW = synced(ours(), "pages/home.md", "Home", "# Home, again")
"""The bundle after one more sync."""


@pytest.fixture
def bundle(repo: GitRepo) -> GitRepo:
    """A repository whose one commit holds a clean bundle, with our hook in it."""
    write(repo.path, hooking.files())
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "one")
    install(repo)
    return repo


def install(repo: GitRepo) -> None:
    done = run((*PROGRAM, "hooks", "install"), repo.path)
    assert done.returncode == 0, done.stderr


def edited(path: str = INSTALL) -> bytes:
    return hooking.files()[path] + b"\nA line of mine.\n"


def commit(repo: GitRepo, *args: str, cwd: Path | None = None, **env: str) -> Ran:
    done = run(("git", "commit", "--quiet", "--message", "more", *args), cwd or repo.path, **env)
    return Ran(done.returncode, done.stdout, done.stderr)


def refused(ran: Ran, path: str = INSTALL) -> bool:
    """Whether the hook stopped the commit because of this file, and of no other."""
    names = {line.partition(":")[0] for line in (ran.out + ran.err).splitlines() if "[" in line and ": error: " in line}
    assert names in (set(), {path}), ran
    return ran.code == 1 and names == {path}


def passed(ran: Ran) -> bool:
    assert (ran.out, ran.err) == ("", ""), "a hook that has nothing to object to says nothing"
    return ran.code == 0


# --- HOOK-01: the snapshot ---


def test_hook_01_staged_breakage_is_found_though_the_work_tree_is_mended(bundle: GitRepo) -> None:
    bundle.write(INSTALL, edited())
    bundle.git("add", INSTALL)
    bundle.write(INSTALL, hooking.files()[INSTALL])
    assert refused(commit(bundle))


def test_hook_01_a_work_tree_that_is_broken_is_no_matter_of_the_commit(bundle: GitRepo) -> None:
    write(bundle.path, {f"docs/{path}": data for path, data in NEW.items()})
    bundle.git("add", "docs")
    bundle.write(INSTALL, edited())
    (bundle.path / GUIDE).unlink()
    bundle.write("docs/pages/untracked.md", b"no front matter")
    bundle.write(".okf.yaml", "sources: [broken")
    assert passed(commit(bundle))


def test_hook_01_staged_bad_front_matter_is_found_and_an_untracked_file_is_not(bundle: GitRepo) -> None:
    bundle.write("docs/pages/mine.md", b"no front matter")
    bundle.write("other", b"x")
    bundle.git("add", "other")
    assert passed(commit(bundle))
    bundle.git("add", "docs")
    bundle.write("docs/pages/mine.md", b"---\ntype: Note\n---\n\nMine.\n")
    assert refused(commit(bundle), "docs/pages/mine.md")


def test_hook_01_what_was_only_announced_is_not_committed(bundle: GitRepo) -> None:
    bundle.write("docs/pages/mine.md", b"no front matter")
    bundle.git("add", "--intent-to-add", "docs")
    assert run((*PROGRAM, "verify", "--staged"), bundle.path).returncode == 0
    assert run((*PROGRAM, "verify", "--all-files"), bundle.path).returncode == 0


def test_hook_01_nothing_is_modified_and_nobody_is_asked(bundle: GitRepo) -> None:
    bundle.write(INSTALL, edited())
    bundle.git("add", "docs")
    bundle.write(GUIDE, b"touched")
    before = everything(bundle)
    for options in (["--staged"], ["--hook"], ["--all-files"], ["--from-ref", "HEAD"], ["--config"]):
        assert run((*PROGRAM, "verify", *options), bundle.path).returncode in (0, 1)
    assert everything(bundle) == before
    program = (
        "import os, sys, pathlib\nfrom git_okf.quick import answer\n"
        "found = answer(['verify', '--hook'], pathlib.Path.cwd(), {**os.environ, 'GIT_INDEX_FILE': '.git/index'})\n"
        "assert found is not None and found.code == 1, found\n"
        "print(*sorted({'socket', 'ssl', 'asyncio', 'aiohttp', 'pygit2', 'typer', 'lxml'} & set(sys.modules)))"
    )
    done = run((sys.executable, "-P", "-c", program), bundle.path)
    assert (done.stdout, done.stderr) == ("\n", "")


# --- HOOK-02: the index of this very commit ---


def test_hook_02_a_commit_of_some_paths_is_judged_by_them_alone(bundle: GitRepo) -> None:
    bundle.write(INSTALL, edited())
    bundle.git("add", INSTALL)
    bundle.write("other", b"x")
    bundle.git("add", "other")
    assert passed(commit(bundle, "--", "other"))
    assert refused(commit(bundle, "--", INSTALL))
    assert refused(commit(bundle))


def test_hook_02_commit_all_takes_the_work_tree(bundle: GitRepo) -> None:
    bundle.write(INSTALL, edited())
    assert refused(commit(bundle, "--all"))
    bundle.write(INSTALL, hooking.files()[INSTALL])
    write(bundle.path, {f"docs/{path}": data for path, data in NEW.items()})
    assert passed(commit(bundle, "--all"))


def test_hook_02_a_part_of_a_file_is_judged_as_it_will_be_committed(bundle: GitRepo) -> None:
    text = hooking.files()[INSTALL]
    bundle.write(INSTALL, text.replace(b"type:", b"tags: [x]\ntype:", 1) + b"mine\n")
    bundle.git("add", "--patch", INSTALL, input="y\nn\n")
    assert bundle.git("diff", "--cached", "--numstat") == f"1\t0\t{INSTALL}"
    assert passed(commit(bundle))
    bundle.git("add", "--patch", INSTALL, input="y\n")
    assert refused(commit(bundle))


def test_hook_02_an_amended_commit_is_judged_by_what_it_adds(bundle: GitRepo) -> None:
    bundle.write(INSTALL, edited())
    assert passed(commit(bundle, "--amend"))
    bundle.git("add", INSTALL)
    bundle.write(INSTALL, hooking.files()[INSTALL])
    assert refused(commit(bundle, "--amend"))


def test_hook_02_in_a_linked_work_tree(bundle: GitRepo, tmp_path: Path) -> None:
    linked = GitRepo(tmp_path / "linked")
    bundle.git("worktree", "add", "--quiet", "-b", "side", str(linked.path))
    bundle.write(GUIDE, edited(GUIDE))
    bundle.git("add", GUIDE)
    linked.write(INSTALL, edited())
    assert passed(commit(linked, "--allow-empty"))
    assert refused(commit(linked, "--all"))
    assert refused(commit(linked, "--", INSTALL))
    assert refused(commit(bundle), GUIDE)


def test_hook_02_in_a_submodule(bundle: GitRepo, tmp_path: Path) -> None:
    outer = GitRepo(tmp_path / "outer")
    outer.path.mkdir()
    outer.git("init", "--quiet")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(bundle.path), "sub")
    inner = GitRepo(outer.path / "sub")
    install(inner)
    install(outer)
    inner.write(INSTALL, edited())
    assert refused(commit(inner, "--all"))
    assert passed(commit(outer))


def test_hook_02_from_a_subdirectory(bundle: GitRepo) -> None:
    bundle.write(INSTALL, edited())
    inside = bundle.path / "docs/pages"
    assert refused(commit(bundle, "--all", cwd=inside))
    assert refused(commit(bundle, "--", "guide/install.md", cwd=inside))
    bundle.git("add", "docs")
    done = run((*PROGRAM, "verify", "--staged"), inside)
    assert refused(Ran(done.returncode, done.stdout, done.stderr))


def test_hook_02_with_an_index_of_ones_own(bundle: GitRepo) -> None:
    mine = bundle.path / ".git/mine"
    shutil.copy(bundle.path / ".git/index", mine)
    bundle.write(INSTALL, edited())
    for where in (str(mine), ".git/mine"):
        env = {"GIT_INDEX_FILE": where}
        assert run(("git", "add", INSTALL), bundle.path, **env).returncode == 0
        assert run((*PROGRAM, "verify", "--staged"), bundle.path, **env).returncode == 1
        assert refused(commit(bundle, GIT_INDEX_FILE=where))
    assert run((*PROGRAM, "verify", "--staged"), bundle.path).returncode == 0
    assert passed(commit(bundle, "--allow-empty"))


def test_hook_02_with_the_repository_named_in_the_environment(bundle: GitRepo, tmp_path: Path) -> None:
    bundle.write(INSTALL, edited())
    bundle.git("add", INSTALL)
    env = {"GIT_DIR": str(bundle.path / ".git"), "GIT_WORK_TREE": str(bundle.path)}
    done = run((*PROGRAM, "verify", "--staged"), tmp_path, **env)
    assert refused(Ran(done.returncode, done.stdout, done.stderr))


def test_hook_02_the_first_commit_of_all(repo: GitRepo) -> None:
    install(repo)
    write(repo.path, {**hooking.files(), INSTALL: edited()})
    repo.git("add", "--all")
    assert refused(commit(repo))
    write(repo.path, hooking.files())
    assert passed(commit(repo, "--all"))


# --- what a commit may do to a bundle ---


@pytest.mark.parametrize(
    "change",
    [
        NEW,
        synced(ours(), "pages/new.md", "New", "# New"),
        listed({path: data for path, data in ours().items() if path != "pages/guide/install.md"}),
        listed({path.replace("install", "setup"): data for path, data in ours().items()}),
    ],
    ids=["updated", "added", "removed", "renamed"],
)
def test_what_a_sync_stages_is_committed(bundle: GitRepo, change: Bundle) -> None:
    shutil.rmtree(bundle.path / "docs")
    write(bundle.path, {f"docs/{path}": data for path, data in change.items()})
    bundle.git("add", "--all")
    assert passed(commit(bundle))
    assert run((*PROGRAM, "verify", "--all-files"), bundle.path).returncode == 0


def test_a_deletion_and_a_renaming_that_leave_the_listing_behind_are_found(bundle: GitRepo) -> None:
    bundle.git("rm", "--quiet", GUIDE)
    assert refused(commit(bundle), "docs/pages/index.md")
    bundle.git("reset", "--quiet", "--hard")
    bundle.git("mv", GUIDE, "docs/pages/guides.md")
    assert refused(commit(bundle), "docs/pages/index.md")


def test_a_bundle_that_is_no_more_is_no_matter(bundle: GitRepo) -> None:
    bundle.git("rm", "--quiet", "-r", "docs")
    bundle.write(".okf.yaml", "version: 1\n")
    bundle.git("add", ".okf.yaml")
    assert passed(commit(bundle))


def test_a_repository_without_a_bundle_is_no_matter(repo: GitRepo) -> None:
    install(repo)
    repo.write("docs/a.md", b"# No front matter")
    repo.git("add", "--all")
    assert passed(commit(repo))


def test_modes_and_links_are_no_text(bundle: GitRepo) -> None:
    bundle.git("update-index", "--chmod=+x", INSTALL)
    (bundle.path / "docs/pages/link.md").symlink_to("../../other")
    bundle.git("add", "docs/pages/link.md")
    assert passed(commit(bundle))


def test_a_source_that_is_editable_may_be_edited(bundle: GitRepo) -> None:
    bundle.write(".okf.yaml", CONFIG + "    editable: true\n")
    bundle.write(INSTALL, edited())
    assert passed(commit(bundle, "--all"))
    assert run((*PROGRAM, "verify", "--all-files"), bundle.path).returncode == 0
    assert run((*PROGRAM, "verify", "docs"), bundle.path).returncode == 0
    bundle.write(".okf.yaml", CONFIG)
    assert refused(commit(bundle, "--all"))


def test_a_configuration_that_is_not_valid_is_found_at_its_line(bundle: GitRepo) -> None:
    bundle.write(".okf.yaml", CONFIG + "    max_dept: 3\n")
    ran = commit(bundle, "--all")
    assert ran.code == 1
    assert ran.err.splitlines()[:2] == [
        ".okf.yaml:5: error: unknown key 'max_dept' in docs [config]",
        "  did you mean 'max_depth'?",
    ]


def test_a_merge_is_checked_before_it_is_committed(bundle: GitRepo) -> None:
    bundle.git("checkout", "--quiet", "-b", "side")
    bundle.write(INSTALL, edited())
    assert commit(bundle, "--all", "--no-verify").code == 0
    bundle.git("checkout", "--quiet", "main")
    write(bundle.path, {f"docs/{path}": data for path, data in NEW.items()})
    assert passed(commit(bundle, "--all"))
    done = run(("git", "merge", "--quiet", "--no-edit", "side"), bundle.path)
    assert done.returncode != 0
    assert f"{INSTALL}:16: error:" in done.stdout + done.stderr


def test_the_log_of_a_merge_may_be_either_sides(bundle: GitRepo) -> None:
    bundle.git("checkout", "--quiet", "-b", "side")
    other = synced(ours(), "pages/guide.md", "Guide", "# Other", hours=2)
    write(bundle.path, {f"docs/{path}": data for path, data in other.items()})
    assert passed(commit(bundle, "--all"))
    bundle.git("checkout", "--quiet", "main")
    write(bundle.path, {f"docs/{path}": data for path, data in NEW.items()})
    assert passed(commit(bundle, "--all"))
    assert run(("git", "merge", "side"), bundle.path).returncode != 0, "both added to the log"
    bundle.git("checkout", "--theirs", "docs/log.md")
    assert passed(commit(bundle, "--all"))


def test_a_revert_is_no_edit(bundle: GitRepo) -> None:
    write(bundle.path, {f"docs/{path}": data for path, data in NEW.items()})
    assert passed(commit(bundle, "--all"))
    bundle.git("revert", "--no-commit", "HEAD")
    bundle.git("revert", "--quit")
    assert passed(commit(bundle))


def test_an_unfinished_merge_is_found_where_all_is_checked(bundle: GitRepo) -> None:
    blob = bundle.git("rev-parse", f"HEAD:{INSTALL}")
    stages = "".join(f"100644 {blob} {stage}\t{INSTALL}\n" for stage in (1, 2, 3))
    bundle.git("update-index", "--index-info", input=f"0 {'0' * 40}\t{INSTALL}\n{stages}")
    told = check_bundles(bundle.path, os.environ, Stake(whole=True))
    assert ("pages/guide/install.md", 1, "conflict-marker") in [(f.path, f.line, f.rule) for _, f in told.findings]


# --- ranges ---


def test_a_range_is_judged_by_its_last_commit(bundle: GitRepo) -> None:
    first = bundle.git("rev-parse", "HEAD")
    bundle.write(INSTALL, edited())
    assert commit(bundle, "--all", "--no-verify").code == 0
    second = bundle.git("rev-parse", "HEAD")
    bundle.write(INSTALL, hooking.files()[INSTALL])
    assert passed(commit(bundle, "--all"))

    def code(*options: str, **env: str) -> int:
        return run((*PROGRAM, "verify", *options), bundle.path, **env).returncode

    assert code("--from-ref", first, "--to-ref", second) == code("--to-ref", second) == 1
    assert code("--from-ref", first) == code("--from-ref", second, "--to-ref", "main") == 0
    assert code("--hook", PRE_COMMIT_FROM_REF=first, PRE_COMMIT_TO_REF=second) == 1
    assert code("--hook", PRE_COMMIT_FROM_REF=first, PRE_COMMIT_TO_REF="HEAD") == 0
    assert code("--from-ref", "nosuch") == 128
    assert code("--from-ref", first, "--staged") == code("--staged", "--all-files") == code("--format", "xml") == 2


def test_a_range_between_branches_begins_where_they_parted(bundle: GitRepo) -> None:
    bundle.git("checkout", "--quiet", "-b", "side")
    bundle.git("commit", "--quiet", "--allow-empty", "--message", "side")
    bundle.git("checkout", "--quiet", "main")
    bundle.write(INSTALL, edited())
    assert commit(bundle, "--all", "--no-verify").code == 0
    assert run((*PROGRAM, "verify", "--from-ref", "main", "--to-ref", "side"), bundle.path).returncode == 0


def test_paths_choose_the_bundles(bundle: GitRepo) -> None:
    more = "  more:\n    url: https://more.example.com/\n    bundle: more\n"
    bundle.write(".okf.yaml", CONFIG + more)
    write(bundle.path, {f"more/{path}": data for path, data in ours().items()})
    bundle.write(INSTALL, edited())
    bundle.git("add", "--all")

    def code(*paths: str) -> int:
        return run((*PROGRAM, "verify", "--staged", *paths), bundle.path).returncode

    assert (code("more"), code("docs"), code(INSTALL), code("."), code()) == (0, 1, 1, 1, 1)
    assert code("nowhere") == 2


# --- every defect and every rule, staged ---


def staged(repo: GitRepo, bundle: Mapping[str, bytes]) -> Verdicts:
    """What is found where these files of a bundle are staged, and no others."""
    repo.git("read-tree", "--empty")
    lines = []
    for path, data in hooking.files(bundle).items():
        name = path.encode("utf-8", "surrogateescape")
        blob = subprocess.run(
            ["git", "hash-object", "-w", "--stdin"], cwd=repo.path, input=data, check=True, capture_output=True
        )
        lines.append(b"100644 " + blob.stdout.strip() + b"\t" + name + b"\0")
    subprocess.run(["git", "update-index", "-z", "--index-info"], cwd=repo.path, input=b"".join(lines), check=True)
    return check_bundles(repo.path, os.environ, Stake())


def test_every_planted_defect_is_found_where_it_is_staged(repo: GitRepo) -> None:
    assert len(DEFECTS) >= 40
    missed = []
    for name, bundle, finding in DEFECTS:
        told = [(f.path, f.line, f.rule, f.severity) for _, f in staged(repo, bundle).findings]
        if finding not in told and (*finding[:3], "error") not in told:
            missed.append((name, finding, told))
    assert missed == []


def test_nothing_is_found_in_a_clean_bundle(repo: GitRepo) -> None:
    for bundle in (ours(), NEW, {**ours(), "pages/note.md": foreign()["a.md"]}, many(30), many(30, flat=True)):
        assert staged(repo, bundle).findings == ()


RULES: list[tuple[str, dict[str, bytes | None], tuple[str, int, str]]] = [
    ("edited", {INSTALL: edited()}, (INSTALL, 16, "edited")),
    ("edited, the hash mended", {HOME: page("Home", "# Mine")}, (HOME, 1, "edited")),
    ("hash alone", {HOME: hooking.files()[HOME].replace(b"sha256:", b"sha256:0", 1)}, (HOME, 16, "edited")),
    ("no listing", {"docs/pages/index.md": None}, ("docs/pages/index.md", 1, "index-missing")),
    (
        "listing edited",
        {"docs/index.md": hooking.files()["docs/index.md"] + b"* x\n"},
        ("docs/index.md", 18, "index-stale"),
    ),
    ("listing behind", {INSTALL: None}, ("docs/pages/guide/index.md", 1, "index-stale")),
    ("log edited", {"docs/log.md": b"# Log\n\n* Mine.\n"}, ("docs/log.md", 3, "log-edited")),
    ("log gone wrong", {"docs/log.md": b"# Log\n\n## Today\n"}, ("docs/log.md", 3, "log-heading")),
    (
        "conflict",
        {HOME: hooking.files()[HOME].replace(b"# Home\n", b"<<<<<<< a\n# Home\n=======\n>>>>>>> b\n", 1)},
        (HOME, 16, "conflict-marker"),
    ),
    ("conflict in a listing", {"docs/pages/index.md": b"# p\n<<<<<<< a\n=======\n>>>>>>> b\n"},
     ("docs/pages/index.md", 2, "conflict-marker")),
    (
        "link to nothing",
        {"docs/mine.md": b"---\ntype: Note\n---\n\n[x](nowhere.md)\n"},
        ("docs/mine.md", 5, "dangling-link"),
    ),
    ("configuration", {".okf.yaml": CONFIG.replace("https", "ftp").encode()}, (".okf.yaml", 3, "config")),
]  # fmt: skip


@pytest.mark.parametrize(("change", "finding"), [rule[1:] for rule in RULES], ids=[rule[0] for rule in RULES])
def test_every_rule_of_a_commit_has_its_line_and_its_way_out(
    bundle: GitRepo, change: dict[str, bytes | None], finding: tuple[str, int, str]
) -> None:
    write(bundle.path, change)
    bundle.git("add", "--all")
    told = check_bundles(bundle.path, os.environ, Stake()).data()["findings"]
    found = [f for f in told if (f["file"], f["line"], f["rule"]) == finding]
    assert [f["severity"] for f in found] == ["error"], told
    assert found[0]["hint"]
    assert commit(bundle).code == 1


def test_the_ways_out_lead_out(bundle: GitRepo) -> None:
    bundle.write(INSTALL, edited())
    ran = commit(bundle, "--all")
    for way in (f"`git restore --staged --worktree -- {INSTALL}`", "`git okf sync --theirs docs`", "`editable: true`"):
        assert way in ran.err
    assert commit(bundle, "--all", "--no-verify").code == 0
    assert "git restore" not in run((*PROGRAM, "verify", "--all-files"), bundle.path).stdout
    bundle.git("reset", "--quiet", "--hard", "HEAD~1")
    bundle.write("docs/pages/index.md", b"# pages\n")
    bundle.git("add", "docs")
    ran = commit(bundle)
    assert "`git restore --staged --worktree -- docs`" in ran.err
    assert "`git okf repair docs`" in ran.err
    bundle.git("restore", "--staged", "--worktree", "--", "docs")
    assert passed(commit(bundle, "--allow-empty"))


# --- .okf.yaml ---


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("sources:\n  docs: {url: https://x.example/}\n", 2),
        ("sources:\n  a: {url: https://x.example/, bundle: d}\n  b: {url: https://x.example/, bundle: d/e}\n", 3),
        ("version: 9\n", 1),
        ("a: [\n", 2),
        (CONFIG + "    max_pages: many\n", 5),
        (CONFIG + "    include:\n    - /ok/**\n    - '/[a'\n", 7),
        (CONFIG + "    ignore: ['(']\n", 5),
        (CONFIG + "    content: 'a >'\n", 5),
    ],
)
def test_a_fault_of_the_configuration_is_found_at_its_line(repo: GitRepo, text: str, line: int) -> None:
    repo.write(".okf.yaml", text)
    repo.git("add", "--all")
    told = check_config(repo.path, os.environ, Stake())
    assert [(f.path, f.line, f.rule) for _, f in told.findings] == [(".okf.yaml", line, "config")]
    assert told.exit_code == 1


def test_a_good_configuration_and_none_are_fine(repo: GitRepo) -> None:
    assert check_config(repo.path, os.environ, Stake()).findings == ()
    repo.write(".okf.yaml", "\ufeff" + CONFIG)
    repo.git("add", "--all")
    assert check_config(repo.path, os.environ, Stake()).text() == "✓ Whole: .okf.yaml"


# --- what is said ---


def test_the_formats_tell_the_same(bundle: GitRepo) -> None:
    bundle.write("docs/pages/a,b%.md", b"x")
    bundle.git("add", "docs")

    def said(*options: str) -> str:
        return run((*PROGRAM, "verify", *options), bundle.path, GIT_INDEX_FILE=".git/index").stdout

    for way in (["--staged"], ["--hook"]):
        assert said(*way).startswith("docs/pages/a,b%.md:1: error: no front matter: the first line is not --- [front-")
        data = json.loads(said(*way, "--format", "json"))
        assert data == json.loads(said("--staged", "--json"))
        assert (data["whole"], data["findings"][0]["file"]) == (False, "docs/pages/a,b%.md")
        assert said(*way, "--format", "github").startswith(
            "::error file=docs/pages/a%2Cb%25.md,line=1,title=git-okf%3A front-matter::no front matter"
        )
        assert "%0A" in said(*way, "--format", "github")


def test_the_short_way_and_the_long_way_are_the_same(bundle: GitRepo, okf: Run) -> None:
    bundle.write(INSTALL, edited())
    bundle.git("add", "docs")
    env = {"GIT_INDEX_FILE": ".git/index"}
    for options in ([], ["--config"], ["--format", "json"], ["--format", "github"]):
        short, long = okf("verify", "--hook", *options, env=env), okf("verify", *options, "--hook", env=env)
        assert short == long or not options, (short, long)
    assert okf("verify", "--hook", "--format", "xml", env=env).code == 2
    assert okf("verify", "--hook", "--help").out.startswith("Usage: git okf verify")
    outside = okf("verify", "--hook", cwd=bundle.path.parent)
    assert (outside.code, outside.out) == (128, "")
    assert outside.err.startswith("error: ")


# --- HOOK-04: a machine that has next to nothing ---


def test_hook_04_the_hook_needs_no_extractor_and_no_network_library(bundle: GitRepo) -> None:
    program = (
        "import sys\n"
        "for name in ('trafilatura', 'lxml', 'pygit2', 'aiohttp', 'typer', 'regex', 'selectolax'):\n"
        "    sys.modules[name] = None\n"  # as if it could not be imported
        "sys.argv = ['git-okf', 'verify', '--hook']\n"
        "from git_okf.__main__ import main\n"
        "main()\n"
    )
    bundle.write(INSTALL, edited())
    bundle.git("add", "docs")
    done = run((sys.executable, "-P", "-c", program), bundle.path, GIT_INDEX_FILE=".git/index")
    assert refused(Ran(done.returncode, done.stdout, done.stderr))


# --- what it costs ---


@pytest.mark.parametrize("flat", [False, True], ids=["many directories", "one directory"])
def test_five_thousand_staged_concepts_cost_little_and_one_next_to_nothing(repo: GitRepo, flat: bool) -> None:
    """On a machine where the start of a small program takes 0.036 s of CPU: 2 s and 0.25 s."""
    write(repo.path, hooking.files(many(5000, flat=flat)))
    repo.git("add", "--all")

    def check() -> None:
        assert run((*PROGRAM, "verify", "--hook"), repo.path, GIT_INDEX_FILE=".git/index").returncode in (0, 1)

    assert in_starts(check, turns=3) < 55
    repo.git("commit", "--quiet", "--message", "many")
    path = "docs/pages/p77.md" if flat else "docs/pages/d1/p77.md"
    repo.write(path, (repo.path / path).read_bytes() + b"mine\n")
    repo.git("add", path)
    assert in_starts(check) < 7
