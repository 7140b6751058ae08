"""The branch of a review, here and on the remote: where it is, what is on it, whether the base moved on.

In a shallow clone the history is fetched until both tips are known to meet, and nothing between them is cut off: a
commit of a person that a cut hides would be lost with the next push. A remote is what git is given for it
(`remote.address`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from git_okf.errors import GitRefused
from git_okf.gitprogram import FETCH, NETWORK_TIMEOUT_S, git
from git_okf.store import followed, target
from git_okf.store.push import Move, push
from git_okf.store.remote import shown
from git_okf.store.repo import Repo
from git_okf.store.upstream import catch_up_memory

PREFIX = "refs/heads/okf/sync/"
DEEPEN = (50, 500)
"""Commits that a shallow clone is deepened by before its whole history is fetched."""
_FIELDS = ("%H", "%T", "%P", "%ae", "%ce", "%B")


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
    done = git(repo.root, "ls-remote", "--symref", "--", remote, "HEAD", timeout=NETWORK_TIMEOUT_S, watch=repo.watch)
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        if line.startswith("ref: refs/heads/"):
            return line.split("\t")[0].removeprefix("ref: refs/heads/")
    raise GitRefused(
        f"{shown(remote)} does not say which branch reviews go into. Nothing was changed",
        "set review.base in .okf.yaml",
    )


def look(repo: Repo, remote: str, base: str, ref: str, when: datetime) -> Tips:
    """Where both branches are on the remote now; notes and state come here with them. GitRefused where the base is not
    there."""
    name = f"refs/heads/{base}"
    there = catch_up_memory(repo, remote, when, [name, ref])
    tip = there[name]
    if tip is None:
        raise GitRefused(
            f"{shown(remote)} has no branch {base}, which reviews are to go into. Nothing was changed",
            "set review.base in .okf.yaml to the branch they go into, or push it",
        )
    branch = there[ref]
    if branch is not None:
        _join(repo, remote, [name, ref], tip, branch)
    return Tips(base=tip, branch=branch)


def _join(repo: Repo, remote: str, names: list[str], base: str, branch: str) -> None:
    for depth in (*(f"--deepen={count}" for count in DEEPEN), "--unshallow"):
        if not repo.is_shallow() or _is_joined(repo, base, branch):
            return
        git(repo.root, *FETCH, depth, "--", remote, *names, watch=repo.watch)


def _is_joined(repo: Repo, base: str, branch: str) -> bool:
    """Whether the tips meet, and no commit in between has lost its parents to the cut."""
    if git(repo.root, "merge-base", base, branch, check=False).returncode:
        return False
    cut = (repo.common_dir / "shallow").read_bytes().decode().split()
    between = git(repo.root, "rev-list", branch, f"^{base}").stdout.decode().split()
    return set(cut).isdisjoint(between)


def commits(repo: Repo, tips: Tips) -> list[BranchCommit]:
    """What is on the branch and not in the base, newest first."""
    return [] if tips.branch is None else _listed(repo, tips.branch, f"^{tips.base}")


def _listed(repo: Repo, *revisions: str) -> list[BranchCommit]:
    form = "%x00".join(_FIELDS)
    listed = git(repo.root, "log", "-z", "--topo-order", f"--format={form}", *revisions).stdout
    values = listed.decode("utf-8", "replace").split("\0")
    return [_commit(*values[at : at + len(_FIELDS)]) for at in range(0, len(values) - 1, len(_FIELDS))]


def _commit(oid: str, tree: str, parents: str, author: str, committer: str, message: str) -> BranchCommit:
    return BranchCommit(
        id=oid, tree=tree, parents=tuple(parents.split()), author=author, committer=committer, message=message
    )


def merges(repo: Repo, commit: BranchCommit, base: str) -> bool:
    """Whether a commit is a merge of the base whose tree is what git itself makes of the two."""
    if len(commit.parents) != 2 or not any(repo.is_ancestor(parent, base) for parent in commit.parents):
        return False
    done = git(repo.root, "merge-tree", "--write-tree", *commit.parents, check=False)
    return done.returncode == 0 and done.stdout.decode().split("\n")[0] == commit.tree


def stays_within(repo: Repo, commit: BranchCommit, places: Iterable[str]) -> bool:
    """Whether a commit with one parent changes nothing outside of some directories."""
    if len(commit.parents) != 1 or not repo.has(commit.parents[0]):
        return False
    inside = tuple(f"{place}/" for place in places)
    changed = repo.diff(repo.commit_tree(commit.parents[0]), commit.tree)
    return all(f"{each.path}/".startswith(inside) for each in changed)


def trees(repo: Repo, tree: str | None, places: Iterable[str]) -> str:
    """What stands in some directories, as the trailer of a commit says it."""
    return " ".join(repo.subtree(tree, place) or "-" for place in places)


def align(
    repo: Repo, name: str, ref: str, tips: Tips, is_ours: Callable[[BranchCommit], bool], kept: Iterable[str] = ()
) -> None:
    """Bring the branch here to where it is on the remote of that name, unless it has commits that are neither there nor
    ours. `kept`: commits that the host keeps, the heads of reviews."""
    here, there = repo.ref(ref), tips.branch
    if here is None or here == there:
        followed.note(repo, ref)
        return
    target.check_free(repo, target.Target(ref=ref))
    told = [tip for tip in (followed.noted(repo, ref), *kept) if tip and repo.has(tip)]
    known = [f"^{tip}" for tip in (tips.base, there, *told) if tip]
    lost = [commit.id for commit in _listed(repo, here, *known, "--not", "--remotes") if not is_ours(commit)]
    if lost:
        branch = ref.removeprefix("refs/heads/")
        raise GitRefused(
            f"{branch} has {min(lost)[:7]} here, which nobody else has. Nothing was requested or changed",
            f"push it (git push {name} {branch}), or `git branch -D {branch}` to drop it; then run again",
        )
    git(repo.root, "update-ref", *([ref, there, here] if there else ["-d", ref, here]))
    followed.note(repo, ref)


def drop(repo: Repo, remote: str, ref: str, expected: str) -> None:
    """Delete the branch on the remote, if it still is where it was, and here. PushRaced where it moved."""
    push(repo, remote, [Move(ref, None, expected, follows=False)], hooks=False)
    if repo.ref(ref) == expected:
        git(repo.root, "update-ref", "-d", ref, expected)
