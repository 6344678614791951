"""MultiTrust's own reading of answers, with lists that the user brings: nothing of them is part of this package."""
