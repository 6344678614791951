"""Statistics: intervals and bounds for what was measured, and for what could not be."""
