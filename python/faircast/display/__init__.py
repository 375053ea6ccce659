"""What objects say of themselves: short texts for ``repr``, small tables for notebooks.

| module | subject |
|---|---|
| `grid` | what all of them are made of: texts of several lines, tables in HTML |
| `scenario` | scenarios |
| `results` | one run, and several with different seeds |
| `sweeps` | sweeps and comparisons |
| `optimum` | best rates |
| `path` | ways over time |
| `reproduction` | reproductions |
| `viewer` | what a notebook shows of results: the viewer, or a table with a picture |
| `widget` | the viewer as a widget of Jupyter |

Each takes its object as an argument and imports its class for types only; the object calls it in ``__repr__`` and
``_repr_html_``. So a change of how something is shown is none of how it is computed (`faircast.sources`).
"""
