"""Sessions on hosts that were written down (``faircast send --results DIR``): their journals, tables and words.

See the section *Look at it afterwards* in ``docs/on-the-wire.md``. Nobody simulated these: there is no seed, and what
is between the hosts is not known.
"""
