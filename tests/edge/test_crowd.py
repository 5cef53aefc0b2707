"""Whoever has no login is worked on a few at a time; nobody who is slow, many or gone keeps the others out."""

import asyncio
from typing import Any

from libs.edge.connections import Connections
from libs.edge.crowd import A_TURN, AT_WORK, AT_WORK_OF_ONE, Crowd
from libs.edge.front import Front
from libs.edge.limits import DEFAULTS


async def _turns() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def entered(crowd: Crowd, address: str, times: int) -> list["asyncio.Task[None]"]:
    tasks = [asyncio.create_task(crowd.enter(address)) for _ in range(times)]
    await _turns()
    return tasks


def done(tasks: list["asyncio.Task[None]"]) -> int:
    return sum(task.done() for task in tasks)


async def test_one_address_has_its_part_and_not_all() -> None:
    crowd = Crowd()
    many = await entered(crowd, "a", 50)
    assert done(many) == AT_WORK_OF_ONE
    other = await entered(crowd, "b", 1)
    assert done(other) == 1
    for let_in in range(AT_WORK_OF_ONE + 1, 51):
        crowd.leave("a")
        await _turns()
        assert done(many) == let_in


async def test_addresses_have_their_turns_where_all_of_it_is_taken() -> None:
    crowd = Crowd()
    crowds = {name: await entered(crowd, name, 10) for name in "abcdef"}
    assert sum(map(done, crowds.values())) == AT_WORK
    before = {name: done(tasks) for name, tasks in crowds.items()}
    for _ in range(4):
        crowd.leave("a")
    await _turns()
    after = {name: done(tasks) for name, tasks in crowds.items()}
    assert {name for name in crowds if after[name] > before[name]} == set("adef")


async def test_who_goes_away_while_waiting_takes_no_place_along() -> None:
    crowd = Crowd()
    many = await entered(crowd, "a", AT_WORK_OF_ONE + 2)
    waiting = [task for task in many if not task.done()]
    crowd.leave("a")  # the first of them is let in, and goes before it knows
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    for _ in range(AT_WORK_OF_ONE - 1):
        crowd.leave("a")
    assert done(await entered(crowd, "a", AT_WORK_OF_ONE)) == AT_WORK_OF_ONE


async def asked(front: Front, headers: list[tuple[bytes, bytes]]) -> Any:
    scope = {"type": "http", "path": "/", "query_string": b"", "headers": headers, "client": ("10.0.0.1", 1)}

    async def receive() -> Any:
        await asyncio.sleep(3600)

    async def send(message: Any) -> None:
        await asyncio.sleep(3600)  # takes nothing of the answer

    return asyncio.create_task(front(scope, receive, send))


async def test_slow_readers_and_logins_keep_nobody_waiting() -> None:
    began: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        began.append("begun")
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    front = Front(app, Connections(DEFAULTS))
    tasks = [await asked(front, []) for _ in range(3 * AT_WORK)]
    for _ in range(50):
        await asyncio.sleep(0)
    assert len(began) == 3 * AT_WORK, "each had its answer made, though none of them reads"

    working: list[str] = []

    async def stuck(scope: Any, receive: Any, send: Any) -> None:
        working.append("begun")
        await asyncio.sleep(3600)

    front = Front(stuck, Connections(DEFAULTS))
    tasks += [await asked(front, []) for _ in range(3 * AT_WORK)]
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(working) == AT_WORK_OF_ONE
    tasks += [await asked(front, [(b"authorization", b"Bearer x")])]
    await _turns()
    assert len(working) == AT_WORK_OF_ONE + 1
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_what_is_done_in_one_go_begins_a_few_at_a_time_too() -> None:
    """Four hundred answers of 404 were one turn of the loop, and a player's act takes some ten turns."""
    in_this_turn, most = 0, 0

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal in_this_turn, most
        in_this_turn += 1
        most = max(most, in_this_turn)

    front = Front(app, Connections(DEFAULTS))
    tasks = [await asked(front, []) for _ in range(60)]
    done_in = 0
    while not all(task.done() for task in tasks):
        in_this_turn = 0
        await asyncio.sleep(0)
        done_in += 1
    assert most <= 2 * A_TURN
    assert done_in >= 60 // (2 * A_TURN)
