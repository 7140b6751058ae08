"""The Markdown files of a git repository, each a concept."""
