"""What error bodies say, and what headers mean: pure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from git_okf.jsonapi import Answer, next_page, reason_of, retry_after
from git_okf.jsonapi.answers import REASON_LIMIT


def answer(body: str = "", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer("GET", "http://h/x", 422, named, body.encode(), datetime(2026, 3, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"message": "Not Found", "status": "404"}', "Not Found"),
        (
            '{"message": ["Another open merge request already exists: !7"]}',
            "Another open merge request already exists: !7",
        ),
        ('{"message": {"title": ["is too long", "is bad"]}}', "title is too long; title is bad"),
        ('{"error": "insufficient_scope", "error_description": "needs api"}', "insufficient_scope; needs api"),
        ('{"code": 99991400, "msg": "request trigger frequency limit"}', "request trigger frequency limit"),
        (
            '{"message": "x", "errors": ["plain", {"message": "m"}, {"field": "f", "code": "c"}, 7, null]}',
            "x; plain; m; f c",
        ),
        ('{"message": "two\\n\\u001b[31mlines"}', "two [31mlines"),
    ],
)
def test_errors_are_told_in_the_words_of_the_api(body: str, said: str) -> None:
    assert reason_of(answer(body)) == f"HTTP 422: {said}"


@pytest.mark.parametrize("body", ["", "<html>502</html>", "[]", "null", '"text"', '{"message": 7}'])
def test_an_error_without_words_is_its_status(body: str) -> None:
    assert reason_of(answer(body)) == "HTTP 422"


def test_the_words_are_bounded() -> None:
    assert len(reason_of(answer('{"message": "' + "长" * 5000 + '"}'))) <= REASON_LIMIT + 20


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["message", "msg", "error", "errors", "x"]), inner)
        ),
    )
)
def test_any_body_has_a_reason_on_one_printable_line(data: Any) -> None:
    import json

    assert reason_of(answer(json.dumps(data))).isprintable()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        ("1.5", 1.5),
        ("Sun, 01 Mar 2026 00:00:30 GMT", 30.0),
        ("Sat, 28 Feb 2026 00:00:00 GMT", 0.0),
        ("Sun, 01 Mar 2026 00:00:30 -0000", None),
        ("soon", None),
        ("-3", None),
        ("", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(text: str, seconds: float | None) -> None:
    assert retry_after(answer(retry_after=text)) == seconds


@pytest.mark.parametrize(
    ("link", "following"),
    [
        (
            '<https://x/repositories/7/pulls?page=2>; rel="next", <https://x/p>; rel="last"',
            "/repositories/7/pulls?page=2",
        ),
        ('<https://x/p?page=1>; rel="prev", <https://x/p?a=1,2&page=3>; rel=next', "/p?a=1,2&page=3"),
        ("</p?page=2>; title=\"a, b\"; rel='next'", ""),
        ('<https://x/p?page=9>; rel="last"', ""),
        ('<https://x/p>; rel="first next"', "/p"),
        ("", ""),
    ],
)
def test_the_next_page_is_where_the_link_header_says(link: str, following: str) -> None:
    assert next_page(answer(link=link)) == following
