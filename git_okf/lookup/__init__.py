"""Questions that write nothing: status, log, show, explain. Each answers with a value that knows its text.

A room a question, so that none loads what another needs.
"""
