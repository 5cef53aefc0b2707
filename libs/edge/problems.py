"""A refusal over HTTP: RFC 9457 problem documents, and the exception that carries one."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"
SAFE: Mapping[str, str] = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Header fields of every answer: the asker's alone, and nothing that a browser runs or shows in a frame."""


class Problem(HTTPException):
    """A refusal at the door. `slug` is its closed name, e.g. `idempotency-key-reused`; `detail` is one sentence.

    It is one of Starlette's, so that a framework that reads a body for us lets it pass. `extensions` are further
    members of the document (RFC 9457 3.2); none may hold a secret or an unseen card.
    """

    def __init__(
        self, status: int, slug: str, detail: str = "", *, headers: Mapping[str, str] | None = None, **extensions: Any
    ) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.status = status
        self.slug = slug
        self.extensions = extensions

    def document(self) -> dict[str, Any]:
        """The members of RFC 9457 3.1, then the extensions."""
        return {
            "type": f"urn:croupier:problem:{self.slug}",
            "title": _title(self.slug),
            "status": self.status,
            **({"detail": self.detail} if self.detail else {}),
            **self.extensions,
        }

    def response(self) -> Response:
        return Response(
            msgspec.json.encode(self.document()),
            status_code=self.status,
            headers=self.headers,
            media_type=MEDIA_TYPE,
        )

    def raw(self) -> bytes:
        """The whole answer as bytes of HTTP/1.1, after which the connection ends: for who never got to a route."""
        body = msgspec.json.encode(self.document())
        fields = {"content-type": MEDIA_TYPE, "content-length": str(len(body)), "connection": "close", **SAFE}
        lines = [f"{name}: {value}\r\n" for name, value in (fields | dict(self.headers or {})).items()]
        phrase = HTTPStatus(self.status).phrase
        return f"HTTP/1.1 {self.status} {phrase}\r\n{''.join(lines)}\r\n".encode() + body


def slug_of(status: int) -> str:
    """`not-found` for 404: the name of a problem that has nothing more to say than its status."""
    try:
        return HTTPStatus(status).phrase.lower().replace(" ", "-").replace("'", "")
    except ValueError:
        return "problem"


def _title(slug: str) -> str:
    return slug.replace("-", " ").capitalize()
