"""A cluster's address, and the login with which one process comes to it."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from libs.sealing.key_files import BadKey, secret_text

MECHANISM = "SCRAM-SHA-512"
PLATFORMS_MECHANISM = "SCRAM-SHA-256"
"""Of platforms alone, on a listener of their own: so none can come in where the house does, and hold it up."""


@dataclass(frozen=True, slots=True)
class Broker:
    """Without `user` no login is shown, without `ca_file` nothing is encrypted; whether it will do, the broker says."""

    bootstrap: str
    user: str | None = None
    password_file: Path | None = None
    ca_file: Path | None = None
    """Certificate (PEM) of who vouches for the broker; with it everything goes over TLS."""
    mechanism: str = MECHANISM

    def options(self, bootstrap: str | None = None) -> dict[str, Any]:
        """What any client of aiokafka is given. Raises `BadKey`, which names the file, never the password."""
        return {"bootstrap_servers": bootstrap or self.bootstrap, **self.security()}

    def security(self) -> dict[str, Any]:
        """The same without the address; the password is read anew each time, since it may have been changed."""
        if self.user is None:
            return {"security_protocol": "SSL", "ssl_context": self._context()} if self.ca_file else {}
        if self.password_file is None:
            raise BadKey(f"no password file for the Kafka user {self.user}")
        found: dict[str, Any] = {
            "security_protocol": "SASL_SSL" if self.ca_file else "SASL_PLAINTEXT",
            "sasl_mechanism": self.mechanism,
            "sasl_plain_username": self.user,
            "sasl_plain_password": secret_text(self.password_file),
        }
        return {**found, "ssl_context": self._context()} if self.ca_file else found

    def environment(self) -> dict[str, str]:
        """The variables that make a service's settings find this broker."""
        files = {"CROUPIER_KAFKA_PASSWORD_FILE": self.password_file, "CROUPIER_KAFKA_CA_FILE": self.ca_file}
        return {
            "KAFKA_BOOTSTRAP_SERVERS": self.bootstrap,
            **({"CROUPIER_KAFKA_USER": self.user} if self.user else {}),
            **{name: str(file) for name, file in files.items() if file},
        }

    def settings(self) -> dict[str, Any]:
        """The same as fields of `BrokerSettings`."""
        return {
            "bootstrap": self.bootstrap,
            "kafka_user": self.user,
            "kafka_password_file": self.password_file,
            "kafka_ca_file": self.ca_file,
        }

    def _context(self) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except (OSError, ssl.SSLError):
            name = self.ca_file.name if self.ca_file else ""
            raise BadKey(f"{name} can't be read as a certificate") from None


class BrokerSettings(BaseSettings):
    """What every process that comes to the broker is told; a service adds its own."""

    model_config = SettingsConfigDict(env_prefix="CROUPIER_", extra="ignore", populate_by_name=True)

    bootstrap: str = Field(alias="KAFKA_BOOTSTRAP_SERVERS")
    kafka_user: str | None = None
    """Login at the broker (SCRAM-SHA-512); none: the broker is asked for none."""
    kafka_password_file: Path | None = None
    kafka_ca_file: Path | None = None
    """Certificate of who vouches for the broker: with it, TLS."""

    @property
    def broker(self) -> Broker:
        return Broker(self.bootstrap, self.kafka_user, self.kafka_password_file, self.kafka_ca_file)
