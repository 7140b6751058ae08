"""Why something could not be taken: what an error of the API means for an article."""

from __future__ import annotations

from git_okf.jsonapi import ApiRefused, ApiUnavailable
from git_okf.source.feishu import api
from git_okf.source.feishu.drive import Broken


class NotTaken(Exception):
    """An article or a part of one that could not be had.

    `retryable`: it may go better next time without anything having changed. `gone`: it exists no more. `forbidden`: the
    app may not have it. `too_large`: it stays away until it changes.
    """

    def __init__(
        self,
        reason: str,
        *,
        retryable: bool = True,
        gone: bool = False,
        forbidden: bool = False,
        too_large: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retryable = retryable
        self.gone = gone
        self.forbidden = forbidden
        self.too_large = too_large

    @property
    def is_lasting(self) -> bool:
        """Whether the answer was about the thing itself, and not about this request."""
        return self.gone or self.forbidden or self.too_large


API_TROUBLE = (ApiRefused, ApiUnavailable, Broken)
"""What calls may raise that concerns the thing asked for."""


def not_taken(error: ApiRefused | ApiUnavailable | Broken) -> NotTaken:
    """The meaning of an error for the thing that was asked for."""
    if isinstance(error, Broken):
        return NotTaken(str(error))
    if isinstance(error, ApiUnavailable):
        return NotTaken(error.message)
    if api.is_too_large(error):
        return NotTaken(error.reason, retryable=False, too_large=True)
    if api.is_gone(error):
        return NotTaken(f"it is gone: {error.reason}", gone=True)
    if api.is_forbidden(error):
        return NotTaken(f"forbidden: {error.reason}", retryable=False, forbidden=True)
    return NotTaken(error.reason, retryable=False)
