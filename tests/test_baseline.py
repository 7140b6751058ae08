"""What a run starts from: the state where it describes this tree, else the tree itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from conftest import GitRepo
from landing_steps import WHEN, land

from git_okf import baseline, changes, digest
from git_okf.baseline import Baseline
from git_okf.config import WebSource
from git_okf.errors import ConfigError
from git_okf.model import Change, Delta, Fetched, Record, Status
from git_okf.store import overlay
from git_okf.store import state as states
from git_okf.store.repo import RefUpdate, Repo
from git_okf.store.trees import Made

SOURCE = WebSource(name="docs", url="https://docs.example.com/", bundle="docs")


def key(name: str) -> str:
    return f"{SOURCE.url}{name}"


def body(name: str, version: int = 1) -> str:
    return f"# {name}\n\nThis is version {version} of {name}."


def record(name: str, version: int = 1) -> Record:
    """As a sync remembers it."""
    return Record(
        key=key(name),
        path=f"pages/{name}.md",
        title=name,
        description=f"About {name}.",
        content_hash=digest.content_hash(body(name, version)),
        raw_hash=f"raw-{name}-{version}",
        fingerprint="extractor-1",
        size=len(body(name, version)),
        etag=f'"{name}-{version}"',
        links=(key("a"), key("b")),
    )


def files(*records: tuple[Record, str]) -> dict[str, bytes | None]:
    """The concepts of records, as the bundle holds them."""
    fetched = (
        Change(
            key=r.key,
            path=r.path,
            new=Fetched(
                key=r.key,
                title=r.title,
                description=r.description,
                content_hash=r.content_hash,
                raw_hash=r.raw_hash,
                fingerprint=r.fingerprint,
                size=r.size,
            ),
        )
        for r, _ in records
    )
    bodies = {r.content_hash: text for r, text in records}
    delta = Delta(added=tuple(fetched), records=tuple(r for r, _ in records))
    made = changes.synced(delta, SOURCE, bodies.__getitem__, WHEN, None)
    plain = {path: data.make() if isinstance(data, Made) else data for path, data in made.items()}
    return changes.in_repository(SOURCE.bundle, plain)


def remember(repo: Repo, records: Mapping[str, Record], *, source: WebSource = SOURCE) -> states.State:
    """The state after a sync of the bundle as it stands at HEAD."""
    head = repo.head().commit
    tree = repo.subtree(repo.commit_tree(head), source.bundle) if head else ""
    state = states.State(identity=source.identity(), bundle_tree=tree or "", records=records)
    before = repo.ref(states.REF)
    new = repo.edit(
        repo.commit_tree(before) if before else None, states.changes(states.read(repo, source.name), state, source.name)
    )
    commit = repo.commit(new, [before] if before else [], "state", WHEN, sign=False)
    repo.update([RefUpdate(states.REF, before, commit, "state")])
    return state


@pytest.fixture
def synced(repo: GitRepo) -> Repo:
    """A repository with the concepts a and b, and the state that describes them."""
    opened = Repo.open(repo.path)
    a, b = record("a"), record("b")
    land(opened, files((a, body("a")), (b, body("b"))))
    remember(opened, {a.key: a, b.key: b})
    return opened


def facts(base: Baseline, name: str) -> Record:
    return base.known[key(name)]


def test_nothing_there_is_an_empty_baseline(repo: GitRepo) -> None:
    base = baseline.read(Repo.open(repo.path), SOURCE)
    assert (base.tree, base.bundle_tree, base.state, base.state_commit, dict(base.known)) == (
        None,
        None,
        None,
        None,
        {},
    )


def test_a_state_that_describes_this_tree_is_trusted_whole(synced: Repo) -> None:
    base = baseline.read(synced, SOURCE)
    assert base.known == {key("a"): record("a"), key("b"): record("b")}
    assert base.state_commit == synced.ref(states.REF)
    assert base.bundle_tree and base.state and base.state.bundle_tree == base.bundle_tree


def test_without_a_state_the_records_come_from_the_front_matter(synced: Repo, repo: GitRepo) -> None:
    repo.git("update-ref", "-d", states.REF)
    base = baseline.read(synced, SOURCE)
    assert base.state is None
    whole = facts(base, "a")
    kept = ("key", "path", "title", "description", "content_hash", "size")
    assert {name: getattr(whole, name) for name in kept} == {name: getattr(record("a"), name) for name in kept}
    assert (whole.etag, whole.raw_hash, whole.fingerprint, whole.links, whole.edited) == ("", "", "", (), False)


def test_only_what_differs_is_read_again(synced: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    land(synced, files((record("b", 2), body("b", 2))))
    read: list[str] = []
    original = Repo.read

    def counted(self: Repo, oid: str) -> bytes:
        data = original(self, oid)
        read.extend(name for name in ("a", "b") if f"\n# {name}\n".encode() in data)
        return data

    monkeypatch.setattr(Repo, "read", counted)
    base = baseline.read(synced, SOURCE)
    assert read == ["b"]
    assert facts(base, "a") == record("a")
    changed = facts(base, "b")
    assert changed.content_hash == record("b", 2).content_hash
    assert (changed.etag, changed.raw_hash, changed.links) == ("", "", record("b").links)


def test_a_concept_that_is_back_at_what_was_synced_keeps_its_validators(synced: Repo) -> None:
    land(synced, files((record("b", 2), body("b", 2))))
    land(synced, files((record("b"), body("b"))))
    assert facts(baseline.read(synced, SOURCE), "b") == record("b")


def test_a_moved_concept_is_known_at_its_new_path(synced: Repo) -> None:
    concept = files((record("a"), body("a")))["docs/pages/a.md"]
    land(synced, {"docs/pages/a.md": None, "docs/pages/first/a.md": concept})
    assert facts(baseline.read(synced, SOURCE), "a") == replace(record("a"), path="pages/first/a.md")


def test_a_deleted_concept_is_no_longer_known(synced: Repo) -> None:
    land(synced, {"docs/pages/a.md": None})
    assert set(baseline.read(synced, SOURCE).pages) == {key("b")}


def test_an_edited_concept_is_known_as_edited_with_the_hash_of_what_was_synced(synced: Repo) -> None:
    concept = files((record("a"), body("a")))["docs/pages/a.md"]
    assert concept is not None
    land(synced, {"docs/pages/a.md": concept + b"\nA remark.\n"})
    base = baseline.read(synced, SOURCE)
    assert facts(base, "a") == replace(record("a"), edited=True)
    assert base.edited == {key("a")}


@pytest.mark.parametrize("with_state", [True, False])
def test_an_edit_is_known_with_and_without_a_state(synced: Repo, repo: GitRepo, with_state: bool) -> None:
    concept = files((record("a"), body("a")))["docs/pages/a.md"]
    assert concept is not None
    land(synced, {"docs/pages/a.md": concept.replace(b"version 1", b"version 1, I say,")})
    if not with_state:
        repo.git("update-ref", "-d", states.REF)
    base = baseline.read(synced, SOURCE)
    assert base.edited == {key("a")}
    assert facts(base, "a").content_hash == record("a").content_hash


def test_files_that_are_no_concepts_of_ours_are_left_out(synced: Repo) -> None:
    land(
        synced,
        {
            "docs/pages/mine.md": b"# Mine\n",
            "docs/pages/other.md": b'---\ntype: x\nresource: "https://x/"\n---\n\ntext\n',
            "docs/pages/index.md": b"---\nresource: 'https://x/'\ncontent_hash: 'sha256:0'\n---\n",
            "docs/notes.txt": b"x",
        },
    )
    base = baseline.read(synced, SOURCE)
    assert set(base.known) == {key("a"), key("b")}
    unreadable = dict(baseline.unreadable(synced, SOURCE, base))
    assert unreadable.pop("pages/mine.md")
    assert unreadable == {"pages/other.md": "no content_hash in its front matter"}


def test_two_files_with_one_resource_are_one_item(synced: Repo) -> None:
    concept = files((record("a"), body("a")))["docs/pages/a.md"]
    land(synced, {"docs/pages/a-copy.md": concept})
    base = baseline.read(synced, SOURCE, rebuild=True)
    assert len(base.pages) == 2
    assert [path for path, _ in baseline.unreadable(synced, SOURCE, base)] == ["pages/a.md"]


def test_a_bundle_tree_that_no_longer_exists_is_read_whole_and_remembered_facts_stay(synced: Repo) -> None:
    a, b = record("a"), record("b")
    state = states.State(identity=SOURCE.identity(), bundle_tree="1" * 40, records={a.key: a, b.key: b})
    before = synced.ref(states.REF)
    assert before
    tree = synced.edit(synced.commit_tree(before), states.changes(states.read(synced, "docs"), state, "docs"))
    commit = synced.commit(tree, [before], "state", WHEN, sign=False)
    synced.update([RefUpdate(states.REF, before, commit, "state")])
    assert baseline.read(synced, SOURCE).known == {a.key: a, b.key: b}


def test_aliases_survive_a_change_of_the_bundle(synced: Repo) -> None:
    alias = Record(key=key("old"), status=Status.ALIAS, target=key("a"))
    remember(synced, {r.key: r for r in (record("a"), record("b"), alias)})
    land(synced, files((record("b", 2), body("b", 2))))
    assert baseline.read(synced, SOURCE).known[alias.key] == alias


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"url": "https://other.example.com/"}, "url was 'https://docs.example.com/' and is now"),
        ({"path_prefix": "/x/"}, "path_prefix was None and is now '/x/'"),
        ({"browser": True}, "browser was False and is now True"),
        ({"bundle": "elsewhere"}, "bundle was 'docs' and is now 'elsewhere'"),
    ],
)
def test_del_05_a_state_of_another_source_is_refused_unless_it_is_to_be_rebuilt(
    synced: Repo, change: dict[str, object], said: str
) -> None:
    other = replace(SOURCE, **change)  # type: ignore[arg-type]
    with pytest.raises(ConfigError) as refused:
        baseline.read(synced, other)
    assert said in refused.value.message
    assert "git okf sync --rebuild docs" in refused.value.hint and "git okf remove docs" in refused.value.hint
    assert baseline.read(synced, other, rebuild=True).state is not None


def test_rebuilding_forgets_validators_and_links(synced: Repo) -> None:
    base = baseline.read(synced, SOURCE, rebuild=True)
    assert set(base.known) == {key("a"), key("b")}
    assert {(r.etag, r.raw_hash, r.links) for r in base.known.values()} == {("", "", ())}


def test_a_state_that_cannot_be_read_is_said_and_the_bundle_is_read(synced: Repo) -> None:
    before = synced.ref(states.REF)
    assert before
    tree = synced.edit(synced.commit_tree(before), {"docs/source.json": b"null\n"})
    commit = synced.commit(tree, [before], "state", WHEN, sign=False)
    synced.update([RefUpdate(states.REF, before, commit, "state")])
    base = baseline.read(synced, SOURCE)
    assert base.state is None
    assert set(base.known) == {key("a"), key("b")}
    (notice,) = base.notices
    assert notice.startswith("the state could not be read") and notice.endswith("it was rebuilt from the bundle")


def test_what_a_quiet_run_learnt_lies_on_top(synced: Repo) -> None:
    learnt = replace(record("a"), etag='"new"', raw_hash="raw-new")
    known = baseline.read(synced, SOURCE).known
    overlay.write_overlay(synced, "docs", synced.ref(states.REF), [learnt, record("b")], known)
    assert facts(baseline.read(synced, SOURCE), "a") == learnt
    land(synced, files((record("a", 2), body("a", 2))))
    assert facts(baseline.read(synced, SOURCE), "a").etag == ""


def test_records_by_an_ignore_rule_are_compared_without_what_it_matches(synced: Repo, repo: GitRepo) -> None:
    repo.git("update-ref", "-d", states.REF)
    ignoring = replace(SOURCE, ignore=("version [0-9]+",))
    known = facts(baseline.read(synced, ignoring), "a")
    assert known.compared_hash == digest.compared_hash(body("a"), ignoring.ignore)
    assert known.identity_hash == digest.compared_hash(body("a", 2), ignoring.ignore)
