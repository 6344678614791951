"""The engine: what is asked, in which order, once; and what the answers are worth."""
