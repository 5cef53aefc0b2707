"""What the environment tells a service of logins, and what it makes of that."""

import time
from pathlib import Path

import httpx
from pydantic import Field
from pydantic_settings import BaseSettings

from libs.edge.shares import Buckets, Share
from libs.identity.callers import READS, Callers
from libs.identity.failures import Attempts
from libs.identity.oidc import OpenIdProvider
from libs.identity.operators import Operators


class LoginSettings(BaseSettings):
    """A service's settings derive from it."""

    operators_file: Path | None = None
    """Credentials of operators' platforms (`croupier operator`); without it no platform comes in."""
    oidc_issuer: str = ""
    """The house's OpenID Connect provider; without it nobody of the staff comes in."""
    oidc_audience: str = "croupier"
    oidc_roles_claim: str = "roles"
    oidc_algorithms: frozenset[str] = frozenset({"RS256", "PS256", "ES256", "EdDSA"})
    oidc_leeway_s: float = Field(default=30.0, ge=0, le=300)
    oidc_longest_s: float = Field(default=3600.0, gt=0)
    login_failures: int = Field(default=10, ge=1)
    login_lock_s: float = Field(default=300.0, gt=0)
    person_reads: Share = READS
    """Looks at cards and persons by one principal."""


def provider_client() -> httpx.AsyncClient:
    """Asks the provider for its keys."""
    return httpx.AsyncClient(timeout=5.0, follow_redirects=False)


def callers_with(settings: LoginSettings, client: httpx.AsyncClient) -> Callers:
    """ValueError for an issuer or algorithms that are not safe."""
    provider = None
    if settings.oidc_issuer:
        provider = OpenIdProvider(
            settings.oidc_issuer,
            settings.oidc_audience,
            client,
            settings.oidc_roles_claim,
            settings.oidc_algorithms,
            settings.oidc_leeway_s,
            settings.oidc_longest_s,
        )
    attempts = Attempts(settings.login_failures, settings.login_lock_s, time.monotonic)
    reads = Buckets("reads", settings.person_reads, time.monotonic)
    return Callers(Operators(settings.operators_file), provider, attempts, reads=reads)
