"""Networks from maps of others.

| module | subject |
|---|---|
| `graphml` | the form of the files: nodes, edges, what is said of them |
| `network` | nodes and links of a scenario, with delays from coordinates |
"""
