"""What staff, platforms and players ask of a house that stands for years, over HTTP, and how long each answer takes."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from http import HTTPStatus

import httpx

from libs.client import Operator
from libs.identity.purpose import PURPOSE
from services.cli.house import House
from tests.bench.house.meters import percentile


@dataclass(frozen=True, slots=True)
class Asked:
    """`of`: gateway, wallet or audit; `by`: a role of the staff, `platform`, or `player`."""

    of: str
    by: str
    path: str

    def __str__(self) -> str:
        return f"{self.of} {self.path}"


def questions(player: str, idle: str, table: str) -> list[Asked]:
    """`player` has played often, `idle` has an account and nothing more, `table` was closed long ago."""
    return [
        Asked("gateway", "player", "/v1/tables"),
        Asked("gateway", "player", "/v1/session"),
        Asked("gateway", "player", "/v1/statement"),
        Asked("gateway", "player", f"/v1/tables/{table}"),
        Asked("gateway", "player", f"/v1/tables/{table}/rules"),
        Asked("gateway", "platform", f"/v1/players/{player}/account"),
        Asked("gateway", "platform", f"/v1/players/{idle}/account"),
        Asked("wallet", "cashier", f"/v1/players/{player}/accounts"),
        Asked("wallet", "cashier", f"/v1/players/{player}/statements"),
        Asked("wallet", "cashier", f"/v1/players/{idle}/statements"),
        Asked("wallet", "cashier", "/v1/trial-balance"),
        Asked("wallet", "cashier", "/v1/totals"),
        Asked("wallet", "cashier", "/v1/rake-accounts"),
        Asked("wallet", "auditor", "/v1/completeness"),
        Asked("audit", "auditor", "/v1/incidents"),
        Asked("audit", "auditor", "/v1/checkpoints"),
        Asked("audit", "security", "/v1/cases"),
        Asked("audit", "auditor", "/v1/reads"),
        Asked("audit", "security", f"/v1/hands?player={player}"),
        Asked("audit", "security", f"/v1/hands?player={idle}"),
        Asked("audit", "security", f"/v1/hands/{table}/2"),
        Asked("audit", "security", f"/v1/hands/{table}/last"),
        Asked("audit", "security", f"/v1/hands/{table}/last?player={player}"),
    ]


@dataclass(frozen=True, slots=True)
class Asking:
    """A house that is asked: a client by service, and headers by who asks."""

    clients: Mapping[str, httpx.AsyncClient]
    headers: Mapping[str, dict[str, str]]


async def asking(stack: AsyncExitStack, house: House, asked: Sequence[Asked], player: str) -> Asking:
    """Everybody who asks has logged in; `stack` closes the connections."""
    clients = {
        of: await stack.enter_async_context(httpx.AsyncClient(base_url=house.processes[of].url, timeout=60.0))
        for of in {each.of for each in asked}
    }
    return Asking(clients, await _headers(house, {each.by for each in asked}, player))


async def once(asking: Asking, each: Asked) -> tuple[float, int]:
    """Seconds of an answer, and its status; who asked too much waits and asks again."""
    while True:
        began = time.perf_counter()
        answer = await asking.clients[each.of].get(each.path, headers=asking.headers[each.by])
        took = time.perf_counter() - began
        if answer.status_code != HTTPStatus.TOO_MANY_REQUESTS:  # of one of the staff, for a person
            return took, answer.status_code
        await asyncio.sleep(float(answer.headers.get("retry-after", 1)))


async def answered(house: House, asked: list[Asked], times: int, player: str) -> dict[str, dict[str, float]]:
    """Median and p99 in milliseconds of each, one after the other; its status where it was not answered."""
    found: dict[str, dict[str, float]] = {}
    async with AsyncExitStack() as stack:
        of_house = await asking(stack, house, asked, player)
        for each in asked:
            # The first one makes connections and plans.
            _, *answers = [await once(of_house, each) for _ in range(times + 1)]
            took = [seconds for seconds, _ in answers]
            found[str(each)] = {
                "p50_ms": round(1000 * percentile(took, 0.5), 1),
                "p99_ms": round(1000 * percentile(took, 0.99), 1),
                "status": answers[-1][1],
            }
    return found


async def _headers(house: House, who: set[str], player: str) -> Mapping[str, dict[str, str]]:
    async with Operator(house.gateway_url, house.operator_token) as operator:
        tokens = {"platform": house.operator_token, "player": (await operator.open_session(player)).token}
    for role in who - tokens.keys():
        tokens[role] = await house.log_in(role)
    return {name: {"authorization": f"Bearer {token}", PURPOSE: "the bench"} for name, token in tokens.items()}
