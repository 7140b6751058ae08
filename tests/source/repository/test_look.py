"""One look: what a ref stands for, in one round trip."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from git_http import GitServer
from upstreams import Upstream

from git_okf.errors import ConfigError, Interrupted
from git_okf.source.repository.address import Address, parse
from git_okf.source.repository.errors import AccessDenied, RateLimited, RefMissing, Unreachable
from git_okf.source.repository.look import Head, RefKind, Refs, hold, look, resolve
from git_okf.source.repository.transport import Transport

from .conftest import NAME, Host


def seen(host: Host, ref: str = "HEAD") -> Head:
    return look(host.transport, host.address, ref)


def test_a_look_is_one_round_trip_and_moves_no_object(any_host: Host) -> None:
    commit = any_host.upstream.commit({"a.md": "a\n"})
    head = seen(any_host)
    assert (head.kind, head.ref, head.commit) == (RefKind.BRANCH, "refs/heads/main", commit)
    assert any_host.server.kinds() == ["advert", "ls-refs"][: 2 if any_host.server.version == 2 else 1]


def test_branches_tags_and_ids_are_told_apart(any_host: Host) -> None:
    upstream = any_host.upstream
    first = upstream.commit({"a.md": "a\n"})
    second = upstream.commit({"a.md": "b\n"}, branch="feature/x")
    upstream.tag("v1", first)
    annotated = upstream.tag("v2", second, annotated=True)
    assert seen(any_host, "feature/x").commit == second
    assert (seen(any_host, "v1").kind, seen(any_host, "v1").commit, seen(any_host, "v1").tag) == ("tag", first, "")
    assert (seen(any_host, "v2").commit, seen(any_host, "v2").tag) == (second, annotated)
    assert seen(any_host, "refs/tags/v2").ref == "refs/tags/v2"
    pinned = seen(any_host, first.upper())
    assert (pinned.kind, pinned.ref, pinned.commit) == (RefKind.COMMIT, "", first)


def test_skill_04_a_branch_named_like_an_id_is_not_followed(host: Host) -> None:
    pinned = host.upstream.commit({"a.md": "a\n"})
    host.upstream.commit({"a.md": "evil\n"}, branch=pinned)
    head = seen(host, pinned)
    assert (head.kind, head.commit) == (RefKind.COMMIT, pinned)
    assert head.shadowed == (f"refs/heads/{pinned}",)


def test_skill_04_an_abbreviated_id_is_refused(host: Host) -> None:
    commit = host.upstream.commit({"a.md": "a\n"})
    for short in (commit[:7], commit[:39], commit[:4].upper()):
        with pytest.raises(RefMissing) as caught:
            seen(host, short)
        assert "write all 40 digits" in caught.value.hint


def test_skill_04_a_moved_tag_is_reported_and_not_followed(host: Host) -> None:
    first, second = host.upstream.commit({"a.md": "a\n"}), host.upstream.commit({"a.md": "b\n"})
    for annotated in (False, True):
        host.upstream.tag("v1", first, annotated=annotated)
        before = seen(host, "v1")
        assert hold(before, "", "") == (before, "")
        assert hold(seen(host, "v1"), before.ref, before.commit) == (before, "")
        host.upstream.tag("v1", second, annotated=annotated)
        held, said = hold(seen(host, "v1"), before.ref, before.commit)
        assert held.commit == first
        assert first[:12] in said and second[:12] in said and "not followed" in said
    other = replace(seen(host, "v1"), ref="refs/tags/v2")
    assert hold(other, "refs/tags/v1", first) == (other, "")  # the person asks for another tag now
    moved = host.upstream.commit({"a.md": "c\n"})
    assert hold(seen(host, "main"), "refs/heads/main", second)[0].commit == moved  # branches are followed


def test_a_branch_and_a_tag_of_one_name_are_not_guessed_between(host: Host) -> None:
    first = host.upstream.commit({"a.md": "a\n"})
    host.upstream.tag("main", first)
    with pytest.raises(RefMissing, match="a branch and a tag named main") as caught:
        seen(host, "main")
    assert caught.value.hint == "write refs/heads/main or refs/tags/main"
    assert seen(host, "refs/heads/main").kind is RefKind.BRANCH


def test_a_ref_that_is_not_there_names_those_that_are(host: Host) -> None:
    host.upstream.commit({"a.md": "a\n"}, branch="master")
    with pytest.raises(RefMissing, match="no branch or tag named mastre") as caught:
        seen(host, "mastre")
    assert caught.value.hint == "it has master"
    with pytest.raises(RefMissing, match="default branch that does not exist"):
        seen(host)


def test_an_empty_repository_says_so(any_host: Host) -> None:
    for ref in ("HEAD", "main"):
        with pytest.raises(RefMissing, match="is empty"):
            seen(any_host, ref)


def test_a_detached_head_is_a_commit_of_its_own(host: Host) -> None:
    commit = host.upstream.commit({"a.md": "a\n"}, branch="dev")
    host.upstream.git("update-ref", "--no-deref", "HEAD", commit)
    assert (seen(host).ref, seen(host).kind, seen(host).commit) == ("HEAD", RefKind.OTHER, commit)


@pytest.mark.parametrize(
    "ref",
    ["", "-x", "--upload-pack=evil", "a b", "a..b", "refs/heads/*", "a~1", "a^{}", "x.lock", "@", "a:b", "/a", "a\x1b"],
)
def test_what_can_be_no_ref_never_reaches_git(host: Host, ref: str) -> None:
    with pytest.raises(ConfigError, match="is no branch, tag or full commit id"):
        seen(host, ref)
    assert host.server.log == []


def test_names_that_only_end_alike_are_others() -> None:
    address = parse("https://github.com/a/b", Path("/"))
    refs = Refs({"refs/heads/x/refs/heads/main": "1" * 40, "refs/pull/1/head": "2" * 40}, "")
    with pytest.raises(RefMissing):
        resolve(address, refs, "main")
    assert resolve(address, refs, "refs/pull/1/head").kind is RefKind.OTHER


def test_a_local_path_is_looked_at_without_a_server(tmp_path: Path) -> None:
    commit = Upstream.create(tmp_path / "handbook.git").commit({"a.md": "a\n"})
    address = parse("handbook.git", tmp_path)
    assert look(Transport(environ=dict(os.environ)), address).commit == commit


def test_a_sha256_repository_is_one_too(tmp_path: Path, server: GitServer) -> None:
    upstream = Upstream.create(server.path("acme/new"), format="sha256")
    commit = upstream.commit({"a.md": "a\n"})
    address = parse(server.url("acme/new"), tmp_path)
    assert look(Transport(environ=dict(os.environ)), address).commit == commit
    assert look(Transport(environ=dict(os.environ)), address, commit).kind is RefKind.COMMIT


# --- nobody answers ---


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (403, AccessDenied),
        (404, Unreachable),
        (410, Unreachable),
        (429, RateLimited),
        (500, Unreachable),
        (503, Unreachable),
    ],
)
def test_what_the_server_says_is_told_apart(host: Host, status: int, kind: type[Unreachable]) -> None:
    host.upstream.commit({"a.md": "a\n"})
    host.server.fault(status=status)
    with pytest.raises(Unreachable) as caught:
        seen(host)
    assert type(caught.value) is kind
    assert host.server.url(NAME) in caught.value.message and "kept" in caught.value.message
    assert caught.value.rate_limited is (status == 429)


def test_a_broken_connection_is_unreachable(host: Host, tmp_path: Path) -> None:
    host.upstream.commit({"a.md": "a\n"})
    host.server.fault("ls-refs", cut=20)
    with pytest.raises(Unreachable):
        seen(host)
    for nobody in ("http://127.0.0.1:1/a/b", "no/such/directory"):
        with pytest.raises(Unreachable):
            look(host.transport, parse(nobody, tmp_path))


def test_credentials_come_from_gits_own_helpers_and_go_nowhere(host: Host, hermetic: Path) -> None:
    commit = host.upstream.commit({"a.md": "a\n"})
    host.server.credentials = ("reader", "s3cret")
    with pytest.raises(AccessDenied, match="wants credentials") as caught:
        seen(host)
    assert "git ls-remote" in caught.value.hint
    helper = "!f() { echo username=reader; echo password=s3cret; }; f"
    (hermetic / ".gitconfig").write_text(f'[credential]\n\thelper = "{helper}"\n')
    head = seen(host)
    assert head.commit == commit
    host.mirror().fetch(commit)
    kept = [file.read_bytes() for file in host.scratch.rglob("*") if file.is_file()]
    assert kept and not any(b"s3cret" in data or b"127.0.0.1" in data for data in kept)
    assert "s3cret" not in repr(host.transport) + repr(head)


def test_a_password_that_a_rewritten_address_holds_is_not_repeated(host: Host, hermetic: Path) -> None:
    base = host.server.base.removeprefix("http://")
    (hermetic / ".gitconfig").write_text(f'[url "http://u:s3cret@{base}"]\n\tinsteadOf = http://{base}\n')
    host.server.fault(status=500, times=None)
    with pytest.raises(Unreachable) as caught:
        seen(host)
    assert "s3cret" not in caught.value.message + caught.value.hint


def test_a_signal_ends_a_look(host: Host) -> None:
    host.upstream.commit({"a.md": "a\n"})
    host.server.fault("advert", delay=30.0)
    calls = iter([False, False, True])
    transport = Transport(environ=dict(os.environ), stopping=lambda: next(calls, True))
    with pytest.raises(Interrupted, match="nothing was changed"):
        look(transport, host.address)


# --- the repository moved ---


def test_a_renamed_repository_is_followed_and_its_new_address_told(any_host: Host) -> None:
    commit = any_host.upstream.commit({"a.md": "a\n"})
    old = any_host.address
    any_host.server.rename(NAME, "umbrella/tools")
    head = look(any_host.transport, old)
    assert (head.commit, head.address.name) == (commit, "umbrella/tools")
    assert head.address.url == any_host.server.url("umbrella/tools")


def test_a_redirect_into_the_own_network_is_not_followed(host: Host) -> None:
    host.upstream.commit({"a.md": "a\n"})
    for to in ("http://127.0.0.2:1/a/b.git", "http://localhost:1/a/b.git"):
        host.server.renamed[NAME] = to
        with pytest.raises(Unreachable, match="no public address"):
            seen(host)
    host.server.renamed[NAME] = "http://127.0.0.2:1/a/b.git"
    allowing = replace(host.transport, allow_hosts=("127.0.0.2",))
    with pytest.raises(Unreachable, match="Failed to connect"):
        look(allowing, host.address)


@pytest.mark.parametrize(
    "to", ["ext::sh", "file:///etc", "http://198.51.100.7/a", "https://u:p@example.org/a", "gopher://x/a"]
)
def test_a_redirect_is_held_to_the_rules_of_addresses(host: Host, to: str) -> None:
    host.upstream.commit({"a.md": "a\n"})
    host.server.fault("advert", times=None, status=302, headers={"Location": f"{to}/info/refs?service=git-upload-pack"})
    with pytest.raises(Unreachable, match=r"not followed|no repository"):
        seen(host)


def test_redirects_in_a_circle_end(host: Host) -> None:
    host.upstream.commit({"a.md": "a\n"})
    host.server.renamed[NAME] = NAME
    with pytest.raises(Unreachable, match="redirects more than 5 times"):
        seen(host)


def test_a_redirect_to_something_else_is_no_repository(host: Host) -> None:
    host.server.fault("advert", times=None, status=302, headers={"Location": "/login"})
    with pytest.raises(Unreachable, match="no repository"):
        seen(host)
    host.server.heal()
    host.server.fault("advert", times=None, status=302)
    with pytest.raises(Unreachable, match="does not say where"):
        seen(host)


# --- what git may do ---


def test_only_the_addresss_own_protocol_is_spoken(tmp_path: Path, hermetic: Path) -> None:
    """A person's `url.*.insteadOf` may not turn a read over https into a helper program."""
    (hermetic / ".gitconfig").write_text(
        '[protocol "ext"]\n\tallow = always\n[url "ext::touch '
        + str(tmp_path / "evil")
        + ' "]\n\tinsteadOf = https://github.com/\n'
    )
    address = parse("https://github.com/a/b", tmp_path)
    with pytest.raises(Unreachable, match="transport 'ext' not allowed"):
        look(Transport(environ=dict(os.environ)), address)
    assert not (tmp_path / "evil").exists()


def test_a_person_may_allow_less(host: Host) -> None:
    host.upstream.commit({"a.md": "a\n"})
    for said in ("https:ssh", ""):
        with pytest.raises(Unreachable, match="transport 'http' not allowed"):
            look(Transport(environ={**os.environ, "GIT_ALLOW_PROTOCOL": said}), host.address)


def test_the_repository_we_stand_in_has_no_say(
    host: Host, repo: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = host.upstream.commit({"a.md": "a\n"})
    here = Upstream.create(tmp_path / "here.git")
    here.config(f"url.{tmp_path}/nowhere/.insteadOf", host.server.base)
    monkeypatch.chdir(here.path)
    monkeypatch.setenv("GIT_DIR", str(here.path))
    assert seen(host).commit == commit


def test_a_host_is_connected_to_at_the_address_that_was_judged(host: Host) -> None:
    commit = host.upstream.commit({"a.md": "a\n"})
    port = host.server.base.rstrip("/").rpartition(":")[2]
    pinned = Address(
        url=f"http://new.example:{port}/{NAME}.git",
        protocol="http",
        host="new.example",
        name=NAME,
        shown="new.example",
        pinned=f"new.example:{port}:127.0.0.1",
    )
    assert look(host.transport, pinned).commit == commit
