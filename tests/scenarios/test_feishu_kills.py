"""Runs of a blog that are killed or asked to end: what was taken is not taken again."""

from __future__ import annotations

import signal
import subprocess
import sys

from feishu_press import Press
from feishu_press import program as program
from feishu_press import server as server


def notes(press: Press, count: int) -> list[str]:
    """Documents, in the order in which they are asked for."""
    titles = [f"note {number:02}" for number in range(count)]
    tokens = [press.drive.document(press.drive.root, title, f"Text of {title}.") for title in titles]
    press.drive.later(days=1)
    return tokens


def interrupted(press: Press, pattern: str, number: int) -> int:
    """Run the program and send it a signal in the middle of a request; how it ended."""
    running: list[subprocess.Popen[bytes]] = []
    press.server.when(pattern, lambda: running[0].send_signal(number))
    command = [sys.executable, "-m", "git_okf", "sync"]
    running.append(subprocess.Popen(command, cwd=press.repo.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    return running[0].wait(60)


def test_a_killed_run_loses_ten_articles_at_most(program: Press) -> None:
    asked = notes(program, 25)
    assert interrupted(program, f"*/documents/{asked[22]}", signal.SIGKILL) == -signal.SIGKILL
    program.sync()
    again = set(program.server.asked("docx"))
    assert set(asked[22:]) <= again and len(again) <= 3 + 10
    assert program.subject == "sync: +25 -0 =0 (blog)"
    program.quiet()


def test_a_run_that_is_asked_to_end_goes_on_where_it_was(program: Press) -> None:
    asked = notes(program, 12)
    assert interrupted(program, f"*/documents/{asked[5]}/blocks", signal.SIGTERM) == 130
    program.sync()
    assert set(program.server.asked("docx")) <= set(asked[5:])
    assert program.subject == "sync: +12 -0 =0 (blog)"


def test_what_changed_after_it_was_saved_is_taken_again(program: Press) -> None:
    asked = notes(program, 12)
    assert interrupted(program, f"*/documents/{asked[8]}/blocks", signal.SIGTERM) == 130
    program.drive.write(asked[2], "Changed since.")
    program.drive.later(hours=1)
    program.sync()
    assert asked[2] in program.server.asked("docx") and asked[3] not in program.server.asked("docx")
    assert program.body("note 02") == "Changed since."
    program.quiet()
