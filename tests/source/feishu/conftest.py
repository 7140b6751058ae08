"""A drive behind a socket, and a source that looks at it without waiting."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from feishu_observing import Desk
from feishu_server import feishu


@pytest.fixture
def desk() -> Iterator[Desk]:
    with feishu() as server:
        yield Desk(server)
