"""A drive behind a socket, and a source that looks at it without waiting."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

import pytest
from feishu_observing import Desk
from feishu_server import feishu


@pytest.fixture(autouse=True)
def one_tls_context(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here speaks TLS, and making a context reads every root certificate there is."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    monkeypatch.setattr(ssl, "create_default_context", lambda *args, **named: context)


@pytest.fixture
def desk() -> Iterator[Desk]:
    with feishu() as server:
        yield Desk(server)
