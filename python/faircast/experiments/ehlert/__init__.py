"""Ehlert, Sisalem and Wolisz: MLDA over a geostationary satellite beside TCP Reno, Westwood and Hybla."""
