"""Bad input: one clear sentence, the exit code of the contract, and nothing lost."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import GitRepo, Ran
from scenario import Docs, assert_same, document, everything, paths, to_the_last_byte


def refused(ran: Ran, code: int, *said: str) -> None:
    """An error of one sentence and a hint, on standard error alone."""
    assert ran.code == code, ran.err
    assert ran.out == ""
    first, *hints = ran.err.splitlines()
    assert first.startswith("error: ")
    assert hints and all(hint.startswith("  ") for hint in hints), ran.err
    assert "Traceback" not in ran.err
    for words in said:
        assert words in ran.err, ran.err


# --- the repository ---


@pytest.mark.parametrize("command", [["sync"], ["build", "http://127.0.0.1:9/"], ["status"], ["log"], ["repair"]])
def test_git_12_not_a_repository(docs: Docs, tmp_path: Path, command: list[str]) -> None:
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    refused(docs.run(*command, cwd=nowhere), 128, f"{nowhere} is not inside a git repository", "git init")
    assert list(nowhere.iterdir()) == []


@pytest.mark.parametrize("command", [["sync"], ["build", "http://127.0.0.1:9/"]])
def test_git_12_a_bare_repository(docs: Docs, tmp_path: Path, command: list[str]) -> None:
    bare = tmp_path / "bare.git"
    docs.repo.git("init", "--quiet", "--bare", str(bare))
    before = to_the_last_byte(bare)
    refused(docs.run(*command, cwd=bare), 128, "is a bare repository", "worktree add")
    assert_same(before, to_the_last_byte(bare))


def test_git_04_a_sha_256_repository(docs: Docs, tmp_path: Path) -> None:
    docs.put("a")
    other = GitRepo(tmp_path / "sha256")
    docs.repo.git("init", "--quiet", "--object-format=sha256", str(other.path))
    ran = docs.run("build", docs.url, cwd=other.path)
    refused(ran, 128, "stores objects by SHA256; git-okf works with SHA-1 repositories", "--object-format=sha1")
    assert not docs.site.requests()


def test_git_04_a_reftable_repository(docs: Docs) -> None:
    docs.put("a")
    with (docs.repo.path / ".git/config").open("a") as config:
        config.write("[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n")
    ran = docs.run("build", docs.url)
    refused(ran, 128, "stores its refs as reftable", "git refs migrate --ref-format=files")
    assert not docs.site.requests()
    config_file = docs.repo.path / ".git/config"
    config_file.write_text(config_file.read_text().replace("\trefStorage = reftable\n", ""))


def test_git_12_a_merge_in_progress(docs: Docs) -> None:
    docs.repo.commit("base", {"mine": "1\n"})
    docs.build("a")
    docs.repo.git("checkout", "--quiet", "-b", "topic", "HEAD^")
    docs.repo.commit("theirs", {"mine": "2\n"})
    docs.repo.git("checkout", "--quiet", "main")
    docs.repo.commit("ours", {"mine": "3\n"})
    docs.repo.git("merge", "topic", check=False)
    docs.site.forget()
    before = everything(docs.repo)
    for command in (["sync"], ["build", docs.url, "-o", "other"]):
        refused(docs.run(*command), 128, "a merge is in progress", "git merge --continue", "git merge --abort")
    assert_same(before, everything(docs.repo))
    assert not docs.site.requests()
    docs.repo.git("merge", "--abort")
    docs.quiet()


def test_git_12_a_rebase_in_progress(docs: Docs) -> None:
    docs.build("a")
    docs.repo.commit("one", {"mine": "1\n"})
    docs.repo.commit("two", {"mine": "2\n"})
    docs.repo.git("rebase", "--quiet", "--exec", "false", "HEAD^", check=False)
    docs.site.forget()
    refused(docs.run("sync"), 128, "a rebase is in progress", "git rebase --continue")
    assert not docs.site.requests()
    docs.repo.git("rebase", "--abort")
    docs.quiet()


def test_git_06_a_filter_on_the_bundle(docs: Docs) -> None:
    docs.put("a")
    docs.repo.commit("attributes", {".gitattributes": "*.md filter=lfs\n"})
    ran = docs.run("build", docs.url, "-o", "docs")
    refused(ran, 128, "through the filter 'lfs'", "docs/** -filter")
    assert not docs.site.requests()
    docs.repo.commit("attributes", {".gitattributes": "*.md filter=lfs\ndocs/** -filter\n"})
    docs.ok("build", docs.url, "-o", "docs")
    docs.quiet()


def test_git_07_a_commit_is_signed_where_the_user_signs_theirs(docs: Docs, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    signer = tmp_path / "signer"
    signer.write_text(
        f"#!/bin/sh\ncat >/dev/null\necho signed >>{calls}\n"
        "echo '[GNUPG:] SIG_CREATED D 1 8 00 1 0' >&2\n"
        "printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'\n"
    )
    signer.chmod(0o755)
    docs.repo.git("config", "commit.gpgSign", "true")
    docs.repo.git("config", "gpg.program", str(signer))
    docs.build("a")
    assert calls.read_text() == "signed\n"
    assert "gpgsig -----BEGIN PGP SIGNATURE-----" in docs.repo.git("cat-file", "commit", "HEAD")
    signer.write_text("#!/bin/sh\ncat >/dev/null\necho no key >&2\nexit 2\n")
    docs.put("a", version=2)
    head = docs.head
    refused(docs.run("sync"), 128, "commit.gpgsign is set, and the commit could not be signed")
    assert docs.head == head
    docs.tidy()
    docs.repo.git("config", "commit.gpgSign", "false")
    docs.sync()
    docs.quiet()


# --- the configuration ---


CONFIGURATIONS = {
    "no YAML": ("sources: [", ".okf.yaml is not readable YAML (line "),
    "no mapping": ("- one\n- two\n", ".okf.yaml must be a mapping of names to values"),
    "unknown key": ("version: 1\nsorces: {}\n", "unknown key 'sorces' in .okf.yaml\n  did you mean 'sources'?"),
    "unknown key of a source": (
        "version: 1\nsources: {docs: {url: 'http://x/', bundle: docs, max_page: 3}}\n",
        "unknown key 'max_page' in docs\n  did you mean 'max_pages'?",
    ),
    "newer version": ("version: 2\n", ".okf.yaml has version 2; this git-okf reads version 1"),
    "no URL": ("version: 1\nsources: {docs: {bundle: docs}}\n", "source docs has no `url`"),
    "a key twice": (
        "version: 1\nsources: {docs: {url: 'http://x/', bundle: docs, bundle: other}}\n",
        ".okf.yaml is not readable YAML (line 2): 'bundle' stands twice",
    ),
    "a source twice": (
        "version: 1\nsources:\n  a: {url: 'http://x/', bundle: a}\n  a: {url: 'http://y/', bundle: b}\n",
        ".okf.yaml is not readable YAML (line 3): 'a' stands twice",
    ),
    "content is no selector": (
        "version: 1\nsources: {docs: {url: 'http://x/', bundle: docs, content: ':::'}}\n",
        "docs.content: ':::' is no CSS selector",
    ),
    "drop is no selector": (
        "version: 1\nsources: {docs: {url: 'http://x/', bundle: docs, drop: [nav, 'a[']}}\n",
        "docs.drop: 'a[' is no CSS selector",
    ),
    "ignore is no regular expression": (
        "version: 1\nsources: {docs: {url: 'http://x/', bundle: docs, ignore: ['(']}}\n",
        "ignore: '(' is no valid regular expression",
    ),
    "include is no pattern": (
        "version: 1\nsources: {docs: {url: 'http://x/', bundle: docs, include: ['[']}}\n",
        "pattern '[' cannot be used",
    ),
    "a header of two lines": (
        "version: 1\nsources: {docs: {url: 'http://x/', bundle: docs, accept_language: \"de\\r\\nX: y\"}}\n",
        "docs.accept_language must be one line of text",
    ),
    "wrong type": (
        "version: 1\nsources: {docs: {url: 'http://x/', bundle: docs, max_pages: many}}\n",
        "docs.max_pages must be a whole number from 1 to ",
    ),
    "password in the URL": (
        "version: 1\nsources: {docs: {url: 'http://a:b@x/', bundle: docs}}\n",
        "docs.url holds a user name or password; it would end up in commits",
    ),
    "secret in a header": (
        "version: 1\nsources: {docs: {url: 'http://x/', bundle: docs, headers: {Authorization: abc}}}\n",
        "the value of Authorization is written into .okf.yaml",
    ),
    "overlapping bundles": (
        "version: 1\nsources:\n  a: {url: 'http://x/', bundle: docs}\n  b: {url: 'http://y/', bundle: docs/b}\n",
        "the bundles of a and b overlap (docs, docs/b)",
    ),
    "bundle outside": (
        "version: 1\nsources: {docs: {url: 'http://x/', bundle: ../docs}}\n",
        "docs.bundle: '../docs' is not a directory inside the repository",
    ),
    "bundle inside .git": (
        "version: 1\nsources: {docs: {url: 'http://x/', bundle: .git/docs}}\n",
        "docs.bundle: '.git/docs' cannot hold a bundle",
    ),
    "absolute bundle": (
        "version: 1\nsources: {docs: {url: 'http://x/', bundle: /docs}}\n",
        "docs.bundle: '/docs' is not a directory inside the repository",
    ),
    "no http URL": (
        "version: 1\nsources: {docs: {url: 'ftp://x/', bundle: docs}}\n",
        "docs.url: 'ftp://x/' is not an http or https URL",
    ),
}


@pytest.mark.parametrize(("text", "said"), CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_a_configuration_that_cannot_be_used(docs: Docs, text: str, said: str) -> None:
    docs.repo.commit("configuration", {".okf.yaml": text})
    before = everything(docs.repo)
    ran = docs.run("sync")
    assert ran.code == 2, ran.err
    assert ran.err.startswith("error: ") and said in ran.err, ran.err
    assert_same(before, everything(docs.repo))


def test_a_configuration_that_cannot_be_read(docs: Docs) -> None:
    docs.repo.write(".okf.yaml", b"version: 1\nsources: {docs: {url: '\xff\xfe'}}\n")
    refused(docs.run("sync"), 2, ".okf.yaml cannot be read")


def test_a_configuration_that_is_a_link(docs: Docs, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.yaml").write_text("version: 1\nsources: {}\n")
    (docs.repo.path / ".okf.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    refused(docs.run("sync"), 2, ".okf.yaml is a symbolic link")


def test_no_configuration(docs: Docs) -> None:
    refused(docs.run("sync"), 2, "there is no .okf.yaml", "git okf build URL")


def test_a_name_that_is_no_source_names_the_nearest(docs: Docs) -> None:
    docs.build("a")
    refused(docs.run("sync", "dcos"), 2, "there is no source 'dcos'", "did you mean 'docs'?")


# --- the command line ---


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("../outside", "is outside the repository"),
        ("/nowhere/at/all", "is outside the repository"),
        (".", "is the whole repository"),
        (".git", "cannot hold a bundle"),
        (".git/docs", "cannot hold a bundle"),
        ("a/.GIT/b", "cannot hold a bundle"),
    ],
)
def test_a_bundle_where_none_can_be(docs: Docs, output: str, said: str) -> None:
    docs.put("a")
    before = to_the_last_byte(docs.repo.path)
    refused(docs.run("build", docs.url, "-o", output), 2, said)
    assert_same(before, to_the_last_byte(docs.repo.path))
    assert not docs.site.requests()


def test_a_bundle_below_a_symbolic_link(docs: Docs, tmp_path: Path) -> None:
    docs.put("a")
    outside = tmp_path / "outside"
    outside.mkdir()
    (docs.repo.path / "link").symlink_to(outside)
    refused(docs.run("build", docs.url, "-o", "link/docs"), 128, "link is a symbolic link")
    assert list(outside.iterdir()) == []
    assert not docs.site.requests()


def test_a_bundle_that_becomes_a_link_later(docs: Docs, tmp_path: Path) -> None:
    docs.build("a")
    docs.repo.git("rm", "-r", "--quiet", "docs")
    (docs.repo.path / "docs").symlink_to(tmp_path)
    docs.repo.git("add", "docs")
    docs.repo.git("commit", "--quiet", "--message", "linked")
    docs.site.forget()
    refused(docs.run("sync"), 128, "docs is a symbolic link")
    assert not docs.site.requests()


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "docs.example.com",
        "http://",
        "javascript:alert(1)",
        "http://[::1",
        "",
    ],
)
def test_a_url_that_is_none(docs: Docs, url: str) -> None:
    before = to_the_last_byte(docs.repo.path)
    refused(docs.run("build", url, "-o", "docs"), 2, "https://docs.example.com/")
    assert_same(before, to_the_last_byte(docs.repo.path))


# --- the site ---


def test_an_unreachable_host(docs: Docs) -> None:
    before = everything(docs.repo)
    refused(docs.run("build", "http://127.0.0.1:9/docs/", "-o", "docs"), 4, "127.0.0.1:9")
    assert_same(before, everything(docs.repo))
    refused(docs.run("build", "http://nosuch.invalid/docs/", "-o", "docs"), 4, "nosuch.invalid")
    assert_same(before, everything(docs.repo))


@pytest.mark.parametrize(
    ("body", "kind", "code"),
    [
        (b"%PDF-1.7\n" + bytes(range(256)) * 4, "application/pdf", 2),
        (b"%PDF-1.7\n" + bytes(range(256)) * 4, "text/html", 2),
        (b'{"a": 1}', "application/json", 2),
        (b"\x89PNG\r\n\x1a\n" + bytes(200), "image/png", 2),
        (b"", "text/html", 2),
    ],
    ids=["pdf", "pdf as html", "json", "png", "empty"],
)
def test_a_start_page_that_is_no_page(docs: Docs, body: bytes, kind: str, code: int) -> None:
    docs.site.page("/docs/", body, type=kind)
    before = everything(docs.repo)
    refused(docs.run("build", docs.url, "-o", "docs"), code, docs.url)
    assert_same(before, everything(docs.repo))


def test_a_start_page_that_needs_a_login(docs: Docs) -> None:
    docs.site.fault("/docs/", status=401)
    refused(docs.run("build", docs.url, "-o", "docs"), 4, "may not be read: the server answered 401", "headers:")


def test_a_start_page_that_robots_txt_forbids(docs: Docs) -> None:
    docs.put("a")
    docs.site.page("/robots.txt", "User-agent: *\nDisallow: /\n", type="text/plain")
    refused(docs.run("build", docs.url, "-o", "docs"), 2, "robots.txt", "--no-robots")
    docs.ok("build", docs.url, "-o", "docs", "--no-robots")
    assert docs.concepts() == paths("", "a")


def test_a_page_of_50_megabytes(docs: Docs) -> None:
    docs.put("a", "big")
    docs.site.page("/docs/big", document("Big", "word " * 10_000_000, ["/docs/"]))
    ran = docs.run("build", docs.url, "-o", "docs")
    assert ran.code in (0, 3), ran.err
    assert docs.concepts() == paths("", "a")
    assert docs.site.requests("/docs/big")[0].sent == len(docs.site.pages["/docs/big"].body)
    docs.put("big")
    docs.sync()
    assert docs.concepts() == paths("", "a", "big")


def test_a_known_page_that_grows_to_50_megabytes_keeps_its_old_text(docs: Docs) -> None:
    docs.build("a", "big")
    docs.site.page("/docs/big", document("Big", "word " * 10_000_000, ["/docs/"]))
    report = docs.sync(code=3)
    assert [(r["path"], r["outcome"]) for r in report["retained"]] == [(*paths("big"), "TERMINAL_FAILURE")]
    assert "version 1" in docs.file("big").read_text()


@pytest.mark.parametrize("declared", ["header", "meta"])
def test_page_08_a_page_in_euc_kr(docs: Docs, declared: str) -> None:
    docs.put("a", "korean")
    text = "안녕하세요. 이 페이지는 한국어로 작성되어 있으며, 설치 방법과 사용 방법을 자세하게 설명합니다."
    head = '<meta charset="euc-kr">' if declared == "meta" else ""
    page = document("설치 안내", text, head=head).encode("euc-kr")
    docs.site.page("/docs/korean", page, type="text/html; charset=EUC-KR" if declared == "header" else "text/html")
    docs.ok("build", docs.url, "-o", "docs")
    assert text in docs.file("korean").read_text(encoding="utf-8")
    assert 'title: "설치 안내"' in docs.file("korean").read_text(encoding="utf-8")
    docs.quiet()


TITLES = {
    "newlines": "one\n\nskip-checks: true\nCo-authored-by: a <a@b>\n[skip ci] @org/team fixes #1 <!--",
    "escapes": "\x1b[2Jok\x1b]52;c;AAAA\x07\r+0 -0 =99",
    "direction": "abc\u202efdp.exe\u2066\x9b31m",
    "yaml": "x\n---\ntype: evil\n---\n!!python/object:os.system",
    "format": "100%d {0} %(a)s [bold]x[/bold] $HOME `id`",
}


@pytest.mark.parametrize("title", TITLES.values(), ids=TITLES)
def test_sec_07_sec_08_titles_with_newlines_and_escapes(docs: Docs, title: str) -> None:
    docs.put("a", "b")
    escaped = title.replace("&", "&amp;").replace("<", "&lt;")
    docs.site.page("/docs/a", document(escaped, f"{docs.texts['a']} {escaped}", ["/docs/"]))
    ran = docs.ok("build", docs.url, "-o", "docs")
    docs.site.page("/docs/a", document(escaped, f"Changed. {docs.texts['a']} {escaped}", ["/docs/"]))
    ran = docs.ok("sync", "-v")
    message = docs.repo.git("log", "-1", "--format=%B")
    assert message.splitlines()[:3] == ["sync: +0 -0 =1 (docs)", "", "= pages/docs/a.md"]
    trailers = docs.repo.git("log", "-1", "--format=%(trailers:only,unfold)").splitlines()
    assert [line.split(":")[0] for line in trailers if line] == ["Okf-Source", "Okf-Run", "Okf-Unchanged"]
    said = ran.out + ran.err + docs.ok("log").out + docs.ok("show", "docs/pages/docs/a.md").out + docs.ok("status").out
    assert not [ch for ch in said if ch != "\n" and not ch.isprintable()]
    header = docs.file("a").read_text(encoding="utf-8").split("---\n")[1]
    assert header.startswith('type: "Documentation Page"\n') and header.count("\ntype:") == 0
    assert docs.ok("verify").out.startswith("✓ Whole: ")
    docs.quiet()


def test_a_path_with_hostile_letters_reaches_no_terminal_and_no_commit_message(docs: Docs) -> None:
    docs.put("a", "b%1B%5B2J%0Afixes%20%231%20@team")
    docs.ok("build", docs.url, "-o", "docs")
    message = docs.repo.git("log", "-1", "--format=%B")
    assert "@team" not in message and "#1" not in message and "\x1b" not in message
    said = docs.ok("sync").out + docs.repo.git("log", "-1", "--format=%b") + docs.ok("log").out
    assert not [ch for ch in said if ch != "\n" and not ch.isprintable()]
    docs.quiet()


def test_sec_01_links_that_try_to_leave_the_bundle_stay_inside(docs: Docs, tmp_path: Path) -> None:
    tried = ["/%2e%2e/%2e%2e/x", "/..%2fx", "/%2e%2e%5cx", "/a%00b", "/a%0ab", "//etc/x", "/C:/x", "/con"]
    docs.put("a", links=["/docs" + link for link in tried])
    for link in tried:
        docs.site.page("/docs" + link, document(link, f"Page {link}. {docs.texts['a']}"))
    docs.run("build", docs.url, "-o", "docs")
    made = subprocess.run(["git", "ls-files", "-z"], cwd=docs.repo.path, capture_output=True, check=True).stdout
    names = [name.decode() for name in made.split(b"\0") if name]
    assert all(name == ".okf.yaml" or name.startswith("docs/") for name in names)
    assert not [name for name in names if ".." in name.split("/") or "\\" in name or ":" in name or ".git" in name]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["repo"]
