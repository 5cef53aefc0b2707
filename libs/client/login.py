"""Logging in at an OpenID Connect provider by authorization code and PKCE, for programs that have name and password."""

import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from urllib.parse import parse_qs, urlsplit

import httpx

_BACK = "http://127.0.0.1/back"
"""Where a browser would be sent; the code is read from that address, and nothing is asked there."""


class LoginFailed(RuntimeError):
    """The provider gave no token."""


async def log_in(issuer: str, name: str, password: str, client_id: str = "croupier") -> str:
    """An access token, by the page of the demo's provider."""
    verifier = secrets.token_urlsafe(48)
    challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    async with httpx.AsyncClient(timeout=10.0) as client:
        known = (await client.get(f"{issuer}/.well-known/openid-configuration")).raise_for_status().json()
        form = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": _BACK,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            "state": secrets.token_urlsafe(16),
            "name": name,
            "password": password,
        }
        sent_back = await client.post(known["authorization_endpoint"], data=form)
        answer = parse_qs(urlsplit(sent_back.headers.get("location", "")).query)
        if answer.get("state") != [form["state"]] or "code" not in answer:
            raise LoginFailed(f"{name} was not let in")
        exchange = {
            "grant_type": "authorization_code",
            "code": answer["code"][0],
            "code_verifier": verifier,
            "client_id": client_id,
            "redirect_uri": _BACK,
        }
        given = await client.post(known["token_endpoint"], data=exchange)
        if given.status_code != httpx.codes.OK:
            raise LoginFailed(f"{name} got no token")
        return str(given.json()["access_token"])
