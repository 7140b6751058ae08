"""Markdown as every source writes it: literal text, inline tokens. Pure, and without anything heavy."""
