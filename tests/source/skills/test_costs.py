"""What following 200 skills costs, in requests and bytes on the wire."""

from __future__ import annotations

import shutil

import pytest
from packaged import MIT, skill
from skilled import Skills
from upstreams import Content

MANY = 200
BODY = "".join(f"Line {number} says something that no other line says.\n" for number in range(100))


def _package(number: int, version: int = 1) -> dict[str, Content]:
    name = f"s{number}"
    return {
        f"skills/{name}/SKILL.md": skill(name, f"# {name} {version}\n\n{BODY}"),
        f"skills/{name}/LICENSE": MIT,
        f"skills/{name}/scripts/run.sh": f"echo {name}\n",
    }


@pytest.fixture(params=[0, 2], ids=["v0", "v2"])
def followed(skills: Skills, request: pytest.FixtureRequest) -> Skills:
    """All 200 are here."""
    skills.server.version = request.param
    if request.param == 0:
        skills.upstream.config("uploadpack.allowAnySHA1InWant", "true")
    skills.commit({path: data for number in range(MANY) for path, data in _package(number).items()})
    assert len(skills.run().added) == MANY
    return skills


def _measured(skills: Skills, record: pytest.FixtureRequest) -> tuple[int, int]:
    record.node.user_properties.append(("requests", skills.server.kinds()))
    record.node.user_properties.append(("bytes", skills.server.sent()))
    return len(skills.server.log), skills.server.sent()


def test_nothing_moved_is_one_look(followed: Skills, request: pytest.FixtureRequest) -> None:
    followed.run()
    requests, sent = _measured(followed, request)
    assert requests == (1 if followed.server.version == 0 else 2), "one round trip: in v2 git asks what it may first"
    assert sent < 1000
    assert followed.server.wants() == []


def test_one_of_200_changed_costs_its_blobs_alone(followed: Skills, request: pytest.FixtureRequest) -> None:
    commit = followed.commit(_package(77, version=2))
    assert [change.key for change in followed.run().updated] == ["skills/s77"]
    _, sent = _measured(followed, request)
    changed = followed.upstream.blob(commit, "skills/s77/SKILL.md")
    assert set(followed.server.wants()) == {commit, changed}, "the commit, and the one blob that is new"
    assert sent < 5000, "three trees, a commit, and what changed"


def test_on_a_machine_that_keeps_nothing_it_costs_the_packages_own_blobs(
    followed: Skills, request: pytest.FixtureRequest
) -> None:
    commit = followed.commit(_package(77, version=2))
    shutil.rmtree(followed.scratch)
    assert [change.key for change in followed.run().updated] == ["skills/s77"]
    _measured(followed, request)
    own = {followed.upstream.blob(commit, path) for path in _package(77)}
    assert set(followed.server.wants()) == {commit, *own}


def test_a_head_that_moved_elsewhere_costs_no_blob(followed: Skills, request: pytest.FixtureRequest) -> None:
    commit = followed.commit({"README.md": "news\n"})
    followed.run()
    _measured(followed, request)
    assert set(followed.server.wants()) == {commit}
