"""Hang and Erke: TFMCC, and OMCC that scales its rate by the number of receivers, beside TCP over one bottleneck."""
