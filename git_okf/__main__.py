"""`python -m git_okf` and the installed `git-okf` are this."""

from __future__ import annotations


def main() -> None:
    from git_okf.cli import main as run

    run()


if __name__ == "__main__":
    main()
