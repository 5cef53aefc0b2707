"""`python -m services.demo_provider`: the demo's logins, on this machine alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from libs.edge.health import inner_app
from libs.edge.limits import EdgeSettings
from libs.edge.process import run_until_told
from libs.edge.serve import Ports, serving_both
from libs.sealing.key_files import hex_key
from libs.telemetry import configure
from services.demo_provider.application import DemoProvider, application
from services.demo_provider.people import read_people
from services.demo_provider.tokens import signing_key


class DemoProviderSettings(EdgeSettings):
    """What the environment tells it; it is started by `croupier demo`, `croupier provider` and tests."""

    model_config = SettingsConfigDict(env_prefix="CROUPIER_", extra="ignore")

    http_port: int = Field(default=8084, ge=1, le=65535)
    inner_port: int = Field(default=9084, ge=0, le=65535)
    provider_key_file: Path
    people_file: Path
    oidc_audience: str = "croupier"


@asynccontextmanager
async def running(settings: DemoProviderSettings) -> AsyncIterator[Ports]:
    issuer = f"http://127.0.0.1:{settings.http_port}"
    key = signing_key(hex_key(settings.provider_key_file))
    on_this_machine = settings.model_copy(update={"http_host": "127.0.0.1"})
    provider = DemoProvider(issuer, settings.oidc_audience, key, read_people(settings.people_file))
    async with serving_both(application(provider), inner_app({}), on_this_machine) as ports:
        yield ports


def main() -> None:
    configure("demo-provider")
    run_until_told("demo-provider", running(DemoProviderSettings()))


if __name__ == "__main__":
    main()
