"""The front matter of a concept as it is written: every string in double quotes, on one line.

Most of it is written by hand, line by line, and the rest as a YAML emitter writes it, with the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

_ONE_LINE = 1 << 30
"""Width at which the emitter would fold: never."""
_KEY = re.compile("(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z][a-z_]{0,99}")
"""Keys that stand without quotes."""
_UNESCAPED = re.compile("[ !#-\\[\\]-~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*")
"""Texts in which the emitter escapes nothing."""

# libyaml's emitter writes the same as the one in Python, twenty times faster (tests compare them).
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Text(str):
    """A string that is written in double quotes."""

    __slots__ = ()


class _Emitter(_Dumper):  # type: ignore[misc]
    def ignore_aliases(self, data: object) -> bool:
        return True


_Emitter.add_representer(
    _Text, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style='"')
)


def front_matter(values: Mapping[str, Any]) -> bytes:
    """The lines between the two `---`, with the keys in the order given."""
    try:
        return "".join(_lines(values, "")).encode()
    except _Unusual:
        return emitted(values)


def emitted(values: Mapping[str, Any]) -> bytes:
    """The same by a YAML emitter, which takes ten times longer."""
    text: str = yaml.dump(
        _quoted(values), Dumper=_Emitter, allow_unicode=True, width=_ONE_LINE, sort_keys=False, default_flow_style=False
    )
    return text.encode()


class _Unusual(Exception):
    """A value that takes an emitter to write."""


def _lines(values: Mapping[str, Any], indent: str) -> Iterator[str]:
    if not values:
        raise _Unusual
    for key, value in values.items():
        if not (isinstance(key, str) and _KEY.fullmatch(key)):
            raise _Unusual
        if isinstance(value, str):
            yield f"{indent}{key}: {_in_quotes(value)}\n"
        elif isinstance(value, Mapping):
            yield f"{indent}{key}:\n"
            yield from _lines(value, indent + "  ")
        elif isinstance(value, list | tuple) and value:
            yield f"{indent}{key}:\n"
            for item in value:
                yield from _item(item, indent)
        else:
            raise _Unusual


def _item(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, str):
        yield f"{indent}- {_in_quotes(value)}\n"
    elif isinstance(value, Mapping):
        first, *others = _lines(value, indent + "  ")
        yield f"{indent}- {first[len(indent) + 2 :]}"
        yield from others
    else:
        raise _Unusual


def _in_quotes(text: str) -> str:
    if not _UNESCAPED.fullmatch(text):
        raise _Unusual
    return f'"{text}"'


def _quoted(value: Any) -> Any:
    if isinstance(value, str):
        return _Text(value.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    if isinstance(value, Mapping):
        return {key: _quoted(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_quoted(item) for item in value]
    return value
