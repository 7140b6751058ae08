"""What a repository is, however it is called: the id its host gave it, where the host tells it, else its address.

GitHub tells it (`GET /repos/{owner}/{repo}`, `id`): it stays through renames and transfers, and a new repository that
takes over an old name has another. Owner and name are for people to read. To ask costs a request beside git's own: once
for a new source, and where a head moved; not for a look that finds nothing new.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from git_okf.errors import SourceUnavailable
from git_okf.jsonapi import ApiRefused, ApiUnavailable, Effects
from git_okf.source.repository import github
from git_okf.source.repository.address import Address
from git_okf.source.repository.errors import KEPT
from git_okf.source.repository.links import home


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who a repository is."""

    id: str
    """`github.com#1296269`, or the address where no host tells an id: what records are bound to."""
    name: str
    """Owner and name as they are now."""
    certain: bool
    """The host said so just now."""
    notice: str = ""
    """For the report: that it has another name now, or why its host did not tell."""


class AnotherRepository(SourceUnavailable):
    """Under the old name there is a new repository: nothing of it is taken for the old one's."""

    code = "another-repository"


def identity(
    address: Address, environ: Mapping[str, str], known: str = "", *, effects: Effects | None = None
) -> Identity:
    """Ask the host of a repository what it is. `known` is the id recorded last time, "" for none.

    Where the host does not tell (another kind of host, a private repository without a token, a rate limit) it is the
    known one, or the address. AnotherRepository where the host tells another id than the known one.
    """
    plain = known or address_identity(address)
    api = github.api_of(address.host, environ)
    if api is None or address.name.count("/") != 1:
        return Identity(id=plain, name=address.name, certain=False)
    base, token = api
    try:
        with github.connect(base, token, effects) as asked:
            data: Any = asked.call("GET", f"/repos/{quote(address.name)}").data
    except (ApiRefused, ApiUnavailable) as error:
        return Identity(id=plain, name=address.name, certain=False, notice=error.message)
    number, name = (data.get("id"), data.get("full_name")) if isinstance(data, dict) else (None, None)
    if not isinstance(number, int) or not isinstance(name, str) or not name.isprintable():
        return Identity(id=plain, name=address.name, certain=False)
    found = f"{address.host}#{number}"
    if "#" in known and known != found:
        raise AnotherRepository(
            f"{address.shown} is another repository than the one that was synced ({found}, not {known}); {KEPT}",
            "if the new one is meant, `git okf remove` the source and add it again",
        )
    renamed = name.lower() != address.name.lower()
    notice = f"{address.name} is called {name} now; its old address may go to somebody else" if renamed else ""
    return Identity(id=found, name=name, certain=True, notice=notice)


def address_identity(address: Address) -> str:
    """What stands for the id where no host tells one: the same for each protocol and spelling of an address."""
    return home(address) or address.shown
