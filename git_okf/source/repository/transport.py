"""git as it is let near somebody else's repository: one protocol, no hook, no prompt, no submodule, objects checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from git_okf.errors import Interrupted
from git_okf.gitprogram import NETWORK_TIMEOUT_S, Done, GitTimeout, git
from git_okf.source.repository.address import Address
from git_okf.source.repository.errors import HARMLESS, KEPT, Unreachable
from git_okf.source.repository.objects import NOWHERE

FETCH_TIMEOUT_S = 3600.0
STALLED_S = 60
"""A transfer that brings less than a kilobyte a second for so long is given up."""

_SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.symlinks=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "fetch.bundleURI=",
    "transfer.bundleURI=false",
    "transfer.fsckObjects=true",
    "fetch.fsckObjects=true",
    *(f"fetch.fsck.{name}=ignore" for name in HARMLESS),
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.version=2",
    "http.followRedirects=false",
    "http.lowSpeedLimit=1000",
    f"http.lowSpeedTime={STALLED_S}",
)
UNCHECKED = ("transfer.fsckObjects=false", "fetch.fsckObjects=false")
"""For `settings`: what comes is not checked by git. Each object that is read is checked against its id all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transport:
    """How git is run for one source. Credentials come from the person's own git configuration (global, system and
    environment), never from the repository we write into, and are kept by nobody here."""

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)
    stopping: Callable[[], bool] = lambda: False
    allow_hosts: tuple[str, ...] = ()
    """Hosts that a redirect may lead to though their addresses are not public."""

    def run(
        self,
        address: Address,
        *args: str,
        mirror: Path | None = None,
        settings: Sequence[str] = (),
        extra: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float = NETWORK_TIMEOUT_S,
        watch: Callable[[], None] = lambda: None,
    ) -> Done:
        """Run git against a repository; the caller judges how it ended. Interrupted once a signal asked for the end,
        Unreachable where git does not end in `timeout` seconds. `mirror`: the repository it works in, none without."""

        def look() -> None:
            if self.stopping():
                raise Interrupted(f"interrupted while reading {address.shown}; nothing was changed")
            watch()

        look()
        options = [word for setting in (*_SETTINGS, *_pin(address), *settings) for word in ("-c", setting)]
        environ = {
            **(extra or {}),
            "GIT_DIR": str(mirror or os.devnull),
            "GIT_ALLOW_PROTOCOL": ":".join(sorted(self._allowed(address))),
            "GIT_LFS_SKIP_SMUDGE": "1",
        }
        try:
            return git(
                NOWHERE, *options, *args,
                stdin=stdin, check=False, environ=self.environ, extra=environ, timeout=timeout, watch=look,
            )  # fmt: skip
        except GitTimeout as error:
            raise Unreachable(f"{address.shown} did not answer within {timeout:g} seconds; {KEPT}") from error

    def _allowed(self, address: Address) -> frozenset[str]:
        """The address's own protocols, and of them only those that the person lets git speak at all."""
        said = self.environ.get("GIT_ALLOW_PROTOCOL")
        return address.allowed if said is None else address.allowed & frozenset(said.split(":"))


def _pin(address: Address) -> Sequence[str]:
    return [f"http.curloptResolve={address.pinned}"] if address.pinned else []
