"""Storages in processes of their own, one of each kind for all tests, and desks at them."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import pytest
from publish import storage
from publish.desk import BUNDLE, Desk, Desks
from publish.storage import KEY, SECRET, Server

from git_okf.publish import bucket as buckets

if TYPE_CHECKING:
    from conftest import GitRepo, Run


@pytest.fixture(scope="session")
def moto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with storage.moto(tmp_path_factory.mktemp("moto")) as server:
        yield server


@pytest.fixture(scope="session")
def seaweedfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with storage.seaweedfs(tmp_path_factory.mktemp("weed")) as server:
        yield server


@pytest.fixture(scope="session")
def rclone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with storage.rclone(tmp_path_factory.mktemp("rclone")) as server:
        yield server


@pytest.fixture
def desk_at(repo: GitRepo, okf_here: Run, okf: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desks]:
    """Opens a desk at a storage."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setattr(buckets, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(buckets, "LONGEST_PAUSE_S", 0.005)
    with ExitStack() as gates:

        def open_desk(server: Server) -> Desk:
            gate = gates.enter_context(storage.gateway(server))
            name = f"bucket-{secrets.token_hex(6)}"
            client = gates.enter_context(closing(server.client()))
            client.create_bucket(Bucket=name)
            return Desk(repo=repo, gate=gate, client=client, bucket=name, here=okf_here, program=okf)

        yield open_desk


@pytest.fixture
def desk(desk_at: Desks, moto: Server) -> Desk:
    """A desk at moto, with a bundle that is committed and not published."""
    opened = desk_at(moto)
    opened.configure()
    opened.commit(BUNDLE)
    return opened
