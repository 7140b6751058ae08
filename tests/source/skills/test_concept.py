"""What the bundle says of a skill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from packaged import MIT, RESERVED, Content, Files, accepted, script, skill

from git_okf.digest import blob_id, canonical
from git_okf.model import File
from git_okf.source.repository import web
from git_okf.source.skills.concept import Concept, Setting, made

C1, C2 = "1" * 40, "2" * 40
SETTING = Setting(ref="main", web=web.of("https://github.com/acme/skills.git"), packages="vendor/skills")
FREE: Files = {
    "skills/pdf/SKILL.md": skill(
        "pdf",
        "# PDF\n\nRun [it](scripts/run.sh).\n",
        description="Reads PDFs",
        metadata="\n  version: 1.2\n  author: acme\n  team: docs",
        allowed_tools="Bash(git:*) Read",
        model="x",
    ),
    "skills/pdf/scripts/run.sh": script(),
    "LICENSE": MIT,
    "NOTICE": "by us\n",
}


def of(files: Mapping[str, Content], commit: str = C1, setting: Setting = SETTING) -> Concept:
    return made(accepted(files), "pdf", commit, setting)


def test_a_concept_says_what_the_skill_is_and_where_it_came_from() -> None:
    made = of(FREE)
    assert (made.name, made.title, made.description) == ("pdf", "pdf", "Reads PDFs")
    assert made.resource == f"https://github.com/acme/skills/tree/{C1}/skills/pdf"
    assert made.body == "# PDF\n\nRun [it](https://github.com/acme/skills/blob/main/skills/pdf/scripts/run.sh)."
    package = accepted(FREE)
    assert made.meta == {
        "fingerprint": made.compared,
        "license": "MIT",
        "license_source": "LICENSE",
        "path": "skills/pdf",
        "commit": C1,
        "content_fingerprint": package.content,
        "compliance_fingerprint": package.compliance,
        "package": "vendor/skills/pdf",
        "licences": "vendor/skills/_licences/pdf",
        "allowed_tools": "Bash(git:*) Read",
        "version": "1.2",
        "author": "acme",
        "metadata": [{"name": "team", "value": "docs"}],
        "more": [{"name": "model", "value": "x"}],
    }


def test_the_package_is_kept_byte_for_byte_and_its_licence_beside_it() -> None:
    made = of(FREE)
    data = FREE["skills/pdf/SKILL.md"]
    assert isinstance(data, str)
    assert made.files == (
        File(path="_licences/pdf/LICENSE", blob=blob_id(MIT.encode()), size=len(MIT)),
        File(path="_licences/pdf/NOTICE", blob=blob_id(b"by us\n"), size=6),
        File(path="pdf/SKILL.md", blob=blob_id(data.encode()), size=len(data)),
        File(path="pdf/scripts/run.sh", blob=blob_id(b"#!/bin/sh\n"), size=10, executable=True),
    )
    assert [blob_id(file.data) for file in made.kept] == [file.blob for file in made.files]


def test_a_commit_that_does_not_touch_the_skill_is_no_content() -> None:
    before, after = of(FREE), of({**FREE, "README.md": "new"}, C2)
    assert (before.body, before.compared, before.files) == (after.body, after.compared, after.files)
    differing = {key for key in before.meta if before.meta[key] != after.meta[key]}
    assert differing == {"commit"}
    assert before.resource != after.resource


@pytest.mark.parametrize(
    "changed",
    [
        {"skills/pdf/scripts/run.sh": "#!/bin/sh\n"},
        {"skills/pdf/scripts/run.sh": script("#!/bin/bash\n")},
        {"skills/pdf/new.md": ""},
        {"LICENSE": MIT.replace("2026", "2027")},
        {"NOTICE": "by others\n"},
    ],
)
def test_whatever_of_the_package_or_its_licence_changes_is_content(changed: Files) -> None:
    assert of(FREE).compared != of({**FREE, **changed}).compared


RESTRICTED: Files = {**FREE, "skills/pdf/LICENSE.txt": RESERVED}
UNLICENSED: Files = {"skills/pdf/SKILL.md": skill("pdf", "# Secret\n", description="Reads *PDFs* <now>")}


@pytest.mark.parametrize(
    ("files", "copy", "copied"),
    [
        (FREE, "permissive", True),
        (RESTRICTED, "permissive", False),
        (UNLICENSED, "permissive", False),
        (RESTRICTED, "always", True),
        (UNLICENSED, "always", True),
        (FREE, "never", False),
    ],
)
def test_without_a_licence_that_allows_it_nothing_is_copied_but_on_a_persons_word(
    files: Files, copy: str, copied: bool
) -> None:
    setting = Setting(ref=SETTING.ref, web=SETTING.web, packages=SETTING.packages, copy=copy)
    made = of(files, setting=setting)
    assert bool(made.files) is copied
    assert ("package" in made.meta) is copied
    text = files["skills/pdf/SKILL.md"]
    assert isinstance(text, str)
    heading = "# PDF" if "# PDF" in text else "# Secret"
    assert (heading in made.body) is copied
    assert bool(made.notes) is not copied


def test_what_may_not_be_copied_is_described_and_linked() -> None:
    made = of(UNLICENSED)
    assert made.body == (
        "Reads \\*PDFs\\* \\<now>\n\nIt names no licence; its text is not copied here. "
        "[It is at its source](https://github.com/acme/skills/tree/main/skills/pdf)."
    )
    assert made.notes == ("not copied, metadata and link only: the licence is NONE",)
    assert made.meta["license"] == "NONE"


def test_another_rule_for_copies_is_another_content() -> None:
    assert of(FREE).compared != of(FREE, setting=Setting(ref="main", web=SETTING.web, copy="never")).compared


def test_without_a_directory_for_packages_there_are_concepts_only() -> None:
    made = of(FREE, setting=Setting(ref="main", web=SETTING.web))
    assert made.files == ()
    assert made.body.startswith("# PDF")
    assert "package" not in made.meta


def test_a_repository_that_nobody_shows_has_no_permalink() -> None:
    made = of(FREE, setting=Setting(ref="main", web=web.of("../skills.git"), packages="vendor"))
    assert made.resource == ""
    assert made.body == "# PDF\n\nRun it (`scripts/run.sh`)."


def test_what_somebody_else_wrote_never_becomes_a_key_a_line_or_a_hidden_character() -> None:
    text = (
        "---\nname: 'a\n\n  b'\ndescription: \"x\\u202ey\\nz\"\n"
        "metadata:\n  'type: evil': |\n    a\n    b\n---\n\u200fhi\n"
    )
    made = of({"skills/pdf/SKILL.md": text, "LICENSE": MIT})
    assert (made.title, made.description) == ("a b", "xy z")
    assert made.meta["metadata"] == [{"name": "type: evil", "value": "a b"}]
    assert made.body == "hi"
    assert all(key.isidentifier() for key in _keys(made.meta))


def _keys(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [*value, *(key for each in value.values() for key in _keys(each))]
    return [key for each in value for key in _keys(each)] if isinstance(value, list) else []


def test_the_body_is_canonical() -> None:
    made = of({"skills/pdf/SKILL.md": skill("pdf", "a  \r\n\r\n\r\n\r\nb\n\n"), "LICENSE": MIT})
    assert made.body == canonical(made.body) == "a\n\nb"
