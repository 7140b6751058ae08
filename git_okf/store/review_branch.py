"""The branch of a review, here and on the remote: where it is, what is on it, whether the base moved on.

In a shallow clone the history is fetched until both tips are known to meet: a commit of a person that a cut hides would
be lost with the next push.
"""

from __future__ import annotations

from dataclasses import dataclass

from git_okf.errors import GitRefused
from git_okf.gitprogram import FETCH, NETWORK_TIMEOUT_S, git
from git_okf.store import target
from git_okf.store.push import Move, fetch_objects, push
from git_okf.store.repo import Repo

PREFIX = "refs/heads/okf/sync/"
DEEPEN = (50, 500)
"""Commits that a shallow clone is deepened by before its whole history is fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tips:
    """Where base and review branch are on the remote; their objects are here."""

    base: str
    branch: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchCommit:
    """A commit of the branch that the base does not have. `tree` is that of the whole repository."""

    id: str
    tree: str
    parents: tuple[str, ...]
    author: str
    committer: str
    message: str


def ref_of(source: str) -> str:
    return PREFIX + source


def default_branch(repo: Repo, remote: str) -> str:
    """The branch that the remote's HEAD names. GitRefused where it names none."""
    done = git(repo.root, "ls-remote", "--symref", "--", remote, "HEAD", timeout=NETWORK_TIMEOUT_S)
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        if line.startswith("ref: refs/heads/"):
            return line.split("\t")[0].removeprefix("ref: refs/heads/")
    raise GitRefused(
        f"{remote} does not say which branch reviews go into. Nothing was changed", "set review.base in .okf.yaml"
    )


def look(repo: Repo, remote: str, base: str, ref: str) -> Tips:
    """Where both branches are on the remote now. GitRefused where the base is not there."""
    name = f"refs/heads/{base}"
    there = fetch_objects(repo, remote, [name, ref])
    tip = there[name]
    if tip is None:
        raise GitRefused(
            f"{remote} has no branch {base}, which reviews are to go into. Nothing was changed",
            "set review.base in .okf.yaml to the branch they go into, or push it",
        )
    branch = there[ref]
    if branch is not None:
        _join(repo, remote, [name, ref], tip, branch)
    return Tips(base=tip, branch=branch)


def _join(repo: Repo, remote: str, names: list[str], base: str, branch: str) -> None:
    for depth in (*(f"--deepen={count}" for count in DEEPEN), "--unshallow"):
        if not repo.is_shallow() or git(repo.root, "merge-base", base, branch, check=False).returncode == 0:
            return
        git(repo.root, *FETCH, depth, "--", remote, *names)


def commits(repo: Repo, tips: Tips) -> list[BranchCommit]:
    """What is on the branch and not in the base, newest first."""
    if tips.branch is None:
        return []
    form = "%H%x00%T%x00%P%x00%ae%x00%ce%x00%B"
    listed = git(repo.root, "log", "-z", "--topo-order", f"--format={form}%x01", tips.branch, f"^{tips.base}").stdout
    return [_commit(entry) for entry in listed.decode("utf-8", "replace").split("\x01") if entry.strip("\0")]


def _commit(entry: str) -> BranchCommit:
    oid, tree, parents, author, committer, message = entry.lstrip("\0").split("\0", 5)
    return BranchCommit(
        id=oid, tree=tree, parents=tuple(parents.split()), author=author, committer=committer, message=message
    )


def merges(repo: Repo, commit: BranchCommit, base: str) -> bool:
    """Whether a commit is a merge of the base whose tree is what git itself makes of the two."""
    if len(commit.parents) != 2 or not any(repo.is_ancestor(parent, base) for parent in commit.parents):
        return False
    done = git(repo.root, "merge-tree", "--write-tree", *commit.parents, check=False)
    return done.returncode == 0 and done.stdout.decode().split("\n")[0] == commit.tree


def below(repo: Repo, tips: list[str], base: str) -> set[str]:
    """The commits that some tips reach and the base does not; tips that are not here reach nothing."""
    known = [tip for tip in tips if tip and repo.has(tip)]
    return set(git(repo.root, "rev-list", *known, f"^{base}").stdout.decode().split()) if known else set()


def align(repo: Repo, ref: str, there: str | None, ours: set[str]) -> None:
    """Bring the branch here to where it is on the remote, unless it has commits that are neither there nor ours."""
    here = repo.ref(ref)
    if here is None or here == there:
        return
    target.check_free(repo, target.Target(ref=ref))
    known = [f"^{there}"] if there else []
    lost = set(git(repo.root, "rev-list", here, *known, "--not", "--remotes").stdout.decode().split()) - ours
    if lost:
        name = ref.removeprefix("refs/heads/")
        raise GitRefused(
            f"{name} has {min(lost)[:7]} here, which nobody else has. Nothing was requested or changed",
            f"push it (git push origin {name}), or `git branch -D {name}` to drop it; then run again",
        )
    git(repo.root, "update-ref", *([ref, there, here] if there else ["-d", ref, here]))


def drop(repo: Repo, remote: str, ref: str, expected: str) -> None:
    """Delete the branch on the remote, if it still is where it was, and here."""
    push(repo, remote, [Move(ref, None, expected, follows=False)], hooks=False)
    if repo.ref(ref) == expected:
        git(repo.root, "update-ref", "-d", ref, expected)
