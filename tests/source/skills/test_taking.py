"""The bytes of packages, where the disk is small, the server forgetful, or a package large."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from packaged import MIT, Files, blobs, inspected, skill

from git_okf.source.repository.errors import Capacity, DiskBudget
from git_okf.source.repository.mirror import MISSING, TOO_LARGE, Blob
from git_okf.source.skills.limits import Limits
from git_okf.source.skills.package import Package, Refused, Wanted
from git_okf.source.skills.taking import Taking

FILES: Files = {
    "LICENSE": MIT,
    **{f"skills/{name}/SKILL.md": skill(name, f"# {name}\n") for name in "abcd"},
    "skills/b/big.txt": "x" * 4000,
}


@dataclass
class Mirror:
    """Holds `room` bytes, of which a request may need more."""

    room: int = 1_000_000
    missing: frozenset[str] = frozenset()
    unsent: int | None = None
    """Blobs larger than that are kept back without their size."""
    here: dict[str, bytes] = field(default_factory=dict)
    asked: list[int] = field(default_factory=list)
    forgotten: int = 0

    def fetch(self, commit: str, ref: str = "") -> None:
        """Commits and trees need no room here."""

    def forget(self) -> None:
        self.here = {}
        self.forgotten += 1

    def blobs(self, ids: Iterable[str], *, limit: int | None = None, within: Sequence[str] = ()) -> Iterator[Blob]:
        wanted = list(ids)
        new = {oid: data for oid, data in blobs(FILES).items() if oid in wanted and oid not in self.here}
        sent = {
            o: d for o, d in new.items() if o not in self.missing and (self.unsent is None or len(d) <= self.unsent)
        }
        if new:
            self.asked.append(len(new))
        needed = sum(map(len, sent.values()))
        if needed > self.room:
            raise Capacity("no room")
        if needed + sum(map(len, self.here.values())) > self.room:
            raise DiskBudget("no room")
        self.here.update(sent)
        for oid in wanted:
            data = self.here.get(oid)
            if data is None:
                unsent = oid not in self.missing
                yield Blob(oid, None, None, TOO_LARGE if unsent else MISSING)
            elif limit is not None and len(data) > limit:
                yield Blob(oid, None, len(data), TOO_LARGE)
            else:
                yield Blob(oid, data, len(data))


def taken(mirror: Mirror, limits: Limits | None = None, known: Iterable[str] = ()) -> tuple[Taking, dict[str, str]]:
    """What became of each package: its name, or why nothing was taken."""
    limits = limits or Limits()
    made = [inspected(FILES, f"skills/{name}", limits) for name in "abcd"]
    wanted = [each for each in made if isinstance(each, Wanted)]
    trees = {f"skills/{name}": f"tree-{name}" for name in "abcd"}
    taking = Taking(mirror=mirror, commit="c", ref="r", limits=limits, trees=trees, known=frozenset(known))
    said: dict[str, str] = {}
    for each in taking.take(wanted, lambda: True):
        if isinstance(each, Package):
            said[each.key] = each.manifest.name
        else:
            said[each.key] = ("for now: " if each.retryable else "for good: ") + each.reason
    return taking, said


ALL = {f"skills/{name}": name for name in "abcd"}


def test_all_packages_are_asked_for_at_once() -> None:
    mirror = Mirror()
    taking, said = taken(mirror, known=[f"skills/{name}" for name in "abcd"])
    assert said == ALL
    assert mirror.asked == [6]
    assert taking.requests == 1


def test_of_new_packages_the_texts_above_them_come_apart() -> None:
    mirror = Mirror()
    assert taken(mirror)[1] == ALL
    assert mirror.asked == [1, 5]


def test_local_disk_budget_what_does_not_fit_together_is_taken_in_parts() -> None:
    mirror = Mirror(room=5250)
    assert taken(mirror)[1] == ALL
    assert mirror.forgotten >= 1


def test_capacity_a_package_that_does_not_even_fit_alone_waits_and_leaves_the_others_going() -> None:
    mirror = Mirror(room=3000)
    said = taken(mirror)[1]
    assert said.pop("skills/b") == "for now: CAPACITY: no room"
    assert said == {key: name for key, name in ALL.items() if name != "b"}


def test_content_that_the_server_does_not_send_fails_its_package_for_now() -> None:
    gone = next(oid for oid, data in blobs(FILES).items() if data == b"x" * 4000)
    said = taken(Mirror(missing=frozenset({gone})))[1]
    assert said.pop("skills/b") == "for now: content could not be fetched: skills/b/big.txt"
    assert said == {key: name for key, name in ALL.items() if name != "b"}


def test_what_is_too_large_fails_its_package_for_good_whether_it_was_sent_or_not() -> None:
    limits = Limits(max_file_bytes=2000)
    for mirror, words in ((Mirror(), "4000 bytes, more than 2000"), (Mirror(unsent=2000), "more than 2000 bytes")):
        said = taken(mirror, limits)[1]
        assert said.pop("skills/b") == f"for good: big.txt has {words} (max_file_bytes)"
        assert said == {key: name for key, name in ALL.items() if name != "b"}


def test_a_package_over_its_total_is_never_held_whole() -> None:
    said = taken(Mirror(), Limits(max_package_bytes=3000))[1]
    assert said["skills/b"].startswith("for good: its files have 40")


def test_a_licence_above_that_is_too_large_fails_the_packages_it_applies_to() -> None:
    said = taken(Mirror(), Limits(max_file_bytes=500))[1]
    assert set(said.values()) == {"for good: LICENSE has 1068 bytes, more than 500 (max_file_bytes)", said["skills/b"]}


def test_the_caller_may_end_it_between_two_groups() -> None:
    made = [inspected(FILES, f"skills/{name}") for name in "ab"]
    wanted = [each for each in made if isinstance(each, Wanted)]
    mirror = Mirror()
    taking = Taking(mirror=mirror, commit="c", ref="r", limits=Limits(), trees={}, known=frozenset())
    assert not list(taking.take(wanted, lambda: False))
    assert mirror.asked == []
    assert not [each for each in made if isinstance(each, Refused)]
