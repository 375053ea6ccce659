"""All schemes side by side: the same paths, the same TCPs, the same measures."""
