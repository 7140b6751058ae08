"""What a folder of Feishu or Lark answers as a kind of source (`git_okf.source.Kind`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict

from git_okf.config import FeishuSource, SourceConfig
from git_okf.errors import ConfigError
from git_okf.model import Record, Status
from git_okf.source import Explanation, Source

_ADDRESS = re.compile(r"(?:https?://[^/?#]+/(?:docx|drive/folder)/)?([A-Za-z0-9_-]+)(?:[/?#].*)?\Z")


def open_source(source: SourceConfig, environ: Mapping[str, str]) -> Source:
    from git_okf.source.feishu.folder import FeishuFolder

    return FeishuFolder(_feishu(source), environ)


def check(source: SourceConfig) -> None:
    """The sub-folders of the types can be told apart, and nothing is asked for that cannot be done."""
    feishu = _feishu(source)
    names = asdict(feishu.types)
    for kind, name in names.items():
        same = [other for other in names if names[other] == name and other != kind]
        if same:
            raise ConfigError(
                f"source {source.name}: types.{kind} and types.{same[0]} are both {name!r}", "give each its own name"
            )


def may_hold(source: SourceConfig, path: str) -> bool:
    """Whether an article could have its concept there: all stand side by side, whatever they are called."""
    folder, _, name = path.rpartition("/")
    return folder == "pages" and name.endswith(".md")


def explain(
    source: SourceConfig, known: Mapping[str, Record], address: str, place: Callable[[str], str]
) -> Explanation:
    """The explanation of a document's or folder's address, or of its token alone."""
    found = _ADDRESS.match(address.strip())
    if found is None:
        rule = "it is neither the address nor the token of a document or folder of the drive"
        return Explanation(accepted=False, rule=rule, key="", path="", known="", links="")
    key = found[1]
    record = known.get(key)
    return Explanation(
        accepted=record is not None and record.status is Status.PAGE,
        rule=_rule(_feishu(source), key, record),
        key=key,
        path=record.path if record is not None else "",
        known=_known(record),
        links="",
    )


def _rule(source: FeishuSource, key: str, record: Record | None) -> str:
    if key == source.folder:
        return "it is the folder whose documents and article folders are taken"
    if record is not None and record.status is Status.PAGE:
        return f"it is in the folder {source.folder}, as a document or as a folder with {source.types.article}"
    if record is not None:
        return "it is in the folder, and could not be taken yet"
    return (
        f"it was not in the folder {source.folder} in the last run; documents that are in it are taken, and folders "
        f"that have a sub-folder {source.types.article}"
    )


def _known(record: Record | None) -> str:
    if record is None:
        return ""
    if record.failure:
        return record.failure
    marks = record.memo.get("syncCheckpoints")
    told = marks.items() if isinstance(marks, Mapping) else ()
    return ", ".join(f"{kind} up to {mark.get('at')}" for kind, mark in told if isinstance(mark, Mapping))


def _feishu(source: SourceConfig) -> FeishuSource:
    assert isinstance(source, FeishuSource)
    return source
