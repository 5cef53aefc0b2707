"""Every endpoint of a running house, asked as everybody there is: in comes who may; and one person is never two."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import httpx
import jwt
import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from libs.client import Operator, Staff
from libs.contracts.roles import ROLES, SCOPES
from libs.identity.access import Access, access_in
from libs.identity.operators import add_operator
from libs.identity.purpose import PURPOSE
from libs.money.cash import A_DAY, ALONE_UP_TO
from libs.sealing.key_files import hex_key
from services.cli.house import House
from services.cli.roles import endpoints
from services.cli.surroundings import operators_file
from services.demo_provider.tokens import access_token, signing_key

pytestmark = [pytest.mark.stack, pytest.mark.asyncio(loop_scope="module")]
SERVICES = ("gateway", "wallet", "audit")
NOWHERE = {
    "table": "nowhere",
    "player": "nobody",
    "hand": "1",
    "round": "1",
    "change": "none",
    "tournament": "none",
    "ticket": "none",
    "complaint": "none",
    "number": "1",
    "version": "1",
    "regulation": "none",
}
NO = (401, 403)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def open_house(shared_house_at: House) -> House:
    """With documents, and patient with who tries the wrong key again and again."""
    for name in SERVICES:
        shared_house_at.processes[name].environment |= {"CROUPIER_DOCS": "true", "CROUPIER_LOGIN_FAILURES": "100000"}
    await shared_house_at.start()
    return shared_house_at


class Everybody:
    """One of each kind, by name."""

    def __init__(self, house: House, session: str) -> None:
        self.key = signing_key(hex_key(house.keys["provider_key"]))
        self.issuer = house.issuer
        file = operators_file(house.home / "keys")
        self.tokens: dict[str, str] = {f"role {role}": self.person(role) for role in ROLES}
        self.tokens |= {f"scope {scope}": add_operator(file, f"only-{scope}", [scope], 0) for scope in SCOPES}
        self.tokens |= {"player": session, "person without a role": self.person()}

    def person(self, *roles: str, subject: str = "ana", **more: Any) -> str:
        return access_token(self.key, self.issuer, "croupier", subject, roles, **more)

    def forged(self) -> Mapping[str, str]:
        """Each would be of every role."""
        claims = jwt.decode(self.person(*ROLES), options={"verify_signature": False})
        public, other = self.key.private.public_key().public_bytes_raw(), signing_key(b"k" * 32)
        named = {"kid": self.key.id}
        return {
            "garbage": "x" * 40,
            "a made-up credential": "croupier-operator.platform.AAAA",
            "unsigned": jwt.encode(claims, "", algorithm="none"),
            "the public key as a secret": jwt.encode(claims, public, algorithm="HS256"),
            "another key": access_token(other, self.issuer, "croupier", "ana", ROLES),
            "another key under our key's name": jwt.encode(claims, other.private, algorithm="EdDSA", headers=named),
            "for somebody else": access_token(self.key, self.issuer, "crm", "ana", ROLES),
            "of another provider": access_token(self.key, "http://127.0.0.1:9", "croupier", "ana", ROLES),
            "over": self.person(*ROLES, life_s=-60),
            "for ever": self.person(*ROLES, life_s=10**9),
        }


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def everybody(open_house: House) -> AsyncIterator[Everybody]:
    async with Operator(open_house.gateway_url, open_house.operator_token) as operator:
        yield Everybody(open_house, (await operator.open_session("alice")).token)


async def ask(
    client: httpx.AsyncClient, method: str, path: str, token: str | None, purpose: bool = True
) -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    if purpose:
        headers[PURPOSE] = "a test of roles"
    return await client.request(method, re.sub(r"{(\w+)}", lambda name: NOWHERE[name[1]], path), headers=headers)


def may(access: Access, who: str) -> bool:
    kind, _, name = who.partition(" ")
    named = {"role": access.roles, "scope": access.scopes}.get(kind, ())
    return access.everybody or name in named or (access.player and who == "player")


@pytest.mark.timeout(900)
async def test_who_may_ask_what(open_house: House, everybody: Everybody) -> None:
    """From each service's own OpenAPI document: whose answer is 401 or 403 is exactly who is not named there."""
    tried, told = 0, set()
    for service in SERVICES:
        async with httpx.AsyncClient(base_url=open_house.processes[service].url, timeout=30) as client:
            document = (await client.get("/openapi.json")).json()
            for path, operations in document["paths"].items():
                for method, operation in operations.items():
                    access = access_in(operation)
                    told.add((service, method.upper(), path))
                    nobody = await ask(client, method, path, None)
                    assert (nobody.status_code == 401) is not access.everybody, (method, path)
                    for who, token in everybody.tokens.items():
                        if who == "player" and (service != "gateway" or (method, path) == ("delete", "/v1/session")):
                            continue  # no other service knows sessions, and a logout would be the end of it
                        answer = await ask(client, method, path, token)
                        tried += 1
                        assert (answer.status_code not in NO) is may(access, who), (service, method, path, who)
                        if not may(access, who):
                            assert answer.json()["type"].endswith(":forbidden"), (service, method, path, who)
                            assert answer.json()["needs"].get("roles", []) == list(access.roles)
    assert told == {(each.service, each.method, each.path) for each in endpoints()}
    assert tried > 1_000


@pytest.mark.timeout(300)
async def test_a_forged_token_opens_nothing(open_house: House, everybody: Everybody) -> None:
    """At one endpoint of each service, for the answers come ever more slowly."""
    for who, token in everybody.forged().items():
        for service, path in (("gateway", "/v1/session"), ("wallet", "/v1/totals"), ("audit", "/v1/incidents")):
            async with httpx.AsyncClient(base_url=open_house.processes[service].url, timeout=30) as client:
                assert (await ask(client, "get", path, token)).status_code == 401, (who, service)
    for service in ("wallet", "audit"):
        async with httpx.AsyncClient(base_url=open_house.processes[service].url, timeout=30) as client:
            assert (await ask(client, "get", "/v1/completeness", everybody.tokens["player"])).status_code == 401


async def test_the_websocket_is_for_players(open_house: House, everybody: Everybody) -> None:
    url = open_house.gateway_url.replace("http", "ws") + "/v1/ws"
    for who, token in everybody.tokens.items():
        async with connect(url, additional_headers={"authorization": f"Bearer {token}"}, proxy=None) as socket:
            first = json.loads(await asyncio.wait_for(socket.recv(), 20))
            assert (first["type"] == "welcome") is (who == "player"), who
            if who != "player":
                assert first["problem"]["type"].endswith(":forbidden")
                with pytest.raises(ConnectionClosed):
                    await socket.recv()


async def test_who_looks_at_persons_says_what_for_and_it_stays_on_record(
    open_house: House, everybody: Everybody
) -> None:
    auditor, support = everybody.person("auditor", subject="rui"), everybody.person("support", subject="eva")
    asked = [("wallet", "/v1/players/alice/statements"), ("audit", "/v1/hands?player=alice&limit=5")]
    for service, path in asked:
        async with httpx.AsyncClient(base_url=open_house.processes[service].url) as client:
            silent = await ask(client, "get", path, support, purpose=False)
            assert silent.status_code == 422
            assert silent.json()["errors"][0]["field"] == "/query/purpose"
            assert (await ask(client, "get", path, support)).status_code == 200
    async with httpx.AsyncClient(base_url=open_house.audit_url) as client:
        assert (await ask(client, "get", "/v1/reads", support)).status_code == 403
        reads = (await ask(client, "get", "/v1/reads", auditor)).json()["reads"]
    mine = [read for read in reads if read["principal"] == "staff:eva"]
    told = [(read["service"], read["target"], read["purpose"]) for read in reversed(mine)]
    assert told == [(service, path, "a test of roles") for service, path in asked]
    assert all(read["roles"] == ["support"] for read in mine)


BANKED = {
    "approval": "TEST-1", "mode": "single", "seats": 1, "buy_in_min": 1_000, "buy_in_max": 100_000,
    "top_up_to": 100_000, "min_ante": 100, "max_ante": 2_500,
}  # fmt: skip


@pytest.mark.timeout(300)
async def test_one_person_is_never_two(open_house: House, everybody: Everybody) -> None:
    """Two tokens, two roles, two spellings of one name: one. Machines are nobody. A second person is the second."""
    url = open_house.gateway_url
    async with Operator(url, open_house.operator_token) as machine:
        refused = await machine.open_table("duo", "Duo", "pt-803-2015-no-draw", BANKED, bank=10_000_000)
        assert refused.reason == "not_allowed", refused
        assert (await machine._client.post("/tables/duo/bank/changes", json={})).status_code == 403
    async with Staff(url, everybody.person("supervisor", subject="ana")) as ana:
        opened = await ana.open_table("duo", "Duo", "pt-803-2015-no-draw", BANKED, bank=10_000_000)
        assert opened.accepted, opened
    again: list[tuple[str, tuple[str, ...]]] = [
        ("ana", ("supervisor",)), ("ana", ("cashier",)), ("ana", ("cashier", "supervisor")), ("ANA", ("cashier",)),
    ]  # fmt: skip
    for subject, roles in again:
        async with Staff(url, everybody.person(*roles, subject=subject)) as same:
            assert (await same.approve_bank_change("duo", "opening", "top_up", 10_000_000)).reason == "own_request", (
                subject,
                roles,
            )
    async with Staff(url, everybody.person("cashier", subject="rui")) as rui:
        assert (await rui.approve_bank_change("duo", "opening", "top_up", 10_000_000)).accepted


@pytest.mark.timeout(300)
async def test_what_one_cashier_may_not_move_alone_waits_for_another(open_house: House, everybody: Everybody) -> None:
    """Found by an attacker: one cashier paid 3 x 10^12 into any account and out again, and nobody was told."""
    url, much = open_house.gateway_url, ALONE_UP_TO + 1
    async with Operator(url, open_house.operator_token) as machine:
        assert (await machine.open_account("cage")).accepted
    ana, rui = (
        everybody.person("cashier", subject="ana-of-the-cage"),
        everybody.person("supervisor", subject="rui-of-the-cage"),
    )
    async with Operator(url, ana) as one, Staff(url, ana) as same, Staff(url, rui) as other:
        assert (await one.deposit("cage", "cage-1", ALONE_UP_TO)).accepted
        for _ in range(2):
            assert (await one.deposit("cage", "cage-2", much)).reason == "waits_for_another"
        assert (await same.approve_cash("cage", "cage-2", "deposit", much)).reason == "own_request"
        many = [one.deposit("cage", f"cage-a{number}", ALONE_UP_TO) for number in range(A_DAY // ALONE_UP_TO + 2)]
        answers = await asyncio.gather(*many)
        assert sum(answer.accepted for answer in answers) == A_DAY // ALONE_UP_TO - 1, "all at once, and no more"
        assert {answer.reason for answer in answers if not answer.accepted} == {"waits_for_another"}
        async with httpx.AsyncClient(base_url=open_house.audit_url, timeout=30) as client:
            waiting = await _until(client, "/v1/cash/waiting", rui, lambda told: len(_of_cage(told["waiting"])) == 4)
            assert [(each["reference"], each["amount"]) for each in _of_cage(waiting["waiting"])[:1]] == [
                ("cage-2", much)
            ]
            assert (await other.approve_cash("cage", "cage-2", "deposit", much)).accepted
            day = datetime.now(UTC).strftime("%Y-%m-%d")
            told = await _until(client, f"/v1/cash?day={day}", rui, lambda told: len(_of_cage(told["people"])) == 2)
            assert [(each["by"], each["deposited"], each["approved"]) for each in _of_cage(told["people"])] == [
                ("staff:ana-of-the-cage", A_DAY, 0), ("staff:rui-of-the-cage", 0, much),
            ]  # fmt: skip
            incidents = (await ask(client, "get", "/v1/incidents", everybody.person("auditor"))).json()["incidents"]
            assert [each for each in incidents if each["kind"] == "cash_above_bound"] == []
    async with Operator(url, open_house.operator_token) as machine:
        [account] = await machine.account("cage")
        assert account["available"] == A_DAY + much


def _of_cage(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Others have moved money in this house."""
    return [each for each in rows if each["by"].endswith("-of-the-cage")]


async def _until(client: httpx.AsyncClient, path: str, token: str, there: Callable[[Any], bool]) -> Any:
    """What is answered once the auditor has heard of it."""
    async with asyncio.timeout(30):
        while not there(told := (await ask(client, "get", path, token)).json()):
            await asyncio.sleep(0.2)
    return told
