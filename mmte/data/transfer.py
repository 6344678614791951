"""One file over http(s): from listed hosts only, resumed, checked, and never from a private network by surprise."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import ipaddress
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

from mmte.data.catalogue import Catalogue
from mmte.errors import MmteError
from mmte.models.text import one_line

Progress = Callable[[int, int | None], None]
LARGEST: Final = 64 * 2**30
"""More bytes than any set has: a server that sends without end is stopped here."""
_TIMEOUT: Final = 30.0  # seconds without a byte
_ATTEMPTS: Final = 5
_LONGEST_WAIT: Final = 120.0
_CHUNK: Final = 2**16


class Broken(Exception):
    """A transfer that may go on later; `wait` is what the server asked for, in seconds."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


def fetch(
    catalogue: Catalogue,
    url: str,
    part: Path,
    *,
    size: int | None,
    sha256: str,
    progress: Progress | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> str:
    """Download `url` into `part`, going on where an earlier attempt stopped; returns the sha256.

    No credentials are sent, to nobody. A redirect is followed to listed hosts only; so that a name cannot lead into
    the user's own network, a host that is not itself listed as an address must have a public one.

    Args:
        catalogue: which hosts are listed.
        size, sha256: what is known of the file; None and "": nothing.
        progress: told of bytes so far and in all.
        sleep: between attempts.

    Raises:
        MmteError: the host is not listed, the file is another one (it is deleted), or the server keeps failing (what
            arrived stays for the next time).
    """
    last = ""
    for attempt in range(_ATTEMPTS):
        have = part.stat().st_size if part.exists() else 0
        if size is not None and have == size:
            break
        try:
            _rest(catalogue, url, part, have, size, progress)
            break
        except Broken as broken:
            last = str(broken)
            brought = part.exists() and part.stat().st_size > have
            if attempt == _ATTEMPTS - 1:
                raise MmteError(f"{url}: {last}; run the same command again to go on") from None
            sleep(min(broken.wait if broken.wait is not None else 0.0 if brought else 2.0**attempt, _LONGEST_WAIT))
    return _checked(part, url, size, sha256)


def _checked(part: Path, url: str, size: int | None, sha256: str) -> str:
    with part.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    got = part.stat().st_size
    if (size is not None and got != size) or (sha256 and digest != sha256):
        part.unlink()
        what = f"{got} bytes, sha256 {digest[:16]}..." if got else "empty"
        raise MmteError(f"{url}: is not the pinned file ({what}); it was deleted. Has the publisher changed it?")
    return digest


def _rest(
    catalogue: Catalogue, url: str, part: Path, have: int, size: int | None, progress: Progress | None
) -> None:
    headers = {"User-Agent": "mmte", "Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    request = urllib.request.Request(url, headers=headers)
    with _telling(url), _opener(catalogue).open(request, timeout=_TIMEOUT) as reply:
        goes_on = reply.status == 206 and str(reply.headers.get("Content-Range", "")).startswith(f"bytes {have}-")
        done = have if goes_on else 0
        length = reply.headers.get("Content-Length")
        whole = done + int(length) if length and length.isdigit() else None
        limit = size if size is not None else LARGEST
        if whole is not None and whole > limit:
            raise MmteError(f"{url}: sends {whole} bytes where {limit} are the most; nothing was kept")
        with part.open("ab" if goes_on else "wb") as file:
            done = _copied(reply, file, done, limit, lambda n: progress(n, size or whole) if progress else None)
    if done > limit:
        part.unlink()
        raise MmteError(f"{url}: sends more than {limit} bytes; it was deleted")
    if whole is not None and done < whole:
        raise Broken(f"the connection ended after {done} of {whole} bytes")


def _copied(reply: Any, file: IO[bytes], done: int, limit: int, tell: Callable[[int], None]) -> int:
    while done <= limit:
        chunk = reply.read(min(_CHUNK, limit + 1 - done))  # one byte more shows that the file is another one
        if not chunk:
            break
        file.write(chunk)
        done += len(chunk)
        tell(done)
    return done


@contextmanager
def _telling(url: str) -> Iterator[None]:
    """What can go wrong on the way, as something to try again or as one line."""
    try:
        yield
    except urllib.error.HTTPError as error:
        if error.code == 416:  # what is there already is not a part of what the server has
            raise Broken("the server has no more than what is there") from None
        if error.code in (408, 425, 429) or error.code >= 500:
            raise Broken(f"the server says {error.code} {error.reason}", _retry_after(error.headers)) from None
        raise MmteError(f"{url}: the server says {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            raise MmteError(f"{url}: its certificate is not trusted ({error.reason.verify_message})") from None
        raise Broken(one_line(str(error.reason))) from None
    except (TimeoutError, ConnectionError, http.client.HTTPException, ssl.SSLError) as error:
        raise Broken(one_line(str(error)) or type(error).__name__) from None


def _retry_after(headers: Any) -> float | None:
    text = (headers.get("Retry-After") or "").strip() if headers else ""
    if text.isdigit():
        return float(text)
    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time()) if text else None
    return None


# -- where a connection may lead -----------------------------------------------------------------
def _opener(catalogue: Catalogue) -> urllib.request.OpenerDirector:
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(), _Plain(), _Secure(), _Redirects(catalogue), urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(), _Listed(catalogue),
    ):  # fmt: skip
        opener.add_handler(handler)
    return opener


class _Listed(urllib.request.BaseHandler):
    """Refuses every address that the catalogue does not list, the first one and those of redirects."""

    handler_order = 1

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def http_request(self, request: urllib.request.Request) -> urllib.request.Request:
        if not self.catalogue.lists(request.full_url):
            host = urlsplit(request.full_url).netloc or request.full_url
            raise MmteError(f"data: {host} is not among the hosts that data may come from; nothing was fetched from it")
        return request

    https_request = http_request


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to listed hosts, never from https to http."""

    max_redirections = 5

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: str) -> Any:
        if not self.catalogue.lists(newurl) or (req.type == "https" and urlsplit(newurl).scheme != "https"):
            where = urlsplit(newurl)
            raise MmteError(
                f"{req.full_url}: leads to {where.scheme}://{where.netloc}, which is not among the hosts that data may "
                "come from; nothing was fetched from there"
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _public(connection: http.client.HTTPConnection) -> None:
    """Refuse a connection whose other end is in a private network, unless the address itself was named."""
    host = connection.host
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(host)
        return  # a literal address is allowed because the catalogue lists it
    if getattr(connection, "_tunnel_host", None) or host in _proxies():
        return  # the other end is the proxy that the user has set
    peer = ipaddress.ip_address(str(connection.sock.getpeername()[0]).partition("%")[0])
    if not peer.is_global:
        connection.close()
        raise MmteError(f"data: {host} leads to {peer}, a private address; nothing was fetched from it")


def _proxies() -> set[str]:
    return {urlsplit(proxy).hostname or "" for proxy in urllib.request.getproxies().values()}


class _PlainConnection(http.client.HTTPConnection):
    def connect(self) -> None:
        super().connect()
        _public(self)


class _SecureConnection(http.client.HTTPSConnection):
    def connect(self) -> None:
        super().connect()
        _public(self)


class _Plain(urllib.request.HTTPHandler):
    def http_open(self, req: Any) -> Any:
        return self.do_open(_PlainConnection, req)


class _Secure(urllib.request.HTTPSHandler):
    def https_open(self, req: Any) -> Any:
        return self.do_open(_SecureConnection, req, context=ssl.create_default_context())


