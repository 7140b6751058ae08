"""What the specification's own validator says of a SKILL.md. Pure.

The verdict is that of `agentskills validate` (PyPI skills-ref 0.1.1), whose parser is stricter than YAML: no flow
style, no anchors, no tags, no key twice, and the front matter ends at the first `---` wherever it stands. It is told
with a package, and decides nothing.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from git_okf.source.skills.frontmatter import FRONT_BYTES, TooDeep, events_of
from git_okf.source.skills.manifest import COMPATIBILITY_LENGTH, DESCRIPTION_LENGTH, FIELDS, NAME_LENGTH

_NO_BREAKS = {ord(ch): "_" for ch in "\x85\u2028\u2029"}
"""Line ends of YAML 1.1 (PyYAML), characters like any other in 1.2 (the validator's parser)."""
_AFTER_KEY = re.compile("(?<=:)[\x85\u2028\u2029]")
"""Where they count as space there too."""
_MERGE = "tag:yaml.org,2002:merge"
"""The key `<<`: the validator's parser takes a mapping under it, and then forgets it."""


def faults(data: bytes, directory: str) -> tuple[str, ...]:
    """What the validator would object to in the skill of a directory of this name; empty where it accepts it."""
    try:
        text = data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        return ("it is not UTF-8",)
    if not text.startswith("---"):
        return ("it does not begin with ---",)
    parts = text.split("---", 2)
    if len(parts) < 3:
        return ("its front matter is not closed by ---",)
    if len(parts[1]) > FRONT_BYTES:
        return ("its front matter is too long to be one",)
    node, reason = _strict_yaml(_AFTER_KEY.sub(" ", parts[1]).translate(_NO_BREAKS))
    if reason:
        return (f"its front matter is no strict YAML: {reason}",)
    fields = {key.value: value for key, value in node.value if key.tag != _MERGE}
    return tuple(_field_faults(fields, directory))


def _strict_yaml(text: str) -> tuple[Any, str]:
    """The mapping's node, or why it is refused."""
    import yaml

    try:
        for event in events_of(text):
            reason = _event_refusal(event)
            if reason:
                return None, reason
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        return None, str(getattr(error, "problem", None) or "not YAML")
    except TooDeep:
        return None, "it is nested too deeply"
    if not isinstance(node, yaml.MappingNode):
        return None, "it is no mapping"
    return node, _mapping_refusal(node)


def _event_refusal(event: Any) -> str:
    import yaml

    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        return "anchors and aliases are not allowed"
    if getattr(event, "flow_style", False):
        return "flow style ({...}, [...]) is not allowed"
    if isinstance(event, yaml.NodeEvent) and getattr(event, "tag", None):
        return "tags are not allowed"
    return ""


def _mapping_refusal(node: Any) -> str:
    """Keys that stand twice, and mappings of one level that are indented differently."""
    import yaml

    if isinstance(node, yaml.SequenceNode):
        return next((reason for item in node.value if (reason := _mapping_refusal(item))), "")
    if not isinstance(node, yaml.MappingNode):
        return ""
    names: set[str] = set()
    columns = set()
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            return "a key is no text"
        if key.value in names:
            return f"the key {key.value!r} stands twice"
        names.add(key.value)
        if key.tag == _MERGE and not isinstance(value, yaml.MappingNode):
            return "`<<` holds no mapping"
        if isinstance(value, yaml.MappingNode) and key.tag != _MERGE:
            columns.add(value.start_mark.column)
        reason = _mapping_refusal(value)
        if reason:
            return reason
    return "mappings are indented differently" if len(columns) > 1 else ""


def _field_faults(fields: dict[str, Any], directory: str) -> list[str]:
    found = []
    unknown = sorted(set(fields) - set(FIELDS))
    if unknown:
        found.append(f"fields that are not allowed: {', '.join(unknown)}")
    found += _name_faults(_scalar(fields["name"]), directory) if "name" in fields else ["there is no name"]
    if "description" not in fields:
        found.append("there is no description")
    else:
        description = _scalar(fields["description"])
        if description is None or not description.strip():
            found.append("the description is empty or no text")
        elif len(description) > DESCRIPTION_LENGTH:
            found.append(f"the description is longer than {DESCRIPTION_LENGTH} characters")
    if "compatibility" in fields:
        compatibility = _scalar(fields["compatibility"])
        if compatibility is None:
            found.append("`compatibility` is no text")
        elif len(compatibility) > COMPATIBILITY_LENGTH:
            found.append(f"`compatibility` is longer than {COMPATIBILITY_LENGTH} characters")
    return found


def _name_faults(name: str | None, directory: str) -> list[str]:
    if name is None or not name.strip():
        return ["the name is empty or no text"]
    name = unicodedata.normalize("NFKC", name.strip())
    found = []
    if len(name) > NAME_LENGTH:
        found.append(f"the name is longer than {NAME_LENGTH} characters")
    if name != name.lower():
        found.append("the name is not in lower case")
    if name.startswith("-") or name.endswith("-") or "--" in name:
        found.append("the name has a hyphen at its beginning or end, or two in a row")
    if not all(ch.isalnum() or ch == "-" for ch in name):
        found.append("the name has characters other than letters, digits and hyphens")
    if unicodedata.normalize("NFKC", directory) != name:
        found.append(f"the name {name!r} is not that of the directory, {directory!r}")
    return found


def _scalar(node: Any) -> str | None:
    return str(node.value) if node.id == "scalar" else None
