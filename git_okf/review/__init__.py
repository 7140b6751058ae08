"""Review of synced content: one pull request a source, opened, refreshed, left alone or closed by one pure decision.

review        a pull or merge request of ours; a *target* is the content it offers, by fingerprint
decide        facts -> one word (pure)
targets       what became of every content ever offered: PENDING, APPROVED, REJECTED, SUPERSEDED (pure)
fingerprint   of a change: which content it comes to, whenever it was made (pure)
marker        the comment in a review's text by which it is known again (pure)
people        which commits on the branch are not ours (pure)
situation     branch, reviews and record -> the facts to decide by (pure)
body          a review's text, bounded and harmless (pure)
forge         what a host has to be able to do; `github`, `gitlab`, `gitea`, and `none` of them
gitlab_push   GitLab without a token: what a push may say to it
"""
