"""Leads to repositories of skills: a budget, a cursor, nothing told twice, and no source that nobody added."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from conftest import GitRepo, Run
from forges.server import Reply, Request, Server, serving

TOKEN = "token-0123456789abcdef"


def hit(number: int, path: str = "skills/pdf/SKILL.md", **more: Any) -> dict[str, Any]:
    name = f"owner{number}/skills"
    there = {"id": number, "full_name": name, "html_url": f"https://github.com/{name}", "description": f"No. {number}"}
    return {"path": path, "repository": {**there, **more}}


@dataclass
class Search:
    """GitHub's code search over a list of hits."""

    hits: list[dict[str, Any]] = field(default_factory=list)
    limited_from: int = 1_000_000
    """The request from which on the limit is reached."""
    asked: list[Mapping[str, str]] = field(default_factory=list)

    def __call__(self, request: Request) -> Reply:
        assert request.path.endswith("/search/code") and request.headers["authorization"] == f"Bearer {TOKEN}"
        self.asked.append({name: values[0] for name, values in request.query.items()})
        if len(self.asked) >= self.limited_from:
            headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "4000000000"}
            return Reply(status=403, data={"message": "API rate limit exceeded"}, headers=headers)
        page, size = int(request.one("page")), int(request.one("per_page"))
        shown = self.hits[(page - 1) * size : page * size]
        return Reply(data={"total_count": len(self.hits), "incomplete_results": False, "items": shown})


@pytest.fixture
def search(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Search]:
    repo.commit("configure", {".okf.yaml": "version: 1\nsources: {}\n"})
    made = Search()
    with serving(made) as server:
        point(monkeypatch, server)
        yield made


def point(monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    monkeypatch.setenv("GITHUB_API_URL", server.url)
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)


def found(okf: Run, *args: str) -> dict[str, Any]:
    ran = okf("discover", "--query", "pdf  forms", "--json", *args)
    assert ran.code == 0, ran.err
    data: dict[str, Any] = json.loads(ran.out)
    return data


def test_leads_are_listed_with_what_to_type_and_nothing_is_added(repo: GitRepo, okf_here: Run, search: Search) -> None:
    search.hits = [hit(2), hit(1), hit(1, "skills/docx/SKILL.md"), hit(3, "README.md")]
    ran = okf_here("discover", "--query", "pdf")
    assert ran.out.split("\n")[:3] == [
        "owner1/skills  No. 1",
        "  skills/docx, skills/pdf",
        "  git okf add https://github.com/owner1/skills.git --kind skills",
    ]
    assert "2 new, 0 known or ignored" in ran.out
    assert search.asked == [{"q": "pdf filename:SKILL.md", "per_page": "100", "page": "1"}]
    assert repo.git("status", "--porcelain") == "" and "owner1" not in (repo.path / ".okf.yaml").read_text()


def test_what_was_told_is_not_told_again_and_a_new_search_finds_what_is_new(okf_here: Run, search: Search) -> None:
    search.hits = [hit(1)]
    assert [lead["repository"] for lead in found(okf_here)["found"]] == ["owner1/skills"]
    search.hits += [hit(2)]
    again = found(okf_here)
    assert ([lead["repository"] for lead in again["found"]], again["left_out"]) == (["owner2/skills"], 1)
    assert len(found(okf_here, "--all")["found"]) == 2


def test_a_search_keeps_to_its_budget_and_the_next_goes_on(okf_here: Run, search: Search) -> None:
    search.hits = [hit(number) for number in range(350)]
    first = found(okf_here, "--pages", "2")
    assert (len(first["found"]), first["page"], len(search.asked)) == (200, 3, 2)
    second = found(okf_here, "--pages", "2")
    assert (len(second["found"]), second["page"]) == (150, 1)
    assert [asked["page"] for asked in search.asked] == ["1", "2", "3", "4"]


def test_what_is_a_source_or_ignored_is_left_out(repo: GitRepo, okf_here: Run, search: Search) -> None:
    source = "version: 1\nsources: {s: {kind: skills, url: 'git@github.com:Owner1/skills.git', bundle: okf/s}}\n"
    repo.commit("configure", {".okf.yaml": source})
    search.hits = [hit(1), hit(2), hit(3), hit(4)]
    ignored = ("--ignore", "owner2/*", "--ignore", "owner3/skills/skills/pdf")
    assert [lead["repository"] for lead in found(okf_here, *ignored)["found"]] == ["owner4/skills"]


def test_a_limit_at_once_is_said_and_one_later_ends_the_search(okf_here: Run, search: Search) -> None:
    search.hits = [hit(number) for number in range(350)]
    search.limited_from = 2
    assert found(okf_here)["page"] == 2
    ran = okf_here("discover", "--query", "pdf  forms")
    assert ran.code == 4 and "cannot be asked" in ran.err


def test_what_the_search_says_is_text_and_no_address(okf_here: Run, search: Search) -> None:
    search.hits = [
        hit(1, description="\x1b[31mred\n::error::x", html_url="javascript:alert(1)"),
        hit(2, full_name="--upload-pack=x"), {"path": 7}, hit(3, id="x"),
    ]  # fmt: skip
    ran = okf_here("discover", "--query", "pdf")
    assert "\x1b" not in ran.out and "javascript" not in ran.out and "upload-pack" not in ran.out
    assert "https://github.com/owner1/skills.git" in ran.out


@pytest.mark.parametrize("query", ["", "  ", "x" * 201])
def test_nothing_is_no_query(okf_here: Run, search: Search, query: str) -> None:
    assert okf_here("discover", "--query", query).code == 2
    assert search.asked == []


def test_without_a_token_nothing_is_asked(okf_here: Run, search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    ran = okf_here("discover", "--query", "pdf")
    assert ran.code == 2 and "set GITHUB_TOKEN" in ran.err and search.asked == []


@pytest.mark.parametrize(
    ("url", "kind", "bundle"),
    [
        ("https://github.com/acme/skills.git", "skills", "skills"),
        ("git@github.com:acme/handbook.git", "git", "handbook"),
        ("../other/docs", "git", "docs"),
    ],
)
def test_a_repository_is_added_by_its_address(
    repo: GitRepo, okf_here: Run, search: Search, url: str, kind: str, bundle: str
) -> None:
    assert okf_here("add", url, "--kind", kind).code == 0
    text = (repo.path / ".okf.yaml").read_text()
    assert f"kind: {kind}" in text and url in text and f"bundle: {bundle}" in text


def test_a_folder_of_feishu_is_not_added_by_an_address(okf_here: Run, search: Search) -> None:
    ran = okf_here("add", "https://acme.feishu.cn/drive/folder/fldcn1", "--kind", "feishu")
    assert ran.code == 2 and "app_secret" in ran.err
