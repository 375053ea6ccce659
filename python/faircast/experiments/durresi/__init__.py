"""Durresi et al.: multilevel explicit congestion notification over a satellite path."""
