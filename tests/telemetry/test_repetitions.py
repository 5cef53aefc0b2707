"""What a library repeats is told now and then, with the number of times it was not."""

import asyncio
import json
import logging
from contextlib import suppress
from pathlib import Path

import pytest

from libs.edge.problems import Problem
from libs.identity import failures
from libs.identity.failures import Attempts
from libs.telemetry.logs import Repetitions


def line(logger: str, text: str, *arguments: object) -> logging.LogRecord:
    return logging.LogRecord(logger, logging.ERROR, "", 0, text, arguments, None)


class Seconds:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_one_line_passes_in_five_seconds_and_the_next_says_how_many_did_not() -> None:
    clock = Seconds()
    repetitions = Repetitions(("aiokafka",), now=clock)

    passed = [repetitions.filter(line("aiokafka.client", "Unable connect to node with id %s", n)) for n in range(4)]
    clock.now += 5
    after = line("aiokafka.client", "Unable connect to node with id %s", 1)

    assert passed == [True, False, False, False]
    assert repetitions.filter(after)
    assert after.__dict__["left_out"] == 3


def test_another_text_or_level_or_logger_is_another_line() -> None:
    repetitions = Repetitions(("aiokafka",), now=Seconds())
    told = [line("aiokafka", "one"), line("aiokafka", "two"), line("aiokafka.consumer", "one")]
    told.append(logging.LogRecord("aiokafka", logging.WARNING, "", 0, "one", (), None))
    assert all(repetitions.filter(each) for each in told)


def test_our_own_lines_all_pass() -> None:
    repetitions = Repetitions(("aiokafka",), now=Seconds())
    assert all(repetitions.filter(line("libs.journal.runner", "decide raised")) for _ in range(3))


def test_texts_without_end_take_no_memory_without_end() -> None:
    repetitions = Repetitions(("aiokafka",), now=Seconds())
    for number in range(5_000):
        assert repetitions.filter(line("aiokafka", f"node {number}"))
    assert len(repetitions._said) <= 1_000


def test_the_services_logs_are_kept_short_so(log_file: Path) -> None:
    for number in range(100):
        logging.getLogger("aiokafka").error("Unable connect to node with id %s", number)
        logging.getLogger("libs.journal.runner").error("decide raised")

    events = [json.loads(each)["event"] for each in log_file.read_text().splitlines()]
    assert events.count("decide raised") == 100
    assert events.count("Unable connect to node with id 0") == 1
    assert len(events) == 101


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(seconds: float) -> None: ...

    monkeypatch.setattr(failures, "wait", at_once)


async def _fail(attempts: Attempts, addresses: list[str]) -> None:
    for address in addresses:
        with suppress(Problem):
            await attempts.failed(address, "session")


def test_wrong_tokens_make_a_few_lines_however_many_they_are(log_file: Path, no_waits: None) -> None:
    """Found by an attacker: each made a line, so that anybody could fill the disk."""
    addresses = [f"2001:db8::{number:x}" for number in range(300)] + ["2001:db8::1"] * 300
    asyncio.run(_fail(Attempts(10, 300.0, Seconds()), addresses))
    said = [json.loads(each) for each in log_file.read_text().splitlines()]
    assert {line["event"] for line in said} == {"login failed", "logins locked"}
    assert len(said) < 10, "one of each in five seconds"


async def test_one_address_does_not_hide_another_s_wrong_tokens(
    no_waits: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(failures._log, "warning", lambda event, **told: said.append(told["address"]))
    await _fail(Attempts(10, 300.0, Seconds()), ["a"] * 500 + ["b"] + ["a"] * 500)
    assert said == ["a"] * failures.FREE + ["b"]
