"""A refusal over HTTP: RFC 9457 problem documents, and the exception that carries one."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):
    """A refusal at the door. `slug` is its closed name, e.g. `idempotency-key-reused`; `detail` is one sentence.

    `extensions` are further members of the document (RFC 9457 3.2); none may hold a secret or an unseen card.
    """

    def __init__(
        self, status: int, slug: str, detail: str = "", *, headers: Mapping[str, str] | None = None, **extensions: Any
    ) -> None:
        super().__init__(slug)
        self.status = status
        self.slug = slug
        self.detail = detail
        self.headers = dict(headers or {})
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


def slug_of(status: int) -> str:
    """`not-found` for 404: the name of a problem that has nothing more to say than its status."""
    try:
        return HTTPStatus(status).phrase.lower().replace(" ", "-").replace("'", "")
    except ValueError:
        return "problem"


def _title(slug: str) -> str:
    return slug.replace("-", " ").capitalize()
