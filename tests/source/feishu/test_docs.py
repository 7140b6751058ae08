"""The page about this kind says what the code does."""

from __future__ import annotations

import re
from dataclasses import MISSING, asdict, fields
from pathlib import Path

import pytest
import yaml

from git_okf import config
from git_okf.config import FeishuSource
from git_okf.config.feishu import CHECKS, Types
from git_okf.config.source import CHECKS as SHARED
from git_okf.errors import ConfigError
from git_okf.source.feishu import kind

TEXT = (Path(__file__).parents[3] / "docs" / "feishu.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"```yaml\n(.*?)```", TEXT, re.DOTALL)


def table() -> dict[str, str]:
    """Key -> default, as it is written."""
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (?:`([^|]*)`)? ?\|", TEXT, re.MULTILINE)
    return {name: said for names, said in rows for name in re.findall(r"`(\w+)`", names)}


def test_the_example_is_a_configuration() -> None:
    assert EXAMPLE
    source = config.parse("version: 1\n" + EXAMPLE[1]).source("blog")
    assert isinstance(source, FeishuSource)
    kind.check(source)


def test_every_key_is_told_with_its_default() -> None:
    told = table()
    assert told.keys() - {"PPT", "html"} == CHECKS.keys() - SHARED.keys()
    defaults = {field.name: field.default for field in fields(FeishuSource) if field.default is not MISSING}
    for name in ("base_url", "thumbnails", "max_file_bytes", "lfs", "requests_per_second"):
        assert yaml.safe_load(told[name]) == defaults[name]
    assert yaml.safe_load(told["types"]) == asdict(Types())


def source(*lines: str) -> config.SourceConfig:
    assert EXAMPLE
    return config.parse("version: 1\n" + EXAMPLE[1] + "".join(f"    {line}\n" for line in lines)).source("blog")


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"types\.podcast and types\.slides are both"):
        kind.check(source("types: {podcast: A, slides: A}"))


def test_where_articles_stand() -> None:
    blog = source()
    assert kind.may_hold(blog, "pages/第1篇.md")
    assert not kind.may_hold(blog, "pages/a/b.md") and not kind.may_hold(blog, "assets/a.md")


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("https://acme.feishu.cn/docx/doxcn1?from=x", "doxcn1"),
        ("https://acme.larksuite.com/drive/folder/fldcn2", "fldcn2"),
        ("doxcn3", "doxcn3"),
        ("https://acme.feishu.cn/wiki/wik4", ""),
        ("", ""),
        ("../x", ""),
    ],
)
def test_addresses_and_tokens_are_explained(address: str, key: str) -> None:
    told = kind.explain(source(), {}, address, lambda name: f"pages/{name}.md")
    assert (told["key"], told["accepted"]) == (key, False) and told["rule"]
