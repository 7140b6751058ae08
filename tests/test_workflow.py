"""What a CI workflow is told: outputs, a summary, annotations; and that nothing a source says becomes a command."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenario import Docs

from git_okf import workflow
from git_okf.errors import OkfError
from git_okf.model import Delta, Fault, Retained, RunResult

OK = RunResult(name="docs", kind="web", result="synced", exit_code=0, commit="3f2a")
FAILED = RunResult(
    name="blog", kind="web", result="failed", exit_code=128, error=Fault(code="git", message="no\nway", hint="do x")
)
HOSTILE = "::set-output name=a::b\n::error::x @acme fixes #1 <img src=x> `code` | ]( %0A"


def parsed(text: str) -> Iterator[tuple[str, str]]:
    """The file as the runner reads it."""
    lines = iter(text.split("\n"))
    for line in lines:
        if match := re.fullmatch(r"([^=<]+)<<(.+)", line):
            value = []
            for inner in lines:
                if inner == match[2]:
                    break
                value.append(inner)
            yield match[1], "\n".join(value)
        elif line:
            name, _, value_ = line.partition("=")
            yield name, value_


@given(st.dictionaries(st.from_regex(r"\A[a-z-]{1,9}\Z"), st.text(st.characters(exclude_categories=["Cs"]))))
def test_every_output_comes_back_as_it_was(outputs: dict[str, str]) -> None:
    text = "".join(workflow._output(name, value) for name, value in outputs.items())
    wanted = {name: value.replace("\r\n", "\n") for name, value in outputs.items()}
    assert {name: value.replace("\r\n", "\n") for name, value in parsed(text)} == wanted


def test_outputs_and_summary_are_appended_where_the_workflow_has_a_place_for_them(tmp_path: Path) -> None:
    files = {workflow.OUTPUT: tmp_path / "out", workflow.SUMMARY: tmp_path / "summary"}
    environ = {name: str(path) for name, path in files.items()}
    workflow.tell(environ, {"a": "1"}, "one")
    workflow.tell(environ, {"b": "x\ny"}, "two")
    assert dict(parsed(files[workflow.OUTPUT].read_text())) == {"a": "1", "b": "x\ny"}
    assert files[workflow.SUMMARY].read_text() == "one\ntwo\n"
    workflow.tell({}, {"a": "1"}, "nowhere")


def test_a_place_that_cannot_be_written_is_said() -> None:
    with pytest.raises(OkfError, match="cannot be written"):
        workflow.tell({workflow.OUTPUT: "/nowhere/at/all"}, {"a": "1"}, "")


def test_a_summary_stays_below_what_is_taken(tmp_path: Path) -> None:
    workflow.tell({workflow.SUMMARY: str(tmp_path / "s")}, {}, "界\n" * 600_000)
    assert len((tmp_path / "s").read_bytes()) < 1024 * 1024


def test_the_outputs_say_the_worst_of_several_sources() -> None:
    assert workflow.outputs([OK])["result"] == "synced"
    both = workflow.outputs([OK, FAILED])
    assert (both["changed"], both["result"], both["exit-code"]) == ("true", "failed", "128")
    assert len(json.loads(both["json"])["sources"]) == 2


def test_annotations_come_only_in_a_workflow_and_on_one_line_each() -> None:
    assert workflow.notes({}, [FAILED]) == []
    (line,) = workflow.notes({"GITHUB_ACTIONS": "true"}, [OK, FAILED])
    assert line == "::error title=git-okf blog::no%0Away%0Ado x"
    assert "\n" not in workflow.command("error", HOSTILE, HOSTILE)


def test_an_error_before_the_sources_is_an_annotation_too(docs: Docs, monkeypatch: pytest.MonkeyPatch) -> None:
    docs.build("a")
    assert "::error" not in docs.run("sync", "nosuch").err
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    ran = docs.run("sync", "nosuch")
    assert ran.code == 2
    (line,) = [line for line in ran.err.splitlines() if line.startswith("::")]
    assert line.startswith("::error title=git-okf::there is no source 'nosuch' in .okf.yaml%0A")


def test_nothing_a_source_says_is_markup_or_a_command() -> None:
    retained = Retained(key=HOSTILE, path="", outcome="RETRYABLE_FAILURE", reason=HOSTILE)
    result = RunResult(
        name="docs", kind="web", result="partial", exit_code=3, delta=Delta(retained=(retained,)), notices=(HOSTILE,)
    )
    text = workflow.summary([result], {"docs": HOSTILE})
    assert not any(line.startswith("::") for line in text.split("\n"))
    table = text.split("\n")[2]
    assert table.count("|") - table.count("\\|") == 7 and "<img" not in table


def test_a_sync_tells_its_workflow(docs: Docs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs.build("a")
    monkeypatch.setenv(workflow.OUTPUT, str(tmp_path / "out"))
    monkeypatch.setenv(workflow.SUMMARY, str(tmp_path / "summary"))
    docs.put("a", version=2)
    docs.ok("sync")
    told = dict(parsed((tmp_path / "out").read_text()))
    assert (told["changed"], told["result"], told["exit-code"]) == ("true", "synced", "0")
    assert "| `docs` | synced | 0 | 0 | 1 | 0 |" in (tmp_path / "summary").read_text()
    (tmp_path / "out").unlink()
    docs.ok("plan")
    assert dict(parsed((tmp_path / "out").read_text())) == {"matrix": '{"source": ["docs"]}', "any": "true"}
