"""Published data sets: what they are, how to get them, and whether they are whole."""
