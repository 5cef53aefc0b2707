"""Tokens, keys and roles, taken for what they are not."""

import asyncio
import hmac
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from libs.client.http import new_key
from libs.contracts.roles import SCOPES
from libs.identity.operators import add_operator, revoke_operator
from libs.sealing.key_files import hex_key
from services.cli.demo.tables import banked_tables
from services.cli.surroundings import operators_file
from services.demo_provider.tokens import SigningKey, access_token, signing_key
from tests.attack.rows import Row
from tests.attack.scene import ATTACKER, SCRAP, SECOND_GATEWAY, Scene, kind_of

AUDIENCE = "croupier"
SESSION = {"aud": "croupier-gateway", "jti": "0" * 32, "started": 0, "last": None}


def b64(value: bytes) -> str:
    return urlsafe_b64encode(value).rstrip(b"=").decode()


def unsigned(claims: dict[str, Any], algorithm: str, signature: bytes = b"", **header: Any) -> str:
    parts = ({"alg": algorithm, "typ": "JWT", **header}, claims)
    return ".".join([*(b64(json.dumps(part).encode()) for part in parts), b64(signature)])


def forged(scene: Scene, key: SigningKey, now: int) -> Iterator[tuple[str, str]]:
    """What it pretends, and the token. Those of `key` have the provider's true signature."""
    issuer = scene.house.issuer
    claims = {"iss": issuer, "aud": AUDIENCE, "sub": "supervisor", "roles": ["supervisor", "cashier", "administrator"],
              "iat": now, "exp": now + 600}  # fmt: skip
    session = {**SESSION, "sub": "alice", "iat": now, "exp": now + 600}
    for algorithm in ("none", "None", "NONE", "nOnE", ""):
        yield "unsigned person", unsigned(claims, algorithm)
        yield "unsigned session", unsigned(session, algorithm)
    public = key.private.public_key()
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for secret in (pem, pem.strip(), public.public_bytes_raw(), json.dumps(key.jwk).encode(), key.jwk["x"].encode()):
        for algorithm in ("HS256", "HS384", "HS512"):
            for told, what in ((claims, "person"), (session, "session")):
                yield f"{what} under the public key as a secret", _mac(told, secret, algorithm, kid=key.id)
    for secret in (b"", b"secret", b"\0" * 32, b"croupier", scene.house.operator_token.encode()):
        yield "session under a guessed key", _mac(session, secret, "HS256")
    own = signing_key(b"mallory's very own signing seed!")
    for header in ({"kid": key.id}, {}, {"kid": "../../../../dev/null"}, {"kid": "' union select 'x"}, {"kid": ["a"]},
                   {"kid": None}, {"kid": "x" * 4000}, {"kid": key.id, "jwk": own.jwk},
                   {"kid": own.id, "jku": "http://127.0.0.1:1/jwks"},
                   {"kid": own.id, "x5u": "http://127.0.0.1:1/"}):  # fmt: skip
        yield "person under a key of one's own", _signed(claims, own.private, **header)
    for change in (
        {"aud": "somebody-else"}, {"aud": ["somebody-else"]}, {"aud": "croupier-gateway"}, {"aud": None},
        {"iss": "http://127.0.0.1:1"}, {"iss": issuer + "/"}, {"iss": None}, {"exp": now - 600}, {"exp": now + 10**6},
        {"exp": None}, {"exp": "never"}, {"exp": 10**400}, {"iat": None}, {"iat": now + 10**6, "exp": now + 10**6 + 60},
        {"nbf": now + 10**6}, {"sub": None}, {"sub": ""}, {"sub": "x" * 300}, {"sub": ["supervisor"]}, {"sub": 1},
    ):  # fmt: skip
        altered = {name: value for name, value in {**claims, **change}.items() if value is not None}
        yield f"person, truly signed, {next(iter(change))} altered", _signed(altered, key.private, kid=key.id)
    true = _signed(claims, key.private, kid=key.id)
    head, body, signature = true.split(".")
    yield "a logout token", _signed(claims, key.private, kid=key.id, typ="logout+jwt")
    yield "a critical header", _signed(claims, key.private, kid=key.id, crit=["exp2"], exp2=1)
    yield "a person's, cut", f"{head}.{body}."
    yield "a person's, other claims", f"{head}.{b64(json.dumps({**claims, 'sub': 'x'}).encode())}.{signature}"
    session_head, session_body, session_signature = scene.tokens[ATTACKER].split(".")
    other = b64(json.dumps(session).encode())
    yield "a session for another player", f"{session_head}.{other}.{session_signature}"
    yield "a session with another signature", f"{session_head}.{session_body}.{signature}"
    for text in ("", "x", "..", "a.b.c", "croupier-operator.platform.", "croupier-operator.gateway." + "A" * 43,
                 "x" * 9000, "é" * 20, "null", "undefined", "[object Object]"):  # fmt: skip
        yield "no token", text


def _mac(claims: dict[str, Any], secret: bytes, algorithm: str, **header: Any) -> str:
    bare = unsigned(claims, algorithm, **header).rpartition(".")[0]
    return f"{bare}.{b64(hmac.digest(secret, bare.encode(), f'sha{algorithm[2:]}'))}"


def _signed(claims: dict[str, Any], private: Ed25519PrivateKey, **header: Any) -> str:
    bare = unsigned(claims, "EdDSA", **header).rpartition(".")[0]
    return f"{bare}.{b64(private.sign(bare.encode()))}"


async def forgeries(scene: Scene) -> Row:
    """Each from an address of its own, at a player's, a person's and a platform's door, and at the WebSocket."""
    row = Row("forged, altered and foreign tokens", found_by="`croupier_failed_logins_total`, the log, a lock")
    key = signing_key(hex_key(scene.house.keys["provider_key"]))
    for number, (what, token) in enumerate(forged(scene, key, int(time.time()))):
        if not scene.chosen(number, least=0.3):
            continue
        async with scene.from_elsewhere() as client:
            for path in ("/v1/session", "/v1/players/alice/account"):
                answer, took = await scene.ask(
                    client, "GET", path, headers={"authorization": (b"Bearer " + _raw(token)).rstrip()}
                )
                kind = scene.judge(row, what, answer, took)
                row.expect(kind.startswith(("401", "400")), f"{what}: {kind}")
        said = await _hello(scene, token)
        row.heard(said)
        row.expect(said not in ("welcome", "1011"), f"{what} over the WebSocket: {said}")
    return row


def _raw(token: str) -> bytes:
    return token.encode("latin-1", "replace")


async def _hello(scene: Scene, token: str) -> str:
    """What the WebSocket says to a hello, from an address of its own."""
    address = scene.house.gateway_url.replace("http", "ws") + "/v1/ws"
    try:
        async with connect(address, proxy=None, local_addr=(scene.address(), 0)) as socket:
            await socket.send(json.dumps({"type": "hello", "token": token}))
            frame = json.loads(await asyncio.wait_for(socket.recv(), 10))
            return "welcome" if frame["type"] == "welcome" else str(frame["problem"]["status"])
    except ConnectionClosed as closed:
        return str(closed.rcvd.code if closed.rcvd else "cut")
    except InvalidStatus as refused:
        return str(refused.response.status_code)


async def confusion(scene: Scene) -> Row:
    """True tokens at doors that are not theirs, and what a scope, a key or a session is not good for."""
    row = Row("true tokens of the wrong person, role or scope; keys of others")
    async with httpx.AsyncClient(base_url=scene.house.gateway_url, timeout=30) as client:
        await _wrong_doors(scene, row, client)
        await _where_no_token_belongs(scene, row, client)
        await _scopes(scene, row, client)
        await _keys(scene, row, client)
    for name in ("cashier", "supervisor", "platform"):
        said = await _hello(scene, scene.tokens[name])
        row.heard(said)
        row.expect(said != "welcome", f"the WebSocket welcomes {name}")
    return row


async def _wrong_doors(scene: Scene, row: Row, client: httpx.AsyncClient) -> None:
    deposit = {"reference": f"theft-{new_key()}", "amount": 100, "currency": "EUR", "kind": "real"}
    at = f"/v1/tables/{SCRAP}"
    for path, body, wrong in (
        (f"/v1/players/{ATTACKER}/deposits", deposit, (ATTACKER, "floor", "dealer", "supervisor", "auditor")),
        ("/v1/sessions", {"player": "alice", "last_login": None}, (ATTACKER, "cashier", "floor", "administrator")),
        (f"{at}/close", {"reason": "a theft"}, (ATTACKER, "cashier", "dealer", "auditor")),
        (f"{at}/hands/1/void", {"cause": "a theft"}, (ATTACKER, "floor", "cashier", "platform")),
        (f"{at}/seats", {"amount": 1000}, ("floor", "supervisor", "platform", "administrator")),
        (f"{at}/acts", {"hand": 1, "seat": 1, "act": "fold"}, ("floor", "dealer", "platform")),
    ):  # fmt: skip
        for name in wrong:
            answer, took = await scene.ask(client, "POST", path, scene.tokens[name], json.dumps(body).encode())
            kind = scene.judge(row, f"{name} at {path}", answer, took)
            row.expect(kind == "403 forbidden", f"{name} at {path}: {kind}")


async def _where_no_token_belongs(scene: Scene, row: Row, client: httpx.AsyncClient) -> None:
    """In a query, a cookie, another header, another scheme, two at once: nobody is anybody by that."""
    token = scene.tokens[ATTACKER]
    for path, headers in (
        (f"/v1/session?access_token={token}", {}),
        (f"/v1/session?token={token}", {}),
        ("/v1/session", {"cookie": f"session={token}; token={token}"}),
        ("/v1/session", {"x-authorization": f"Bearer {token}"}),
        ("/v1/session", {"x-forwarded-user": "alice", "x-player": "alice"}),
        ("/v1/session", {"authorization": f"Basic {token}"}),
        ("/v1/session", {"authorization": token}),
        ("/v1/session", {"authorization": f"Bearer {token}, Bearer {token}"}),
        ("/v1/session", {"authorization": f"Bearer Bearer {token}"}),
    ):
        async with scene.from_elsewhere() as lonely:
            answer, took = await scene.ask(lonely, "GET", path, headers=headers)
        kind = scene.judge(row, f"a token in {[*headers] or 'the query'}", answer, took)
        row.expect(kind.startswith(("401", "400")), f"a token in {[*headers] or 'the query'}: {kind}")


async def _scopes(scene: Scene, row: Row, client: httpx.AsyncClient) -> None:
    """Credentials of one scope each at all the others' doors, and a revoked one everywhere."""
    file = operators_file(scene.house.home / "keys")
    now = time.time_ns() // 1_000_000
    tokens = {scope: add_operator(file, f"only-{scope}", [scope], now) for scope in SCOPES}
    await asyncio.sleep(1.5)  # a service looks at the file once in a second
    doors = {
        "sessions": ("/v1/sessions", {"player": "alice", "last_login": None}),
        "money": (f"/v1/players/{ATTACKER}/deposits", {"reference": "scope-1", "amount": 100, "currency": "EUR"}),
        "tables": (f"/v1/tables/{SCRAP}/resume", {"reason": "a scope"}),
        "signals": (f"/v1/players/{ATTACKER}/signals", {"reference": "s-1", "kind": "device", "value": "x",
                                                        "currency": "EUR"}),
    }  # fmt: skip
    for scope, token in tokens.items():
        for door, (path, body) in doors.items():
            if door == scope:
                continue
            answer, took = await scene.ask(client, "POST", path, token, json.dumps(body).encode())
            kind = scene.judge(row, f"the scope {scope} at {path}", answer, took)
            row.expect(kind == "403 forbidden", f"the scope {scope} at {path}: {kind}")
    for scope in SCOPES:
        revoke_operator(file, f"only-{scope}")
    await asyncio.sleep(1.5)
    async with scene.from_elsewhere() as lonely:
        path, body = doors["money"]
        answer, took = await scene.ask(lonely, "POST", path, tokens["money"], json.dumps(body).encode())
        kind = scene.judge(row, "a revoked credential", answer, took)
        row.expect(kind.startswith("401"), f"a revoked credential: {kind}")


async def _keys(scene: Scene, row: Row, client: httpx.AsyncClient) -> None:
    """One idempotency key: another body, another principal, another gateway."""
    key, path = new_key(), f"/v1/players/{ATTACKER}/accounts"
    euro, pataca = b'{"currency": "EUR", "kind": "real"}', b'{"currency": "MOP", "kind": "real"}'
    told = []
    async with httpx.AsyncClient(base_url=scene.house.processes[SECOND_GATEWAY].url, timeout=30) as second:
        for asking, name, body in (
            (client, "platform", euro),
            (client, "platform", euro),
            (client, "platform", pataca),
            (client, "cashier", pataca),
            (second, "platform", euro),
        ):
            answer, took = await scene.ask(asking, "POST", path, scene.tokens[name], body, {"idempotency-key": key})
            told.append(scene.judge(row, "one key for two wishes", answer, took))
    expected = ["200", "200", "422 idempotency-key-reused", "200", "200"]
    row.expect(told == expected, f"one key for two wishes: {told}")


async def by_one_person(scene: Scene) -> Row:
    """What needs two: asked and agreed to by one, under two tokens, with other roles, under other spellings."""
    row = Row("two-person rules, kept by one: two tokens, other roles, other spellings")
    key = signing_key(hex_key(scene.house.keys["provider_key"]))
    bank = banked_tables()[0]
    opened = {"table": "by-one", "name": "By one", "rulebook": bank.rulebook, "configuration": bank.configuration,
              "bank": bank.bank}  # fmt: skip
    approve = "/v1/tables/by-one/bank/changes/opening/approve"
    agreed = json.dumps({"direction": "top_up", "amount": bank.bank}).encode()
    async with httpx.AsyncClient(base_url=scene.house.gateway_url, timeout=30) as client:
        first = scene.tokens["supervisor"]
        answer, took = await scene.ask(client, "POST", "/v1/tables", first, json.dumps(opened).encode())
        assert scene.judge(row, "the opening", answer, took) == "200"
        same = {"the same token": first, "a second login": await scene.house.log_in("supervisor")}
        for roles in (["supervisor"], ["cashier"], ["administrator", "cashier", "supervisor", "floor"]):
            for subject in ("supervisor", "Supervisor", "SUPERVISOR", " supervisor", "supervisor ", "supervisor\u200b",
                            "ｓupervisor", "ſupervisor", "supervisor\x00"):  # fmt: skip
                token = access_token(key, scene.house.issuer, AUDIENCE, subject, roles)
                same[f"{subject!a} as {roles[0]}"] = token
        for what, token in (same | {"a player": scene.tokens[ATTACKER]}).items():
            async with scene.from_elsewhere() as lonely:
                answer, took = await scene.ask(lonely, "POST", approve, token, agreed)
            kind = scene.judge(row, what, answer, took)
            row.expect(not kind.startswith("200"), f"one person opened a bank alone: {what}")
        answer, _ = await scene.ask(client, "POST", approve, scene.tokens["supervisor-2"], agreed)
        row.expect(kind_of(answer) == "200", f"another one could not approve: {kind_of(answer)}")
    return row
