"""Logins without a house around them: an operator's credential, and people whose provider is the demo's, in memory."""

from pathlib import Path

import httpx
from httpx import ASGITransport

from libs.contracts.roles import SCOPES, Role
from libs.identity.callers import Callers
from libs.identity.operators import add_operator, new_token
from libs.identity.purpose import PURPOSE
from libs.identity.settings import LoginSettings, callers_with
from services.demo_provider.application import DemoProvider, application
from services.demo_provider.people import People
from services.demo_provider.tokens import access_token, signing_key

ISSUER = "http://127.0.0.1:1"
AUDIENCE = "croupier"
KEY = signing_key(b"a seed for the tests' provider..")
OPERATOR_TOKEN = new_token("platform")
AS_PLATFORM = {"authorization": f"Bearer {OPERATOR_TOKEN}", PURPOSE: "a test"}


def operators_file(folder: Path) -> Path:
    """With one credential that has every scope but that of the house itself."""
    scopes = [scope for scope in SCOPES if scope != "house"]
    add_operator(folder / "operators.json", "platform", scopes, 0, OPERATOR_TOKEN)
    return folder / "operators.json"


def provider_client() -> httpx.AsyncClient:
    """What it asks is answered by the demo's provider, in this process."""
    provider = DemoProvider(ISSUER, AUDIENCE, KEY, People({}))
    return httpx.AsyncClient(transport=ASGITransport(application(provider)), base_url=ISSUER)


def staff_token(*roles: Role, subject: str = "ana") -> str:
    return access_token(KEY, ISSUER, AUDIENCE, subject, roles)


def callers(folder: Path) -> Callers:
    settings = LoginSettings(operators_file=operators_file(folder), oidc_issuer=ISSUER)
    return callers_with(settings, provider_client())
