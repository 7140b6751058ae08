"""Where packages are in a tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaged import Files, found, link, listing, skill

from git_okf.source.repository.pattern import parse
from git_okf.source.skills.discovery import discover

LAYOUTS = {
    "skills/pdf/SKILL.md": skill(),
    ".claude/skills/docx/SKILL.md": skill("docx"),
    ".agents/skills/x/SKILL.md": skill("x"),
    "plugins/office/skills/xlsx/SKILL.md": skill("xlsx"),
    "skills/category/deep/SKILL.md": skill("deep"),
    "README.md": "text",
}


def test_every_directory_with_a_skill_md_is_a_package() -> None:
    assert found(LAYOUTS) == [
        ".agents/skills/x",
        ".claude/skills/docx",
        "plugins/office/skills/xlsx",
        "skills/category/deep",
        "skills/pdf",
    ]


def test_paths_say_where_packages_are_looked_for() -> None:
    assert found(LAYOUTS, "skills/*") == ["skills/pdf"]
    assert found(LAYOUTS, "skills/*", "plugins/*/skills/*") == ["plugins/office/skills/xlsx", "skills/pdf"]
    assert found(LAYOUTS, "skills") == ["skills/category/deep", "skills/pdf"]


def test_a_pattern_that_matches_nothing_is_told() -> None:
    seen = discover(listing(LAYOUTS), [parse("skils/*")])
    assert seen.packages == ()
    assert seen.notices == ("paths: skils/* matches no directory with a SKILL.md",)
    assert "skills/pdf" in seen.outside


def test_a_skill_md_inside_of_a_skill_is_its_content() -> None:
    files = {"skills/pdf/SKILL.md": "", "skills/pdf/templates/new/SKILL.md": "", "skills/pdf2/SKILL.md": ""}
    seen = discover(listing(files))
    assert [each.key for each in seen.packages] == ["skills/pdf", "skills/pdf2"]
    assert seen.notices == ("SKILL.md inside of a skill are its content, not skills: skills/pdf/templates/new",)


def test_a_repository_with_a_skill_md_at_its_root_is_one_skill_unless_paths_say_otherwise() -> None:
    files = {"SKILL.md": "", "skills/pdf/SKILL.md": ""}
    assert found(files) == ["."]
    assert found(files, "skills/*") == ["skills/pdf"]


def test_node_modules_are_not_searched() -> None:
    assert found({"node_modules/x/SKILL.md": "", "a/node_modules/x/SKILL.md": "", "b/SKILL.md": ""}) == ["b"]


@pytest.mark.parametrize(
    ("files", "root"),
    [
        ({"a/SKILL.md": "", "a/skill.md": ""}, "a/SKILL.md"),
        ({"a/skill.md": "", "a/x": ""}, "a/skill.md"),
    ],
)
def test_the_upper_case_name_is_preferred_and_the_lower_case_one_is_taken(files: Files, root: str) -> None:
    (only,) = discover(listing(files)).packages
    assert only.root.path == root


def test_another_spelling_of_the_name_makes_no_skill_and_is_told() -> None:
    seen = discover(listing({"a/Skill.md": "", "b/SKILL.MD": "", "c/SKILL.txt": ""}))
    assert seen.packages == ()
    assert seen.notices == ("not taken for skills, because the file is not named SKILL.md: a/Skill.md, b/SKILL.MD",)


def test_an_ignore_rule_stops_a_package_or_all_below_a_directory() -> None:
    files = {"a/x/SKILL.md": "", "a/y/SKILL.md": "", "b/z/SKILL.md": ""}
    seen = discover(listing(files), (), [parse("a/x"), parse("b")])
    assert [each.key for each in seen.packages] == ["a/y"]
    assert seen.ignored == ("a/x", "b/z")
    assert seen.incomplete_reasons == ()


def test_what_lies_deeper_than_the_search_goes_makes_the_enumeration_incomplete() -> None:
    deep = "a/b/c/d/e/f/g/SKILL.md"
    seen = discover(listing({deep: "", "x/SKILL.md": ""}))
    assert [each.key for each in seen.packages] == ["x"]
    assert seen.incomplete_reasons == (
        "the search ends 6 directories deep and after 2000, before a/b/c/d/e/f/g; name their directory in `paths`",
    )
    assert found({deep: ""}, "a/b/c/*/*/*/*") == ["a/b/c/d/e/f/g"]
    assert found({"a/b/c/d/e/f/SKILL.md": ""}) == ["a/b/c/d/e/f"]


def test_only_so_many_directories_are_searched_the_highest_first() -> None:
    files = {f"docs/{n:04}/x.md": "" for n in range(2100)} | {"skills/pdf/SKILL.md": "", "docs/9999/SKILL.md": ""}
    seen = discover(listing(files))
    assert [each.key for each in seen.packages] == []
    assert seen.incomplete_reasons[0].endswith("before docs/9999, skills/pdf; name their directory in `paths`")
    assert found(files, "skills/*") == ["skills/pdf"]


def test_a_large_repository_whose_skills_are_all_in_reach_is_complete() -> None:
    files = {f"docs/a/b/{n:04}/x.md": "" for n in range(2100)} | {"skills/pdf/SKILL.md": ""}
    seen = discover(listing(files))
    assert ([each.key for each in seen.packages], seen.incomplete_reasons) == (["skills/pdf"], ())


def test_a_tree_that_could_not_be_listed_whole_is_incomplete() -> None:
    seen = discover(listing({"a/SKILL.md": ""}, unlisted=("b",)))
    assert [each.key for each in seen.packages] == ["a"]
    assert seen.incomplete_reasons == ("parts of the tree could not be listed: b",)


def test_a_skill_md_that_is_a_link_is_found_and_judged_later() -> None:
    assert found({"a/SKILL.md": link("../b/SKILL.md")}) == ["a"]


@pytest.mark.parametrize("directory", ["a/\x1b[31m", "nul", b"caf\xe9".decode("utf-8", "surrogateescape"), ".git./x"])
def test_a_directory_that_nothing_can_be_named_after_is_told_and_no_package(directory: str) -> None:
    seen = discover(listing({f"{directory}/SKILL.md": "", "x/SKILL.md": ""}))
    assert [each.key for each in seen.packages] == ["x"]
    (notice,) = seen.notices
    assert notice.startswith("not taken: the path ")
    assert notice.isprintable()


@given(st.permutations(list(LAYOUTS)))
def test_the_order_of_the_listing_does_not_matter(order: list[str]) -> None:
    assert discover(listing({path: LAYOUTS[path] for path in order})) == discover(listing(LAYOUTS))
