"""Results as one file for others, and the proof that they come out again. See the chapter ``docs/archive.md``.

| module | subject |
|---|---|
| `container` | the zip: written in one form only, and read by comparing with that form |
| `names` | which names a file of an archive may have |
| `record` | ``archive.json``: what the archive holds, and what is to be run to get it again |
| `numbers` | what two tables have alike that differ in nothing but who wrote them |
| `code` | schemes that are Python classes: their files in an archive, and back |
| `plans` | from a finished folder to what is to be run |
| `crate` | ``ro-crate-metadata.json``: the archive told to machines that know nothing of faircast |
| `pack` | `archive`: a folder becomes a file |
| `repeat` | what is recorded is run anew |
| `verdict` | `verify`: what came out is held against what the archive holds |
"""
