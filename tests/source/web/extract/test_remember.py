"""What is remembered between pages."""

from __future__ import annotations

from git_okf.source.web.extract.remember import LONGEST, remembered


def test_what_is_short_is_asked_once_and_what_is_long_each_time() -> None:
    asked: list[tuple[str, str]] = []

    @remembered(2)
    def ask(tag: str, value: str) -> int:
        asked.append((tag, value))
        return len(value)

    long = "x" * (LONGEST + 1)
    assert [ask("p", "ab"), ask("p", "ab"), ask("div", "ab"), ask("p", long), ask("p", long)] == [2, 2, 2, 401, 401]
    assert asked == [("p", "ab"), ("div", "ab"), ("p", long), ("p", long)]
