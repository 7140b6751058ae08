from __future__ import annotations

import pickle
import re
import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from git_okf.bundle.paths import DEVICES, Names, distinct, fold, place

BASE = "https://docs.example.com"


def at(path: str) -> str:
    return place(BASE + path)


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/", "pages/home.md"),
        ("", "pages/home.md"),
        ("/index.html", "pages/home.md"),
        ("/guide/", "pages/guide.md"),
        ("/guide", "pages/guide.md"),
        ("/guide.html", "pages/guide.md"),
        ("/guide/index.html", "pages/guide.md"),
        ("/guide/index.php", "pages/guide.md"),
        ("/guide/install.HTM", "pages/guide/install.md"),
        ("/guide/install.aspx#top", "pages/guide/install.md"),
        ("/guide/install.md", "pages/guide/install.md"),
        ("/2.2.9", "pages/2.2.9.md"),
        ("/2.2.9.html", "pages/2.2.9.md"),
        ("/2.2.10.html", "pages/2.2.10.md"),
        ("/conf.py", "pages/conf.py.md"),
        ("/a/?", "pages/a.md"),
        ("/~user/notes", "pages/~user/notes.md"),
        ("/CODEOWNERS", "pages/CODEOWNERS.md"),
        ("/okf.yaml", "pages/okf.yaml.md"),
    ],
)
def test_a_url_has_a_readable_path(url: str, path: str) -> None:
    assert at(url) == path


def test_a_name_without_a_host_is_placed_too() -> None:
    assert place("docs/intro.md") == "pages/docs/intro.md"


def test_a_query_adds_eight_digits() -> None:
    assert re.fullmatch(r"pages/a~[0-9a-f]{8}\.md", at("/a.html?page=2"))
    assert at("/a?page=2") == at("/a.html?page=2") != at("/a?page=3")


def test_url_04_long_names_are_cut_at_a_character_and_stay_apart() -> None:
    first, second = at("/" + "语" * 133 + "甲"), at("/" + "语" * 133 + "乙")
    assert first != second
    for path in (first, second):
        name = path.removeprefix("pages/")
        assert len(name.encode()) <= 200
        assert re.fullmatch(r"语+~[0-9a-f]{8}\.md", name)
    folder = at("/" + quote("語" * 133) + "/x").split("/")[1]
    assert len(folder.encode()) <= 200


def test_url_04_the_whole_path_is_bounded() -> None:
    deep = "/" + "/".join(["d" * 150] * 40)
    assert len(at(deep + "/a").encode()) <= 1024
    assert at(deep + "/a") != at(deep + "/b")


@pytest.mark.parametrize(
    "url",
    ["/con", "/aux.html", "/nul/x", "/COM1", "/lpt¹", "/a:b", "/x.", "/x%20", "/a%5Cb", "/a%3Fb", "/con.d/x", '/"<>|*'],
)
def test_git_08_names_can_be_checked_out_everywhere(url: str) -> None:
    for part in at(url).split("/"):
        assert part.partition(".")[0].rstrip().casefold() not in DEVICES
        assert not re.search(r'[\x00-\x1f<>:"|?*\\]', part)
        assert not part.endswith((".", " "))
    assert re.search(r"~[0-9a-f]{8}", at(url))


def test_git_08_case_twins_get_two_names() -> None:
    names = Names()
    first, second = names.claim(at("/Foo"), "Foo"), names.claim(at("/foo"), "foo")
    assert (first, fold(first) == fold(second)) == ("pages/Foo.md", False)
    assert re.fullmatch(r"pages/foo~[0-9a-f]{8}\.md", second)


def test_git_08_a_directory_has_one_spelling() -> None:
    names = Names(["pages/API/index-of-calls.md"])
    assert names.claim(at("/api/verbs"), "k") == "pages/API/verbs.md"
    assert at("/guide.md/x").split("/")[1] != at("/guide").split("/")[1]


def test_git_09_one_nfc_name_a_page() -> None:
    assert at("/cafe%CC%81") == at("/caf%C3%A9") == at("/caf\u00e9") == "pages/caf\u00e9.md"
    assert at("/文档/部署") == at("/%E6%96%87%E6%A1%A3/%E9%83%A8%E7%BD%B2") == "pages/文档/部署.md"
    assert "\u00a0" not in at("/a%C2%A0b")
    names = Names(["pages/caf\u00e9.md"])
    assert names.claim("pages/cafe\u0301.md", "k") != "pages/cafe\u0301.md"


@pytest.mark.parametrize(
    "url",
    [
        "/%2e%2e/%2e%2e/x",
        "/..%2fx",
        "/%2e%2e%5cx",
        "/a%00b",
        "/a%0ab",
        "//etc/x",
        "/C:/x",
        "/../x",
        "/.%2e/x",
        "/%252e%252e/x",
    ],
)
def test_sec_01_no_url_leads_out_of_the_bundle(url: str) -> None:
    _safe(at(url))
    assert re.search(r"~[0-9a-f]{8}", at(url))


@pytest.mark.parametrize(
    "url",
    [
        *("/.gitattributes", "/.github/workflows/x.yml", "/.pre-commit-config.yaml", "/CODEOWNERS", "/index.md"),
        *("/log", "/log.html", "/x/LOG", "/x/index.md/y", "/git~1/config", "/%2egit/config", "/okf.yaml"),
    ],
)
def test_sec_12_no_page_becomes_a_control_file(url: str) -> None:
    path = at(url)
    _safe(path)
    assert path.rpartition("/")[2].casefold() not in ("index.md", "log.md")


def test_the_home_page_keeps_its_name() -> None:
    assert at("/home.html") != at("/") == "pages/home.md"


def test_a_link_written_for_a_page_never_means_another_that_was_altered() -> None:
    urls = [
        "/a:b",
        "/a-b",
        "/a%7Cb",
        "/a~b",
        "/a//b",
        "/a/b",
        "/a/./b",
        "/log",
        "/index/index.html",
        "/page",
        "/.html",
        "/a?b",
        "/a%3Fb",
    ]
    assert len({fold(at(url)) for url in urls}) == len(urls)


def test_a_taken_name_gets_the_digits_of_the_key() -> None:
    taken = {"pages/a.md"}
    given = distinct("pages/A.md", "key", taken)
    assert given == distinct("pages/A.md", "key", taken.__contains__)
    assert re.fullmatch(r"pages/A~[0-9a-f]{8}\.md", given)
    assert distinct("pages/A.md", "key", {*taken, fold(given)}) not in (given, "pages/A.md")
    long = "pages/" + "a" * 197 + ".md"
    assert len(distinct(long, "key", {long}).rpartition("/")[2].encode()) <= 200


def test_place_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(place))("https://x.example/a") == "pages/a.md"


def _safe(path: str) -> None:
    parts = path.split("/")
    assert parts[0] == "pages" and parts[-1].endswith(".md") and len(parts) >= 2
    assert unicodedata.normalize("NFC", path) == path
    assert path.isprintable()
    assert len(path.encode()) <= 1024
    assert parts[-1].casefold() not in ("index.md", "log.md")
    for part in parts:
        assert part and part[0] != "." and not part.endswith((".", " ")) and len(part.encode()) <= 200
        assert not re.search(r'[\x00-\x1f\x7f<>:"|?*\\%]', part)
        assert part.partition(".")[0].rstrip().casefold() not in DEVICES
        assert not re.match(r"git~\d\Z", part, re.IGNORECASE)
    assert not any(part.casefold().endswith(".md") for part in parts[:-1])


_nasty = st.text(st.sampled_from("ab./%2eE5cC:~ ?#éç\u0301\u200d\u202e\ud800\n語conmdl"), max_size=40)


@settings(max_examples=600, deadline=None)
@given(st.one_of(_nasty, st.text(max_size=60)), st.booleans())
@example("/%2e%2e%2f", False)
@example("con.md/x", True)
@example(". .x", True)
def test_every_text_has_a_safe_place(text: str, as_path: bool) -> None:
    _safe(place(f"{BASE}/{quote(text, errors='surrogatepass')}" if as_path else text))
    _safe(place(f"{BASE}/{text}"))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(_nasty, st.sampled_from(["/a", "/A", "/a/", "/b/c", "/B/c", "/b/C"])), max_size=12))
def test_claimed_names_are_unique_on_every_file_system(urls: list[str]) -> None:
    names = Names()
    given_names = [names.claim(place(BASE + "/" + url), url + str(number)) for number, url in enumerate(urls)]
    assert len({fold(path) for path in given_names}) == len(urls)
    directories = {path.rpartition("/")[0] for path in given_names}
    assert len({fold(directory) for directory in directories}) == len(directories)
    for path in given_names:
        _safe(path)
