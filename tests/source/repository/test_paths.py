"""Which paths may become files here (seed 002: normalised, relative, POSIX; everything else is refused)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from git_okf.source.repository import paths


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "is empty"),
        ("/etc/passwd", "is absolute"),
        ("C:/x", "is absolute"),
        ("../x", "has a part '..'"),
        ("a/../b", "has a part '..'"),
        ("a/./b", "has a part '.'"),
        ("a//b", "has an empty part"),
        ("a/", "has an empty part"),
        ("a\\b", "has a backslash"),
        ("a\x00b", "has a control character"),
        ("a\nb", "has a control character"),
        ("a\x7fb", "has a control character"),
        ("a\x85b", "has a control character"),
        (".git/config", "has a part that is git's own (.git)"),
        ("a/.GIT/hooks/x", "has a part that is git's own (.git)"),
        ("a/.g\u200cit/x", "has a part that is git's own (.git)"),
        ("a/git~1/x", "has a part that is git's own (.git)"),
        (".git. /x", "has a part that is git's own (.git)"),
        ("a./b", "has a part that ends in a dot or a space"),
        ("a /b", "has a part that ends in a dot or a space"),
        ("nul", "has a part that is a device on Windows"),
        ("a/COM1.txt", "has a part that is a device on Windows"),
        ("aux .md", "has a part that is a device on Windows"),
        ("SKILL.md:evil", "has a colon, which names a stream of a file on Windows"),
        ("x" * 256, "has a part longer than 255 bytes"),
        ("é" * 128, "has a part longer than 255 bytes"),
        ("/".join("x" * 100 for _ in range(11)), "is longer than 1000 bytes"),
        (b"caf\xe9".decode("utf-8", "surrogateescape"), "is not UTF-8"),
    ],
)
def test_a_path_that_could_be_another_file_is_refused(path: str, reason: str) -> None:
    assert paths.refusal(path) == reason


@pytest.mark.parametrize(
    "path", ["SKILL.md", "a b/c.md", ".gitignore", ".github/x", "con1", "数据/é.md", "x" * 255, "...x", "git", "a.git"]
)
def test_an_ordinary_path_is_not(path: str) -> None:
    assert paths.refusal(path) == ""


@pytest.mark.parametrize(
    ("written", "clean"), [("./skills/pdf/", "skills/pdf"), (".", "."), ("./", "."), ("././a", "a"), ("a", "a")]
)
def test_what_people_write_is_normalised(written: str, clean: str) -> None:
    assert paths.normalised(written) == clean


@pytest.mark.parametrize("written", ["", "../a", "/a", "a//b", "a\\b", "a/../../b", "a//"])
def test_what_leads_elsewhere_is_not_normalised_but_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"is empty|has a|is absolute"):
        paths.normalised(written)


@given(st.text(max_size=40))
def test_a_path_that_is_taken_is_its_own_normal_form(path: str) -> None:
    if not paths.refusal(path):
        assert paths.normalised(path) == path
        assert all(part not in ("", ".", "..") for part in path.split("/"))
        assert paths.below("x", f"x/{path}") == path


@pytest.mark.parametrize(
    ("files", "clash"),
    [
        (["a.md", "A.md"], ("A.md", "a.md")),
        (["Docs/x", "docs/y"], ("Docs/", "docs/")),
        (["a", "A/x"], ("A/", "a")),
        (["é", "e\u0301"], ("e\u0301", "é")),
        (["ß.md", "SS.md"], ("SS.md", "ß.md")),
        (["a.md", "b.md", "c/a.md"], None),
    ],
)
def test_names_that_differ_in_case_alone_clash(files: list[str], clash: tuple[str, str] | None) -> None:
    assert paths.collision(files) == clash
    assert paths.collision(reversed(files)) == clash


def test_the_root_holds_everything_and_lies_in_nothing() -> None:
    assert paths.below(".", "a/b") == "a/b"
    assert paths.below("a", "ab/c") == ""
    assert paths.ancestors("a/b/c") == ("a/b", "a", ".")
    assert paths.ancestors(".") == ()
    assert (paths.depth("."), paths.depth("a"), paths.depth("a/b")) == (0, 1, 2)
