"""Owners as processes: one that is paused until another took over, one that is killed and started again."""

import asyncio
import os
import signal
import sys
import time
from contextlib import asynccontextmanager

import pytest

from tests.journal.house import until
from tests.journal.test_kafka import judge_journal, last_version, site, until_public_at  # noqa: F401

pytestmark = pytest.mark.stack
STREAMS = [f"account-{n}" for n in range(8)]


@asynccontextmanager
async def owner(site, writer, instance=""):  # noqa: F811
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tests.journal.bank_process", site.prefix, writer, instance),
        env={**os.environ, **site.broker.environment()},
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), 90)
        assert line.startswith(b"ready"), line
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
        await process.wait()


async def test_a_paused_owner_wakes_up_as_a_zombie_and_forks_nothing(site):  # noqa: F811
    async with owner(site, "sleeper") as sleeper:
        await site.ask(*(site.command(s, amount=50) for s in STREAMS))
        sleeper.send_signal(signal.SIGSTOP)
        meanwhile = [site.command(s, "Gamble", amount=5) for s in STREAMS for _ in range(5)]
        await site.send(*meanwhile)
        async with owner(site, "heir"):
            await until(lambda: all(c.id in site.replies for c in meanwhile), 60)
            sleeper.send_signal(signal.SIGCONT)
            after = []
            for _ in range(20):
                after += [site.command(s, "Gamble", amount=5) for s in STREAMS]
                await site.send(*after[-8:])
                await asyncio.sleep(0.1)
            await until(lambda: all(c.id in site.replies for c in after), 60)
            await until_public_at(site, {s: last_version(site, after, s) for s in STREAMS})

    for command in (*meanwhile, *after):
        assert len({reply.encoded() for reply, _ in site.replies[command.id]}) == 1
    writers, judged = await judge_journal(site)
    assert writers == {"sleeper", "heir"}
    assert judged["valid"] == 8 + len(meanwhile) + len(after)
    print("judgements", dict(judged))


async def test_a_killed_owner_that_comes_back_under_its_name_need_not_wait_for_its_session(site):  # noqa: F811
    async with owner(site, "first", "bank-0") as first:
        await site.ask(*(site.command(s, amount=50) for s in STREAMS))
        open_ones = [site.command(s, "Withdraw", amount=5) for s in STREAMS]
        await site.send(*open_ones)
        first.kill()
        await first.wait()
        killed = time.monotonic()
        async with owner(site, "second", "bank-0"):
            await site.ask(*(site.command(s) for s in STREAMS))
            took = time.monotonic() - killed
            assert all(c.id in site.replies for c in open_ones)
    print(f"from kill to the next answer: {took:.1f} s")
    assert took < 6
    _, judged = await judge_journal(site)
    assert judged["valid"] == 24
