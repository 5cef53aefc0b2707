"""503 until all that the topics held at the start has been read: no view is older than one shown before."""

from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from libs.edge.problems import Problem


class ShutUntil:
    """ASGI middleware: 503 and a refused WebSocket under `/v1` until `is_open` says so; health answers all the time."""

    def __init__(self, app: ASGIApp, is_open: Callable[[], bool]) -> None:
        self._app = app
        self._is_open = is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or not scope["path"].startswith("/v1/") or self._is_open():
            await self._app(scope, receive, send)
        else:
            # Of a WebSocket's handshake this is the HTTP answer; a bare close would be a 403, as for a bad token.
            shut = Problem(
                503, "restoring", "The gateway is reading what happened; try again.", headers={"retry-after": "1"}
            )
            await shut.response()(scope, receive, send)
