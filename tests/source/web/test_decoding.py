"""Content-Encoding, undone within a limit."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.source.web.decoding import Body, TooLarge, Undecodable

LIMIT = 1_000_000


def decoded(encoding: str, data: bytes, *, step: int = 7, limit: int = LIMIT) -> bytes:
    body = Body(encoding, limit)
    for at in range(0, len(data), step):
        body.feed(data[at : at + step])
    return body.finish()


def raw_deflate(data: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return engine.compress(data) + engine.flush()


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=2000), st.integers(1, 700))
def test_every_encoding_comes_back_whatever_the_pieces(data: bytes, step: int) -> None:
    for encoding, wire in (
        ("", data),
        ("identity", data),
        ("gzip", gzip.compress(data)),
        ("X-GZIP", gzip.compress(data)),
        ("gzip", gzip.compress(data[:9]) + gzip.compress(data[9:])),
        ("gzip", gzip.compress(data) + b"\0\0 trailing"),
        ("deflate", zlib.compress(data)),
        ("deflate", raw_deflate(data)),
        ("deflate, gzip", gzip.compress(zlib.compress(data))),
        ("gzip\ngzip", gzip.compress(gzip.compress(data))),
    ):
        assert decoded(encoding, wire, step=step) == data


def test_http_04_bomb_is_refused_without_being_allocated() -> None:
    bomb = gzip.compress(b"\0" * 200_000_000, 9)
    assert len(bomb) < LIMIT
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            decoded("gzip", bomb, step=len(bomb))
        with pytest.raises(TooLarge):
            decoded("gzip, gzip", gzip.compress(bomb), step=65536)
        assert tracemalloc.get_traced_memory()[1] < 3 * LIMIT
    finally:
        tracemalloc.stop()


def test_limit_is_exact() -> None:
    for encoding, wire in (
        ("", b"x" * 100),
        ("gzip", gzip.compress(b"x" * 100)),
        ("deflate", zlib.compress(b"x" * 100)),
    ):
        assert decoded(encoding, wire, limit=100) == b"x" * 100
        with pytest.raises(TooLarge):
            decoded(encoding, wire, limit=99)


@pytest.mark.parametrize(
    ("encoding", "wire"), [("gzip", gzip.compress(b"x" * 100, mtime=0)), ("deflate", zlib.compress(b"x" * 100))]
)
@pytest.mark.parametrize("cut", [1, 5, 10])
def test_cut_body_is_no_body(encoding: str, wire: bytes, cut: int) -> None:
    with pytest.raises(Undecodable) as raised:
        decoded(encoding, wire[:-cut])
    assert raised.value.cut
    with pytest.raises(Undecodable):
        decoded(encoding, wire[:1])


def test_empty_body_is_empty_in_any_encoding() -> None:
    assert decoded("gzip", b"") == decoded("deflate", b"") == decoded("", b"") == b""


@pytest.mark.parametrize("encoding", ["br", "zstd", "compress", "gzip, br", "gzip, gzip, gzip"])
def test_encoding_that_was_not_asked_for(encoding: str) -> None:
    with pytest.raises(Undecodable) as raised:
        Body(encoding, LIMIT)
    assert not raised.value.cut


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_body_that_is_not_what_it_says(encoding: str) -> None:
    with pytest.raises(Undecodable) as raised:
        decoded(encoding, b"<html>\xff\xff\xff</html>", step=100)
    assert not raised.value.cut
