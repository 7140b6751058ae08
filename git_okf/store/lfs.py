"""git-lfs: contents that git holds only pointers to, and whether this repository can have them.

Contents lie in `<git common dir>/lfs/objects`, where git-lfs looks for them; its own hook pushes them. Source: git-lfs,
docs/spec.md.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path

from git_okf.errors import GitRefused
from git_okf.gitprogram import git
from git_okf.store.repo import Repo
from git_okf.store.scratch import unwritable


def keep(common_dir: Path, data: bytes) -> None:
    """Have a content where git-lfs finds it: whole or not at all. Repeating it costs nothing."""
    name = hashlib.sha256(data).hexdigest()
    path = common_dir / "lfs" / "objects" / name[:2] / name[2:4] / name
    if path.is_file() and path.stat().st_size == len(data):
        return
    draft = path.with_name(f"{name}.{secrets.token_hex(4)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise unwritable(path.parent, error) from error


def check(repo: Repo, pattern: str) -> None:
    """GitRefused where files of a pattern would be checked out as pointers: git-lfs is missing or not told of them."""
    untouched = "Nothing was requested or changed"
    if git(repo.root, "lfs", "version", check=False).returncode:
        raise GitRefused(f"`lfs: true` needs git-lfs, which is not installed. {untouched}", "install git-lfs")
    if not repo.config("filter.lfs.smudge"):
        raise GitRefused(f"git-lfs is not set up here. {untouched}", "git lfs install")
    asked = pattern.replace("**", "a/b").replace("*", "c")
    told = git(repo.root, "check-attr", "-z", "filter", "--", asked).stdout.decode("utf-8", "replace").split("\0")
    if told[2:3] != ["lfs"]:
        raise GitRefused(
            f".gitattributes do not send {pattern} through git-lfs. {untouched}",
            f"git lfs track '{pattern}'   then commit .gitattributes",
        )
