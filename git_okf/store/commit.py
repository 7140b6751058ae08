"""What a commit object says: who, when, and a message that is only text.

Pure: `payload` gives the bytes of the object; writing them is the repository's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from git_okf.errors import GitRefused

TRUE = ("true", "yes", "on", "1")
"""What git takes for true in its configuration, in any case."""
FALLBACK_NAME = "git-okf"
FALLBACK_EMAIL = "git-okf@localhost"

# git strips these from both ends of a name (ident.c, `crud`), and can never hold <, > and line ends inside.
_CRUD = " \t\r\n\v\f.,:;<>\"\\'"
_FORBIDDEN = re.compile(r"[<>\n\r\x00]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Identity:
    """A name and an address, as they stand in a commit."""

    name: str
    email: str


def identity(role: str, environ: Mapping[str, str], config: Callable[[str], str | None]) -> Identity:
    """Who commits. `role` is `author` or `committer`.

    As git decides: GIT_AUTHOR_NAME and its kin, then `author.name`, then `user.name`. Where git would stop and ask for
    an identity, `git-okf <git-okf@localhost>` stands in: an unattended run cannot answer. GitRefused where the user
    wants no identity that was not configured (`user.useConfigOnly`).
    """
    env = f"GIT_{role.upper()}"
    name = environ.get(f"{env}_NAME") or config(f"{role}.name") or config("user.name") or ""
    email = environ.get(f"{env}_EMAIL") or config(f"{role}.email") or config("user.email") or ""
    if (config("user.useconfigonly") or "false").lower() in TRUE:
        _check_given(role, name=name, email=email)
    email = email or environ.get("EMAIL") or ""
    return Identity(_plain(name) or FALLBACK_NAME, _plain(email) or FALLBACK_EMAIL)


def _check_given(role: str, **given: str) -> None:
    for what, value in given.items():
        if not _plain(value):
            raise GitRefused(
                f"user.useConfigOnly is set, and git's configuration has no {what} for the {role} of commits. Nothing"
                " was requested or changed",
                f"git config user.{what} VALUE   or set {f'GIT_{role}_{what}'.upper()}",
            )


def _plain(text: str) -> str:
    return _FORBIDDEN.sub("", text.encode("utf-8", "replace").decode()).strip(_CRUD)


def clean(message: str) -> str:
    """As `git commit --cleanup=whitespace`: no trailing blanks, single empty lines, one line end at the end.

    Control and direction characters become U+FFFD, so that a page's title cannot speak to a terminal.
    """
    text = message.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    lines = [_CONTROL.sub("\ufffd", line).rstrip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"


def stamp(who: Identity, when: datetime) -> str:
    """`Name <email> seconds +hhmm`. `when` must have an offset."""
    offset = when.utcoffset()
    if offset is None:
        raise ValueError("a commit time needs an offset")
    minutes = int(offset.total_seconds()) // 60
    sign = "-" if minutes < 0 else "+"
    return f"{who.name} <{who.email}> {int(when.timestamp())} {sign}{abs(minutes) // 60:02d}{abs(minutes) % 60:02d}"


def payload(tree: str, parents: Sequence[str], author: str, committer: str, message: str) -> bytes:
    """The bytes of the commit object, in UTF-8 (git's default, so without an encoding header)."""
    head = [f"tree {tree}", *(f"parent {parent}" for parent in parents), f"author {author}", f"committer {committer}"]
    return ("\n".join(head) + "\n\n" + clean(message)).encode()
