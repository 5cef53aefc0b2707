"""Malformed requests at every route of every service, and requests that two readers would cut in different places."""

import asyncio
import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import httpx

from tests.attack.rows import Row
from tests.attack.scene import ATTACKER, SCRAP, Scene
from tests.edge.rude import hear, saying

_AT_ONCE = 16
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "FOO")
BODIES: Mapping[str, bytes] = {
    "nothing": b"",
    "null": b"null",
    "a list": b"[]",
    "a text": b'"x"',
    "a number": b"1",
    "cut": b'{"a": ',
    "deep lists": b"[" * 30_000,
    "deep lists, closed": b"[" * 20_000 + b"]" * 20_000,
    "deep objects": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "one key twice": b'{"amount": 1, "amount": 2, "reference": "a", "reference": "b"}',
    "a number of 4,000 digits": b'{"amount": ' + b"9" * 4_000 + b"}",
    "1e999": b'{"amount": 1e999}',
    "a number with 10,000 places": b'{"amount": 1.' + b"1" * 10_000 + b"}",
    "-0": b'{"amount": -0}',
    "NaN": b'{"amount": NaN}',
    "true for a number": b'{"amount": true}',
    "no UTF-8": b'{"reference": "\xff\xfe"}',
    "UTF-16": '{"amount": 1}'.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf{}",
    "lone surrogates": b'{"reference": "\\ud800\\udfff"}',
    "NUL": b'{"reference": "\\u0000", "\\u0000": 1}',
    "many keys": json.dumps({f"k{number}": number for number in range(5_000)}).encode(),
    "one long key": json.dumps({"k" * 60_000: 1}).encode(),
    "__proto__": b'{"__proto__": {"amount": 1}, "constructor": {"prototype": {}}}',
    "a form": b"amount=1&reference=x",
    "XML": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    "a pickle": b"cos\nsystem\n(S'id'\ntR.",
    "gzip": gzip.compress(b" " * 1_000_000),
}
HEADERS: Mapping[str, dict[str, str | bytes]] = {
    "no content type": {"content-type": ""},
    "XML": {"content-type": "text/xml"},
    "multipart": {"content-type": "multipart/form-data; boundary=" + "x" * 300},
    "a form": {"content-type": "application/x-www-form-urlencoded"},
    "UTF-7": {"content-type": "application/json; charset=utf-7"},
    "no such charset": {"content-type": "application/json; charset=\x01nothing"},
    "gzip that is none": {"content-encoding": "gzip"},
    "two encodings": {"content-encoding": "br, gzip, deflate, identity"},
    "accepts nothing": {"accept": "image/png;q=0", "accept-language": "x" * 500},
    "a range": {"range": "bytes=0-0,1-1,2-2"},
    "another method": {"x-http-method-override": "DELETE"},
    "another address": {"x-forwarded-for": "127.0.0.1", "forwarded": "for=127.0.0.1", "x-real-ip": "::1"},
    "another host": {"host": "evil.example"},
    "a host with a path": {"host": "evil.example/../x?y#z"},
    "no key": {"idempotency-key": ""},
    "a key with blanks": {"idempotency-key": "a b"},
    "a long key": {"idempotency-key": "k" * 4_000},
    "a key of bytes": {"idempotency-key": b"\xff\xfe"},
    "a trace that is none": {"traceparent": "00-" + "z" * 32 + "-" + "0" * 16 + "-ff", "tracestate": "x" * 500},
    "a purpose of bytes": {"croupier-purpose": b"\xff\xfe\xc0\x80"},
    "expects": {"expect": "a-miracle"},
    "an upgrade": {"upgrade": "h2c", "connection": "upgrade, http2-settings", "http2-settings": "AAMAAABk"},
}  # fmt: skip
PARTS = ("%00", "%ff", "%c0%80", "%ed%a0%80", "%2e%2e", "..", "%2f", "%5c", "a%0d%0ab", "%25%30%30", "-1", "0",
         "1.5", "99999999999999999999999", "x" * 2_000, ";a=b", "%F0%9F%8E%B0", "'", "%7B%7B7*7%7D%7D",
         "%20", "*")  # fmt: skip
"""In place of what stands in braces in a path, and of values in a query."""
RAW: Mapping[str, bytes] = {
    "two lengths": b"content-length: 0\r\ncontent-length: 40\r\n\r\n",
    "lengths in a list": b"content-length: 0, 40\r\n\r\n",
    "length and chunks": b"content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and length": b"transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n",
    "chunked twice": b"transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunked, not last": b"transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "an unknown coding": b"transfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a tab before chunked": b"transfer-encoding:\tchunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n",
    "a blank before the colon": b"transfer-encoding : chunked\r\n\r\n0\r\n\r\n",
    "a vertical tab": b"transfer-encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "a folded line": b"transfer-encoding:\r\n chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n",
    "a negative length": b"content-length: -1\r\n\r\n",
    "a plus before a length": b"content-length: +0\r\n\r\n",
    "a length in hex": b"content-length: 0x10\r\n\r\n",
    "an endless length": b"content-length: 99999999999999999999999\r\n\r\n",
    "a huge chunk": b"transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    "a negative chunk": b"transfer-encoding: chunked\r\n\r\n-1\r\n",
    "a chunk that lies": b"transfer-encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
    "a NUL in a header": b"x: a\x00b\r\n\r\n",
    "a header without a name": b": x\r\n\r\n",
    "a header without a colon": b"nothing\r\n\r\n",
    "bare line feeds": b"x: y\nz: a\n\n",
    "a bare carriage return": b"x: y\rGET /v1/session HTTP/1.1\r\n\r\n",
    "two hosts": b"host: evil.example\r\n\r\n",
}
"""Behind the first line and the host of a request."""
LINES = (b"GET  /v1/tables HTTP/1.1\r\n", b"GET /v1/tables HTTP/9.9\r\n", b"GET /v1/tables\r\n",
         b"get /v1/tables HTTP/1.1\r\n", b"\x00\x01\x02\r\n", b"CONNECT evil.example:443 HTTP/1.1\r\n",
         b"GET http://evil.example/v1/tables HTTP/1.1\r\n", b"GET //evil.example/v1/tables HTTP/1.1\r\n",
         b"PRI * HTTP/2.0\r\n", b"GET /v1/tables?\x00 HTTP/1.1\r\n",
         b"GET /\xff\xfe HTTP/1.1\r\n", b"GET /v1/tables#x HTTP/1.1\r\n", b"GET * HTTP/1.1\r\n")  # fmt: skip
_STATUS = re.compile(r"HTTP/1\.1 \d{3}")
_SMUGGLED = b"GET /v1/regulations/smuggled HTTP/1.1\r\nhost: x\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Route:
    service: str
    url: str
    method: str
    path: str
    token: str = field(repr=False)
    query: tuple[str, ...] = ()

    def filled(self, part: str | None = None) -> str:
        """What stands in braces is what there is, or `part`."""
        path, known = self.path, {"table": SCRAP, "player": ATTACKER}
        while "{" in path:
            before, _, rest = path.partition("{")
            name, _, after = rest.partition("}")
            path = before + (part if part is not None else known.get(name, "1")) + after
        return path


async def routes(scene: Scene) -> list[Route]:
    """Every operation that the services' OpenAPI documents name, with the token of somebody who may ask it."""
    found = []
    async with httpx.AsyncClient(timeout=10) as client:
        for service in ("gateway", "wallet", "audit"):
            url = scene.house.processes[service].url
            document = (await client.get(f"{url}/openapi.json")).json()
            for path, operations in document["paths"].items():
                for method, operation in operations.items():
                    query = tuple(each["name"] for each in operation.get("parameters", []) if each["in"] == "query")
                    found.append(Route(service, url, method.upper(), path, _token(scene, operation), query))
    return found


def _token(scene: Scene, operation: Mapping[str, list[str]]) -> str:
    roles = [role for role in operation.get("x-roles", []) if role in scene.tokens]
    return scene.tokens[roles[0]] if roles else scene.tokens["platform" if operation.get("x-scopes") else ATTACKER]


@dataclass(frozen=True, slots=True)
class Request:
    route: Route
    what: str
    method: str
    path: str
    content: bytes | None = None
    headers: Mapping[str, str | bytes] = field(default_factory=dict)


def requests(route: Route) -> Iterator[Request]:
    at = route.filled()
    for method in METHODS:
        if method != route.method:
            yield Request(route, method, method, at)
    if "{" in route.path:
        for part in PARTS:
            yield Request(route, f"path {part[:20]}", route.method, route.filled(part))
    for name in (*route.query, "nobody-asked"):
        for part in PARTS:
            yield Request(route, f"query {name}={part[:20]}", route.method, f"{at}?{name}={part}")
    yield Request(route, "many in the query", route.method, at + "?" + "&".join(f"a{each}" for each in range(300)))
    for what, headers in HEADERS.items():
        yield Request(route, what, route.method, at, b"{}" if route.method == "POST" else None, headers)
    for what, content in BODIES.items():
        if route.method == "POST":
            yield Request(route, what, "POST", at, content)
    yield Request(route, "a body where none belongs", route.method, at, b'{"x": 1}')


async def malformed(scene: Scene) -> Row:
    row = Row("malformed requests at every route of gateway, wallet and audit")
    wanted = [request for route in await routes(scene) for request in requests(route)]
    gate = asyncio.Semaphore(_AT_ONCE)
    async with httpx.AsyncClient(timeout=30) as client:

        async def one(request: Request) -> None:
            route = request.route
            what = f"{route.service} {route.method} {route.path}: {request.what}"
            async with gate:
                answer, took = await scene.ask(
                    client, request.method, route.url + request.path, route.token, request.content, request.headers
                )
            scene.judge(row, what, answer, took)
            if answer is not None and b"evil.example" in answer.content + str(answer.headers).encode():
                row.wrong(f"{what}: the host that was asked for is told back")
            if answer is not None and answer.status_code >= 400 and request.method != "HEAD":
                kind = answer.headers.get("content-type", "")
                row.expect(kind.startswith("application/problem+json"), f"{what}: {answer.status_code} {kind}")

        await asyncio.gather(*(one(each) for number, each in enumerate(wanted) if scene.chosen(number)))
    return row


async def smuggled(scene: Scene) -> Row:
    """Each with a second request behind it, which nobody may answer as one of its own after an ambiguous first."""
    row = Row(
        "requests that two readers cut in different places; broken first lines",
        found_by="the edge, which cuts",
    )
    asked: list[tuple[str, bytes]] = []
    for what, rest in RAW.items():
        token = f"authorization: Bearer {scene.tokens['platform']}\r\n".encode()
        asked.append((what, b"POST /v1/sessions HTTP/1.1\r\nhost: house\r\n" + token + rest + _SMUGGLED))
        asked.append((what, b"GET /v1/tables HTTP/1.1\r\nhost: house\r\n" + rest + _SMUGGLED))
    asked += [(str(line), line + b"host: house\r\n\r\n") for line in LINES]

    async def one(service: str, what: str, content: bytes) -> None:
        heard = await hear(scene.house.processes[service].url, saying(content), 4.0)
        row.heard(str(heard.status))
        where = f"{service} {what}"
        row.expect("smuggled" not in heard.text and len(_STATUS.findall(heard.text)) <= 1, f"{where}: two answers")
        row.expect(not str(heard.status).startswith("5"), f"{where}: {heard.status}")
        row.expect("Traceback" not in heard.text and "evil.example" not in heard.text, f"{where}: tells too much")

    chosen = [each for number, each in enumerate(asked) if scene.chosen(number, least=0.2)]
    await asyncio.gather(*(one(service, *each) for service in ("gateway", "wallet", "audit") for each in chosen))
    return row
