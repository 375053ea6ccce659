"""Surprises of the comparison, each followed down to its cause by changing one thing at a time."""
