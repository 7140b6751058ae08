"""A site on a real socket, and a source that looks at it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from observing import Docs
from site_server import Site, serving


@pytest.fixture
def docs() -> Iterator[Docs]:
    site = Site()
    with serving(site):
        yield Docs(site)
