"""Where an HTTP model is, and the key that may go there."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from mmte.errors import MmteError

OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A base URL such as `https://api.openai.com/v1`, and the environment variable that the user chose.

    A key comes from the environment only: from `key_name` if given, else from OPENAI_API_KEY for
    api.openai.com, else from MMTE_API_KEY_<HOST>_<PORT> or MMTE_API_KEY_<HOST> (upper case, `_` for
    everything that is no letter or digit).
    """

    url: str
    scheme: str
    host: str
    port: int
    key_name: str = ""

    @classmethod
    def parse(cls, url: str, where: str, key_name: str = "") -> Endpoint:
        """Read a URL.

        Raises:
            MmteError: no http(s) URL, or one with a password, query or fragment in it.
        """
        try:
            parts = urlsplit(url)
            port = parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError as error:
            raise MmteError(f"{where}: bad URL: {error}") from None
        if parts.username is not None or parts.password is not None:
            raise MmteError(f"{where}: a URL holds no user or password; name an environment variable with key=NAME")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise MmteError(f"{where}: {url!r} is no URL of the form http(s)://HOST[:PORT]/PATH")
        if key_name and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", key_name):
            raise MmteError(f"{where}: key= takes the name of an environment variable, never a key itself")
        path = parts.path.rstrip("/").removesuffix("/completions").removesuffix("/chat")
        endpoint = cls(f"{parts.scheme}://{parts.netloc}{path}", parts.scheme, parts.hostname, port, key_name)
        if key_name:
            endpoint._check_transport(key_name, where)
        return endpoint

    @property
    def place(self) -> str:
        """HOST:PORT, for messages."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Whether it is on this machine."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def key_names(self) -> list[str]:
        """The environment variables that are looked into, the first that is set wins."""
        if self.key_name:
            return [self.key_name]
        host = re.sub(r"[^A-Z0-9]", "_", self.host.upper())
        named = [f"MMTE_API_KEY_{host}_{self.port}", f"MMTE_API_KEY_{host}"]
        return ["OPENAI_API_KEY", *named] if self.host == urlsplit(OPENAI).hostname else named

    def key(self, where: str) -> str:
        """The key, or an empty text when none is set.

        Raises:
            MmteError: the variable that was named (or that api.openai.com needs) is not set, the key has
                characters that no header may have, or it would go over the net unencrypted.
        """
        names = self.key_names()
        for name in names:
            key = os.environ.get(name, "").strip()
            if not key:
                continue
            self._check_transport(name, where)
            if not re.fullmatch(r"[\x21-\x7e]+", key):
                raise MmteError(f"{where}: the variable {name} holds no usable key (spaces or non-ASCII in it)")
            return key
        if self.key_name or names[0] == "OPENAI_API_KEY":
            raise MmteError(f"{where}: set the environment variable {names[0]} to the key for {self.host}")
        return ""

    def _check_transport(self, name: str, where: str) -> None:
        if self.scheme != "https" and not self.loopback:
            raise MmteError(f"{where}: the key in {name} would go to {self.host} in the clear; use https or unset it")
