"""Where packages lie below `packages`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_okf.source.repository import paths
from git_okf.source.repository.pattern import parse
from git_okf.source.skills import homes


@pytest.mark.parametrize(
    ("key", "patterns", "place"),
    [
        ("skills/pdf", [], "skills/pdf"),
        ("skills/pdf", ["skills/*"], "pdf"),
        ("skills/pdf", ["skills/pdf"], "pdf"),
        ("a/pdf", ["a/*", "b/*"], "a/pdf"),
        ("plugins/x/skills/pdf", ["plugins/*/skills/*"], "x/skills/pdf"),
        ("skills", ["skills/**"], "skills"),
        (".", [], "acme-skills"),
    ],
)
def test_a_home_is_the_path_without_what_all_patterns_share(key: str, patterns: list[str], place: str) -> None:
    assert homes.home(key, [parse(p) for p in patterns], "acme-skills") == place


def test_a_conflict_blocks_the_newcomer_and_no_other_package() -> None:
    keys = ["skills/PDF", "skills/pdf", "skills/x"]
    given_out = homes.assign(keys, ["skills/pdf"], [parse("skills/*")], "r")
    assert given_out.by_key == {"skills/pdf": "pdf", "skills/x": "x"}
    assert given_out.blocked == {"skills/PDF": "the package skills/pdf is where it would go (PDF)"}


@pytest.mark.parametrize("key", [".", "skills", "_licences/x", "_Licences"])
def test_no_package_lies_in_another_or_among_the_licences(key: str) -> None:
    given_out = homes.assign([key, "skills/pdf"], ["skills/pdf"], [], "skills")
    assert list(given_out.blocked) == [key]


@given(st.lists(st.sampled_from(["a", "A", "a/b", "A/B", "b", "_licences", ".", "c/d/e"]), unique=True), st.randoms())
def test_homes_never_overlap_and_do_not_depend_on_order(keys: list[str], shuffle: object) -> None:
    one = homes.assign(keys, [], [], "b")
    shuffled = list(keys)
    shuffle.shuffle(shuffled)  # type: ignore[attr-defined]
    assert homes.assign(shuffled, [], [], "b") == one
    assert set(one.by_key) | set(one.blocked) == set(keys)
    folded = [paths.fold(place) + "/" for place in one.by_key.values()]
    assert not [(a, b) for a in folded for b in folded if a is not b and a.startswith(b)]
