"""A running house under attack: who is there, how it is asked, and whether it is still well."""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from libs.client import Operator
from libs.client.http import new_key
from libs.identity.access import Access
from services.cli.demo.tables import demo_tables
from services.cli.house import House
from services.cli.mend import mended
from services.cli.processes import ServiceProcess
from tests.attack.rows import Row
from tests.e2e.evening import Evening

SECOND_GATEWAY = "gateway-2"
_SPOILT = demo_tables()[1:3]
SCRAP, CLOSED = (table.table for table in _SPOILT)
"""Tables to be spoilt and to be closed; bots play at the first one."""
ATTACKER = "mallory"
PEOPLE = ("floor", "dealer", "supervisor", "supervisor-2", "cashier", "auditor", "security", "support", "administrator")
PURPOSE = {"croupier-purpose": "an attack"}


@dataclass(slots=True)
class Scene:
    """`share` is which part of the long lists is tried: 1.0 for all. `patience_s` is the longest allowed answer."""

    house: House
    evening: Evening
    share: float = 1.0
    patience_s: float = 1.0
    tokens: dict[str, str] = field(default_factory=dict, repr=False)
    """By who has it: the names of people, `platform`, and the attacker's session."""
    heard: list[bytes] = field(default_factory=list, repr=False)
    """Answers, to be searched for secrets."""
    _complained: int = 0
    _addresses: int = 1

    @property
    def operator(self) -> Operator:
        return self.evening.operator

    async def prepare(self) -> None:
        """Everybody logs in; the tables that are to be spoilt are open."""
        for name in PEOPLE:
            self.tokens[name] = await self.house.log_in(name)
        self.tokens["platform"] = self.house.operator_token
        await self.player(ATTACKER)
        for table in _SPOILT:
            opened = await self.operator.open_table(table.table, table.name, table.rulebook, table.configuration)
            assert opened.accepted, opened

    async def player(self, name: str, money: int = 0) -> str:
        """The token of a player's new session; an account with so much money if there is any."""
        self.tokens[name] = (await self.operator.open_session(name)).token
        if money:
            assert (await self.operator.open_account(name)).accepted
            assert (await self.operator.deposit(name, f"{name}-first", money)).accepted
        return self.tokens[name]

    def token_for(self, access: Access) -> str:
        """Of somebody who may ask it."""
        if access.player:
            return self.tokens[ATTACKER]
        return self.tokens[access.roles[0] if access.roles else "platform"]

    def address(self) -> str:
        """Another one of this machine's own: failed logins are counted by address."""
        self._addresses += 1
        return f"127.0.{self._addresses // 250}.{self._addresses % 250 + 1}"

    def from_elsewhere(self) -> httpx.AsyncClient:
        """The gateway, asked from an address of one's own."""
        transport = httpx.AsyncHTTPTransport(local_address=self.address())
        return httpx.AsyncClient(transport=transport, base_url=self.house.gateway_url, timeout=30)

    def chosen(self, number: int, least: float = 0.0) -> bool:
        """Whether this one of a list is tried in a run as short as this; of a short list `least` is."""
        share = max(self.share, least)
        return int(number * share) != int((number + 1) * share)

    async def ask(
        self,
        client: httpx.AsyncClient,
        method: str,
        path: str,
        token: str | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str | bytes] = {},
    ) -> tuple[httpx.Response | None, float]:
        """The answer, None where the connection was cut, and after how many seconds."""
        sent: dict[str, str | bytes] = {"idempotency-key": new_key(), **PURPOSE}
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        if content is not None:
            sent["content-type"] = "application/json"
        began = time.perf_counter()
        try:
            fields = [(_bytes(name), _bytes(value)) for name, value in {**sent, **headers}.items()]
            answer = await client.request(method, path, content=content, headers=fields)
        except (httpx.RemoteProtocolError, httpx.WriteError, httpx.ReadError):
            return None, time.perf_counter() - began
        took = time.perf_counter() - began
        if len(self.heard) < 20_000:
            self.heard.append(answer.content[:4096])
        return answer, took

    def judge(self, row: Row, what: str, answer: httpx.Response | None, seconds: float) -> str:
        """Notes an answer; whatever is asked, none is a 500, a traceback or late."""
        name = kind_of(answer)
        row.heard(name, seconds)
        if answer is not None and answer.status_code >= 500:
            row.wrong(f"{what}: {name}")
        if answer is not None and b"Traceback" in answer.content:
            row.wrong(f"{what}: a traceback")
        row.expect(seconds <= self.patience_s, f"{what}: answered after {seconds:.1f} s")
        return name

    @property
    def all_alive(self) -> bool:
        return all(each.running and each.starts == 1 for each in self.house.processes.values())

    async def still_well(self, row: Row) -> Row:
        """After an attack: a hand is played, nobody died, all are ready, nothing complains, nothing is set aside."""
        try:
            await self.evening.hands(1, 60 if self.all_alive else 0)
        except TimeoutError as stuck:
            row.wrong(f"no hand ended in a minute: {stuck}")
        for name, process in self.house.processes.items():
            row.expect(process.running and process.starts == 1, f"{name} died")
            if (trouble := await self._not_ready(process)) is not None:
                row.wrong(f"{name}: {trouble}")
        complaints = self._complaints()
        for line in complaints[self._complained :]:
            row.wrong(f"log: {line}")
        self._complained = len(complaints)
        for stream in (await mended(self.house.stack.database_url, again=False)).aside:
            row.wrong(f"set aside: {stream.stream}")
        return row.done()

    async def _not_ready(self, process: ServiceProcess, patience_s: float = 20.0) -> str | None:
        """Why it is not ready, where it does not become so in time: books and audit may lag that long."""
        async with httpx.AsyncClient(timeout=5.0) as client:
            give_up = time.monotonic() + patience_s
            while True:
                try:
                    answer = await client.get(f"{process.inner_url}/health/ready")
                    told = answer.text
                    if answer.status_code == httpx.codes.OK:
                        return None
                except httpx.HTTPError as wrong:
                    told = type(wrong).__name__
                if time.monotonic() > give_up:
                    return told
                await asyncio.sleep(0.2)

    def _complaints(self) -> list[str]:
        """Exceptions in the logs, by place and kind."""
        found = []
        for file in sorted((self.house.home / "logs").glob("*.jsonl")):
            for number, line in enumerate(file.read_bytes().splitlines(), 1):
                if b"Traceback" in line or b'"exception"' in line:
                    found.append(f"{file.name}:{number}")
        for file in sorted((self.house.home / "logs").glob("*.out")):
            found += [file.name] * file.read_bytes().count(b"Traceback")
        return found


def kind_of(answer: httpx.Response | None) -> str:
    """`422 invalid-input`, `409 not_seated`, `200`, `cut`."""
    if answer is None:
        return "cut"
    said = document_of(answer)
    told = said.get("reason") or str(said.get("type", "")).rpartition(":")[2]
    return f"{answer.status_code} {told}".strip()


def document_of(answer: httpx.Response) -> dict[str, Any]:
    try:
        said = json.loads(answer.content)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def in_url(text: str) -> str:
    """As a part of a path; lone surrogates as the bytes that they would be."""
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("latin-1")
