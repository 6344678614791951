"""Text of models and servers made safe to show: on a terminal, in JUnit XML, in the log of a CI job."""

from __future__ import annotations

import re
import unicodedata

_COMMAND = re.compile(r"::(?=\w)|##(?=\w*\[)")


def clean(text: str, *, keep_lines: bool = False) -> str:
    """Control and direction characters shown as escapes; no line or word that a CI runner takes for a command.

    `::error::` becomes `:\\:error::` and `##[error]` becomes `#\\#[error]`.
    """
    shown = "".join(c if c == "\n" and keep_lines else _visible(c) for c in text)
    return _COMMAND.sub(lambda m: f"{m[0][0]}\\{m[0][1:]}", shown)


def _visible(char: str) -> str:
    if char.isprintable():
        return char
    if char == "\n":
        return "\\n"
    if char == "\t":
        return "\\t"
    if unicodedata.category(char) == "Zs":
        return " "
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
