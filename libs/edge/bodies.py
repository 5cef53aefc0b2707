"""Addresses must be printable; request bodies are read once, bounded, and must be well-formed JSON before anything
else looks at them."""

from urllib.parse import unquote_plus

from pydantic_core import from_json
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from libs.edge.problems import Problem

MAX_BODY = 64 * 1024
"""Bytes. The largest honest request is a table's configuration of about 2 kB."""

DRAINED = 1024 * 1024
"""Bytes of a body that is too large which are still read, and thrown away, so that the caller gets to read the no."""


class BoundedBodies:
    """ASGI middleware: 413 above `MAX_BODY` before parsing, 400 that names the place where JSON breaks off."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not _is_printable(scope):
            # No database takes a NUL, and no name of ours has a control character.
            refused = Problem(400, "malformed-address", "The address has characters that no name has.")
            await refused.response()(scope, receive, send)
            return
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        try:
            body = await _read(scope, receive)
            if body:
                check_json(body)
        except Problem as problem:
            await problem.response()(scope, receive, send)
            return
        if body is None:
            return
        await self._app(scope, _once(body, receive), send)


def _is_printable(scope: Scope) -> bool:
    return str(scope["path"]).isprintable() and unquote_plus(scope["query_string"].decode("latin-1")).isprintable()


def check_json(body: bytes) -> None:
    """Raises `Problem` 400 unless `body` is JSON by RFC 8259: no NaN, no lone surrogate, no bottomless nesting."""
    try:
        from_json(body, allow_inf_nan=False, cache_strings="none")
    except ValueError as wrong:
        raise Problem(400, "malformed-json", f"The body is not JSON: {wrong}.") from None


async def _read(scope: Scope, receive: Receive) -> bytes | None:
    """The whole body; None when the caller hung up."""
    if _announced(scope) > DRAINED:
        raise _too_large()
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= MAX_BODY:
            chunks.append(chunk)
        more = message.get("more_body", False)
        if size > DRAINED or (size > MAX_BODY and not more):
            raise _too_large()
        if not more:
            return b"".join(chunks)


def _announced(scope: Scope) -> int:
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() and len(length) < 20 else 0


def _too_large() -> Problem:
    return Problem(413, "body-too-large", f"A body has at most {MAX_BODY} bytes.", headers={"connection": "close"})


def _once(body: bytes, receive: Receive) -> Receive:
    """Hands the buffered body on, then whatever the server says next."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
