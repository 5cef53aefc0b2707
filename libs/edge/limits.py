"""What a connection may cost before anybody knows who it is, and where a service listens."""

import resource
from typing import NamedTuple

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from libs.edge.shares import Share

RESERVE = 256
"""File descriptors kept for broker, database, keys and logs."""


class Limits(NamedTuple):
    """Of one listening port. Sizes in bytes, times in seconds."""

    connections: int = 10_000
    address_connections: int = 500
    """Of one address (of IPv6: one /64 network); WebSockets that come through a trusted proxy count by their own."""
    address_requests: Share = Share(2_500, 25_000)
    address_bytes: Share = Share(2_000_000, 20_000_000)
    """What one address sends, known players' WebSockets left out; above it a connection that has sent more than its
    equal part is not read for a while."""

    head_bytes: int = 16 * 1024
    """Of request line and header fields together."""
    head_fields: int = 64
    target_bytes: int = 4 * 1024
    """Of path and query."""
    pipelined: int = 2
    """Requests that are sent before the one before was answered."""
    discarded: int = 1024 * 1024
    """Of a body that nobody wants: so much is thrown away, so that its sender reads the answer; then it is cut."""

    head_s: float = 10.0
    """From the connection, or the first byte of a further request, to the end of its head."""
    body_s: float = 30.0
    """From there to the end of its body."""
    idle_s: float = 30.0
    """Between two requests."""
    linger_s: float = 2.0
    """How long who was refused may read the answer."""
    standstill_s: float = 30.0
    """How long somebody may take nothing of what was sent."""
    sweep_s: float = 1.0
    """How often it is looked who is over time."""

    trusted_proxies: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    hsts_s: int = 0


DEFAULTS = Limits()


class InnerSettings(BaseSettings):
    """Where health and metrics are told: loopback, or an address that only the cluster reaches."""

    model_config = SettingsConfigDict(env_prefix="CROUPIER_", extra="ignore", populate_by_name=True)

    inner_host: str = "127.0.0.1"
    inner_port: int = Field(ge=0, le=65535)


class EdgeSettings(InnerSettings):
    """A service's public port, and what may be asked of it."""

    http_host: str = "127.0.0.1"
    http_port: int = Field(ge=0, le=65535)
    docs: bool = False
    """Whether the OpenAPI document and its pages are there; they hold no secrets."""
    hosts: tuple[str, ...] = ()
    """Names by which the service may be asked for; none: any."""
    hsts_s: int = Field(default=0, ge=0)
    """Seconds of Strict-Transport-Security; 0: not told, for somebody before it may speak plain HTTP."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks whose `X-Forwarded-For` is believed."""
    connections: int = Field(default=10_000, ge=1)
    """At once, WebSockets among them."""
    address_connections: int = Field(default=500, ge=1)
    """The same of one address."""
    address_requests: Share = Share(2_500, 25_000)
    """Requests and handshakes of one address."""
    address_bytes: Share = Share(2_000_000, 20_000_000)
    """Bytes that one address sends, known players' WebSockets left out."""

    def limits(self) -> Limits:
        """As the process can keep them: it never takes more connections than it may open files."""
        return Limits(
            connections=min(self.connections, max(16, _most_files() - RESERVE)),
            address_connections=self.address_connections,
            address_requests=self.address_requests,
            address_bytes=self.address_bytes,
            trusted_proxies=self.trusted_proxies,
            hosts=self.hosts,
            hsts_s=self.hsts_s,
        )


def _most_files() -> int:
    """Raises the soft limit to the hard one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return 1 << 30 if hard == resource.RLIM_INFINITY else hard
