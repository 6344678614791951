"""A pinned file of the package index that pip is configured with: found, fetched, resumed, checked."""

from __future__ import annotations

import ast
import base64
import contextlib
import hashlib
import ipaddress
import json
import os
import re
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit, urlunsplit

from mmte.errors import MmteError
from mmte.models.text import one_line

Progress = Callable[[int, int], None]

_PYPI = "https://pypi.org/simple"
_ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
_MAX_PAGE = 64 * 2**20
_TIMEOUT = 30.0  # seconds without a byte
_ATTEMPTS = 4


class Unreachable(Exception):
    """The index does not answer, or breaks off again and again; the text says what and why."""


@dataclass(frozen=True, slots=True)
class Index:
    """A package index by its base URL (PEP 503); user and password, if any, go to its host only."""

    url: str
    login: str = ""
    ca_file: str = ""

    @property
    def host(self) -> str:
        """HOST[:PORT], for messages."""
        return urlsplit(self.url).netloc

    def trusts(self, url: str) -> bool:
        """Whether a file may come from `url`: https, this machine, or the index's own host."""
        parts = urlsplit(url)
        if parts.scheme == "https" or (parts.scheme == "http" and parts.netloc == self.host):
            return True
        with contextlib.suppress(ValueError):
            return parts.scheme == "http" and ipaddress.ip_address(parts.hostname or "").is_loopback
        return parts.scheme == "http" and parts.hostname == "localhost"


def configured_index() -> Index:
    """The index that pip would ask: PIP_INDEX_URL, else pip's configuration files, else PyPI.

    Raises:
        MmteError: it is no http(s) URL.
    """
    config = _pip_config()
    named = (os.environ.get("PIP_INDEX_URL"), config.get("download.index-url"), config.get("global.index-url"))
    text = next(filter(None, named), _PYPI)
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise MmteError("pip's index-url is no http(s) URL; set PIP_INDEX_URL to one")
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username is not None else ""
    clean = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))
    return Index(clean, login, os.environ.get("PIP_CERT") or config.get("global.cert", ""))


def find_wheel(index: Index, project: str, version: str) -> str:
    """The URL of the project's first wheel of that version.

    Raises:
        Unreachable: no answer, or none that names the wheel.
    """
    page = f"{index.url}/{re.sub(r'[-_.]+', '-', project).lower()}/"
    start = f"{re.sub(r'[-_.]+', '_', project).lower()}-{version}-"
    with _network(index.host), _open(index, page, {"Accept": _ACCEPT}) as reply:
        body = reply.read(_MAX_PAGE)
        base = str(reply.geturl())
        kind = str(reply.headers.get_content_type())
    for name, href in _json_links(body) if kind.endswith("json") else _html_links(body):
        if name.lower().startswith(start) and name.endswith(".whl"):
            url = urldefrag(urljoin(base, href)).url
            if not index.trusts(url):
                raise Unreachable(f"{index.host} names an insecure address for {name}")
            return url
    raise Unreachable(f"the package index {index.host} has no wheel of {project} {version}")


def fetch(index: Index, url: str, part: Path, *, size: int, sha256: str, progress: Progress | None) -> None:
    """Download `url` into `part`, going on where an earlier attempt stopped.

    Raises:
        Unreachable: the connection keeps breaking; what arrived stays for the next time.
        MmteError: the file has another size or sha256 than the pinned one; `part` is deleted.
    """
    for attempt in range(_ATTEMPTS):
        have = part.stat().st_size if part.exists() else 0
        if have >= size:
            break
        try:
            _fetch_rest(index, url, part, have, size, progress)
        except Unreachable:
            # Only a connection that brought something is worth another try.
            if attempt == _ATTEMPTS - 1 or not part.exists() or part.stat().st_size <= have:
                raise
            time.sleep(0.2 * 2**attempt)
    got = part.stat().st_size
    if got < size:
        raise Unreachable(f"{urlsplit(url).netloc} sent {got} of {size} bytes; run it again to go on from there")
    with part.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest() if got == size else ""
    if digest != sha256:
        part.unlink()
        what = f"sha256 {digest}" if digest else f"more than {size} bytes"
        name = urlsplit(url).path.rpartition("/")[2]
        raise MmteError(f"{name} from {index.host} is not the pinned file ({what}); it was deleted")


def _fetch_rest(index: Index, url: str, part: Path, have: int, size: int, progress: Progress | None) -> None:
    host = urlsplit(url).netloc
    with _network(host):
        opened = _open(index, url, {"Range": f"bytes={have}-"} if have else {})
    with opened as reply:
        goes_on = reply.status == 206 and str(reply.headers.get("Content-Range", "")).startswith(f"bytes {have}-")
        done = have if goes_on else 0
        with part.open("ab" if goes_on else "wb") as file:
            # One byte more than expected shows that the file is another one.
            while done <= size:
                with _network(host):
                    chunk = reply.read(min(2**16, size + 1 - done))
                if not chunk:
                    break
                file.write(chunk)
                done += len(chunk)
                if progress:
                    progress(min(done, size), size)


def _open(index: Index, url: str, headers: dict[str, str]) -> Any:
    request = urllib.request.Request(url, headers={"User-Agent": "mmte", **headers})
    if index.login and urlsplit(url).netloc == index.host:
        token = base64.b64encode(index.login.encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {token}")
    context = ssl.create_default_context()
    if index.ca_file:
        with contextlib.suppress(OSError):
            context.load_verify_locations(index.ca_file)
    opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context), _SafeRedirects(index))
    return opener.open(request, timeout=_TIMEOUT)


@contextmanager
def _network(host: str) -> Iterator[None]:
    """Whatever the network does wrong in here is `Unreachable`; errors of the disk are not meant."""
    try:
        yield
    except urllib.error.HTTPError as error:
        error.close()
        what = f"{error.code} {error.reason} for {urlsplit(error.url).path}"
        raise Unreachable(f"the package index {host} answers {what}") from None
    except (OSError, HTTPException) as error:
        why = getattr(error, "reason", None) or error
        why = getattr(why, "strerror", None) or why
        raise Unreachable(f"the package index {host} could not be reached ({one_line(str(why), 120)})") from None


class _SafeRedirects(urllib.request.HTTPRedirectHandler):
    def __init__(self, index: Index) -> None:
        self._index = index

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if not self._index.trusts(newurl):
            raise urllib.error.HTTPError(req.full_url, code, "with a redirect to an insecure address", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _pip_config() -> dict[str, str]:
    """pip's settings (`global.index-url` ...); empty where there is no pip."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    try:
        shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return {}
    settings = {}
    for line in shown.splitlines():
        name, equals, value = line.partition("=")
        if equals:
            with contextlib.suppress(ValueError, SyntaxError):
                settings[name] = str(ast.literal_eval(value))
    return settings


def _json_links(body: bytes) -> Iterator[tuple[str, str]]:
    with contextlib.suppress(ValueError, AttributeError):  # a malformed page names no file
        for file in json.loads(body).get("files", []):
            yield str(file.get("filename")), str(file.get("url"))


def _html_links(body: bytes) -> Iterator[tuple[str, str]]:
    links: list[tuple[str, str]] = []

    class Anchors(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            href = dict(attrs).get("href")
            if tag == "a" and href:
                links.append((unquote(urlsplit(href).path).rpartition("/")[2], href))

    Anchors().feed(body.decode("utf-8", "replace"))
    return iter(links)
