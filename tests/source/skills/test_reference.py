"""What the specification's own validator says of skills, and that we say the same.

scripts/test gives it an environment of its own below .venvs/ (or OKF_VALIDATORS); without it these tests fail.
`pytest -m "not validators"` leaves them out.
"""

from __future__ import annotations

import base64
import json
import os
import random
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from packaged import MIT, skill
from skilled import Skills
from upstreams import Content

from git_okf.source.skills import strict

pytestmark = pytest.mark.validators

VALIDATORS = Path(os.environ.get("OKF_VALIDATORS") or Path(__file__).parents[3] / ".venvs")
BIN = VALIDATORS / "skills-ref" / "bin"

_MANY = """
import base64, json, sys, tempfile
from pathlib import Path
from skills_ref.validator import validate
said = []
for directory, data in json.load(sys.stdin):
    with tempfile.TemporaryDirectory() as root:
        place = Path(root) / directory
        place.mkdir()
        (place / "SKILL.md").write_bytes(base64.b64decode(data))
        try:
            said.append(not validate(place))
        except Exception:
            said.append(False)
json.dump(said, sys.stdout)
"""

NAMES = (
    "pdf", "PDF", "pdf-x", "-pdf", "pdf-", "a--b", "'pdf'", '"pdf"', "café", "数据", "a_b", "1", "no", "~", "null",
    "[a]", "{a: b}", "ﬁx", "true", "1.0", "!!str pdf", "&a pdf", "*a", "@x", "`x`", "%x", "a: b", "a #c", "<<", "",
    "pdf:", "0x1F", ".", "pdf---", '"a\\/b"', "'it''s'", "2024-01-01", "x" * 64, "x" * 65,
)  # fmt: skip
VALUES = (
    "does it", "", "a: b", "|\n  multi\n  line", ">\n  folded\n  x", "x" * 1024, "x" * 1025, "x" * 500, "x" * 501,
    "'q'", '"q"', "'un", "- a\n  - b", "\n  - a", "\n- a\n- b", "{}", "[]", "has --- inside", "tab\there", "a # c",
    "\n  k: v", "\n    a: b\n    c:\n      d: e", "é", "\x85x", "\x07", "*x", "&x y", "!t x", "ends:", "\t x",
    '"multi\n  line"', "plain\n  continued", "plain\n  b: c", "[a, b", "a]", "?", "-", "|2\n    x", "x\u2028y", "x\x00",
)  # fmt: skip
KEYS = (
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
    "version",
    "description",
    "<<",
    "? x",
    '"license"',
    "1",
)


def case(chance: random.Random) -> tuple[str, bytes]:
    """A directory's name and a SKILL.md, mostly nearly right."""
    name = chance.choice(NAMES) if chance.random() < 0.4 else "pdf"
    value = chance.choice(VALUES) if chance.random() < 0.6 else "fine"
    lines = [f"name: {name}"] * (chance.random() < 0.95) + [f"description: {value}"] * (chance.random() < 0.95)
    for _ in range(chance.choice([0, 0, 1, 1, 2])):
        lines.append(f"{chance.choice(KEYS[: chance.choice([4, len(KEYS)])])}: {chance.choice(VALUES)}")
    head = chance.choice(["---\n"] * 12 + ["\ufeff---\n", "--- \n", "----\n", "---", "\n---\n", "---\n# c\n"])
    tail = chance.choice(["---\n\n# body\n"] * 12 + ["...\n", "--- \nx", "", "---", " ---\n", "--- # c\n"])
    text = f"{head}{chr(10).join(lines)}\n{tail}".replace("\n", chance.choice(["\n", "\n", "\n", "\r\n", "\r"]))
    data = text.encode("utf-8", "surrogatepass") + b"\xff" * (chance.random() < 0.02)
    return chance.choice(["pdf"] * 6 + ["PDF", "café", "no", "1", "数据", "fix", "null"]), data


def test_our_verdict_is_that_of_the_validator() -> None:
    assert BIN.exists(), f"{BIN} is not there: scripts/test installs it, -m 'not validators' does without"
    chance = random.Random(8)
    cases = [case(chance) for _ in range(1200)]
    asked = json.dumps([[directory, base64.b64encode(data).decode()] for directory, data in cases])
    done = subprocess.run(
        [str(BIN / "python"), "-c", _MANY], input=asked, check=True, text=True, encoding="utf-8", capture_output=True
    )
    theirs: list[bool] = json.loads(done.stdout)
    ours = [not strict.faults(data, directory) for directory, data in cases]
    assert [cases[at] for at, said in enumerate(ours) if said != theirs[at]] == []
    assert sum(theirs) > 40


def validate(directory: Path) -> subprocess.CompletedProcess[str]:
    """The validator's own command."""
    program = BIN / "agentskills"
    assert program.exists(), f"{program} is not there: scripts/test installs it, -m 'not validators' does without"
    return subprocess.run([str(program), "validate", str(directory)], check=False, text=True, capture_output=True)


def test_what_it_accepted_upstream_it_accepts_here(skills: Skills, tmp_path: Path) -> None:
    files: Mapping[str, Content] = {
        "LICENSE": MIT,
        "skills/pdf/SKILL.md": skill("pdf", license_="MIT", metadata="\n  version: 1.0"),
        "skills/pdf/scripts/a.py": "print()\n",
        "skills/odd/SKILL.md": skill("other", version="2"),
    }
    skills.commit(files)
    skills.run()
    for path, (data, executable) in skills.files().items():
        file = tmp_path / "vendor" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(0o755 if executable else 0o644)
    assert validate(tmp_path / "vendor" / "pdf").returncode == 0
    assert validate(tmp_path / "vendor" / "odd").returncode == 1
    told = [notice for notice in skills.seen.notices if "would object" in notice]
    assert len(told) == 1
    assert told[0].startswith("skills/odd: ")
