"""The note on a commit, the state branch, and that both move with the content or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scenario import Docs, paths


def note(docs: Docs, commit: str = "HEAD") -> Any:
    return json.loads(docs.repo.git("notes", "--ref=okf", "show", commit))


def state(docs: Docs, ref: str = "okf/state") -> dict[str, str]:
    names = docs.repo.git("ls-tree", "-r", "--name-only", ref).splitlines()
    return {name: docs.repo.git("show", f"{ref}:{name}") for name in names}


def items(docs: Docs) -> list[Any]:
    """The lines of pages."""
    files = sorted((name, text) for name, text in state(docs).items() if "/items/" in name)
    found = [json.loads(line) for _, text in files for line in text.splitlines()]
    return [item for item in found if "path" in item]


def test_the_note_of_a_commit_is_the_json_of_its_run(docs: Docs) -> None:
    docs.put("a", "b")
    built = json.loads(docs.ok("build", docs.url, "-o", "docs", "--json").out)
    docs.put("a", version=2)
    docs.drop("b")
    synced = json.loads(docs.ok("sync", "--json").out)
    for commit, said in (("HEAD^", built), ("HEAD", synced)):
        noted = note(docs, commit)
        for report in (noted["sources"][0], said["sources"][0]):
            report.pop("duration_s")  # the note is written before the run has ended
        assert noted == said
    assert docs.repo.git("log", "-1", "--notes=okf", "--format=%N").startswith("{")


def test_notes_of_earlier_runs_stay(docs: Docs) -> None:
    first = docs.build("a")
    for version in (2, 3):
        docs.put("a", version=version)
        docs.sync()
    assert [note(docs, c)["sources"][0]["commit"] for c in ("HEAD", "HEAD^", "HEAD^^")] == [
        docs.head, docs.repo.git("rev-parse", "HEAD^"), first
    ]  # fmt: skip
    assert len(docs.repo.git("notes", "--ref=okf", "list").splitlines()) == 3


def test_the_state_describes_the_bundle_of_the_commit(docs: Docs) -> None:
    docs.build("a", "b")
    facts = json.loads(state(docs)["docs/source.json"])
    assert facts["bundle_tree"] == docs.repo.git("rev-parse", "HEAD:docs")
    assert facts["identity"] == {
        "kind": "web", "url": docs.url, "bundle": "docs", "path_prefix": None, "browser": False
    }  # fmt: skip
    assert state(docs)["format"] == "1"
    assert facts["last_observed"] == facts["last_fully_processed"]
    assert len(items(docs)) == 3
    docs.put("a", version=2)
    docs.sync()
    facts = json.loads(state(docs)["docs/source.json"])
    assert facts["bundle_tree"] == docs.repo.git("rev-parse", "HEAD:docs")


def test_one_changed_page_rewrites_one_shard(docs: Docs) -> None:
    docs.build(*(f"p{i}" for i in range(30)))
    before = state(docs)
    docs.put("p7", version=2)
    docs.sync()
    after = state(docs)
    differing = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert len([name for name in differing if "/items/" in name]) == 1
    assert "docs/source.json" in differing


def moved(docs: Docs) -> dict[str, str]:
    listed = docs.repo.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    return dict(line.split(" ") for line in listed)


def test_content_note_and_state_move_together(docs: Docs) -> None:
    docs.build("a", "b")
    before = moved(docs)
    docs.put("a", version=2)
    docs.sync()
    after = moved(docs)
    assert {name for name in after if after[name] != before[name]} == {
        "refs/heads/main", "refs/heads/okf/state", "refs/notes/okf"
    }  # fmt: skip
    for name in ("main", "okf/state"):
        assert docs.repo.git("reflog", "-1", "--format=%gs", name) == "okf: sync: +0 -0 =1 (docs)"
        assert docs.repo.git("rev-parse", f"{name}^") == before[f"refs/heads/{name}"]


@pytest.mark.parametrize("held", ["refs/heads/okf/state", "refs/notes/okf", "refs/heads/main"])
def test_where_one_ref_cannot_move_none_does(docs: Docs, held: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("git_okf.store.repo.LOCK_WAIT_S", 0.1)
    docs.build("a", "b")
    before = moved(docs)
    docs.put("a", version=2)
    lock = docs.repo.path / ".git" / f"{held}.lock"
    lock.touch()
    ran = docs.run("sync")
    assert ran.code == 128
    assert ran.err.startswith("error: docs: ")
    assert moved(docs) == before
    docs.tidy()
    lock.unlink()
    docs.site.forget()
    assert docs.sync()["updated"] == paths("a")
    assert docs.site.bodies("/docs/a") == 0


def test_a_failure_is_remembered_for_other_machines_and_written_once(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.fault("/docs/a", status=500)
    docs.sync(code=3)
    facts = json.loads(state(docs)["docs/source.json"])
    assert facts["last_observed"] >= facts["last_fully_processed"]
    assert [item for item in items(docs) if "500" in json.dumps(item)]


def test_an_outage_is_written_once_and_forgotten_when_it_is_over(docs: Docs) -> None:
    docs.build("a", "b")
    head, fault = docs.head, docs.site.fault("/docs/*", drop=True)
    docs.sync(code=4)
    first = docs.repo.git("rev-parse", "okf/state")
    assert docs.ok("status").out.startswith("docs  UNREACHABLE  3 items")
    docs.sync("docs", code=4)
    assert docs.repo.git("rev-parse", "okf/state") == first
    assert docs.head == head
    docs.site.heal(fault)
    docs.sync("docs")
    assert docs.ok("status").out.startswith("docs  ACTIVE  3 items")
    docs.quiet()


def test_a_rate_limit_is_no_outage(docs: Docs) -> None:
    docs.build("a", "b")
    docs.site.fault("/docs/*", status=429, headers={"Retry-After": "7200"})
    report = docs.sync(code=4)
    assert report["result"] == "unavailable" and report["retry_at"]
    status = json.loads(docs.ok("status", "--json").out)["sources"][0]
    assert (status["state"], status["next_due"]) == ("ACTIVE", report["retry_at"])


def test_the_state_of_one_source_is_left_alone_by_the_run_of_another(docs: Docs) -> None:
    docs.build("a")
    docs.site.page("/other/", docs.site.pages["/docs/a"].body.replace(b"about a", b"other"))
    before = {name: text for name, text in state(docs).items() if name.startswith("docs/")}
    docs.ok("build", docs.site.url + "other/", "-o", "other")
    after = state(docs)
    assert {name: text for name, text in after.items() if name.startswith("docs/")} == before
    assert "other/source.json" in after
    assert docs.ok("sync").out == "✓ Up to date: docs (2 unchanged)\n✓ Up to date: other (1 unchanged)\n"


def test_nothing_secret_is_written_anywhere(docs: Docs) -> None:
    docs.put("a")
    docs.repo.commit(
        "configuration",
        {
            ".okf.yaml": f"version: 1\nsources:\n  docs:\n    url: {docs.url}\n    bundle: docs\n"
            '    headers: {Authorization: "Bearer ${DOCS_TOKEN}"}\n'
        },
    )
    ran = docs.program("sync")
    assert ran.code == 2 and "DOCS_TOKEN, which is not set" in ran.err
    ran = docs.program("sync", "--json", env={"DOCS_TOKEN": "s3cr3t-t0ken"})
    assert ran.code == 0, ran.err
    assert {r.headers.get("authorization") for r in docs.site.requests()} == {"Bearer s3cr3t-t0ken"}
    docs.repo.git("repack", "-adq")
    named = docs.repo.git("cat-file", "--batch-all-objects", "--batch-check").splitlines()
    kinds = {line.split()[0]: line.split()[1] for line in named}
    objects = "".join(docs.repo.git("cat-file", kind, oid) for oid, kind in kinds.items() if kind != "tree")
    plain = [p.read_bytes() for p in docs.repo.path.rglob("*") if p.is_file()]
    assert "s3cr3t" not in objects + ran.out + ran.err
    assert not [data for data in plain if b"s3cr3t" in data]
