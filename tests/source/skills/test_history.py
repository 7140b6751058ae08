"""A long life of a repository: whatever happens to it and on the way, no package here is ever half."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from packaged import MIT, skill
from skilled import Skills
from upstreams import Content, Exec, Link

from git_okf.errors import SourceUnavailable
from git_okf.source.skills import ingestion

REVISIONS = 100
MOST_BYTES = 20_000

Files = dict[str, Content]


@dataclass
class Life:
    """The repository, changed at random, and every revision it ever had."""

    skills: Skills
    chance: random.Random
    files: Files = field(default_factory=lambda: {"LICENSE": MIT})
    history: dict[str, Files] = field(default_factory=dict)
    numbers: int = 0

    def step(self) -> str:
        """One change, and the revision after it."""
        before = dict(self.files)
        word = self.chance.choice(sorted(self._changes()))
        orphan = word == "force-push"
        self._changes()[word]()
        gone = {path: None for path in before if path not in self.files}
        changed = {path: data for path, data in self.files.items() if before.get(path) != data}
        commit = self.skills.commit(dict(self.files) if orphan else {**gone, **changed}, orphan=orphan)
        self.history[commit] = dict(self.files)
        return commit

    def _changes(self) -> dict[str, Callable[[], None]]:
        packages = sorted({path.split("/")[1] for path in self.files if path.startswith("skills/")})
        some = {name: (lambda do=do: do(self.chance.choice(packages))) for name, do in self._on_one().items()}
        always = {"add": self._add, "licence": self._licence, "force-push": self._edit_any}
        return {**always, **(some if packages else {})}

    def _on_one(self) -> dict[str, Callable[[str], None]]:
        return {
            "edit": self._edit,
            "edit again": self._edit,
            "move": self._move,
            "delete": self._delete,
            "symlink": self._symlink,
            "oversize": self._oversize,
            "mend": self._mend,
        }

    def _add(self) -> None:
        self.numbers += 1
        name = f"s{self.numbers}"
        self.files[f"skills/{name}/SKILL.md"] = skill(name, f"# {name}\n")
        for number in range(self.chance.randrange(4)):
            self.files[f"skills/{name}/scripts/{number}.sh"] = Exec(f"echo {name} {number}\n")

    def _edit(self, name: str) -> None:
        self.files[f"skills/{name}/SKILL.md"] = skill(name, f"# {self.chance.random()}\n")
        self.files[f"skills/{name}/notes/{self.chance.randrange(3)}.md"] = f"{self.chance.random()}\n"

    def _edit_any(self) -> None:
        self._add()

    def _move(self, name: str) -> None:
        self.numbers += 1
        for path in [path for path in self.files if path.startswith(f"skills/{name}/")]:
            self.files[path.replace(f"skills/{name}/", f"skills/m{self.numbers}/")] = self.files.pop(path)

    def _delete(self, name: str) -> None:
        self.files = {path: data for path, data in self.files.items() if not path.startswith(f"skills/{name}/")}

    def _symlink(self, name: str) -> None:
        self.files[f"skills/{name}/latest"] = Link("SKILL.md")

    def _oversize(self, name: str) -> None:
        self.files[f"skills/{name}/big.txt"] = f"{self.chance.random()}" * 2000

    def _mend(self, name: str) -> None:
        for odd in ("latest", "big.txt"):
            self.files.pop(f"skills/{name}/{odd}", None)

    def _licence(self) -> None:
        self.files["LICENSE"] = MIT.replace("2026", str(self.chance.randrange(2000, 2100)))

    def package(self, commit: str, key: str) -> dict[str, tuple[bytes, bool]]:
        """The files of a package as it was."""
        found = {}
        for path, content in self.history[commit].items():
            if path.startswith(f"{key}/"):
                data = content.data if isinstance(content, Exec) else content
                assert isinstance(data, str)
                found[path.removeprefix("skills/")] = (data.encode(), isinstance(content, Exec))
        return found


def trouble(skills: Skills, chance: random.Random) -> None:
    """Something that goes wrong on the way, or nothing."""
    kind, skip = chance.choice(["advert", "ls-refs", "fetch", "fetch", "fetch"]), chance.randrange(3)
    wrong: dict[str, object] = chance.choice([{"status": 500}, {"drop": True}, {"cut": 40}, {"status": 429}])
    skills.server.fault(kind, skip=skip, **wrong)


def check(life: Life) -> None:
    """Every package here is, byte for byte, what it was at the revision that its record names, and whole."""
    skills = life.skills
    for record in skills.known.values():
        latest = ingestion.from_memo(record.memo).latest
        assert latest is not None
        here = {
            file.path: (skills.store[file.blob], file.executable)
            for file in record.files
            if not file.path.startswith("_licences/")
        }
        assert here == life.package(latest.revision, latest.key), (record.key, latest.revision)
        (licence,) = [file for file in record.files if file.path.startswith("_licences/")]
        assert skills.store[licence.blob] == str(life.history[latest.revision]["LICENSE"]).encode()


def test_a_hundred_revisions_with_failures_on_the_way_leave_every_package_whole(skills: Skills) -> None:
    chance = random.Random(20261130)
    skills.options = {"max_file_bytes": MOST_BYTES, "removal": replace(skills.source().removal, follow=True)}
    life = Life(skills, chance)
    runs = failures = 0
    commit = ""
    for revision in range(REVISIONS):
        commit = life.step()
        if revision == REVISIONS // 2:
            skills.server.rename("acme/skills", "acme/renamed")
            skills.upstream = replace(skills.upstream, path=skills.server.path("acme/renamed"))
        if chance.random() < 0.5:
            continue
        if chance.random() < 0.5:
            trouble(skills, chance)
        before = (dict(skills.known), dict(skills.memory))
        try:
            skills.run()
            runs += 1
        except SourceUnavailable:
            failures += 1
            assert (skills.known, skills.memory) == before
        skills.server.heal()
        check(life)
    skills.run()
    check(life)
    whole = {
        f"skills/{path.split('/')[1]}"
        for path in life.files
        if path.endswith("/SKILL.md")
        and not {f"skills/{path.split('/')[1]}/latest", f"skills/{path.split('/')[1]}/big.txt"} & life.files.keys()
    }
    assert whole <= skills.known.keys(), "what can be taken is here"
    assert {key for key in skills.known if f"{key}/SKILL.md" not in life.files} == set(), "what is gone is not"
    for key in whole:
        latest = ingestion.from_memo(skills.known[key].memo).latest
        assert latest is not None
        assert life.package(latest.revision, latest.key) == life.package(commit, key), "and is what it is there"
    assert (runs > 25, failures > 5) == (True, True)
