"""Adds and removes sources in the text of .okf.yaml and leaves every other byte of it as it is.

The text is spliced at the places that the YAML parser names, and the result is read again: where it does not say what
was wanted (anchors, odd layouts), nothing is returned and the user is told what to write.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from git_okf.config import FILE_NAME, FORMAT_VERSION
from git_okf.errors import ConfigError

if TYPE_CHECKING:
    import yaml


def add_source(text: str | None, name: str, values: Mapping[str, Any]) -> str:
    """The text with one more source at the end of `sources`. Raises ConfigError where the name is taken.

    `None` is a file that does not exist yet. Values of None and empty collections are left out: they are the defaults.
    """
    said = {key: _plain(value) for key, value in values.items() if value is not None and value not in ((), [], {})}
    before = _load(text or "")
    if not text or not before:
        text = f"{text.rstrip()}\n" if text and text.strip() else ""
        text += f"version: {FORMAT_VERSION}\n"
        before = {"version": FORMAT_VERSION}
    sources = before.get("sources") or {}
    if not isinstance(sources, dict):
        raise ConfigError(f"`sources` in {FILE_NAME} is not a mapping of names to values", "correct it by hand")
    if name in sources:
        raise ConfigError(f"there is already a source {name!r} in {FILE_NAME}", "choose another name with --name")
    newline = "\r\n" if "\r\n" in text else "\n"
    made = _added(text, name, said).replace("\r\n", "\n").replace("\n", newline)
    return _checked(made, {**before, "sources": {**sources, name: said}}, f"add:{newline}{_block(name, said, 2)}")


def remove_source(text: str, name: str) -> str:
    """The text without the source; comments above it and after it stay. Raises ConfigError where there is none."""
    before = _load(text)
    sources = before.get("sources") or {}
    if not isinstance(sources, dict) or name not in sources:
        from git_okf.config import Config

        Config(sources=sources if isinstance(sources, dict) else {}).source(name)
    left = {key: value for key, value in sources.items() if key != name}
    made = _removed(text, name)
    expected = {**before, "sources": left or None}
    return _checked(made, expected, f"remove `{name}:` below `sources:` by hand")


def _load(text: str) -> dict[str, Any]:
    import yaml

    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark else ""
        raise ConfigError(f"{FILE_NAME} is not readable YAML{where}", "correct it, then run again") from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ConfigError(f"{FILE_NAME} is not a mapping of keys to values", "correct it, then run again")
    return data


def _checked(made: str, expected: dict[str, Any], by_hand: str) -> str:
    import yaml

    try:
        found = yaml.safe_load(made)
    except yaml.YAMLError:
        found = None
    if found is None or {**found, "sources": found.get("sources") or None} != expected:
        raise ConfigError(f"{FILE_NAME} is laid out in a way that cannot be edited safely", by_hand)
    return made


def _root(text: str) -> yaml.MappingNode | None:
    import yaml

    node = yaml.compose(text, Loader=yaml.SafeLoader)
    return node if isinstance(node, yaml.MappingNode) else None


def _pairs(node: yaml.Node) -> list[tuple[str, yaml.Node, yaml.Node]]:
    import yaml

    if not isinstance(node, yaml.MappingNode):
        return []
    return [(str(key.value), key, value) for key, value in node.value]


def _added(text: str, name: str, said: Mapping[str, Any]) -> str:
    root = _root(text)
    found = [value for key, _, value in _pairs(root) if key == "sources"] if root else []
    if not found:
        return f"{text.rstrip()}\n\nsources:\n{_block(name, said, 2)}" if text.strip() else text
    sources = found[0]
    entries = _pairs(sources)
    start, end = sources.start_mark.index, sources.end_mark.index
    if not entries:
        after = text[end:].lstrip(" \t")
        gap = "" if after.startswith("\n") or not after else "\n"
        return f"{text[:start].rstrip(' ')}\n{_block(name, said, 2).rstrip()}{gap}{after or chr(10)}"
    if getattr(sources, "flow_style", False):
        last = entries[-1][2].end_mark.index
        return f"{text[:last]}, {json.dumps(name)}: {json.dumps(said, ensure_ascii=False)}{text[last:]}"
    place = _content_end(text, entries[-1][2])
    column = entries[0][1].start_mark.column
    head = text[:place] if text[:place].endswith("\n") else text[:place] + "\n"
    return head + _block(name, said, column) + text[place:]


def _removed(text: str, name: str) -> str:
    root = _root(text)
    sources = next(value for key, _, value in _pairs(root) if key == "sources") if root else None
    entries = _pairs(sources) if sources else []
    at = next(i for i, (key, _, _) in enumerate(entries) if key == name)
    _, key, value = entries[at]
    if getattr(sources, "flow_style", False):
        if at + 1 < len(entries):
            return text[: key.start_mark.index] + text[entries[at + 1][1].start_mark.index :]
        start = entries[at - 1][2].end_mark.index if at else key.start_mark.index
        return text[:start] + text[value.end_mark.index :]
    start = text.rfind("\n", 0, key.start_mark.index) + 1
    return text[:start] + text[_content_end(text, value) :]


def _content_end(text: str, node: yaml.Node) -> int:
    """Where the line after a block value's last line begins: comments and blank lines after it are not part of it."""
    end: int = node.end_mark.index
    while True:
        line_start = text.rfind("\n", 0, end) + 1
        line = text[line_start:end].strip()
        if (line and not line.startswith("#")) or line_start <= node.start_mark.index:
            break
        end = line_start - 1
    line_end = text.find("\n", end)
    return len(text) if line_end < 0 else line_end + 1


def _block(name: str, said: Mapping[str, Any], column: int) -> str:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Every scalar on one line: what has breaks in it goes into double quotes."""

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        style = None if value.isprintable() else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    dumped: str = yaml.dump({name: dict(said)}, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=1 << 30)
    return "".join(f"{' ' * column}{line}\n" for line in dumped.rstrip("\n").split("\n"))


def _plain(value: Any) -> Any:
    """Lists and mappings for the tuples and frozen mappings that configuration values are made of."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
