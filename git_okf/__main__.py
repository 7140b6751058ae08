"""`python -m git_okf` and the installed `git-okf` are this."""

from __future__ import annotations

import sys


def main() -> None:
    if sys.argv[1:3] == ["verify", "--hook"]:
        _hook(sys.argv[1:])
    from git_okf.cli import main as run

    run()


def _hook(words: list[str]) -> None:
    """Answer a hook and exit; return where the command line has to."""
    import os
    from pathlib import Path

    from git_okf.quick import answer

    found = answer(words, Path.cwd(), os.environ)
    if found is not None:
        for stream, text in ((sys.stdout, found.out), (sys.stderr, found.err)):
            if text:
                if hasattr(stream, "reconfigure"):
                    stream.reconfigure(errors="backslashreplace")
                stream.write(text + "\n")
        raise SystemExit(found.code)


if __name__ == "__main__":
    main()
