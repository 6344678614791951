"""A font, and a text as the font can show it."""

from __future__ import annotations

import hashlib
import io
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mmte.errors import MmteError

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

BOX: Final = "\ufffd"
_PROBE: Final = 40


class Lettering:
    """A font in any size: Pillow's own one, or a TrueType or OpenType file.

    Pillow's font (Aileron) has the letters of English and common punctuation. It is laid out without the
    optional Raqm library, hence the same everywhere; a font of a file with it, where Pillow has it, as
    some scripts need it.

    Args:
        file: the font file; empty: Pillow's font.

    Raises:
        MmteError: the file is no font that can be read.
    """

    def __init__(self, file: str | Path = "") -> None:
        from PIL import ImageFont, features

        self.name = Path(file).name if str(file) else "of Pillow"
        layout = "basic"
        if str(file):
            data = _read(Path(file).expanduser())
            try:
                self._font: FreeTypeFont = ImageFont.truetype(io.BytesIO(data), _PROBE)
            except (OSError, ValueError) as error:
                raise MmteError(f"{file} is no TrueType or OpenType font ({error})") from None
            self._digest = hashlib.sha256(data).hexdigest()
            if self._font.layout_engine == ImageFont.Layout.RAQM:
                layout = f"raqm {features.version('raqm')} {features.version('harfbuzz')}"
        else:
            default = ImageFont.load_default(_PROBE)
            if not isinstance(default, ImageFont.FreeTypeFont):
                raise MmteError("Pillow was built without FreeType, so it cannot draw text; install another build")
            self._font = default.font_variant(layout_engine=ImageFont.Layout.BASIC)
            self._digest = "pillow"
        self._versions = f"{layout}, freetype {features.version('freetype2')}"
        self._sizes = {_PROBE: self._font}
        self._forms: dict[str, str] = {}
        self._none = self._ink("\U0010fffe")  # no character, so every font shows its sign for a missing one

    def key(self) -> list[str]:
        """All that decides how a text looks: the font's bytes, and the versions of what draws it."""
        return [self._digest, self._versions]

    def size(self, pixels: int) -> FreeTypeFont:
        """The font in a size."""
        if pixels not in self._sizes:
            self._sizes[pixels] = self._font.font_variant(size=pixels)
        return self._sizes[pixels]

    def shown(self, text: str) -> str:
        """The text in characters that the font has.

        Where the font lacks them, a letter of A to Z with an accent is shown without it, a dash or minus sign as
        a hyphen, and marks and joiners are left out; control characters always are. For any other character
        that the font lacks stands a box.

        Raises:
            MmteError: more than half of the characters would be boxes.
        """
        text = unicodedata.normalize("NFC", text)
        found = "\n".join("".join(map(self._form, line)) for line in text.splitlines())
        boxes, characters = found.count(BOX), sum(not c.isspace() for c in found)
        if boxes * 2 > characters:
            lacking = next(c for c in text if self._form(c) == BOX)
            raise MmteError(
                f"the font {self.name} lacks {boxes} of {characters} characters of a text (the first is "
                f"U+{ord(lacking):04X}); name a font file that has them: font"
            )
        return found

    def _form(self, character: str) -> str:
        if character not in self._forms:
            self._forms[character] = self._find(character)
        return self._forms[character]

    def _find(self, character: str) -> str:
        category = unicodedata.category(character)
        if character.isspace():
            return " "
        if category == "Cc":
            return ""
        if category != "Cs" and self._ink(character) != self._none:
            return character
        if category in ("Mn", "Me", "Cf"):
            return ""
        if category == "Pd" or character == "\u2212":
            return "-"
        # Of letters of English only: what is left of another character without its mark may mean something else.
        base = unicodedata.normalize("NFD", character)[0]
        return base if base.isascii() and base.isalpha() else BOX

    def _ink(self, character: str) -> tuple[Any, ...]:
        mask = self._font.getmask(character)
        return mask.size, bytes(mask)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise MmteError(f"font {file} cannot be read: {error.strerror}") from None
