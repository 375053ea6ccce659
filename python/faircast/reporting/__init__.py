"""One page for a result: a document made of its tables, in one HTML file with the viewer of ``web/`` inside.

================  ====================================================================
`tables`          where tables lie, read by columns and in parts
`thinning`        which rows of long series are kept, so that extremes stay
`packing`         columns as bytes, and what a page may hold of them
`bands`           series over several seeds
`sentences`       what was run and what came out, in plain words
`toml`            a scenario as a TOML file
`network`         the drawing: map, positions of satellites, planned changes
`reasons`         why rates fell, as far as the tables tell
`of_run`          the document of a run
`of_sweep`        the document of a sweep
`of_experiments`  the document of a reproduction
`page`            the HTML file
`report`          from a document to the file
================  ====================================================================

The form of a document is that of ``web/src/model/inline.ts``. No number is computed there that is computed here.
"""
