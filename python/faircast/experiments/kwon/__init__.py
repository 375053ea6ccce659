"""Kwon and Byers: multirate multicast congestion control made of single-rate sessions (SMCC)."""
