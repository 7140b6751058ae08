"""Which licence a package has, and whether it may be copied."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaged import MIT, RESERVED, Files, accepted, skill

from git_okf.source.skills import licence
from git_okf.source.skills.licence import NONE, PROPRIETARY, UNKNOWN, detect
from git_okf.source.skills.licence_texts import LONG, SHORT

TEXTS = Path(__file__).parent / "licences"
"""Texts as their publishers have them."""


@pytest.mark.parametrize("name", sorted(path.stem for path in TEXTS.glob("*.txt")))
def test_the_published_text_of_a_licence_is_known(name: str) -> None:
    assert detect((TEXTS / f"{name}.txt").read_bytes()) == name


def test_every_licence_the_rules_know_has_its_text_here() -> None:
    known = {f"{spdx}-only" if "GPL" in spdx else spdx for spdx in (*SHORT, *LONG)}
    assert {path.stem for path in TEXTS.glob("*.txt")} == known


@pytest.mark.parametrize(
    "text",
    [
        MIT,
        MIT.replace("MIT License", "The MIT License (MIT)"),
        MIT.replace(
            "Copyright (c) 2026 Example Ltd", "Copyright 2020-2026 A, B and C <a@example.org>\nCopyright (c) D"
        ),
        MIT.upper(),
        " ".join(MIT.split()).replace("Copyright (c) 2026 Example Ltd ", ""),
        MIT.replace("\n", "\r\n"),
        "# " + MIT.replace("\n", "\n# "),
        MIT.replace('"', "“"),
    ],
)
def test_layout_titles_and_copyright_lines_do_not_matter(text: str) -> None:
    assert detect(text.encode()) == "MIT"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (MIT + '\n"Commons Clause" License Condition v1.0\n', UNKNOWN),
        (MIT + "\nThe Software may be used for non-commercial purposes only. " * 6, UNKNOWN),
        (MIT.replace("without restriction", "with restrictions"), UNKNOWN),
        (MIT + MIT, UNKNOWN),
        (RESERVED, PROPRIETARY),
        ("Proprietary. Ask us.", PROPRIETARY),
        ("Do what you like.", UNKNOWN),
        ("", UNKNOWN),
    ],
)
def test_a_text_with_something_added_is_another_licence(text: str, word: str) -> None:
    assert detect(text.encode()) == word


def test_a_long_licence_with_something_added_is_another_one() -> None:
    apache = (TEXTS / "Apache-2.0.txt").read_text(encoding="utf-8")
    assert detect((apache + "\nAdditional terms: you may not sell it.\n").encode()) == UNKNOWN
    assert detect(apache.partition("APPENDIX")[0].encode()) == "Apache-2.0"


@pytest.mark.parametrize(
    ("name", "sort"),
    [
        ("LICENSE", "licence"),
        ("license.txt", "licence"),
        ("LICENCE.md", "licence"),
        ("LICENSE-MIT", "licence"),
        ("LICENSE.APACHE", "licence"),
        ("UNLICENSE", "licence"),
        ("COPYING.LESSER", "licence"),
        ("LICENSES.txt", "licence"),
        ("NOTICE", "notice"),
        ("NOTICE.txt", "notice"),
        ("THIRD_PARTY_NOTICES.md", "notice"),
        ("license.py", ""),
        ("LICENSE.html", ""),
        ("licensing.md", ""),
        ("NOTICEBOARD", ""),
        ("my-license", ""),
    ],
)
def test_texts_are_known_by_their_names(name: str, sort: str) -> None:
    told = "licence" if licence.is_licence(f"a/{name}") else "notice" if licence.is_notice(f"a/{name}") else ""
    assert told == sort


def of(files: Files, key: str = "skills/pdf") -> licence.Licence:
    return accepted(files, key).licence


def test_the_packages_own_text_beats_that_of_the_repository() -> None:
    files: Files = {"skills/pdf/SKILL.md": skill(), "skills/pdf/LICENSE.txt": RESERVED, "LICENSE": MIT}
    assert (of(files).id, of(files).free, of(files).origin) == (PROPRIETARY, False, "skills/pdf/LICENSE.txt")
    assert accepted(files).carried == ()


def test_without_one_of_its_own_the_nearest_text_above_counts_and_goes_with_it() -> None:
    files: Files = {
        "plugins/a/skills/pdf/SKILL.md": skill(),
        "plugins/a/LICENSE": MIT,
        "LICENSE": RESERVED,
        "NOTICE": "by us\n",
    }
    made = accepted(files, "plugins/a/skills/pdf")
    assert (made.licence.id, made.licence.origin) == ("MIT", "plugins/a/LICENSE")
    assert [(text.path, text.data) for text in made.carried] == [("LICENSE", MIT.encode()), ("NOTICE", b"by us\n")]


def test_a_notice_above_goes_with_a_package_that_has_only_a_licence_of_its_own() -> None:
    files: Files = {"skills/pdf/SKILL.md": skill(), "skills/pdf/LICENSE": MIT, "LICENSE": MIT, "NOTICE": "by us\n"}
    assert [text.path for text in accepted(files).carried] == ["NOTICE"]


def test_no_licence_at_all_allows_nothing() -> None:
    found = of({"skills/pdf/SKILL.md": skill()})
    assert (found.id, found.free, found.origin) == (NONE, False, "")
    assert found.warnings == ("no licence: nothing says that it may be copied",)


@pytest.mark.parametrize(
    ("declared", "id", "free"),
    [
        ("MIT", "MIT", True),
        ("mit", "MIT", True),
        ("MIT License", "MIT", True),
        ("Apache 2.0", "Apache-2.0", True),
        ("Apache License, Version 2.0", "Apache-2.0", True),
        ("MIT OR Apache-2.0", "MIT OR Apache-2.0", True),
        ("MIT OR Nobody-1.0", "MIT OR Nobody-1.0", True),
        ("MIT AND Nobody-1.0", "MIT AND Nobody-1.0", False),
        ("GPLv3", "GPL-3.0-only", True),
        ("CC-BY-NC-4.0", "LicenseRef-CC-BY-NC-4.0", False),
        ("Proprietary", PROPRIETARY, False),
        ("UNLICENSED", PROPRIETARY, False),
        ("do what you like", UNKNOWN, False),
    ],
)
def test_what_the_front_matter_declares_counts_where_there_is_no_text(declared: str, id: str, free: bool) -> None:
    found = of({"skills/pdf/SKILL.md": skill(license_=declared)})
    assert (found.id, found.free, found.origin) == (id, free, "front matter")
    assert bool(found.warnings) is free, "a known licence whose text is missing is warned about"


def test_a_declared_proprietary_licence_beats_a_free_one_of_the_repository() -> None:
    files: Files = {
        "skills/pdf/SKILL.md": skill(license_="Proprietary. LICENSE.txt has complete terms"),
        "LICENSE": MIT,
    }
    assert (of(files).id, of(files).free) == (PROPRIETARY, False)


def test_a_declaration_that_names_a_file_leaves_the_word_to_the_file() -> None:
    files: Files = {
        "skills/pdf/SKILL.md": skill(license_="Complete terms in LICENSE.txt"),
        "skills/pdf/LICENSE.txt": MIT,
    }
    assert (of(files).id, of(files).free, of(files).warnings) == ("MIT", True, ())


def test_a_text_that_contradicts_the_declaration_counts_and_is_warned_about() -> None:
    found = of({"skills/pdf/SKILL.md": skill(license_="Apache-2.0"), "skills/pdf/LICENSE": MIT})
    assert (found.id, found.free) == ("MIT", True)
    assert found.warnings == ("the front matter says Apache-2.0, the text in skills/pdf/LICENSE is MIT",)
    reserved = of({"skills/pdf/SKILL.md": skill(license_="MIT"), "skills/pdf/LICENSE": RESERVED})
    assert (reserved.id, reserved.free) == (PROPRIETARY, False)


def test_of_several_texts_all_must_allow_copies() -> None:
    apache = (TEXTS / "Apache-2.0.txt").read_text(encoding="utf-8")
    both: Files = {"skills/pdf/SKILL.md": skill(), "skills/pdf/LICENSE-MIT": MIT, "skills/pdf/LICENSE-APACHE": apache}
    assert (of(both).id, of(both).free) == ("Apache-2.0 AND MIT", True)
    assert not of({**both, "skills/pdf/LICENSE-FONT": RESERVED}).free
