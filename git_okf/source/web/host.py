"""The host and port of a URL, as they go onto the wire (WHATWG URL Standard, "host parsing"). Pure."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from urllib.parse import unquote_to_bytes

DEFAULT_PORTS = {"http": "80", "https": "443"}

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f#%/:<>?@\[\\\]^|\"`{}]")


@lru_cache(maxsize=256)
def ascii_netloc(netloc: str, scheme: str) -> str | None:
    if "@" in netloc:
        return None
    name, port = netloc, ""
    if netloc.startswith("["):
        name, bracket, after = netloc.partition("]")
        if not bracket or (after and not after.startswith(":")):
            return None
        name, port = name + "]", after[1:]
    elif ":" in netloc:
        name, _, port = netloc.partition(":")
    if port:
        port = port.lstrip("0")
        if not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > 65535:
            return None
    ascii_name = ascii_host(name)
    if ascii_name is None:
        return None
    return ascii_name if port in ("", DEFAULT_PORTS[scheme]) else f"{ascii_name}:{port}"


def ascii_host(name: str) -> str | None:
    """A host as it goes onto the wire (IDNA, IPv4 as four numbers, IPv6 shortened in brackets); None if it is none.

    WHATWG URL Standard, "host parser": `2130706433`, `0x7f.1` and `0177.0.0.1` are all 127.0.0.1.
    """
    if name.startswith("["):
        try:
            return f"[{ipaddress.IPv6Address(name[1:-1])}]" if name.endswith("]") and "%" not in name else None
        except ValueError:
            return None
    try:
        text = unquote_to_bytes(name.encode("utf-8", "surrogatepass")).decode("utf-8")
    except UnicodeDecodeError:
        return None
    if not text.isascii():
        text = _idna(text)
    text = text.lower()
    if not text or len(text) > 253 or _FORBIDDEN.search(text) or ".." in text or text.startswith("."):
        return None
    return _numeric(text) if _ends_in_number(text) else text


def _idna(text: str) -> str:
    import idna

    try:
        return idna.encode(text, uts46=True, transitional=False).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return ""


def _ends_in_number(text: str) -> bool:
    last = text.removesuffix(".").rpartition(".")[2]
    return last.isdigit() or _number(last) is not None


def _numeric(text: str) -> str | None:
    numbers = [_number(part) for part in text.removesuffix(".").split(".")]
    if len(numbers) > 4 or any(n is None for n in numbers):
        return None
    known = [n for n in numbers if n is not None]
    if any(n > 255 for n in known[:-1]) or known[-1] >= 256 ** (5 - len(known)):
        return None
    value = known[-1] + sum(n << (8 * (3 - i)) for i, n in enumerate(known[:-1]))
    return str(ipaddress.IPv4Address(value))


def _number(part: str) -> int | None:
    """One part of an IPv4 address: decimal, `0x` hexadecimal, or octal with a leading zero."""
    try:
        if part[:2] in ("0x", "0X"):
            return int(part[2:] or "0", 16) if re.fullmatch(r"[0-9A-Fa-f]*", part[2:]) else None
        if not (part.isascii() and part.isdigit()) or len(part) > 20:
            return None
        return int(part, 8) if len(part) > 1 and part[0] == "0" else int(part)
    except ValueError:
        return None
