"""Hooks come and go and leave everything else as it was."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import hooking
import pytest
from conftest import GitRepo
from hooking import INSTALL, PROGRAM, run, write

from git_okf import hook_files

ROOT = Path(__file__).parents[1]
OTHER = '#!/bin/sh\necho "theirs $*" >>"$(git rev-parse --show-toplevel)/../calls"\n[ -t 0 ] || cat >>"$(git rev-parse --show-toplevel)/../calls"\n'  # noqa: E501
REFUSING = "#!/bin/sh\necho 'theirs says no' >&2\nexit 3\n"


def okf(repo: GitRepo, action: str) -> str:
    done = run((*PROGRAM, "hooks", action), repo.path)
    assert done.returncode == 0, done.stderr
    return done.stdout


def hook(repo: GitRepo, name: str, text: str, folder: str = ".git/hooks", mode: int = 0o755) -> Path:
    path = repo.write(f"{folder}/{name}", text)
    path.chmod(mode)
    return path


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = sorted(folder.iterdir()) if folder.exists() else []
    return {path.name: (path.read_bytes(), path.lstat().st_mode) for path in files}


@pytest.fixture
def broken(repo: GitRepo) -> GitRepo:
    """A repository in which a broken concept is staged, its hooks directory empty."""
    write(repo.path, hooking.files())
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "one")
    repo.write(INSTALL, hooking.files()[INSTALL] + b"mine\n")
    repo.git("add", "--all")
    shutil.rmtree(repo.path / ".git/hooks")
    return repo


def refused(repo: GitRepo) -> bool:
    done = run(("git", "commit", "--quiet", "--message", "x"), repo.path)
    return done.returncode != 0 and "[edited]" in done.stderr


def test_installing_twice_is_installing_once_and_uninstalling_undoes_it(broken: GitRepo) -> None:
    folder = broken.path / ".git/hooks"
    names = "pre-commit, pre-merge-commit, pre-push, post-rewrite"
    assert okf(broken, "install") == f"✓ Installed in .git/hooks: {names}\n"
    once = state(folder)
    assert sorted(once) == sorted(hook_files.NAMES)
    assert okf(broken, "install") == "✓ Nothing to do in .git/hooks\n"
    assert state(folder) == once
    assert refused(broken)
    assert okf(broken, "uninstall") == f"✓ Uninstalled in .git/hooks: {names}\n"
    assert okf(broken, "uninstall") == "✓ Nothing to do in .git/hooks\n"
    assert not folder.exists()
    assert not refused(broken)


@pytest.mark.parametrize("mode", [0o755, 0o644], ids=["", "not executable, so that git leaves it alone"])
def test_a_hook_that_was_there_runs_first_and_comes_back(broken: GitRepo, mode: int) -> None:
    hook(broken, "pre-commit", OTHER, mode=mode)
    before = state(broken.path / ".git/hooks")
    assert "run before ours: pre-commit" in okf(broken, "install")
    assert refused(broken)
    calls = broken.path.parent / "calls"
    assert calls.exists() == (mode == 0o755)
    assert "put back: pre-commit" in okf(broken, "uninstall")
    assert state(broken.path / ".git/hooks") == before


def test_a_hook_that_was_there_and_says_no_ends_it(broken: GitRepo) -> None:
    hook(broken, "pre-commit", REFUSING)
    okf(broken, "install")
    done = run(("git", "commit", "--message", "x"), broken.path)
    assert (done.returncode != 0, done.stderr) == (True, "theirs says no\n")


def test_a_chained_hook_gets_arguments_and_standard_input(broken: GitRepo, tmp_path: Path) -> None:
    for name in ("pre-push", "post-rewrite"):
        hook(broken, name, OTHER)
    okf(broken, "install")
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    broken.git("remote", "add", "origin", str(remote))
    broken.git("push", "--quiet", "origin", "main")
    first = broken.git("rev-parse", "HEAD")
    broken.git("commit", "--quiet", "--amend", "--no-verify", "--message", "other")
    second = broken.git("rev-parse", "HEAD")
    assert (broken.path.parent / "calls").read_text().splitlines() == [
        f"theirs origin {remote}", f"refs/heads/main {first} refs/heads/main {'0' * 40}", "theirs amend",
        f"{first} {second}",
    ]  # fmt: skip


def test_core_hookspath_is_where_hooks_go(broken: GitRepo, tmp_path: Path) -> None:
    for path, whose in ((".githooks", "part of the work tree"), (str(tmp_path / "all"), "serves others too")):
        broken.git("config", "core.hooksPath", path)
        assert whose in okf(broken, "install")
        assert sorted(state(broken.path / path)) == sorted(hook_files.NAMES)
        assert not (broken.path / ".git/hooks").exists()
        assert refused(broken)
        okf(broken, "uninstall")
        assert not (broken.path / path).exists()


def test_a_linked_work_tree_has_the_hooks_of_its_repository(broken: GitRepo, tmp_path: Path) -> None:
    linked = GitRepo(tmp_path / "linked")
    broken.git("worktree", "add", "--quiet", "-b", "side", str(linked.path))
    okf(linked, "install")
    assert sorted(state(broken.path / ".git/hooks")) == sorted(hook_files.NAMES)
    assert refused(broken)


def test_a_hook_that_has_no_place_to_be_kept_is_not_touched(broken: GitRepo) -> None:
    okf(broken, "install")
    hook(broken, "pre-push.before-okf", OTHER)
    hook(broken, "pre-push", REFUSING)
    (broken.path / ".git/hooks/pre-commit").unlink()
    before = state(broken.path / ".git/hooks")
    done = run((*PROGRAM, "hooks", "install"), broken.path)
    assert done.returncode == 128
    assert "nothing was changed" in done.stderr
    assert state(broken.path / ".git/hooks") == before


def test_hooks_of_others_stay_when_ours_go(broken: GitRepo) -> None:
    okf(broken, "install")
    theirs = hook(broken, "pre-push", OTHER)
    okf(broken, "uninstall")
    assert state(broken.path / ".git/hooks") == {"pre-push": (OTHER.encode(), theirs.stat().st_mode)}


def test_an_older_hook_of_ours_is_brought_up_to_date(broken: GitRepo) -> None:
    okf(broken, "install")
    now = state(broken.path / ".git/hooks")
    hook(broken, "pre-commit", "#!/bin/sh\n# git-okf: an older one\n")
    assert okf(broken, "install") == "✓ Installed in .git/hooks: pre-commit\n"
    assert state(broken.path / ".git/hooks") == now


def test_a_hook_never_calls_itself(broken: GitRepo) -> None:
    okf(broken, "install")
    ours = broken.path / ".git/hooks/pre-commit"
    shutil.copy(ours, ours.with_name("pre-commit.before-okf"))
    assert refused(broken)


def test_a_hook_looks_for_the_program_in_path_and_says_where_there_is_none(broken: GitRepo, tmp_path: Path) -> None:
    for name in hook_files.NAMES:
        hook(broken, name, (ROOT / "hooks" / name).read_text())
    git = shutil.which("git")
    assert git
    tools = tmp_path / "bin"
    tools.mkdir()
    for program in ("git", "sh", "dirname", "cat"):
        (tools / program).symlink_to(shutil.which(program) or "")
    commit = ("git", "commit", "--quiet", "--message", "x")
    script = tools / "git-okf"
    script.write_text(f'#!/bin/sh\nexec {" ".join(PROGRAM)} "$@"\n')
    script.chmod(0o755)
    assert "[edited]" in run(commit, broken.path, PATH=str(tools)).stderr
    script.unlink()
    done = run(commit, broken.path, PATH=str(tools))
    assert done.returncode == 0
    assert done.stderr == "pre-commit: git-okf is not installed any more; the bundles were not checked\n"


@pytest.mark.parametrize("name", hook_files.NAMES)
def test_the_files_are_plain_shell(name: str) -> None:
    path = ROOT / "hooks" / name
    assert path.stat().st_mode & 0o111
    subprocess.run(["sh", "-n", str(path)], check=True)
    assert path.read_text().count(f"/{name}\n") == 1


def test_nothing_of_a_work_tree_is_run_in_place_of_the_program(broken: GitRepo) -> None:
    okf(broken, "install")
    for name in ("git_okf.py", "yaml.py", "os.py", "subprocess.py"):
        broken.write(name, "raise SystemExit('from the work tree')\n")
    assert refused(broken)
