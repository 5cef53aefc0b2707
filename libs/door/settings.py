"""What the platforms' door is told."""

import ssl
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints
from pydantic_settings import SettingsConfigDict

from libs.door.door import Doorway
from libs.edge.limits import InnerSettings
from libs.sealing.key_files import BadKey

_Address = Annotated[str, StringConstraints(pattern=r"^\S+:\d{1,5}$")]


class DoorSettings(InnerSettings):
    """It has no login of its own: platforms bring theirs."""

    model_config = SettingsConfigDict(env_prefix="CROUPIER_", extra="ignore", populate_by_name=True)

    inner_port: int = Field(default=9085, ge=0, le=65535)
    door_routes: dict[_Address, _Address] = Field(min_length=1)
    """Where it listens, to the broker behind: one for each broker, which tells clients to come there."""
    door_connections: int = Field(default=16, ge=1)
    """To one broker at once, of all platforms."""
    door_address_connections: int = Field(default=16, ge=1)
    """The same of one address (of IPv6: one /64 network)."""
    door_login_connections: int = Field(default=6, ge=1)
    """The same of one login, from whatever addresses: a reader needs two or three."""
    door_certificate_file: Path | None = None
    """Key and certificates (PEM) that platforms are shown; none: no TLS with them."""
    kafka_ca_file: Path | None = None
    """Certificate of who vouches for the brokers; none: no TLS with them."""

    def doorways(self) -> list[Doorway]:
        found = ((where.rpartition(":"), broker) for where, broker in self.door_routes.items())
        return [Doorway(host, int(port), broker) for (host, _, port), broker in found]

    def shows(self) -> ssl.SSLContext | None:
        """Raises `BadKey`, which names the file, as `trusts` does."""
        if self.door_certificate_file is None:
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            context.load_cert_chain(self.door_certificate_file)
        except (OSError, ssl.SSLError):
            raise BadKey(f"{self.door_certificate_file.name} can't be read as a key and its certificate") from None
        return context

    def trusts(self) -> ssl.SSLContext | None:
        if self.kafka_ca_file is None:
            return None
        try:
            return ssl.create_default_context(cafile=self.kafka_ca_file)
        except (OSError, ssl.SSLError):
            raise BadKey(f"{self.kafka_ca_file.name} can't be read as a certificate") from None
