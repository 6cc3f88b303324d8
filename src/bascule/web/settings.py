"""What a server is told when it starts, and what follows from that: by which names clients may come."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import urlsplit

import msgspec

from bascule.errors import OptionError

MIB: Final = 1024 * 1024
LOCAL_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How long a socket waits, in seconds."""

    beat_s: float = 15
    """A socket that has nothing to tell says so, so that its reader knows that it lives."""
    silent_s: float = 45
    """A reader that says nothing for so long is gone."""
    hello_s: float = 10
    """One that does not say what it wants is none."""
    slow_s: float = 10
    """A reader that takes one frame for so long is told to begin anew; what waits for it is dropped."""
    stuck_s: float = 30
    """After so long it is let go."""
    frame_s: float = 1 / 30
    """The shortest time between two deltas of one item."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Where a server listens, and by which names it is known."""

    host: str = "127.0.0.1"
    port: int = 7440
    """0: one that is free."""
    public_url: str | None = None
    """How clients reach it, where that is not by host and port: through a proxy, a tunnel, a name of the network."""
    tls_cert: str | None = None
    tls_key: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    """More names that clients may use: ``box.lan``, at any port, or ``box.lan:7440``."""
    allowed_origins: tuple[str, ...] = ()
    """More pages that may speak to it: ``https://panel.example``."""
    upload_bytes: int = 32 * MIB
    """A request larger than that is refused."""
    file_bytes: int = 10 * MIB
    """Of a workspace file, at most so much is sent."""
    pace: Pace = Pace()

    @property
    def scheme(self) -> str:
        """Of the server itself; a proxy before it may speak another one."""
        return "https" if self.tls_cert else "http"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host == "localhost" or (_is_address(self.host) and ipaddress.ip_address(self.host).is_loopback)

    @property
    def is_secure(self) -> bool:
        """Whether clients come over TLS: a cookie is for such connections only then."""
        return self.url.startswith("https:")

    @property
    def url(self) -> str:
        """What clients open."""
        if self.public_url:
            return self.public_url.rstrip("/")
        host = "127.0.0.1" if _is_any(self.host) else self.host
        return f"{self.scheme}://{_authority(host, self.port, self.scheme)}"


def checked(settings: Settings) -> Settings:
    """The settings, if they make sense together. Raises ``OptionError`` with the one that is wrong."""
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise OptionError("--tls-cert and --tls-key belong together: give both, or neither")
    if not 0 <= settings.port <= 65_535:
        raise OptionError(f"there is no port {settings.port}: choose one up to 65535, or 0 for a free one")
    for url in (*filter(None, [settings.public_url]), *settings.allowed_origins):
        _check_url(url)
    if _is_any(settings.host) and not (settings.public_url or settings.allowed_hosts):
        raise OptionError(f"{settings.host} is every address of this machine: say with --public-url what clients open")
    return settings


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise OptionError(f"{url!r} is no address of a server: https://NAME[:PORT] is")
    if parts.path not in ("", "/"):
        raise OptionError(f"{url!r} has a path: bascule is served from the top of a name, https://{parts.netloc}")


def warnings(settings: Settings) -> tuple[str, ...]:
    """What its owner should know before others can reach it; empty when all is well."""
    if settings.is_loopback or settings.is_secure:
        return ()
    return (
        f"{settings.host} can be reached from elsewhere, and without TLS whoever listens on the way sees the token and"
        " all that is said: give --tls-cert and --tls-key, or a --public-url of a proxy that speaks https",
    )


def allowed_hosts(settings: Settings) -> frozenset[str]:
    """What a ``Host`` header may say; a name without a port stands for that name at any port."""
    own = {_authority(name, settings.port, settings.scheme) for name in _own_names(settings)}
    public = {urlsplit(settings.public_url).netloc.lower()} if settings.public_url else set()
    return frozenset(own | public | {name.lower() for name in settings.allowed_hosts})


def allowed_origins(settings: Settings) -> frozenset[str]:
    """What an ``Origin`` header may say."""
    own = {f"{settings.scheme}://{_authority(name, settings.port, settings.scheme)}" for name in _own_names(settings)}
    named = {_origin(url) for url in (*filter(None, [settings.public_url]), *settings.allowed_origins)}
    return frozenset(own | named)


def _own_names(settings: Settings) -> tuple[str, ...]:
    """A server on one address of the network is not known as ``localhost``."""
    if settings.is_loopback or _is_any(settings.host):
        return LOCAL_NAMES
    return (settings.host,)


def _authority(host: str, port: int, scheme: str) -> str:
    name = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return name.lower() if port == DEFAULT_PORTS[scheme] else f"{name.lower()}:{port}"


def _origin(url: str) -> str:
    """As a browser writes it: without a default port, without a path."""
    parts = urlsplit(url)
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    return f"{parts.scheme}://{_authority(parts.hostname or '', port, parts.scheme)}"


def _is_any(host: str) -> bool:
    return host in ("", "*") or (_is_address(host) and ipaddress.ip_address(host).is_unspecified)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
