"""Reports: what a run measured, on disk and on the terminal, and the limits it is held against."""
