"""The repository: objects and refs. With `opening` the only module that knows pygit2.

Opening it decides everything that could make a sync impossible, so that no request is sent in vain. Reading never
writes. Writing objects moves nothing a user can see; `update` moves refs, all of them or none, each only from the value
it was expected to have. Ids are 40 hex digits.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from datetime import UTC, datetime, timedelta, timezone
from functools import cached_property
from pathlib import Path

import pygit2
from pygit2.enums import ObjectType, SortMode

from git_okf.errors import GitRefused
from git_okf.store import commit as commits
from git_okf.store import locks, pending, preflight, remote, trees
from git_okf.store.pack import Pack
from git_okf.store.repo import opening
from git_okf.store.values import Changed as Changed
from git_okf.store.values import Commit as Commit
from git_okf.store.values import Head as Head
from git_okf.store.values import Missing as Missing
from git_okf.store.values import RefMoved as RefMoved
from git_okf.store.values import RefUpdate as RefUpdate

LOCK_WAIT_S = 5.0
_PROMISOR = re.compile(r"remote\..*\.promisor")


BULK = 200
"""Changed files from which on objects are written into a pack. Fewer are cheaper as loose ones."""


class Repo:
    """One repository. Not for use by several threads at once.

    `root` is where its files are; in a bare one, which has none, the git directory.
    """

    def __init__(self, handle: pygit2.Repository, environ: Mapping[str, str]) -> None:
        self._git = handle
        self._environ = dict(environ)
        self.git_dir = Path(handle.path)
        self.is_bare = not handle.workdir
        self.root = Path(handle.workdir or handle.path)
        self.common_dir = opening.common_dir(self.git_dir)
        self.scratch = self.common_dir / "okf"
        self._head = "HEAD"
        self.watch: Callable[[], None] | None = None
        self._border = opening.border(self.common_dir)

    @classmethod
    def open(
        cls, start: Path, environ: Mapping[str, str] | None = None, *, reading: bool = False, bare: bool = False
    ) -> Repo:
        """The repository around `start`. GitRefused with cause and remedy where a sync could not be committed.

        With `reading` a merge or rebase under way is no obstacle; with `bare` it need not have a work tree.
        """
        environ = os.environ if environ is None else environ
        git_dir = opening.discover(start, environ)
        preflight.check_format(opening.stored_format(opening.common_dir(git_dir)), git_dir)
        handle = opening.open_handle(git_dir, start, environ)
        if not handle.workdir and not bare:
            raise preflight.bare(git_dir)
        preflight.check_environment(start, git_dir, Path(handle.workdir or git_dir), environ)
        if not reading:
            preflight.check_operation(git_dir)
        repo = cls(handle, environ)
        repo.head()
        return repo

    # --- refs ---

    def head(self) -> Head:
        """Where HEAD points. GitRefused where it cannot be read."""
        try:
            found = self._followed(self._head)
        except (pygit2.GitError, ValueError, KeyError) as error:
            raise opening.bad_head(self.git_dir, str(error)) from error
        if found.ref == "HEAD" and not found.detached:
            raise opening.bad_head(self.git_dir, "it is missing")
        return found

    def watched_by(self, watch: Callable[[], None] | None) -> Repo:
        """The same repository for somebody who may have to end: what `watch` raises ends a git that talks to a remote,
        or waits for a signature."""
        other = copy(self)
        other.watch = watch
        return other

    def seen_from(self, ref: str) -> Repo:
        """The same repository for questions, as if HEAD were on this branch."""
        other = copy(self)
        other._head = ref
        return other

    def branch(self, ref: str) -> Head:
        """The branch that a ref names, through symbolic refs, and where it is."""
        with _translated(f"read {ref}"):
            return self._followed(ref)

    def _followed(self, name: str) -> Head:
        while name in self._git.references:
            target = self._git.references[name].raw_target
            if not isinstance(target, bytes | str):
                return Head(name, str(target), detached=name == "HEAD")
            name = target.decode() if isinstance(target, bytes) else target
        return Head(name, None, detached=False)

    def ref(self, name: str) -> str | None:
        """The id a ref points to, through symbolic refs; None where it does not exist."""
        with _translated(f"read {name}"):
            try:
                return str(self._git.references[name].resolve().target)
            except KeyError:
                return None

    def refs(self, prefix: str) -> dict[str, str]:
        """All direct refs whose name begins with `prefix`."""
        with _translated("list the refs"):
            names = sorted(name for name in self._git.references if name.startswith(prefix))
        return {name: oid for name in names if (oid := self.ref(name)) is not None}

    def update(
        self, updates: Sequence[RefUpdate], *, head: str | None = None, first: Callable[[], None] = lambda: None
    ) -> None:
        """Move all refs or none: RefMoved where one of them is not at its `old` value.

        Every ref is locked, in the order of the names; then each is compared under its lock; then they are renamed
        into place in the order given. One libgit2 transaction would rename them in the order of a hash table, so each
        ref has a transaction of its own: a kill between two renames leaves a prefix of the given order. `head` names
        the branch that HEAD must still point to; HEAD is then locked as well, so nobody switches branches meanwhile.
        `first` is done when nothing but the renames is left; where it raises nothing moves.
        """
        who = self.identity("committer")
        self._git.set_ident(who.name, who.email)
        names = {u.name for u in updates} | ({"HEAD"} if head else set())
        self.recover()
        with (
            locks.announced(self.scratch, [self._lock_file(name) for name in sorted(names)], updates),
            _translated("update the refs"),
            ExitStack() as stack,
        ):
            held = {}
            for name in sorted(names):
                held[name] = stack.enter_context(self._locked(name))
            if head and (actual := self.head().ref) != head:
                raise RefMoved("HEAD", head, actual)
            for update in updates:
                self._compare(update)
                held[update.name].set_target(update.name, update.new, message=update.reason)
            first()
            for update in updates:
                if not self.is_bare and update.name == self.head().ref:
                    pending.begin(self.scratch, self.git_dir, pending.Owed(update.old, update.new))
                held[update.name].commit()

    def recover(self) -> None:
        """Take away what killed runs left: their lock files, and the gap where only some of their refs had moved.

        A kill between two renames leaves a prefix. Where the first ref has moved, those that are still where they were
        are moved as well; their objects were written before.
        """
        for moves in locks.clear_stale(self.scratch):
            if not moves:
                continue
            begun = self.ref(moves[0].name)
            if begun and self.has(moves[0].new) and self.is_ancestor(moves[0].new, begun):
                rest = [move for move in moves[1:] if self.ref(move.name) == move.old and self.has(move.new)]
                if rest:
                    self.update(rest)

    @contextmanager
    def _locked(self, name: str) -> Iterator[pygit2.transaction.ReferenceTransaction]:
        """A transaction that holds the lock of one ref; it is let go at the end, committed or not."""
        deadline = time.monotonic() + LOCK_WAIT_S
        while True:
            transaction = self._git.transaction()
            try:
                transaction.lock_ref(name)
                break
            except pygit2.GitError as error:
                transaction.__exit__(type(error), error, None)
                if "lock" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        try:
            yield transaction
        finally:
            # Given an exception, the library's own exit does not commit: it only frees, which drops the lock.
            transaction.__exit__(GitRefused, None, None)

    def _lock_file(self, name: str) -> Path:
        folder = self.git_dir if name == "HEAD" else self.common_dir
        return folder / f"{name}.lock"

    def _compare(self, update: RefUpdate) -> None:
        try:
            reference = self._git.references[update.name]
            target = reference.raw_target
            actual = target.decode() if isinstance(target, bytes) else str(target)
        except KeyError:
            actual = None
        if actual != update.old:
            raise RefMoved(update.name, update.old, actual)

    # --- reading objects ---

    def commit_tree(self, commit: str) -> str:
        """The tree of a commit."""
        return self.commit_info(commit).tree

    def commit_info(self, commit: str) -> Commit:
        with _translated(f"read commit {commit}"):
            try:
                return _commit(self._git[commit].peel(pygit2.Commit))
            except KeyError as error:
                raise Missing(commit) from error

    def entry(self, tree: str | None, path: str) -> tuple[int, str] | None:
        """Mode and id of what stands at `path` in a tree ("" is the tree itself); None where nothing does."""
        found: tuple[int, str] | None = (trees.TREE, tree) if tree else None
        for part in path.split("/") if path else ():
            if found is None or found[0] != trees.TREE:
                return None
            found = trees.parse(self.tree_data(found[1])).get(part.encode())
        return found

    def subtree(self, tree: str | None, path: str) -> str | None:
        """The id of the directory at `path`; None where there is none."""
        found = self.entry(tree, path)
        return found[1] if found and found[0] == trees.TREE else None

    def read(self, oid: str) -> bytes:
        """The bytes of a blob. Raises Missing."""
        return self._raw(oid)

    def tree_data(self, oid: str) -> bytes:
        return b"" if oid == trees.EMPTY_TREE else self._raw(oid)

    def walk(self, tree: str | None) -> Iterator[tuple[str, str]]:
        """Path and id of every regular file below a tree; links and submodules are left out."""
        for path, mode, oid in trees.walk(self, tree) if tree else ():
            if mode in (trees.FILE, trees.EXECUTABLE):
                yield os.fsdecode(path), oid

    def diff(self, old: str | None, new: str | None) -> list[Changed]:
        """The paths that differ between two trees. Raises Missing where a tree is not in this clone."""
        return list(self.differences(old, new))

    def differences(self, old: str | None, new: str | None) -> Iterator[Changed]:
        """The same, one after another as the trees are read."""
        for path, left, right in trees.diff(self, old, new):
            mode = (right or left or (trees.FILE,))[0]
            yield Changed(os.fsdecode(path), left and left[1], right and right[1], mode)

    def log(self, commit: str | None, path: str | None = None) -> Iterator[Commit]:
        """The commit and its ancestors, children first, newest first; with `path`, only those that changed it.

        Ends at the border of a shallow clone.
        """
        if commit is None:
            return
        with _translated("read the history"):
            for found in self._history().walk(pygit2.Oid(hex=commit), SortMode.TOPOLOGICAL | SortMode.TIME):
                info = _commit(found)
                if path is None or self._touches(info, path):
                    yield info

    def _touches(self, info: Commit, path: str) -> bool:
        here = self.entry(info.tree, path)
        if not info.parents:
            return here is not None
        there = [self.entry(self.commit_tree(parent), path) for parent in info.parents if self.has(parent)]
        return all(entry != here for entry in there) if there else here is not None

    def ancestors(self, commit: str | None) -> Iterator[str]:
        """The ids of a commit and its ancestors, newest first."""
        return (info.id for info in self.log(commit))

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` is `older` or descends from it."""
        with _translated("read the history"):
            return older == newer or self._history().descendant_of(newer, older)

    def _history(self) -> pygit2.Repository:
        """The handle to walk commits with. It learns once where a shallow clone ends, and a fetch moves that border."""
        border = opening.border(self.common_dir)
        if border != self._border:
            self._git, self._border = opening.open_handle(self.git_dir, self.root, self._environ), border
        return self._git

    def has(self, oid: str) -> bool:
        """Whether the object is in this clone."""
        return oid in self._git

    # --- writing objects ---

    def hash_blob(self, data: bytes) -> str:
        """The id the bytes would have as a blob; nothing is written."""
        return trees.blob_id(data)

    def write_blob(self, data: bytes) -> str:
        with _translated("write an object"):
            return str(self._git.create_blob(data))

    def write_tree_data(self, data: bytes) -> str:
        with _translated("write an object"):
            return str(self._git.write(ObjectType.TREE, data))

    def edit(self, tree: str | None, changes: Mapping[str, trees.Content]) -> str:
        """A tree with files written, or deleted where the value is None; see `trees.edit`. Many go into a pack."""
        if len(changes) < BULK:
            return trees.edit(self, tree, changes)
        with Pack(self.common_dir / "objects", self) as pack:
            return trees.edit(pack, tree, changes)

    def commit(
        self, tree: str, parents: Sequence[str], message: str, when: datetime, *, sign: bool | None = None
    ) -> str:
        """Write a commit object; no ref moves. By default it is signed where `commit.gpgsign` asks for it.

        Signing is left to the git program. Commit hooks do not run: nobody sits there to mend what they refuse.
        """
        author, committer = self.identity("author"), self.identity("committer")
        if self.signs() if sign is None else sign:
            return remote.signed_commit(self, tree, parents, commits.clean(message), (author, committer), when)
        data = commits.payload(tree, parents, commits.stamp(author, when), commits.stamp(committer, when), message)
        with _translated("write an object"):
            return str(self._git.write(ObjectType.COMMIT, data))

    def signs(self) -> bool:
        """Whether the user's configuration wants commits signed."""
        return self.flag("commit.gpgsign")

    # --- configuration ---

    def is_shallow(self) -> bool:
        """Whether history was cut off when this clone was made."""
        return (self.common_dir / "shallow").exists()

    def is_partial(self) -> bool:
        """Whether objects were left out when this clone was made, to be fetched when needed."""
        return any(name == "extensions.partialclone" or _PROMISOR.fullmatch(name) for name in self._settings)

    def config(self, name: str) -> str | None:
        """A value of git's configuration, as git itself reads it (libgit2 knows nothing of GIT_CONFIG_GLOBAL)."""
        return self._settings.get(name)

    def flag(self, name: str) -> bool:
        """A true-or-false value of git's configuration; False where it is not set."""
        return (self.config(name) or "false").lower() in commits.TRUE

    @cached_property
    def _settings(self) -> dict[str, str]:
        return remote.settings(self.root, self._environ)

    def identity(self, role: str) -> commits.Identity:
        """Who stands in commits as `author` or `committer`. GitRefused where the user wants nobody to be made up."""
        return commits.identity(role, self._environ, self.config)

    # --- raw access ---

    def _raw(self, oid: str) -> bytes:
        with _translated(f"read object {oid}"):
            try:
                return self._git.read(oid)[1]
            except KeyError as error:
                if self.is_partial() and remote.fetch_object(self, oid):
                    return self._git.read(oid)[1]
                raise Missing(oid) from error


def _commit(found: pygit2.Commit) -> Commit:
    zone = timezone(timedelta(minutes=found.commit_time_offset))
    when = datetime.fromtimestamp(found.commit_time, UTC).astimezone(zone)
    message = found.raw_message.decode(found.message_encoding or "utf-8", "replace")
    return Commit(str(found.id), str(found.tree_id), tuple(map(str, found.parent_ids)), message, when)


@contextmanager
def _translated(what: str) -> Iterator[None]:
    """The border: what the library raises becomes GitRefused."""
    try:
        yield
    except (pygit2.GitError, KeyError, ValueError, OSError) as error:
        reason = str(error).strip("'\"") or type(error).__name__
        raise GitRefused(
            f"git could not {what}: {reason}",
            "see whether the disk is full, the git directory is writable, and `git fsck` is content",
        ) from error
