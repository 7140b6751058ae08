"""Publishing: what a commit holds of a source becomes objects in a bucket, and only what differs is uploaded.

keys      path in the repository -> key, or refused
headers   path and bytes -> content type and cache headers; what could run in a browser is opaque
lfs       the pointers of git-lfs, which are never published in the place of what they stand for
manifest  what is published, as one JSON object in the bucket: the watermark
plan      manifest + what a commit holds -> uploads and removals
bucket    the storage; the only user of obstore
claim     the order of writes that lets a publication be killed, repeated and raced
upload    many objects at once, each replaced only from what it was expected to be
"""
