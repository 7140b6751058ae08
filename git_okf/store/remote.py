"""What the git program does for the store: configuration, signatures, and what other clones remember."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from git_okf.errors import GitRefused
from git_okf.gitprogram import FETCH, NETWORK_TIMEOUT_S, git

if TYPE_CHECKING:
    from git_okf.store.commit import Identity
    from git_okf.store.repo import Repo

SIGNING_TIMEOUT_S = 60.0


def settings(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """git's configuration, all files and the environment taken together; the last value where there are several."""
    listed = git(root, "config", "--list", "-z", environ=environ).stdout.decode("utf-8", "surrogateescape")
    pairs = (entry.partition("\n") for entry in listed.split("\0") if entry)
    return {name: value if given else "true" for name, given, value in pairs}


def trusts(start: Path, environ: Mapping[str, str]) -> bool:
    """Whether git itself would work in this repository, whoever owns it."""
    return git(start, "rev-parse", "--git-dir", check=False, environ=environ).returncode == 0


def signed_commit(
    repo: Repo, tree: str, parents: Sequence[str], message: str, who: tuple[Identity, Identity], when: datetime
) -> str:
    """Write a commit object signed as the user's configuration says (GPG, SSH, X.509). Never a prompt, never a hang."""
    author, committer = who
    date = f"{int(when.timestamp())} {when:%z}"
    identity = {
        "GIT_AUTHOR_NAME": author.name,
        "GIT_AUTHOR_EMAIL": author.email,
        "GIT_AUTHOR_DATE": date,
        "GIT_COMMITTER_NAME": committer.name,
        "GIT_COMMITTER_EMAIL": committer.email,
        "GIT_COMMITTER_DATE": date,
    }
    args = ["-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-S", tree]
    for parent in parents:
        args += ["-p", parent]
    done = git(
        repo.root,
        *args,
        stdin=message.encode(),
        check=False,
        extra=identity,
        timeout=SIGNING_TIMEOUT_S,
        watch=repo.watch,
    )
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise GitRefused(
            f"commit.gpgsign is set, and the commit could not be signed: {said or f'exit {done.returncode}'}",
            "unlock the key for your agent and run again (nothing is fetched twice), or switch signing off here with"
            " `git config commit.gpgsign false`",
        )
    return done.stdout.decode().strip()


# --- what other clones remember ---


def remotes(repo: Repo, ref: str = "") -> list[str]:
    """The names of the remotes: first the one the branch follows (HEAD's, unless `ref` names another), then `origin`,
    then the others."""
    names = git(repo.root, "remote").stdout.decode("utf-8", "replace").split("\n")[:-1]
    branch = (ref or repo.head().ref).removeprefix("refs/heads/")
    first = [repo.config(f"branch.{branch}.remote") or "", "origin"]
    return [*dict.fromkeys(name for name in first if name in names), *(n for n in sorted(names) if n not in first)]


def address(repo: Repo, remote: str) -> str:
    """What git is to be given for a remote that is pushed to. One that is fetched from elsewhere (`pushurl`) is asked
    where it is pushed to: a lease, a state or a branch that stands in another repository tells nothing of this one.
    GitRefused where a push goes to several repositories: refs of two cannot be moved together."""
    named = {name: _values(repo, f"remote.{remote}.{name}") for name in ("pushurl", "url")}
    there = named["pushurl"] or named["url"]
    if len(set(there)) > 1:
        raise GitRefused(
            f"{remote} is pushed to {len(there)} repositories at once, and their refs cannot be moved together. Nothing"
            " was fetched or changed",
            f"give each a remote of its own, and git-okf one of them: `git config --get-all remote.{remote}.pushurl`"
            " shows them",
        )
    return there[0] if named["pushurl"] else remote


def shown(remote: str) -> str:
    """A remote as it may be told: its address without credentials."""
    return re.sub(r"^([A-Za-z][\w+.-]*://)[^/@]*@", r"\1", remote)


def _values(repo: Repo, name: str) -> list[str]:
    listed = git(repo.root, "config", "-z", "--get-all", name, check=False).stdout.decode("utf-8", "surrogateescape")
    return listed.split("\0")[:-1]


def remote_refs(repo: Repo, remote: str, names: Sequence[str], timeout: float = NETWORK_TIMEOUT_S) -> dict[str, str]:
    """Which of some refs a remote has, with their ids. GitRefused where it cannot be asked."""
    done = git(repo.root, "ls-remote", "--refs", remote, *names, timeout=timeout, watch=repo.watch)
    pairs = (line.split("\t") for line in done.stdout.decode("utf-8", "replace").splitlines())
    return {name: oid for oid, name in pairs if name in names}


def fetch_refs(repo: Repo, remote: str, refspecs: Sequence[str]) -> None:
    """Fetch refs, never by force. A shallow clone stays shallow; of a partial one the tips come whole."""
    depth = ["--depth=1"] if repo.is_shallow() else []
    git(repo.root, *FETCH, *depth, "--", remote, *refspecs, watch=repo.watch)
    if repo.is_partial():
        for refspec in refspecs:
            _fill(repo, remote, refspec.rpartition(":")[2])


def _fill(repo: Repo, remote: str, ref: str) -> None:
    """Fetch at once what a partial clone left out of the tree a ref points to."""
    listed = git(repo.root, "rev-list", "--objects", "--missing=print", "--max-count=1", ref).stdout.splitlines()
    missing = b"".join(line[1:] + b"\n" for line in listed if line.startswith(b"?"))
    if missing:
        # As git itself fetches what it misses: without telling the remote what it has.
        git(
            repo.root,
            "-c",
            "fetch.negotiationAlgorithm=noop",
            *FETCH,
            remote,
            "--stdin",
            stdin=missing,
            watch=repo.watch,
        )


def fetch_memory(repo: Repo) -> list[str]:
    """In a clone that lacks the state or the notes, take them from the first remote that has them.

    Returns the refs that were made. A remote that cannot be asked is passed over: what `git clone` brought of it
    (`refs/remotes/...`) is taken instead, and where there is nothing the state is rebuilt from the bundle.
    """
    from git_okf.store import notes, state

    wanted = [name for name in (state.REF, notes.REF) if repo.ref(name) is None]
    for remote in remotes(repo) if wanted else ():
        try:
            there = list(remote_refs(repo, remote, wanted))
            if there:
                fetch_refs(repo, remote, [f"{name}:{name}" for name in there])
                return there
        except GitRefused:
            if taken := _from_clone(repo, remote, state.REF):
                return taken
    return []


def _from_clone(repo: Repo, remote: str, name: str) -> list[str]:
    from git_okf.store.repo import RefUpdate

    there = repo.ref(f"refs/remotes/{remote}/{name.removeprefix('refs/heads/')}")
    if there is None or repo.ref(name) is not None:
        return []
    repo.update([RefUpdate(name, None, there, f"okf: from {remote}")])
    return [name]


def fetch_object(repo: Repo, oid: str) -> bool:
    """Whether git could get an object that a partial clone left out."""
    done = git(repo.root, "cat-file", "-e", oid, check=False, timeout=NETWORK_TIMEOUT_S, watch=repo.watch)
    return done.returncode == 0
