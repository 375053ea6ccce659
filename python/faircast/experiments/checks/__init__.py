"""Cross checks that no paper contains: the simulator against theory and against itself."""
