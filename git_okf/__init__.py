"""git-okf: knowledge that lives elsewhere, in step inside a git repository."""

__version__ = "0.1.0"
