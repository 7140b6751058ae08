"""Which package moved where."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from git_okf.source.skills.moves import recognised

A, B = "sha256:a", "sha256:b"


def test_one_path_gone_and_one_new_path_with_its_content_are_a_move() -> None:
    assert recognised({"old": A}, {"new": A, "other": B}, [B], complete=True) == {"old": "new"}


def test_an_incomplete_enumeration_recognises_no_move() -> None:
    assert recognised({"old": A}, {"new": A}, [], complete=False) == {}


def test_two_new_paths_with_the_content_are_no_move() -> None:
    assert recognised({"old": A}, {"new": A, "copy": A}, [], complete=True) == {}


def test_two_old_paths_with_the_content_are_no_move() -> None:
    assert recognised({"old": A, "twin": A}, {"new": A}, [], complete=True) == {}


def test_an_unconfirmed_old_path_that_could_be_it_forbids_the_move() -> None:
    assert recognised({"old": A}, {"new": A}, [A], complete=True) == {}
    assert recognised({"old": A}, {"new": A}, [""], complete=True) == {}, "its content is not known"


def test_a_package_whose_content_changed_on_the_way_did_not_move() -> None:
    assert recognised({"old": A}, {"new": B}, [], complete=True) == {}
    assert recognised({"old": ""}, {"new": ""}, [], complete=True) == {}


_PRINTS = st.sampled_from([A, B, "sha256:c", ""])


@given(
    st.dictionaries(st.sampled_from("abc"), _PRINTS),
    st.dictionaries(st.sampled_from("xyz"), _PRINTS),
    st.lists(_PRINTS, max_size=2),
    st.booleans(),
)
def test_moves_are_one_to_one_and_certain(
    gone: dict[str, str], come: dict[str, str], unconfirmed: list[str], complete: bool
) -> None:
    found = recognised(gone, come, unconfirmed, complete=complete)
    assert len(set(found.values())) == len(found)
    for old, new in found.items():
        assert complete
        assert gone[old] == come[new] != ""
        assert [*gone.values(), *come.values(), *unconfirmed].count(gone[old]) == 2
