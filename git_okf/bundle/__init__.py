"""Concepts, indexes and logs as bytes: pure functions from values to the files of an OKF v0.2 bundle.

paths         URL -> path of the concept; names that every file system can hold
concept       one concept file: render, parse, hash of the body
front_matter  its front matter as it is written
index         index.md of the bundle and of every directory
log           log.md, newest first
check         is a bundle whole: OKF conformance, hashes, links, generated files
"""
