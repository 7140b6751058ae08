"""Content-Encoding, undone while the body arrives and never beyond a limit. Pure.

48 kB of gzip can hold 50 MB, so the limit is on what comes out, and nothing beyond it is ever allocated.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

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

    __slots__ = ("_coding", "_engine", "_head", "begun", "ended")

    def __init__(self, coding: str) -> None:
        if coding not in ("gzip", "x-gzip", "deflate"):
            raise Undecodable(f"Content-Encoding {coding[:40]!r} was not asked for")
        self._coding = coding
        self._engine = zlib.decompressobj(_GZIP) if coding != "deflate" else None
        self._head = b""
        self.begun = False
        self.ended = False

    def inflate(self, data: bytes) -> Iterator[bytes]:
        if self._engine is None:
            self._head += data
            if len(self._head) < 2:
                self.begun = self.begun or bool(data)
                return
            self._engine = zlib.decompressobj(zlib.MAX_WBITS if _is_zlib(self._head) else -zlib.MAX_WBITS)
            data = self._head
        while data:
            if self.ended and not self._next_member(data):
                return  # whatever follows the stream is no part of it
            self.begun = True
            try:
                piece = self._engine.decompress(data, _PIECE)
            except zlib.error as error:
                raise Undecodable(f"not {self._coding} as its Content-Encoding says") from error
            self.ended = self._engine.eof
            data = self._engine.unused_data if self.ended else self._engine.unconsumed_tail
            if piece:
                yield piece
            while not data and not self.ended and len(piece) == _PIECE:
                piece = self._engine.decompress(b"", _PIECE)
                self.ended = self._engine.eof
                if piece:
                    yield piece

    def _next_member(self, data: bytes) -> bool:
        """A gzip file may be several, one after the other (RFC 1952, section 2.2)."""
        if self._coding == "deflate" or not data.startswith(_GZIP_MAGIC):
            return False
        self._engine = zlib.decompressobj(_GZIP)
        self.ended = False
        return True


def _is_zlib(head: bytes) -> bool:
    """Whether `deflate` is what the standard says, zlib, and not the bare stream some servers send (RFC 1950, 2.2)."""
    return head[0] & 0x0F == 8 and (head[0] << 8 | head[1]) % 31 == 0
