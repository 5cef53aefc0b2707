"""`python -m services.demo_provider`: the demo's logins, on this machine alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from libs.edge.process import run_until_told
from libs.edge.serve import serving
from libs.sealing.key_files import hex_key
from libs.telemetry import configure
from services.demo_provider.application import DemoProvider, application
from services.demo_provider.people import read_people
from services.demo_provider.tokens import signing_key


class DemoProviderSettings(BaseSettings):
    """What the environment tells it; it is started by `croupier demo`, `croupier provider` and tests."""

    model_config = SettingsConfigDict(env_prefix="CROUPIER_", extra="ignore")

    http_port: int = Field(default=8084, ge=1, le=65535)
    provider_key_file: Path
    people_file: Path
    oidc_audience: str = "croupier"


@asynccontextmanager
async def running(settings: DemoProviderSettings) -> AsyncIterator[int]:
    issuer = f"http://127.0.0.1:{settings.http_port}"
    key = signing_key(hex_key(settings.provider_key_file))
    provider = DemoProvider(issuer, settings.oidc_audience, key, read_people(settings.people_file))
    async with serving(application(provider), settings.http_port, "127.0.0.1") as port:
        yield port


def main() -> None:
    configure("demo-provider")
    run_until_told("demo-provider", running(DemoProviderSettings()))


if __name__ == "__main__":
    main()
