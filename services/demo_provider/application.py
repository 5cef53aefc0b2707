"""Discovery, keys, a login page and the authorization-code flow with PKCE (RFC 7636)."""

import secrets
import time
from base64 import urlsafe_b64encode
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from services.demo_provider.people import People, Person
from services.demo_provider.tokens import LIFE_S, SigningKey, access_token

CODE_S = 60.0
MAX_CODES = 1_000
_ASKED = ("response_type", "client_id", "redirect_uri", "code_challenge", "code_challenge_method", "state")
_PAGE = """<!doctype html><title>Croupier demo login</title><h1>Demo login</h1><p>For demo and tests only.</p>{said}
<form method="post"><label>Name <input name="name" autofocus></label>
<label>Password <input name="password" type="password"></label>{hidden}<button>Log in</button></form>"""


@dataclass(frozen=True, slots=True)
class _Code:
    person: Person
    challenge: str
    client: str
    redirect: str
    until: float


@dataclass(slots=True)
class DemoProvider:
    issuer: str
    audience: str
    key: SigningKey
    people: People
    _codes: OrderedDict[str, _Code] = field(default_factory=OrderedDict, repr=False)

    async def discovery(self, _: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/jwks",
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code"],
                "code_challenge_methods_supported": ["S256"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["EdDSA"],
                "token_endpoint_auth_methods_supported": ["none"],
            }
        )

    async def keys(self, _: Request) -> Response:
        return JSONResponse({"keys": [self.key.jwk]})

    async def page(self, request: Request) -> Response:
        asked = {name: request.query_params.get(name, "") for name in _ASKED}
        wrong = _why_not(asked)
        return JSONResponse({"error": "invalid_request", "error_description": wrong}, 400) if wrong else _form(asked)

    async def log_in(self, request: Request) -> Response:
        said = await _form_of(request)
        asked = {name: said.get(name, "") for name in _ASKED}
        if wrong := _why_not(asked):
            return JSONResponse({"error": "invalid_request", "error_description": wrong}, 400)
        person = self.people.log_in(said.get("name", ""), said.get("password", ""))
        if person is None:
            return _form(asked, "<p>Not that name and password, or too many wrong ones.</p>", 401)
        code = secrets.token_urlsafe(32)
        self._codes[code] = _Code(
            person, asked["code_challenge"], asked["client_id"], asked["redirect_uri"], time.monotonic() + CODE_S
        )
        if len(self._codes) > MAX_CODES:
            self._codes.popitem(last=False)
        back = urlencode({"code": code, **({"state": asked["state"]} if asked["state"] else {})})
        return RedirectResponse(f"{asked['redirect_uri']}?{back}", 303)

    async def token(self, request: Request) -> Response:
        said = await _form_of(request)
        if said.get("grant_type") != "authorization_code":
            return JSONResponse({"error": "unsupported_grant_type"}, 400)
        code = self._codes.pop(said.get("code", ""), None)
        proof = urlsafe_b64encode(sha256(said.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
        given = (proof, said.get("client_id"), said.get("redirect_uri"))
        if code is None or code.until < time.monotonic() or given != (code.challenge, code.client, code.redirect):
            return JSONResponse({"error": "invalid_grant"}, 400)
        token = access_token(self.key, self.issuer, self.audience, code.person.subject, code.person.roles)
        answer = {"access_token": token, "token_type": "Bearer", "expires_in": LIFE_S}
        return JSONResponse(answer, headers={"cache-control": "no-store"})


def application(provider: DemoProvider) -> Starlette:
    routes = [
        Route("/.well-known/openid-configuration", provider.discovery),
        Route("/jwks", provider.keys),
        Route("/authorize", provider.page),
        Route("/authorize", provider.log_in, methods=["POST"]),
        Route("/token", provider.token, methods=["POST"]),
    ]
    return Starlette(routes=routes)


def _why_not(asked: dict[str, str]) -> str:
    """Only addresses of this machine are sent back to, and only with PKCE."""
    if asked["response_type"] != "code" or asked["code_challenge_method"] != "S256" or not asked["code_challenge"]:
        return "a code with PKCE (S256) is what there is"
    back = urlsplit(asked["redirect_uri"])
    if back.scheme not in ("http", "https") or back.hostname not in ("127.0.0.1", "localhost") or back.fragment:
        return "redirect_uri has to be an address of this machine"
    return ""


def _form(asked: dict[str, str], said: str = "", status: int = 200) -> Response:
    hidden = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in asked.items())
    headers = {"content-security-policy": "default-src 'none'; frame-ancestors 'none'", "cache-control": "no-store"}
    return HTMLResponse(_PAGE.format(said=said, hidden=hidden), status, headers)


async def _form_of(request: Request) -> dict[str, str]:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > 16 * 1024:
            return {}
    return {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}
