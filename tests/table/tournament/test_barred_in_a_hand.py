"""Who is excluded while a hand runs plays it to its end: one person decides about no pot (pt-810-2015 FP-16, 27).

Who is disqualified is folded, and the auditor tells of either.
"""

import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts import tournament_events as e
from libs.contracts.facts import TableEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_commands import VoidHand
from libs.contracts.poker_events import PlayerFolded
from libs.contracts.registry import decode_fact, encode_fact
from libs.contracts.table_commands import ReportConnection, SitIn
from libs.contracts.table_events import PlayerSatIn, PlayerSatOut
from libs.contracts.tournament_commands import BarEntrant, SeatEntrant
from libs.contracts.tournament_events import Bar
from services.audit.verifying.acted_for import ActedFor
from services.audit.verifying.barred import check_barred
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.pots import Pots, check_pots
from services.table.domain.table.decide import evolve
from tests.table.play import HOLDEM, player_principal
from tests.table.tournament.play import TournamentTable
from tests.table.under_test import policy

FP16 = pytest.mark.rule("pt-810-2015", "FP-16")


def facing_a_bet() -> TournamentTable:
    """10,000 of 2 and 3 each in the pot, and 2 bets 1000 more; 1 has folded."""
    table = TournamentTable(HOLDEM, seats=9, big_blind=100).enter(1, 2, 3).after_button(3).deal()
    return table.plays("1 fold", "2 raise 10000", "3 call", "2 bet 1000")


def bar(table: TournamentTable, seat: int, why: Bar = "excluded") -> e.EntrantBarred | None:
    assert table.asks(BarEntrant, reservation=table.state.seats[seat].reservation, why=why) is None
    found = table.of(e.EntrantBarred)
    return found[0] if found else None


@FP16
def test_who_is_excluded_in_a_hand_decides_in_it_and_is_away_after_it() -> None:
    """Found by an attacker: the house folded at once, and the pot was a friend's on one person's word."""
    table = facing_a_bet()
    barred = bar(table, 3)
    assert barred is not None
    assert barred.after_hand == 1
    assert (table.state.seats[3].away, table.state.seats[3].barred) == (False, "excluded")
    table.wake()
    assert not table.of(PlayerFolded), "no sooner than the clock says"
    table.plays("3 raise 3000", "2 call")
    table.checks_down()
    assert (table.state.seats[3].away, table.state.seats[3].barred) == (True, "excluded")
    assert table.send(player_principal("p3"), SitIn()) == "barred"
    for connected in (False, True):
        assert table.send(policy(), ReportConnection(player="p3", connected=connected)) is None
        assert not table.of(PlayerSatIn)
    table.deal()
    while table.turn not in (3, None):
        table.plays(f"{table.turn} call")
    assert table.act(3, "fold") == "not_your_seat", "the house plays the next one"


@FP16
def test_who_is_excluded_and_does_not_decide_is_folded_when_the_time_is_over_and_comes_back_no_more() -> None:
    table = facing_a_bet()
    bar(table, 3)
    table.time_out()
    [folded] = table.of(PlayerFolded)
    assert (folded.seat, folded.reason) == (3, "timeout")
    assert table.state.seats[3].away
    assert table.send(player_principal("p3"), SitIn()) == "barred"


@FP16
def test_nobody_has_seen_him_and_a_connection_is_not_enough_once_he_is_excluded() -> None:
    table = TournamentTable(HOLDEM, seats=9, big_blind=100).enter(1, 2)
    unseen = {"reservation": "e3", "player": "p3", "seat": 3, "chips": 30_000, "away": "unseen"}
    assert table.asks(SeatEntrant, **unseen) is None
    table.after_button(3).deal().plays("1 call", "2 call")
    bar(table, 3)
    table.time_out()
    assert [event.reason for event in table.of(PlayerSatOut)] == ["timeout"]
    assert table.send(policy(), ReportConnection(player="p3", connected=True)) is None
    assert not table.of(PlayerSatIn)
    assert table.state.seats[3].away


@FP16
def test_a_void_hand_ends_it_too() -> None:
    table = facing_a_bet()
    bar(table, 3)
    assert table.void_by_two(VoidHand(hand=1, cause="fault")) is None
    assert table.state.hand is None
    assert table.state.seats[3].away


@FP16
@pytest.mark.parametrize("when", ["folded", "between_hands", "away"])
def test_who_has_no_claim_to_a_pot_or_is_away_already_is_away_at_once(when: str) -> None:
    table = facing_a_bet()
    seat = 3
    if when == "folded":
        seat = 1
    elif when == "between_hands":
        table.plays("3 fold")
    else:
        table.state = table.state.with_sitter(replace(table.state.seats[3], away=True))
    barred = bar(table, seat)
    assert barred is not None
    assert barred.after_hand is None
    assert table.state.seats[seat].away


@FP16
def test_who_is_disqualified_in_a_hand_is_folded_also_if_excluded_before_or_after() -> None:
    """The regulation says so: chips that leave play after the hand would else be anybody's whom he likes."""
    table = facing_a_bet()
    bar(table, 3)
    barred = bar(table, 3, "disqualified")
    assert barred is not None
    assert barred.after_hand is None
    assert bar(table, 3) is None, "nothing less follows of an exclusion"
    assert table.state.seats[3].barred == "disqualified"
    assert table.act(3, "call") == "not_your_seat"
    table.wake()
    [folded] = table.of(PlayerFolded)
    assert (folded.seat, folded.reason) == (3, "barred")
    [gone] = table.of(e.EntrantDisqualified)
    assert (gone.seat, gone.chips) == (3, 20_000)


@FP16
@pytest.mark.parametrize(("why", "reason"), [("excluded", "timeout"), ("disqualified", "barred")])
def test_what_was_told_before_folds_as_it_did(why: Bar, reason: str) -> None:
    """Away at once, and the house's fold after it: bytes of before `after_hand` was told."""
    table = facing_a_bet()
    before = table.state
    sitter = before.seats[3]
    name, _ = encode_fact(e.EntrantBarred(tournament="x", reservation="x", player="x", seat=1, why=why))
    old = {
        "at": table.now, "table": before.table, "tournament": before.rules.tournament, "player": "p3", "seat": 3,
        "reservation": sitter.reservation, "why": why,
    }  # fmt: skip
    barred = decode_fact(name, msgspec.json.encode(old))
    assert isinstance(barred, e.EntrantBarred)
    after = evolve(before, barred)
    assert (after.seats[3].away, after.seats[3].barred) == (True, why)
    table.state = after
    table.acted_for = ActedFor()  # nobody has told that one of this event
    table.wake()
    [folded] = table.of(PlayerFolded)
    assert (folded.seat, folded.actor, folded.reason) == (3, "house", reason)
    assert table.state.hand is None
    assert table.chips == 90_000 - (20_000 if why == "disqualified" else 0)
    assert (3 in table.state.seats) == (why == "excluded")


def told_of(facts: list[TableEvent]) -> list[Finding]:
    pots, found = Pots(), []
    for version, fact in enumerate(facts, 1):
        event = PublicEvent(stream="t1", version=version, type="x", time=fact.at, causation="c", data=b"")
        found += [*check_pots(pots, event, fact), *check_barred(pots, event, fact)]
    return found


@FP16
@pytest.mark.parametrize(
    ("why", "follows"), [("excluded", "plays the hand to its end"), ("disqualified", "decides no more in it")]
)
def test_the_first_one_put_out_with_cards_in_a_hand_is_told(why: Bar, follows: str) -> None:
    table = facing_a_bet()
    bar(table, 1, why)
    assert told_of(table.told) == [], "has folded"
    bar(table, 3, why)
    (found,) = told_of(table.told)
    assert (found.kind, found.severity) == (Kind.BARRED, "major")
    assert found.detail == (
        f"p3 was {why} from {table.state.rules.tournament} in hand 1 of seat 3, with 10000 in a pot of 21000,"
        f" and {follows}"
    )
    table.wake()
    while table.state.hand is not None and table.turn is not None:
        table.plays(f"{table.turn} fold")
    for seat in sorted(table.state.seats):
        if table.state.seats[seat].barred is None:
            bar(table, seat, why)
    assert len(told_of(table.told)) == 1, "between hands nobody has a claim"
