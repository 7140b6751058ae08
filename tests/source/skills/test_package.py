"""One package, accepted or failed as a whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaged import MIT, Files, Odd, accepted, inspected, judged, link, refused, script, skill, submodule
from upstreams import lfs_pointer

from git_okf.source.skills.limits import Limits
from git_okf.source.skills.package import Refused, Wanted, assemble, inspect
from git_okf.source.skills.tree import Entry

PDF: Files = {
    "skills/pdf/SKILL.md": skill("pdf", "Run [it](scripts/run.sh).\n"),
    "skills/pdf/scripts/run.sh": script(),
    "skills/pdf/LICENSE.txt": MIT,
    "skills/docx/SKILL.md": skill("docx"),
}


def test_a_package_is_all_its_files_and_no_others() -> None:
    made = accepted(PDF)
    assert [(file.path, file.executable) for file in made.files] == [
        ("LICENSE.txt", False),
        ("SKILL.md", False),
        ("scripts/run.sh", True),
    ]
    assert (made.manifest.name, made.licence.id, made.warnings, made.objections) == ("pdf", "MIT", (), ())
    assert made.notes == ("executable, and kept so: scripts/run.sh",)


@pytest.mark.parametrize(
    ("extra", "reason"),
    [
        ({"skills/pdf/latest": link("../docx")}, "latest is a symbolic link"),
        ({"skills/pdf/vendor": submodule()}, "vendor is a submodule"),
        ({"skills/pdf/odd": Odd(0o100000)}, "odd is no file (mode 100000)"),
        ({"skills/pdf/SKILL.md": link("../docx/SKILL.md")}, "SKILL.md is a symbolic link"),
        ({"skills/pdf/aux.md": ""}, "the path 'aux.md' has a part that is a device on Windows"),
        ({b"skills/pdf/caf\xe9".decode("utf-8", "surrogateescape"): ""}, "the path 'caf\ufffd' is not UTF-8"),
        ({"skills/pdf/a.md": "", "skills/pdf/A.md": ""}, "A.md and a.md are one name where case does not count"),
        ({"skills/pdf/skill.md": ""}, "SKILL.md and skill.md are one name where case does not count"),
        ({"skills/pdf/SKILL.md": "# none\n"}, "SKILL.md has no front matter: the first line is not ---"),
        ({"skills/pdf/SKILL.md": lfs_pointer()}, "SKILL.md is a pointer of Git LFS"),
    ],
)
def test_skill_05_an_entry_that_cannot_be_taken_fails_the_whole_package(extra: Files, reason: str) -> None:
    assert refused({**PDF, **extra}) == Refused(key="skills/pdf", reason=reason)


def test_one_packages_failure_leaves_its_sibling_going() -> None:
    broken = {**PDF, "skills/pdf/latest": link("x")}
    assert isinstance(judged(broken), Refused)
    assert accepted(broken, "skills/docx").manifest.name == "docx"


@pytest.mark.parametrize(
    ("extra", "warning"),
    [
        (
            {"skills/pdf/big.bin": lfs_pointer()},
            "pointers of Git LFS, taken as they are, without what they stand for: big.bin",
        ),
        ({"skills/pdf/.gitattributes": "* -text\n"}, "git obeys .gitattributes in this repository too"),
        (
            {
                "skills/pdf/SKILL.md": skill(
                    "pdf", "[a](missing.md) [b](LICENSE.txt) [c](../docx/SKILL.md) [d](scripts/)\n"
                )
            },
            "SKILL.md links to what is not in the package: missing.md, ../docx/SKILL.md",
        ),
        (
            {"skills/pdf/SKILL.md": skill("pdf", "a\u202eb\n")},
            "SKILL.md has characters that no reader sees, in 1 places",
        ),
    ],
)
def test_skill_05_what_is_taken_with_a_doubt_is_warned_about(extra: Files, warning: str) -> None:
    made = accepted({**PDF, **extra})
    assert made.warnings == (warning,)
    assert {file.path for file in made.files} >= {path.removeprefix("skills/pdf/") for path in extra}


def test_a_marker_of_an_empty_directory_is_a_file_like_any_other() -> None:
    assert "assets/.gitkeep" in {file.path for file in accepted({**PDF, "skills/pdf/assets/.gitkeep": ""}).files}


def test_a_lower_case_root_is_taken_with_a_warning() -> None:
    made = accepted({"pdf/skill.md": skill(), "LICENSE": MIT}, "pdf")
    assert made.warnings == ("the file is named skill.md, not SKILL.md",)


def test_the_skill_at_the_root_is_named_after_the_repository() -> None:
    made = accepted({"SKILL.md": skill("skills"), "LICENSE": MIT}, ".")
    assert (made.manifest.name, made.warnings, made.objections) == ("skills", (), ())


# --- limits (seed 002, section 5: 100 files, 10 MiB a file, 100 MiB a package) ---


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(max_files=2), "it has 3 files, more than 2 (max_files)"),
        (Limits(max_file_bytes=100), "LICENSE.txt has 1068 bytes, more than 100 (max_file_bytes)"),
        (Limits(max_package_bytes=1100), "its files have 1158 bytes, more than 1100 (max_package_bytes)"),
    ],
)
def test_over_a_limit_the_whole_package_fails_for_good(limits: Limits, reason: str) -> None:
    assert refused(PDF, limits=limits) == Refused(key="skills/pdf", reason=reason)
    told = inspected(PDF, "skills/pdf", limits, sizes=True)
    assert told == Refused(key="skills/pdf", reason=reason), "where the listing has sizes no blob is read"


def test_at_a_limit_a_package_is_taken() -> None:
    made = accepted(PDF)
    exact = Limits(
        max_files=len(made.files),
        max_file_bytes=max(len(file.data) for file in made.files),
        max_package_bytes=sum(len(file.data) for file in made.files),
    )
    assert accepted(PDF, limits=exact) == made


def test_the_limits_are_those_of_the_seed() -> None:
    assert Limits() == Limits(max_files=100, max_file_bytes=10 * 1024**2, max_package_bytes=100 * 1024**2)
    hundred = {f"skills/pdf/{n}.md": "" for n in range(99)} | {"skills/pdf/SKILL.md": skill()}
    accepted(hundred)
    assert refused(hundred | {"skills/pdf/x": ""}).reason == "it has 101 files, more than 100 (max_files)"


# --- what cannot be said yet ---


def test_content_that_could_not_be_fetched_fails_the_package_for_now() -> None:
    wanted = inspected(PDF, "skills/pdf")
    assert isinstance(wanted, Wanted)
    made = assemble(wanted, {}, Limits())
    assert isinstance(made, Refused)
    assert made.retryable
    assert made.reason.startswith("content could not be fetched: skills/pdf/LICENSE.txt, ")


def test_a_package_that_could_not_be_listed_whole_fails_for_now() -> None:
    from packaged import listing

    from git_okf.source.skills import licence
    from git_okf.source.skills.discovery import discover

    at = listing(PDF, unlisted=("skills/pdf/scripts",))
    outcomes = {
        each.key: inspect(each, at, licence.legal(each.key, licence.by_directory(at.entries)), Limits(), "skills")
        for each in discover(at).packages
    }
    assert outcomes["skills/pdf"] == Refused(
        key="skills/pdf", reason="its directory could not be listed whole", retryable=True
    )
    assert isinstance(outcomes["skills/docx"], Wanted)


# --- fingerprints ---


def test_the_fingerprint_is_of_paths_modes_and_bytes() -> None:
    prints = {
        accepted(files).content
        for files in (
            PDF,
            {**PDF, "skills/pdf/scripts/run.sh": "#!/bin/sh\n"},
            {**PDF, "skills/pdf/scripts/run.sh": script("#!/bin/bash\n")},
            {**PDF, "skills/pdf/scripts/go.sh": script()},
            {**PDF, "skills/pdf/LICENSE.txt": MIT + "\n"},
        )
    }
    assert len(prints) == 5


def test_the_fingerprint_does_not_depend_on_where_the_package_lies_or_what_lies_beside_it() -> None:
    moved = {path.replace("skills/pdf/", "other/pdf/"): data for path, data in PDF.items()}
    there, here = accepted(moved, "other/pdf"), accepted(PDF)
    assert (there.content, there.compliance, there.target) == (here.content, here.compliance, here.target)
    assert accepted({**PDF, "README.md": "x", "skills/new/SKILL.md": skill("new")}).target == here.target


def test_a_changed_licence_alone_is_another_target_with_the_same_content() -> None:
    files: Files = {"skills/pdf/SKILL.md": skill(), "LICENSE": MIT}
    before, after = accepted(files), accepted({**files, "LICENSE": MIT.replace("2026", "2027")})
    assert before.content == after.content
    assert before.compliance != after.compliance
    assert before.target != after.target
    assert before.listing != after.listing


def test_a_notice_counts_for_the_licence_too() -> None:
    files: Files = {"skills/pdf/SKILL.md": skill(), "LICENSE": MIT}
    assert accepted(files).compliance != accepted({**files, "NOTICE": "by us"}).compliance


def test_no_two_lists_of_files_read_alike() -> None:
    one: Files = {"skills/pdf/SKILL.md": skill(), "skills/pdf/a": "b", "skills/pdf/c": ""}
    other: Files = {"skills/pdf/SKILL.md": skill(), "skills/pdf/a": "", "skills/pdf/bc": ""}
    assert accepted(one).content != accepted(other).content


_NAMES = st.lists(st.sampled_from(["a", "b", "c/d", "e.sh"]), unique=True)


@given(_NAMES, st.binary(max_size=8), st.randoms(use_true_random=False))
def test_a_package_is_a_function_of_its_files_alone(names: list[str], data: bytes, shuffle: object) -> None:
    files: dict[str, object] = {"skills/pdf/SKILL.md": skill(), **{f"skills/pdf/{name}": data for name in names}}
    order = sorted(files)
    shuffle.shuffle(order)  # type: ignore[attr-defined]
    assert accepted({path: files[path] for path in order}) == accepted(files)  # type: ignore[misc, arg-type]


def test_the_listing_digest_is_that_of_the_tree_and_of_no_content() -> None:
    wanted = inspected(PDF, "skills/pdf")
    assert isinstance(wanted, Wanted)
    assert wanted.blobs == {entry.id for entry in wanted.entries}
    assert isinstance(wanted.root, Entry)
    assert accepted(PDF).listing == wanted.listing
