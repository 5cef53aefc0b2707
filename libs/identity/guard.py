"""Stands before every service: who asks is known from the headers alone, before a byte of the body is read."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qs, parse_qsl

import msgspec
from fastapi import FastAPI, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from libs.contracts.commands import fitted
from libs.edge.connections import network_of
from libs.edge.crowd import visit_in
from libs.edge.handlers import invalid_input
from libs.edge.problems import Problem
from libs.identity.access import SECURITY_SCHEMES, Access, Caller, access_in
from libs.identity.callers import Callers
from libs.identity.purpose import LONGEST_TARGET, PURPOSE, PURPOSE_PARAMETER, Purpose, Read


class Guard:
    """ASGI middleware. A path that is not declared is passed on, and nothing of ours answers there (`guarded`)."""

    def __init__(
        self,
        app: ASGIApp,
        routes: Iterable[BaseRoute],
        callers: Callers,
        admit: Callable[[Caller], None] | None = None,
        record: Callable[[Read], Awaitable[None]] | None = None,
    ) -> None:
        """`admit` may refuse one who asks too much; `record` keeps what must be kept, or nothing is answered."""
        self._app = app
        self._paths = Paths(routes)
        self._callers = callers
        self._admit = admit
        self._record = record

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self._paths.find(scope["method"], scope["path"]) if scope["type"] == "http" else None
        if found is None or found.access.everybody:
            await self._in_turn(scope)
        if found is None:
            await self._app(scope, receive, send)
            return
        path, access, queries = found
        try:
            caller = None if access.everybody else await self._known(scope, access)
            known_only(scope["query_string"], queries)
            if caller is not None:
                caller.own(*_whose(scope, path))
            if caller is not None and access.person and "house" not in caller.scopes:
                await self._on_record(scope, path, caller)
        except Problem as problem:
            await problem.response()(scope, receive, send)
            return
        scope.setdefault("state", {})["let_in"] = True
        scope["state"]["caller"] = caller
        await self._app(scope, receive, send)

    async def _in_turn(self, scope: Scope) -> None:
        """What everybody may ask is answered whatever token is shown, but past the crowd only to a true one."""
        visit, authorization = visit_in(scope), _authorization(scope)
        if visit is None:
            return
        if authorization and await self._callers.knows(authorization, _address(scope)):
            visit.of_known()
        else:
            await visit.of_stranger()

    async def _known(self, scope: Scope, access: Access) -> Caller:
        caller = await self._callers.caller(_authorization(scope), _address(scope))
        if (visit := visit_in(scope)) is not None:
            visit.of_known()
        access.check(caller)
        if self._admit is not None:
            self._admit(caller)
        return caller

    async def _on_record(self, scope: Scope, path: str, caller: Caller) -> None:
        query = scope["query_string"].decode("latin-1")
        purpose = _purpose(dict(scope["headers"]), query)
        self._callers.reads.take(str(caller.principal))
        assert self._record is not None, "a service that shows persons keeps a record of who looks"
        await self._record(
            Read(
                at=self._callers.now(),
                principal=str(caller.principal),
                roles=sorted(caller.roles),
                scopes=sorted(caller.scopes),
                purpose=purpose,
                what=f"{scope['method']} {path}",
                target=_target(scope["path"], query),
                address=_address(scope),
            )
        )


def _target(path: str, query: str) -> str:
    """`Problem` 422 for what is too long to be kept for ever: a row of the trail goes never."""
    asked = "&".join(part for part in query.split("&") if part and parse_qsl(part, True)[0][0] != "purpose")
    target = f"{path}?{asked}" if asked else path
    if len(target) > LONGEST_TARGET:
        detail = f"Path and query together have more than {LONGEST_TARGET} characters"
        raise invalid_input([{"loc": ("query",), "msg": detail}])
    return target


def _whose(scope: Scope, path: str) -> Iterator[str]:
    """The players and tables that the request names in path and query. Who changes something at a table is its owner's
    credential, whoever plays there; to look at a table one need not own it."""
    named = dict(zip(path.split("/"), scope["path"].split("/"), strict=True))
    if "{table}" in named and scope["method"] != "GET":
        yield named["{table}"]
        return
    if "{player}" in named:
        yield named["{player}"]
    yield from (value for name, value in parse_qsl(scope["query_string"].decode("latin-1")) if name == "player")


def _authorization(scope: Scope) -> str:
    said: bytes = dict(scope["headers"]).get(b"authorization", b"")
    return said.decode("latin-1")


def _address(scope: Scope) -> str:
    return network_of(scope["client"][0]) if scope.get("client") else ""


def known_only(query: bytes, names: frozenset[str]) -> None:
    """`Problem` 422 that names what nobody here would read: a typing error in `book` must not show real money."""
    if not query:
        return
    given = Counter(name for name, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True))
    wrong = [(name, _TWICE if name in names else _UNKNOWN) for name in given if name not in names or given[name] > 1]
    if wrong:
        raise invalid_input([{"loc": ("query", name), "msg": detail} for name, detail in wrong])


_UNKNOWN, _TWICE = "There is no such query parameter here", "Given more than once"


def _purpose(headers: Mapping[bytes, bytes], query: str) -> str:
    header = headers.get(PURPOSE.lower().encode())
    asked = parse_qs(query, keep_blank_values=True).get("purpose")
    if header is not None and asked is not None:
        raise invalid_input([{"loc": ("query", "purpose"), "msg": f"Given as {PURPOSE}, too"}])
    given = header.decode("utf-8", "replace") if header is not None else (asked or [""])[0]
    try:
        return fitted(Purpose, {"purpose": given}).purpose
    except msgspec.ValidationError:
        where = ("header", PURPOSE) if header is not None else ("query", "purpose")
        detail = "Say in 1 to 200 characters what these cards or persons are looked at for"
        raise invalid_input([{"loc": where, "msg": detail}]) from None


class Declared(NamedTuple):
    """A path as its route declares it."""

    path: str
    access: Access
    queries: frozenset[str]


class Paths:
    """Who may ask what, by method and path, and with which query parameters. KeyError for a route that does not say
    who."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._held: dict[tuple[str, int], list[tuple[tuple[str, ...], Declared]]] = {}
        for route in routes:
            if isinstance(route, APIRoute):
                access = access_in(route.openapi_extra or {})
                parts = tuple(route.path.split("/"))
                for method in route.methods or ():
                    declared = Declared(route.path, access, _queries(route, access))
                    self._held.setdefault((method, len(parts)), []).append((parts, declared))

    def find(self, method: str, path: str) -> Declared | None:
        if not path.isprintable():
            return None  # refused behind us, whoever asks
        asked = path.split("/")
        for parts, declared in self._held.get((method, len(asked)), ()):
            if all(part == one or (one[:1] == "{" and part) for part, one in zip(asked, parts, strict=True)):
                return declared
        return None


def _queries(route: APIRoute, access: Access) -> frozenset[str]:
    declared = (field.alias for field in get_flat_params(route.dependant) if isinstance(field.field_info, Query))
    return frozenset(declared) | ({"purpose"} if access.person else set())


def guarded(request: Request) -> None:
    """A dependency of all routes: what the guard has not let in gets nowhere."""
    if not getattr(request.state, "let_in", False):
        raise Problem(403, "forbidden", "Nobody may ask this.")


def open_to(access: Access, **more: Any) -> dict[str, Any]:
    """`openapi_extra` of a route."""
    parameters = [*more.pop("parameters", []), *([PURPOSE_PARAMETER] if access.person else [])]
    return {**access.shown, **({"parameters": parameters} if parameters else {}), **more}


def add_schemas(document: dict[str, Any], more: Mapping[str, Any]) -> None:
    """To those that FastAPI found. ValueError where two things have one name: the later one would stand for both."""
    held = document.setdefault("components", {}).setdefault("schemas", {})
    if twice := sorted(held.keys() & more.keys()):
        raise ValueError(f"two schemas of one name: {', '.join(twice)}")
    held |= more


def with_security(document: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI document with the schemes that its operations name."""
    document.setdefault("components", {})["securitySchemes"] = dict(SECURITY_SCHEMES)
    return document


def stand_guard(
    app: FastAPI,
    routes: Iterable[BaseRoute],
    callers: Callers,
    admit: Callable[[Caller], None] | None = None,
    record: Callable[[Read], Awaitable[None]] | None = None,
) -> None:
    app.add_middleware(Guard, routes=list(routes), callers=callers, admit=admit, record=record)
