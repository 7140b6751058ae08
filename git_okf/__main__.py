"""`python -m git_okf` and the installed `git-okf` are this."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # while it loads there is nothing to end cleanly, and nothing to say
    from git_okf.quick import LOOKS

    if sys.argv[1:2] and sys.argv[1] in LOOKS:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _answer(sys.argv[1:])
    from git_okf.cli import main as run

    signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _answer(words: list[str]) -> None:
    """Answer plain words and exit; return where the command line has to."""
    import os
    from pathlib import Path

    from git_okf.quick import answer

    found = answer(words, Path.cwd(), os.environ)
    if found is None:
        return
    try:
        for stream, text in ((sys.stdout, found.out), (sys.stderr, found.err)):
            if text:
                if hasattr(stream, "reconfigure"):
                    stream.reconfigure(errors="backslashreplace")
                stream.write(text + "\n")
                stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    raise SystemExit(found.code)


if __name__ == "__main__":
    main()
