"""What is written by hand has the bytes that a YAML emitter writes, and libyaml's those of the emitter in Python."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.bundle import front_matter

TEXTS = st.text(max_size=80) | st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF), max_size=80)
KEYS = st.sampled_from(("title", "content_hash", "a", "y", "no", "null", "true", "Big", "a-b", "a b", "k" * 200, 7, ""))
LEAVES = TEXTS | st.booleans() | st.integers() | st.none()
TREES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)


@settings(max_examples=500, deadline=None)
@given(st.dictionaries(KEYS, TREES, max_size=4))
def test_every_tree_is_written_as_the_emitter_writes_it(values: dict[str, Any]) -> None:
    assert front_matter.front_matter(values) == front_matter.emitted(values)


def test_no_character_is_left_that_the_emitter_escapes() -> None:
    left = [chr(c) for c in range(sys.maxunicode + 1) if front_matter._UNESCAPED.fullmatch(chr(c))]
    assert len(left) > 60_000
    assert front_matter.emitted({"k": left}).decode() == "k:\n" + "".join(f'- "{c}"\n' for c in left)


def test_what_needs_no_emitter_does_not_come_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(front_matter, "emitted")
    written = front_matter.front_matter({"title": "Über – “x”", "sources": [{"id": "docs", "tags": ["a", "b"]}]})
    assert written.decode() == ('title: "Über – “x”"\nsources:\n- id: "docs"\n  tags:\n  - "a"\n  - "b"\n')


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_the_fast_emitter_writes_what_the_plain_one_writes(text: str) -> None:
    class Plain(yaml.SafeDumper):
        pass

    Plain.add_representer(str, lambda d, t: d.represent_scalar("tag:yaml.org,2002:str", t, style='"'))
    text = text.encode("utf-8", "replace").decode()
    expected = yaml.dump([text], Dumper=Plain, allow_unicode=True, width=1 << 30, default_flow_style=False)
    assert front_matter.emitted({"k": [text]}).decode() == f"k:\n{expected}"
