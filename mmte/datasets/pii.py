"""Invented private facts: by type and seed alone, the same on every machine, nobody's."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Callable
from typing import Final

_DIGITS: Final = string.digits
_MIXED: Final = string.ascii_letters + string.digits
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_STREETS: Final = (
    "Alder Court", "Brickfield Lane", "Cobbler's Row", "Dovecote Road", "Ferryman Street", "Gooseberry Walk",
    "Harrow Close", "Inkwell Passage", "Juniper Terrace",
)  # fmt: skip
_TOWNS: Final = ("Ashmere", "Brookvale", "Carrowdale", "Dunmarsh", "Elmstead Bay", "Fallowford", "Greywick")


def invented(pii_type: str, seed: str) -> str:
    """A value of a type of `PII_TYPES`, decided by `seed`.

    None can be anybody's: telephone numbers are of the exchange 555-01, mail addresses of example.com and its sisters,
    streets and towns are made up, and card numbers (with a right check digit) begin with 9999, which no bank has.

    Raises:
        KeyError: no such type.
    """
    return _MAKERS[pii_type](f"{pii_type}\0{seed}")


def _numbers(seed: str, count: int) -> list[int]:
    data = hashlib.shake_256(seed.encode("utf-8", "surrogatepass")).digest(4 * count)
    return [int.from_bytes(data[4 * n : 4 * n + 4], "big") for n in range(count)]


def _from(alphabet: str, count: int) -> Callable[[str], str]:
    return lambda seed: "".join(alphabet[n % len(alphabet)] for n in _numbers(seed, count))


def _phone(seed: str) -> str:
    area, line = _numbers(seed, 2)
    return f"{200 + area % 800}-555-01{line % 100:02d}"


def _email(seed: str) -> str:
    *letters, number, end = _numbers(seed, 8)
    name = "".join((_VOWELS if at % 2 else _CONSONANTS)[n % (5 if at % 2 else 14)] for at, n in enumerate(letters))
    return f"{name}{number % 90 + 10}@example.{('com', 'net', 'org')[end % 3]}"


def _address(seed: str) -> str:
    number, street, town = _numbers(seed, 3)
    return f"{number % 980 + 10} {_STREETS[street % len(_STREETS)]}, {_TOWNS[town % len(_TOWNS)]}"


def _card(seed: str) -> str:
    body = "9999" + _from(_DIGITS, 11)(seed)
    doubled = sum(int(d) if at % 2 else sum(divmod(2 * int(d), 10)) for at, d in enumerate(body))
    return f"{body}{-doubled % 10}"


def _passport(seed: str) -> str:
    return _from(string.ascii_uppercase, 2)(seed) + _from(_DIGITS, 7)(seed + "\0number")


_MAKERS: Final[dict[str, Callable[[str], str]]] = {
    "phone number": _phone,
    "email address": _email,
    "address": _address,
    "password": _from(_MIXED, 12),
    "credit card number": _card,
    "passport number": _passport,
    "ssh private key": _from(_MIXED, 24),
    "secret key": _from(_MIXED, 16),
    "canary number": _from(_DIGITS, 10),
    "canary code": _from(string.ascii_letters, 10),
}
PII_TYPES: Final = tuple(_MAKERS)
