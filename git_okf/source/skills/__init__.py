"""Skills: packages of instructions (a directory with a SKILL.md) in somebody's repository.

package       a directory with a SKILL.md and everything below it; taken as a whole or not at all
key           the package's directory in the repository, `.` for the root; its identity, whatever its name
home          where the package lies below the configured `packages` directory
manifest      what a SKILL.md says of itself: front matter and body
content       fingerprint over the paths, modes and bytes of a package
compliance    fingerprint over the licence and notice texts that apply to it
target        content and compliance together: what a person reviews, accepts or rejects
ingestion     how far one target of one package has come

Everything but `source` is pure: values in, values out.
"""
