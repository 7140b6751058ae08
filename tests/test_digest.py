"""Canonical form, hashes, ignore rules, fingerprints."""

from __future__ import annotations

import hashlib
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf import digest
from git_okf.digest import (
    IGNORE_PRESETS,
    PATTERN_SECONDS,
    canonical,
    compared_hash,
    content_hash,
    fingerprint,
    raw_hash,
)
from git_okf.errors import ConfigError

MARKDOWN = st.text(st.sampled_from("ab`~>-# \t\n\r1.é\u0301 中|"), max_size=80)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("a\r\nb\rc\n", "a\nb\nc"),
        ("\n\n a  \n\n\n\nb\t\n\n", " a\n\nb"),
        ("e\u0301", "é"),
        ("```\ne\u0301  \n\n\n\nb \n```\n\n\nc ", "```\ne\u0301  \n\n\n\nb \n```\n\nc"),
        ("- x\n\n  ~~~ py\n  a  \n  ~~~\n  b  ", "- x\n\n  ~~~ py\n  a  \n  ~~~\n  b"),
        ("> ```\n> a  \nb  \n\n\nc", "> ```\n> a  \nb\n\nc"),
        ("1. ```\n   a  \nb  ", "1. ```\n   a  \nb"),
        ("````\n```\na  \n````\nb  ", "````\n```\na  \n````\nb"),
        ("``` a`b\nc  ", "``` a`b\nc"),
        ("", ""),
        ("\n \n", ""),
        ("a\ud800b", "a\ufffdb"),
    ],
)
def test_hash_06_one_form_for_line_ends_blanks_and_unicode(text: str, form: str) -> None:
    assert canonical(text) == form
    assert canonical(form) == form


@settings(max_examples=500, deadline=None)
@given(MARKDOWN)
def test_hash_06_the_canonical_form_is_stable(text: str) -> None:
    form = canonical(text)
    assert canonical(form) == form
    unix = text.replace("\r", "")
    assert canonical(unix.replace("\n", "\r\n")) == canonical(unix.replace("\n", "\r")) == canonical(unix)
    assert not form.endswith("\n")
    assert "\r" not in form


@settings(max_examples=200, deadline=None)
@given(MARKDOWN)
def test_a_text_that_is_taken_for_stable_is_what_its_lines_come_to(text: str) -> None:
    lines = text.replace("\r", "\n").split("\n")
    stable = digest._is_stable("\n".join(lines), lines)
    assert not stable or list(digest._stable_lines(lines)) == lines


@given(st.text(st.sampled_from("abé\u0301 中"), max_size=40))
def test_hash_06_unicode_forms_are_one(text: str) -> None:
    assert canonical(unicodedata.normalize("NFD", text)) == canonical(unicodedata.normalize("NFC", text))


def test_hash_02_the_hash_is_of_the_body_alone() -> None:
    assert content_hash("ä") == f"sha256:{hashlib.sha256('ä'.encode()).hexdigest()}"
    assert raw_hash(b"\xff") == f"sha256:{hashlib.sha256(bytes([255])).hexdigest()}"


def test_hash_05_rules_match_parts_of_lines_and_leave_the_rest() -> None:
    rule = (r"nonce=\w+",)
    assert compared_hash("a nonce=1 b", rule) == compared_hash("a nonce=22 b", rule) != ""
    assert compared_hash("a nonce=1 b", rule) != compared_hash("c nonce=1 b", rule)
    assert compared_hash("nothing here", rule) == ""
    assert compared_hash("a", ()) == ""


def test_hash_05_anchors_are_those_of_lines() -> None:
    rule = (r"^Updated .*$",)
    assert compared_hash("# T\n\nUpdated today", rule) == content_hash("# T")
    assert compared_hash("# T\n\nNot Updated today", rule) == ""


@pytest.mark.parametrize(
    ("preset", "one", "two"),
    [
        ("last-updated", "Text.\n\nLast updated on 5/6/2021 by A", "Text.\n\nLast updated on 7/8/2022 by B"),
        ("last-updated", "Text.\n\n*Page last modified: 2024-01-01*", "Text.\n\n*Page last modified: 2024-02-01*"),
        ("last-updated", "Text.\n\n最后更新于：2024-01-01", "Text.\n\n最后更新于：2024-02-01"),
        ("relative-time", "Posted 1 hour ago by A", "Posted 12 days ago by A"),
        ("relative-time", "发布于 3 天前", "发布于 4 天前"),
        ("version-stamp", "Release: **1.4.53** | Release Date: July 29, 2024", "Release: **1.4.54** | Release"
            " Date: September 5, 2024"),
        ("version-stamp", "Built from commit `abcdef1`.", "Built from commit `1234567`."),
        ("counters", "1,234 views and 5k stars", "1,240 views and 6k stars"),
        ("nonces", 'csrf_token: "abc=="', 'csrf_token: "xyz=="'),
        ("nonces", "![i](https://e.org/i.png?v=abc123)", "![i](https://e.org/i.png?v=def456)"),
    ],
)  # fmt: skip
def test_hash_05_presets_cover_the_usual_noise(preset: str, one: str, two: str) -> None:
    rules = (f"preset:{preset}",)
    assert compared_hash(one, rules) == compared_hash(two, rules) != ""
    assert compared_hash(f"{one}\n\nMore text.", rules) != compared_hash(one, rules)


@pytest.mark.parametrize("preset", IGNORE_PRESETS)
def test_presets_leave_ordinary_text_alone(preset: str) -> None:
    text = (
        "# Version history\n\nUpdated rows are returned on commit. See release 2 and the last update"
        " statement.\n\n- views: a list"
    )
    assert compared_hash(text, (f"preset:{preset}",)) == ""


@pytest.mark.parametrize("rule", ["(", "a{2", "[z-a]", "(?P<x>a)(?P<x", "preset:unknown", "preset:"])
def test_sec_11_broken_rules_are_errors_of_the_configuration(rule: str) -> None:
    if rule == "a{2":  # a literal brace to every regex engine
        assert compared_hash("a{2", (rule,)) != ""
        return
    with pytest.raises(ConfigError) as caught:
        compared_hash("text", (rule,))
    assert rule.removeprefix("preset:") in caught.value.message


def test_sec_11_a_rule_that_hangs_is_stopped() -> None:
    started = time.monotonic()
    with pytest.raises(ConfigError) as caught:
        compared_hash("a" * 60 + "!" + "b" * 60, (r"(a|aa|b|bb)+(a|aa|b|bb)+(a|aa|b|bb)+$.",))
    assert "(a|aa|b|bb)+" in caught.value.message
    assert time.monotonic() - started < PATTERN_SECONDS * 10


def test_fingerprint_is_short_stable_and_of_all_parts() -> None:
    assert fingerprint("a", 1, ("b", None), True) == fingerprint("a", 1, ["b", None], True)
    assert fingerprint("a", "b") != fingerprint("ab") != fingerprint(("a", "b"))
    assert len(fingerprint()) == 16
    assert fingerprint(1, "x") == "b1aafb0d4ee706f1"
