"""The expressions of workflows, `${{ ... }}`, as far as our files use them, and strictly: what is not known fails.

evaluate("inputs.force == 'true' && matrix.source", {"inputs": {...}, "matrix": {...}})
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

_TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<name>[A-Za-z_][\w.-]*)|(?P<sign>==|!=|&&|\|\||[!(),]))")
_WHOLE = re.compile(r"\$\{\{((?:[^'}]|'(?:[^']|'')*'|\}(?!\}))*)\}\}")
Functions = Mapping[str, Callable[..., Any]]
PLAIN: Functions = {"fromJSON": json.loads, "toJSON": json.dumps, "format": lambda text, *args: text.format(*args)}


def evaluate(text: str, contexts: Mapping[str, Any], functions: Functions = PLAIN) -> Any:
    """The value of what stands between the braces."""
    parser = _Parser(text, contexts, functions)
    value = parser.either()
    assert parser.at == len(parser.tokens), f"{text!r} is not understood to its end"
    return value


def expand(value: Any, contexts: Mapping[str, Any], functions: Functions = PLAIN) -> Any:
    """A value of a workflow with its expressions evaluated: one that is an expression as a whole keeps its type."""
    if isinstance(value, Mapping):
        return {key: expand(each, contexts, functions) for key, each in value.items()}
    if not isinstance(value, str):
        return value
    whole = _WHOLE.fullmatch(value.strip())
    if whole:
        return evaluate(whole[1], contexts, functions)
    return _WHOLE.sub(lambda match: said(evaluate(match[1], contexts, functions)), value)


def said(value: Any) -> str:
    """A value as text, as it stands in an environment."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Parser:
    def __init__(self, text: str, contexts: Mapping[str, Any], functions: Functions) -> None:
        self.tokens: list[tuple[str, str]] = []
        self.at = 0
        self._contexts, self._functions = contexts, functions
        place = 0
        while text[place:].strip():
            match = _TOKEN.match(text, place)
            assert match and match.lastgroup, f"{text[place:]!r} is no expression"
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            place = match.end()

    def _take(self, *signs: str) -> str:
        if self.at < len(self.tokens) and self.tokens[self.at][1] in signs and self.tokens[self.at][0] == "sign":
            self.at += 1
            return self.tokens[self.at - 1][1]
        return ""

    def either(self) -> Any:
        value = self._both()
        while self._take("||"):
            other = self._both()
            value = value or other
        return value

    def _both(self) -> Any:
        value = self._compared()
        while self._take("&&"):
            other = self._compared()
            value = value and other
        return value

    def _compared(self) -> Any:
        value = self._one()
        while sign := self._take("==", "!="):
            same = said(value).lower() == said(self._one()).lower()
            value = same if sign == "==" else not same
        return value

    def _one(self) -> Any:
        if self._take("!"):
            return not self._one()
        if self._take("("):
            value = self.either()
            assert self._take(")")
            return value
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind == "text":
            return word[1:-1].replace("''", "'")
        assert kind == "name", word
        return self._call(word) if self._take("(") else self._named(word)

    def _call(self, name: str) -> Any:
        args: list[Any] = []
        while not self._take(")"):
            args.append(self.either())
            self._take(",")
        return self._functions[name](*args)

    def _named(self, path: str) -> Any:
        if path in ("true", "false", "null"):
            return {"true": True, "false": False, "null": None}[path]
        first, *rest = path.split(".")
        value = self._contexts[first]
        if first in ("steps", "needs"):
            value, rest = value[rest[0]], rest[1:]  # another id is a mistake of the file
        for name in rest:
            value = value.get(name) if isinstance(value, Mapping) else None
        return value
