"""The pattern language of `include` and `exclude`: a glob on a page's full URL, query included.

| pattern begins with | is compared with |
|---|---|
| `/` | path and query, on the source's own host: `/guide/**` |
| `http://`, `https://` | the whole URL: `https://docs.example.com/v1/**` |
| `**` | the whole URL: `**/changelog*` |

Anything else is an error, because one could only guess what it is compared with. The whole text must match, from its
first to its last character. Inside a pattern

- `*` is any run of characters without `/`,
- `**`, or more stars, is any run of characters; `/**/` is also a single `/`, so that `/a/**/b` matches `/a/b`,
- `?` is one character that is not `/` (so it matches the `?` before a query, too),
- `[abc]`, `[a-z]`, `[!abc]` is one character of a set (or not of it), never `/`; `[*]`, `[?]`, `[[]` are themselves,
- anything else is itself. Capital and small letters differ. The URL is compared in its canonical form (`url.key`), so
  characters outside ASCII may be written as they are or percent-encoded. There is no fragment in it.

A pattern is a nondeterministic automaton whose set of states is one integer: matching costs one step a character,
whatever the pattern (a backtracking engine hangs on `**/**/**/x*x*x*`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from git_okf.errors import ConfigError

MAX_LENGTH = 1000
"""Characters of a pattern."""

_STARS = re.compile(r"\*{2,}")
_REPEATED = re.compile(r"(?<=/)(?:\*\*/)+")
_START = re.compile(r"/|https?://|\*\*", re.IGNORECASE)
_ALL = frozenset(range(256))
_NO_SLASH = _ALL - {ord("/")}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern: equal, hashable and picklable by value. `parse` makes it."""

    text: str
    literal: bytes
    """What every match begins with."""
    masks: tuple[int, ...]
    """By byte, the states that may take it to the next state."""
    within: int
    """States that stay on any byte but `/` (`*`)."""
    across: int
    """States that stay on any byte (`**`)."""
    skip: int
    """States from which `**/` may be left out: to the next state, and to the one after the slash."""
    last: int

    @property
    def on_path(self) -> bool:
        """Whether it is compared with path and query alone."""
        return self.text.startswith("/")

    def matches(self, text: str) -> bool:
        """Whether the whole of `text` matches. Linear in its length."""
        data = text.encode("utf-8", "surrogatepass")
        if not data.startswith(self.literal):
            return False
        masks, within, across, skip, last = self.masks, self.within, self.across, self.skip, self.last
        states = self._close(1)
        for byte in memoryview(data)[len(self.literal) :]:
            if states & last & across:
                return True  # `**` at the end takes whatever is left
            states = ((states & masks[byte]) << 1) | (states & (across if byte == 47 else within | across))
            if states & skip:
                states = self._close(states)
            if not states:
                return False
        return bool(states & last)

    def _close(self, states: int) -> int:
        skipping = states & self.skip
        return states | skipping << 1 | skipping << 2


def check(pattern: str) -> None:
    """ConfigError if the pattern does not follow the language."""
    parse(pattern)


def parse(pattern: str) -> Pattern:
    """The pattern, ready to match. ConfigError says what is wrong with it."""
    if not _START.match(pattern):
        raise _error(pattern, "it begins with neither `/`, `http://`, `https://` nor `**`", f"write `**/{pattern}`")
    if len(pattern) > MAX_LENGTH:
        raise _error(pattern[:40] + "...", f"it is longer than {MAX_LENGTH} characters", "split it")
    if "#" in pattern:
        raise _error(pattern, "a URL is compared without its fragment", "leave out `#` and what follows")
    if "\\" in pattern or re.search(r"[\x00-\x1f\x7f]", pattern):
        raise _error(pattern, "a URL never holds a backslash or a control character", "write `[*]` for a real `*`")
    text = _REPEATED.sub("**/", _STARS.sub("**", _canonical(pattern)))
    start = next((at for at, character in enumerate(text) if character in "*?["), len(text))
    if text.startswith("/**/", start - 1) and start:
        start -= 1  # the slash before `**/` belongs to the automaton: it may stand for both
    return _build(pattern, text[:start].encode(), _tokens(pattern, text[start:]))


def _error(pattern: str, what: str, hint: str) -> ConfigError:
    return ConfigError(f"pattern {pattern!r} cannot be used: {what}", hint)


def _canonical(pattern: str) -> str:
    """Percent-encodings as `url.key` has them; scheme and host in lower case."""
    text = re.sub(r"[^\x21-\x7e]", lambda m: "".join(f"%{b:02X}" for b in m[0].encode("utf-8", "replace")), pattern)
    text = re.sub(r"%[0-9A-Fa-f]{2}", lambda m: m[0].upper(), text)
    head = re.match(r"https?://[^/]*", text, re.IGNORECASE)
    return head[0].lower() + text[head.end() :] if head else text


_Token = frozenset[int] | str


def _tokens(pattern: str, text: str) -> list[_Token]:
    """Sets of bytes, and the words `*`, `**` and `/**/`."""
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        if text.startswith("/**/", at):
            tokens.append("/**/")
            at += 4
        elif text.startswith("**", at):
            tokens.append("**")
            at += 2
        elif text[at] == "*":
            tokens.append("*")
            at += 1
        elif text[at] == "[":
            chosen, at = _set(pattern, text, at)
            tokens.append(chosen)
        else:
            tokens.append(_NO_SLASH if text[at] == "?" else frozenset({ord(text[at])}))
            at += 1
    return tokens


def _set(pattern: str, text: str, at: int) -> tuple[frozenset[int], int]:
    negated = text[at + 1 : at + 2] in ("!", "^")
    start = at + 1 + negated
    end = text.find("]", start + 1)
    if end < 0:
        raise _error(pattern, "`[` has no `]`", "write `[[]` for a real `[`")
    inner = text[start:end]
    if "%" in inner or "/" in inner:
        raise _error(pattern, "a set holds single ASCII characters, and no `/` or `%`", "write one pattern for each")
    chosen: set[int] = set()
    for low, high in _ranges(inner):
        if low > high:
            raise _error(pattern, f"the range {low}-{high} is empty", f"write {high}-{low}")
        chosen.update(range(ord(low), ord(high) + 1))
    return frozenset(_NO_SLASH - chosen if negated else chosen - {ord("/")}), end + 1


def _ranges(inner: str) -> list[tuple[str, str]]:
    return [(m[1], m[2]) if m[1] else (m[3], m[3]) for m in re.finditer(r"(.)-(.)|(.)", inner)]


def _build(pattern: str, literal: bytes, tokens: list[_Token]) -> Pattern:
    masks = [0] * 256
    within = across = skip = 0
    state = 0

    def take(characters: frozenset[int]) -> None:
        nonlocal state
        for byte in characters:
            masks[byte] |= 1 << state
        state += 1

    slash = frozenset({ord("/")})
    for token in tokens:
        if token == "*":
            within |= 1 << state
        elif token == "**":
            across |= 1 << state
        elif token == "/**/":
            take(slash)
            skip |= 1 << state  # here: after the slash, `**/` not yet begun
            state += 1
            across |= 1 << state
            take(slash)
        elif not isinstance(token, str):
            take(token)
    return Pattern(pattern, literal, tuple(masks), within, across, skip, 1 << state)
