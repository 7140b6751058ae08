"""Feishu and Lark: a team's cloud folder as a source."""
