"""Póquer sintético at a dealer's table: a common card too early (S.12), the general part for it (S.13)."""

from typing import Any

import pytest
from msgspec.structs import replace

from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.live_events import StubReshuffled
from libs.contracts.poker_events import HandStarted, StreetDealt
from libs.contracts.table_events import TableClosed
from libs.rulebooks.library import RULEBOOKS
from tests.table.casino.play import SINTETICO, rule
from tests.table.live.play import LiveTable
from tests.testkit.cases import Case

PROFILE: dict[str, Any] = {"rulebook": SINTETICO, "kind": "demo", "ante": 50}


@pytest.fixture(autouse=True)
def _enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULEBOOKS, SINTETICO, replace(RULEBOOKS[SINTETICO], enabled=True))


@rule("S.12/1")
def test_a_common_card_too_early_is_withdrawn_and_the_first_of_the_stub_replaces_it(case: Case) -> None:
    early = case.text("card")
    table = LiveTable(1, 2, 3, 4, **PROFILE).stack_pack(f"8c 9c Tc Jc Qc Kc Ac 8d Kh Qh {early} Ts 9s Ah")
    table.begin(2).deal_holes()
    table.turn_up()
    assert table.name == "ROUND_1"
    table.plays("2 check", "3 check", "4 check", "1 check").turn_up()
    table.plays("2 check")
    assert table.name == f"ROUND_{case['round']}"
    assert table.report("DE-70f", cards=[early]) is None
    assert [card.card for card in table.incident.exposed] == [early]
    assert table.act(3, "bet", 400) == Reason.CALL_ONLY_AFTER_EXPOSURE
    table.plays("3 check", "4 check", "1 check")
    (reshuffled,) = table.of(StubReshuffled)
    assert len(reshuffled.returned) == 1
    table.pack = ["Ts", *table.pack]
    table.turn_up()
    (third,) = table.of(StreetDealt)
    assert (third.street, [card.card for card in third.cards], third.burned) == ("card_3", ["Ts"], [])
    assert table.name == "ROUND_3"
    table.plays("2 bet 400")


@rule("S.13/1")
def test_four_players_fifteen_minutes_and_the_rest_hold_here_too(case: Case) -> None:
    table = LiveTable(*range(1, case.int("players") + 1), **PROFILE).make_ready()
    assert table.deal_hand() == Reason.TOO_FEW_PLAYERS
    assert not table.of(HandStarted, everything=True)
    table.seat(4)
    assert table.deal_hand() is None
    table.stack_pack("8c 9c Tc Jc Qc Kc Ac 8d Kh").deal_holes().turn_up().folds_round()
    assert table.leave(4) is None
    rules = table.state.rules
    assert (rules.entry.min_players, rules.timing.sit_out_limit, rules.timing.rest_repeat_limit) == (4, 3, 3)
    assert table.due == table.now + 900_001
    table.now += 900_001
    table.wake()
    assert table.of(TableClosed)
