"""Request bodies are read when somebody wants them, so after the login; bounded, once, and well-formed JSON before
anything else looks at them."""

from pydantic_core import from_json
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from libs.edge.problems import Problem

MAX_BODY = 64 * 1024
"""Bytes. The largest honest request is a table's configuration of about 2 kB."""


class BoundedBodies:
    """ASGI middleware: whoever reads a body gets 413 above `MAX_BODY` before it is parsed, 400 that names the place
    where JSON breaks off, both raised as `Problem`. What nobody reads costs nothing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            receive = _whole(scope, receive)
        await self._app(scope, receive, send)


def check_json(body: bytes) -> None:
    """Raises `Problem` 400 unless `body` is JSON by RFC 8259: no NaN, no lone surrogate, no bottomless nesting."""
    try:
        from_json(body, allow_inf_nan=False, cache_strings="none")
    except ValueError as wrong:
        raise Problem(400, "malformed-json", f"The body is not JSON: {wrong}.") from None


def _whole(scope: Scope, receive: Receive) -> Receive:
    """Gives the whole body at the first call, then whatever the server says next."""
    given = False

    async def read() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        body = await _read(scope, receive)
        if body:
            check_json(body)
        return {"type": "http.request", "body": body, "more_body": False}

    return read


async def _read(scope: Scope, receive: Receive) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while max(size, _announced(scope)) <= MAX_BODY:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Problem(400, "body-broken-off", "The connection ended before the body did.")
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size <= MAX_BODY and not message.get("more_body", False):
            return b"".join(chunks)
    # What still comes the server throws away for a while, so that its sender gets to read this.
    raise Problem(413, "body-too-large", f"A body has at most {MAX_BODY} bytes.")


def _announced(scope: Scope) -> int:
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() and len(length) < 20 else 0
