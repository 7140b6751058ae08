"""Content-Encoding, undone while the body arrives and never beyond a limit. Pure.

48 kB of gzip can hold 50 MB, so the limit is on what comes out, and nothing beyond it is ever allocated.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zlib import _Decompress as _Engine

ACCEPTED = "gzip, deflate"
"""What we ask for: the standard library undoes both, with a bound."""

_GZIP = 16 + zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"
_PIECE = 256 * 1024


class TooLarge(Exception):
    """The decoded body is larger than the limit."""


class Undecodable(Exception):
    """The body is not what its Content-Encoding says. `cut`: it stops before its end, another try may bring it all."""

    def __init__(self, reason: str, *, cut: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.cut = cut


class Body:
    """A body that grows by `feed` and is whole after `finish`."""

    __slots__ = ("_chunks", "_layers", "_limit", "_size")

    def __init__(self, content_encoding: str, limit: int) -> None:
        """Raises Undecodable for an encoding that was not asked for."""
        self._limit = limit
        self._size = 0
        self._chunks: list[bytes] = []
        self._layers: list[_Inflater] = []
        if content_encoding:
            # Listed in the order in which they were applied (RFC 9110, section 8.4).
            codings = [c.strip().lower() for c in content_encoding.replace("\n", ",").split(",")]
            self._layers = [_Inflater(c) for c in reversed(codings) if c not in ("", "identity")]
        if len(self._layers) > 2:
            raise Undecodable(f"Content-Encoding {content_encoding!r} is nested too deeply")

    def feed(self, data: bytes) -> None:
        """Take bytes as they came. Raises TooLarge, Undecodable."""
        self._pass(data, 0)

    def finish(self) -> bytes:
        """The decoded body. Raises Undecodable if the encoded one was cut; an empty body is empty in any encoding."""
        if any(layer.begun and not layer.ended for layer in self._layers):
            raise Undecodable("the compressed body is cut short", cut=True)
        return self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)

    def _pass(self, data: bytes, at: int) -> None:
        if at < len(self._layers):
            for piece in self._layers[at].inflate(data):
                self._pass(piece, at + 1)
            return
        self._size += len(data)
        if self._size > self._limit:
            raise TooLarge
        if data:
            self._chunks.append(data)


class _Inflater:
    """One layer of gzip or deflate, giving at most _PIECE bytes at a time."""

    __slots__ = ("_closed", "_coding", "_engine", "_head", "begun", "ended")

    def __init__(self, coding: str) -> None:
        if coding not in ("gzip", "x-gzip", "deflate"):
            raise Undecodable(f"Content-Encoding {coding[:40]!r} was not asked for")
        self._coding = coding
        self._engine = zlib.decompressobj(_GZIP) if coding != "deflate" else None
        self._head = b""
        """Bytes that are too few yet to tell what begins with them."""
        self._closed = False
        self.begun = False
        self.ended = False

    def inflate(self, data: bytes) -> Iterator[bytes]:
        self.begun = self.begun or bool(data)
        while data and not self._closed:
            engine = self._engine
            if engine is None or self.ended:
                data, self._head = self._head + data, b""
                engine = self._next(data)
                if engine is None:
                    return
            try:
                piece = engine.decompress(data, _PIECE)
                data = engine.unconsumed_tail
                if piece:
                    yield piece
                while len(piece) == _PIECE and not data and not engine.eof:
                    # The engine may hold back more than it was allowed to give.
                    piece = engine.decompress(b"", _PIECE)
                    if piece:
                        yield piece
            except zlib.error as error:
                raise Undecodable(f"not {self._coding} as its Content-Encoding says") from error
            self.ended = engine.eof
            if engine.eof:
                data = engine.unused_data

    def _next(self, data: bytes) -> _Engine | None:
        """The engine for the stream that begins here; None if there is none, or not enough of it."""
        if len(data) < 2 and (self._coding == "deflate" or data == _GZIP_MAGIC[:1]):
            self._head = data
            return None
        if self._coding == "deflate" and not self.ended:
            self._engine = zlib.decompressobj(zlib.MAX_WBITS if _is_zlib(data) else -zlib.MAX_WBITS)
        elif self._coding != "deflate" and data.startswith(_GZIP_MAGIC):
            # A gzip file may be several, one after the other (RFC 1952, section 2.2).
            self._engine = zlib.decompressobj(_GZIP)
        else:
            self._closed = True  # what follows the stream is no part of it
            return None
        self.ended = False
        return self._engine


def _is_zlib(head: bytes) -> bool:
    """Whether `deflate` is what the standard says, zlib, and not the bare stream some servers send (RFC 1950, 2.2)."""
    return head[0] & 0x0F == 8 and (head[0] << 8 | head[1]) % 31 == 0
