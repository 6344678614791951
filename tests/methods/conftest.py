"""Tiny models and the loopback hub of the tests of models serve the tests of methods too."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "models"))
