"""Tokens, limits and errors of the API: what is asked again, what waits, what ends a run."""

from __future__ import annotations

import pytest
from feishu_observing import Desk, outcomes, reason
from feishu_server import APP_SECRET

from git_okf.config import parse
from git_okf.errors import ConfigError, SourceUnavailable
from git_okf.model import Failed, Fetched
from git_okf.source import Ask

BLOCKS = "*/documents/*/blocks"


def articles(desk: Desk, count: int = 3) -> list[str]:
    drive = desk.drive
    tokens = [drive.document(drive.root, f"note {number}", f"Text {number}.") for number in range(count)]
    drive.later(days=1)
    return tokens


# --- LARK-05: codes in bodies ---


@pytest.mark.parametrize(("status", "headers"), [(200, {}), (400, {"x-ogw-ratelimit-reset": "3"}), (429, {})])
def test_lark_05_a_frequency_limit_is_waited_for_whatever_its_status(
    desk: Desk, status: int, headers: dict[str, str]
) -> None:
    tokens = articles(desk)
    desk.server.fail(BLOCKS, code=99991400, status=status, headers=headers, times=2)
    seen = desk.sync()
    assert outcomes(seen) == dict.fromkeys(tokens, "Fetched")
    assert seen.complete
    waited = 3 if headers else 10
    assert sum(desk.clock.slept) >= 2 * waited


def test_lark_05_a_limit_that_lasts_is_no_empty_document(desk: Desk) -> None:
    tokens = articles(desk)
    desk.sync()
    desk.drive.write(tokens[0], "Another text.")
    desk.drive.later(days=1)
    desk.server.fail(BLOCKS, code=99991400, status=400, headers={"x-ogw-ratelimit-reset": "2"}, times=None)
    seen = desk.sync()
    assert isinstance(seen.outcomes[tokens[0]], Failed) and not seen.complete
    assert desk.server.count("docx") == 1 + 3, "at most three tries"
    assert not desk.delta.changes_content
    desk.server.heal()
    desk.sync()
    assert desk.subject() == "+0 -0 =1"


def test_lark_05_a_limit_of_media_shuts_media_alone(desk: Desk) -> None:
    drive = desk.drive
    with_cover = drive.blog("first", "Its text.", podcast=b"ID3 one")
    plain = drive.document(drive.root, "second", "Its text.")
    drive.later(days=1)
    desk.server.fail("*/download", code=1061045, status=400, headers={"x-ogw-ratelimit-reset": "7200"}, times=None)
    seen = desk.sync()
    assert outcomes(seen) == {with_cover.token: "Fetched", plain: "Fetched"}
    fetched = seen.outcomes[with_cover.token]
    assert isinstance(fetched, Fetched) and fetched.parts_failed[0].startswith("podcast: ")
    assert desk.server.count("media") == 1, "a class that is shut for two hours is not asked again"
    assert sum(desk.clock.slept) < 120


def test_a_quota_that_is_used_up_ends_the_run(desk: Desk) -> None:
    tokens = articles(desk, 5)
    desk.sync()
    for token in tokens:
        desk.drive.write(token, "Another text.")
    desk.drive.later(days=1)
    desk.server.fail("*/documents/*", code=99991403, status=400, times=None, after=2)
    seen = desk.sync()
    assert list(outcomes(seen).values()) == ["Fetched", "Failed"]
    assert "99991403" in seen.incomplete_reasons[0]
    assert desk.subject() == "+0 -0 =1" and len(desk.known) == 5


def test_a_limit_before_anything_is_known_says_when_to_come_back(desk: Desk) -> None:
    articles(desk)
    desk.server.fail("*/files", code=99991400, status=400, headers={"x-ogw-ratelimit-reset": "3600"}, times=None)
    with pytest.raises(SourceUnavailable) as caught:
        desk.look()
    assert caught.value.rate_limited and caught.value.retry_at == "2026-11-30T01:00:00+00:00"


def test_lark_05_a_limit_that_comes_again_and_again_ends_the_asking(desk: Desk) -> None:
    tokens = articles(desk, 20)
    desk.server.fail(BLOCKS, code=99991400, status=400, headers={"x-ogw-ratelimit-reset": "1"}, times=None, after=1)
    seen = desk.sync()
    assert list(outcomes(seen).values()) == ["Fetched", *["Failed"] * 19]
    assert len(set(desk.server.asked("docx"))) == 1 + 5
    assert {record.key for record in seen.side} == set(tokens[1:])


def test_a_limit_of_documents_before_anything_was_taken_is_said_too(desk: Desk) -> None:
    articles(desk)
    desk.server.fail("*/documents/*", code=99991400, status=429, headers={"x-ogw-ratelimit-reset": "3600"}, times=None)
    with pytest.raises(SourceUnavailable) as caught:
        desk.look()
    assert caught.value.rate_limited and desk.server.count("docx") == 1


@pytest.mark.parametrize("status", [500, 502, 503])
def test_trouble_of_the_server_is_asked_three_times(desk: Desk, status: int) -> None:
    tokens = articles(desk, 2)
    desk.server.fail(f"*/documents/{tokens[0]}", status=status, body=b"<html>bad</html>", times=None)
    seen = desk.sync()
    assert outcomes(seen) == {tokens[0]: "Failed", tokens[1]: "Fetched"}
    assert desk.server.asked("docx").count(tokens[0]) == 3
    assert [(record.key, record.tries) for record in seen.side] == [(tokens[0], 1)]
    desk.sync()
    assert desk.server.asked("docx")[0] == tokens[0], "what failed is asked first"


def test_an_api_that_answers_nothing_any_more_is_left_alone(desk: Desk) -> None:
    tokens = articles(desk, 30)
    desk.sync()
    for token in tokens:
        desk.drive.touch(token)
    desk.drive.later(days=1)
    desk.server.fail("*/documents/*", drop=True, times=None)
    with pytest.raises(SourceUnavailable, match="nothing was changed"):
        desk.look()
    assert desk.server.count("docx") == 5 * 3


def test_an_answer_that_is_not_the_apis_is_no_empty_folder(desk: Desk) -> None:
    articles(desk)
    desk.sync()
    desk.server.fail("*/files", body=b"<html>login here</html>", times=None)
    with pytest.raises(SourceUnavailable):
        desk.look()


def test_an_answer_without_a_list_is_no_empty_folder(desk: Desk) -> None:
    tokens = articles(desk)
    desk.sync()
    desk.server.fail("*/files", body=b'{"code": 0, "msg": "success", "data": {}}', times=None)
    with pytest.raises(SourceUnavailable):
        desk.look()
    assert desk.known.keys() == set(tokens)


def test_an_error_in_json_is_no_file(desk: Desk) -> None:
    blog = desk.drive.blog("first", "Its text.", podcast=b"ID3 one")
    desk.drive.later(days=1)
    desk.server.fail("*/download", status=200, code=1061002, times=1)
    fetched = desk.sync().outcomes[blog.token]
    assert isinstance(fetched, Fetched)
    assert (fetched.files, len(fetched.parts_failed)) == ((), 1)


def test_a_file_that_is_json_is_a_file(desk: Desk) -> None:
    drive = desk.drive
    blog = drive.blog("first", "Its text.", html=b'{"code": 7, "msg": "a file of its own"}')
    drive.rename(blog.page, "data.json")
    drive.later(days=1)
    desk.sync()
    assert [file.path.rpartition(".")[2] for file in desk.known[blog.token].files] == ["json"]


def test_a_download_that_breaks_off_is_taken_up_where_it_was(desk: Desk) -> None:
    audio = b"ID3" + bytes(range(256)) * 400
    blog = desk.drive.blog("first", "Its text.", podcast=audio)
    desk.drive.later(days=1)
    desk.server.fail("*/download", cut=50_000, times=1)
    desk.sync()
    (file,) = desk.known[blog.token].files
    assert desk.spool.file(file.blob) == audio
    assert [r.status for r in desk.server.log if r.kind == "media"] == [200, 206]
    assert [r.range for r in desk.server.log if r.kind == "media"][1] == "bytes=50000-"


# --- LARK-06: tokens ---


def test_lark_06_a_token_that_dies_in_the_middle_is_replaced_once_a_call(desk: Desk) -> None:
    tokens = articles(desk, 10)
    desk.server.calls_a_token = 7
    seen = desk.sync()
    assert outcomes(seen) == dict.fromkeys(tokens, "Fetched")
    assert desk.server.count("auth") == 21 // 7


def test_lark_06_a_token_is_renewed_before_its_end(desk: Desk) -> None:
    articles(desk, 2)
    desk.server.when("*/documents/*", lambda: desk.clock.sleep(7200 - 500))
    desk.sync()
    assert desk.server.count("auth") == 2
    assert not any(r.code == 99991663 for r in desk.server.log)


def test_lark_06_no_new_token_makes_the_run_incomplete(desk: Desk) -> None:
    tokens = articles(desk, 4)
    desk.sync()
    desk.drive.delete(tokens[3])
    desk.drive.touch(tokens[1])
    desk.drive.later(days=1)
    desk.server.fail("*/tenant_access_token/*", status=503, body=b"", times=None, after=1)
    desk.server.when("*/files", desk.server.kill_tokens)
    seen = desk.sync()
    assert not seen.complete and "no access token" in " ".join(seen.incomplete_reasons)
    assert len(desk.known) == 4 and not desk.delta.removed


def test_lark_06_a_token_that_stays_dead_is_asked_for_once_a_call(desk: Desk) -> None:
    articles(desk, 1)
    desk.server.fail("*/files", code=99991663, times=None)
    with pytest.raises(SourceUnavailable):
        desk.look()
    assert desk.server.kinds() == {"auth": 2, "list": 2}


def test_wrong_credentials_are_a_mistake_in_the_configuration(desk: Desk) -> None:
    source = desk.source(app_id="${FEISHU_APP_SECRET}")
    with pytest.raises(ConfigError, match="10003") as caught:
        source.observe({}, Ask(), desk.tools())
    assert APP_SECRET not in str(caught.value)


def test_a_variable_that_is_not_set_is_named(desk: Desk) -> None:
    with pytest.raises(ConfigError, match="OTHER_SECRET"):
        desk.look(app_secret="${OTHER_SECRET}")
    assert desk.server.count() == 0


def test_a_missing_scope_is_said_with_what_to_do(desk: Desk) -> None:
    articles(desk)
    desk.server.fail("*/documents/*", code=99991672, status=400, times=None)
    with pytest.raises(ConfigError, match="99991672") as caught:
        desk.look()
    assert "grant the app the scope" in caught.value.hint


def test_the_log_id_of_an_error_is_told(desk: Desk) -> None:
    tokens = articles(desk)
    desk.server.fail(f"*/documents/{tokens[0]}", code=1770001, status=400, times=None)
    assert "(log id 2026010112345678AF)" in reason(desk.look().outcomes[tokens[0]])


# --- pace ---


def test_no_class_of_endpoints_is_asked_more_often_than_its_limit_allows(desk: Desk) -> None:
    drive = desk.drive
    for number in range(12):
        drive.blog(f"blog {number}", "Its text.", podcast=b"ID3" + bytes([number]), html=b"<html>" + bytes([number]))
    drive.later(days=1)
    desk.server.enforce = True
    desk.server.monotonic = desk.clock.monotonic
    seen = desk.sync()
    assert seen.complete
    assert not any(r.code == 99991400 for r in desk.server.log)
    assert (desk.server.rush("docx"), desk.server.rush("media")) == (4, 4)
    desk.sync()
    assert desk.server.rush("list") == 19


def test_whoever_asks_faster_than_the_limit_is_told_to_wait_and_waits(desk: Desk) -> None:
    tokens = articles(desk, 12)
    desk.server.enforce = True
    desk.server.monotonic = desk.clock.monotonic
    seen = desk.sync(requests_per_second=100)
    assert outcomes(seen) == dict.fromkeys(tokens, "Fetched")
    assert any(r.code == 99991400 for r in desk.server.log)


# --- addresses ---


def test_the_base_of_lark_is_a_base_like_any_other(desk: Desk) -> None:
    text = (
        'version: 1\nsources: {blog: {kind: feishu, base_url: "https://open.larksuite.com", folder: fldx, bundle: b, '
        'app_id: "${A}", app_secret: "${B}"}}'
    )
    source = parse(text).source("blog")
    assert source.url == "https://open.larksuite.com/drive/folder/fldx"


def test_a_download_is_not_led_into_the_network_we_run_in(desk: Desk) -> None:
    blog = desk.drive.blog("first", "Its text.", podcast=b"ID3 one")
    desk.drive.later(days=1)
    there = desk.server.url.replace("127.0.0.1", "127.0.0.2")
    for _ in range(3):
        desk.server.fail("*/download", status=302, headers={"Location": f"{there}/tmp/x"}, body=b"", times=1)
    fetched = desk.sync().outcomes[blog.token]
    assert isinstance(fetched, Fetched) and "no public address" in fetched.parts_failed[0]
