"""Peng and Sikdar: layer blocking over a constellation of satellites."""
