"""Hostile words in every text field of every command: over HTTP, over the WebSocket, and straight on the topics."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from libs.client.http import new_key
from services.gateway.app.doors import DOORS, PLAYERS_DOORS, Door
from tests.attack.rows import Row
from tests.attack.scene import ATTACKER, CLOSED, SCRAP, Scene, document_of, in_url
from tests.contracts.hostile import HOSTILE, NO_TEXT, spoilt

HARMLESS = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "]]><!--", "'; drop table transfers; --",
    "' or '1'='1", "{{7*7}}", "${jndi:ldap://127.0.0.1/a}", "%s%s%n", "{0.__class__}", "../../../../etc/passwd",
    "..\\..\\windows\\win.ini", "file:///etc/passwd", "__proto__", "constructor", "null", "true", "NaN", "-1", "1e999",
    "0x7fffffff", '{"amount": 1}', "[1, 2]", "\\u0000", "\\r\\nset-cookie: a=b", "%0d%0aset-cookie: a=b", "%00",
    "$(id)", "`id`", "| id", "=1+1", "@SUM(A1)", "аlice", "ｅ", "🎰🎲👩‍👩‍👧‍👦", "🇵🇹🇲🇴", "ﷺ", "Ω" * 64,
    "İ", "ß", "alice'\"", "a" * 64, "a" * 128, "a" * 200, "a/b", "a?b#c", "a&b=c",
)  # fmt: skip
"""Clean, so either taken as the text that it is or refused by a field's own rule."""
_MARK = "hostile-bytes-here"
_PATH: dict[str, str] = {
    "player": ATTACKER,
    "tournament": "cup-1",
    "ticket": "ticket-1",
    "complaint": "complaint-1",
    "hand": "1",
    "round": "1",
    "change": "change-1",
    "version": "2",
}
_AT_ONCE = 16


def texts() -> Iterator[tuple[str | bytes, bool]]:
    """Every hostile word, and whether it may be taken."""
    yield from ((text, False) for text in HOSTILE)
    yield from ((text, False) for text in NO_TEXT)
    yield from ((text, True) for text in HARMLESS)


def bodies(door: Door, text: str | bytes) -> Iterator[tuple[str, bytes]]:
    """The field that is spoilt, and the body with it."""
    marked = _MARK if isinstance(text, bytes) else text
    for field, whole in spoilt(door.body, marked):
        if field not in door.left_out:
            body = {name: value for name, value in whole.items() if name not in door.left_out}
            yield field, encoded(body, text)


def encoded(body: Any, text: str | bytes) -> bytes:
    written = json.dumps(body).encode()
    return written.replace(_MARK.encode(), text) if isinstance(text, bytes) else written


def path_of(door: Door, **spoilt_part: str) -> str:
    """The table that may be spoilt; what closes or stops one asks it of another."""
    table = CLOSED if door.name in ("close_table", "pause_table") else SCRAP
    parts = {"table": table, **_PATH} | spoilt_part
    return "/v1" + door.path.format(**parts)


async def over_http(scene: Scene) -> Row:
    row = Row("hostile words over HTTP, every text field of every door")
    attempts = list(_http_attempts())
    async with httpx.AsyncClient(base_url=scene.house.gateway_url, timeout=30) as client:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(door: Door, field: str, path: str, content: bytes, harmless: bool) -> None:
            async with gate:
                answer, took = await scene.ask(client, "POST", path, scene.token_for(door.access), content)
            what = f"{door.name} {field}"
            scene.judge(row, what, answer, took)
            if not harmless:
                row.expect(answer is not None and _refuses(answer, field), f"{what}: not refused by field")

        await asyncio.gather(*(one(*each) for number, each in enumerate(attempts) if scene.chosen(number)))
    return row


def _http_attempts() -> Iterator[tuple[Door, str, str, bytes, bool]]:
    for door in DOORS:
        for text, harmless in texts():
            for field, content in bodies(door, text):
                yield door, field, path_of(door), content, harmless
            if isinstance(text, str) and len(text) < 1_000:
                body = json.dumps({k: v for k, v in door.body.example.items() if k not in door.left_out}).encode()
                for part in door.in_path:
                    yield door, part, path_of(door, **{part: in_url(text)}), body, harmless


def _refuses(answer: httpx.Response, field: str) -> bool:
    """By field; or before there are any: no JSON, no such path."""
    if answer.status_code == 422:
        return any(field in str(error.get("field")) for error in document_of(answer).get("errors", []))
    return answer.status_code in (400, 404, 405, 414)


async def over_websocket(scene: Scene) -> Row:
    row = Row("hostile words over the WebSocket, every text field of every message")
    messages = [each for number, each in enumerate(_messages()) if scene.chosen(number)]
    for number, start in enumerate(range(0, len(messages), 400)):
        token = await scene.player(f"{ATTACKER}-ws-{number}")
        headers = {"authorization": f"Bearer {token}"}
        address = scene.house.gateway_url.replace("http", "ws") + "/v1/ws"
        async with connect(address, additional_headers=headers, proxy=None, compression=None) as socket:
            await socket.recv()
            for what, message, harmless in messages[start : start + 400]:
                await _say(scene, row, socket, what, message, harmless)
    return row


async def _say(scene: Scene, row: Row, socket: ClientConnection, what: str, message: bytes, harmless: bool) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    await socket.send(message)
    try:
        async with asyncio.timeout(30):
            while True:
                frame = json.loads(await socket.recv())
                if frame["type"] in ("problem", "reply"):
                    break
                if frame["type"] == "view" and what == "subscribe table":  # one that was opened over HTTP before
                    row.heard("view", loop.time() - began)
                    row.expect(harmless, f"{what}: a view")
                    return
    except TimeoutError:
        row.heard("nothing", loop.time() - began)
        row.wrong(f"{what}: no answer")
        return
    problem = frame.get("problem", {})
    said = f"{problem['status']} {problem['type'].rpartition(':')[2]}" if problem else str(frame.get("reason"))
    row.heard(said, loop.time() - began)
    row.expect(loop.time() - began <= scene.patience_s, f"{what}: answered late")
    row.expect(problem.get("status", 0) < 500, f"{what}: {said}")
    if not harmless:
        row.expect(bool(problem) and problem["status"] in (400, 404, 422), f"{what}: {said}")


def _messages() -> Iterator[tuple[str, bytes, bool]]:
    for text, harmless in texts():
        marked = _MARK if isinstance(text, bytes) else text
        for name, door in PLAYERS_DOORS.items():
            for field, whole in spoilt(door.body, marked):
                if field not in door.left_out:
                    body = {key: value for key, value in whole.items() if key not in door.left_out}
                    message = {**body, "type": name, "id": new_key(), "table": SCRAP}
                    yield f"{name} {field}", encoded(message, text), harmless
        sit_in = {"type": "sit_in", "id": new_key(), "table": SCRAP}
        for field in ("type", "id", "table"):
            # An idempotency key is no text: none will do.
            yield f"sit_in {field}", encoded({**sit_in, field: marked}, text), harmless and field != "id"
        yield "subscribe table", encoded({"type": "subscribe", "table": marked}, text), harmless
        yield "hello token", encoded({"type": "hello", "token": marked}, text), True
        yield "a key that nobody knows", encoded({**sit_in, marked: 1}, text), False
