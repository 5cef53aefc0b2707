"""Whether the open broker of `make bench-lines` is open; what each kind costs is not asked here."""

import asyncio

import pytest

from libs.broker import Broker
from libs.stack.provision import inspect
from tests.bench.house.lines import FIGURES, ratios, standing


@pytest.mark.long
@pytest.mark.stack
@pytest.mark.timeout(180)
def test_an_open_broker_asks_nobody_for_a_login() -> None:
    with standing("open") as stack:
        assert stack.broker("table") == Broker(stack.admin.bootstrap)
        assert asyncio.run(inspect(stack.broker("table")))


def test_ratios_are_of_each_round_to_its_own_open_broker() -> None:
    def row(cpu: float) -> dict:
        return {
            "stage": "1@4",
            "all_services_ms_per_act": cpu,
            "cpu_ms_per_act": {"Kafka": 2 * cpu},
            "answer_ms": {"p50": cpu, "p99": 3 * cpu},
        }

    rounds = [
        {"open": [row(2.0)], "logins": [row(3.0)], "TLS": [row(8.0)]},
        {"open": [row(4.0)], "logins": [row(4.0)], "TLS": [row(4.0)]},
    ]
    assert ratios(rounds) == {"1@4": {name: {"logins": [1.0, 1.5], "TLS": [1.0, 4.0]} for name in FIGURES}}
