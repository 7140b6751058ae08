"""Where a page's links go: the short ways come to what the long ones come to."""

from __future__ import annotations

import posixpath

from extracting import OPTIONS
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.source.web.extract.convert.links import Links, absolute, relative

PARTS = st.sampled_from(("a", "b", "c.html", "d-1.2", "..", ".", "", "é", "x:y", "%2e", "~u", "a..b", "_"))
PATHS = st.lists(PARTS, min_size=1, max_size=6).map("/".join)
BASES = st.builds(
    "{}{}".format,
    st.sampled_from(
        ("https://docs.example.org/", "http://h", "https://docs.example.org", "ftp://h/", "x", "http://[h/")
    ),
    PATHS,
)


@settings(max_examples=400)
@given(BASES, PATHS)
def test_a_plain_reference_leads_where_the_standard_library_says(base: str, href: str) -> None:
    links = Links("https://docs.example.org/a/", base, OPTIONS.owns, OPTIONS.place, OPTIONS.key)
    assert links.absolute(href) == absolute(base, href)
    assert links.absolute(href) == absolute(base, href), "the second time it is remembered"


@settings(max_examples=400)
@given(PATHS.filter(bool), st.one_of(st.just(""), PATHS))
def test_a_relative_path_is_that_of_the_standard_library(path: str, folder: str) -> None:
    assert relative(path, folder) == posixpath.relpath(path, folder or ".")
