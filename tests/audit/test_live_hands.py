"""Hands dealt by a person, seen by the auditor: nothing to object to, incidents once, the same when folded anew."""

import msgspec
import pytest
from msgspec.structs import replace

from libs.contracts.conduct_commands import TipDealer
from libs.contracts.live_events import IncidentRecorded
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_events import HandVoided, StreetDealt
from libs.contracts.registry import encode_fact
from libs.projecting import project
from libs.views.hand import Hand
from services.audit.incidents import IncidentRow, incidents
from services.audit.projections.histories import Histories, record_of
from services.audit.projections.live_checks import LiveChecks
from services.audit.verifying.chips import Chips, check_chips
from services.audit.verifying.dealt import Decks
from services.audit.verifying.decks import check_deck
from services.audit.verifying.findings import Finding, Kind
from tests.audit.test_live_checks import fresh, source_of
from tests.table.asking import player
from tests.table.casino.play import CASINO_OMAHA, rule
from tests.table.live.play import LiveTable, five
from tests.table.live.test_dealer_errors import flush_against_straight
from tests.testkit.cases import Case


def published(table: LiveTable) -> list[PublicEvent]:
    told = [encode_fact(event) for event in table.told]
    return [
        PublicEvent(stream="t1", version=version, type=name, time=event.at, causation="c", data=data)
        for version, (event, (name, data)) in enumerate(zip(table.told, told, strict=True), 1)
    ]


async def rebuilt(database: str, table: LiveTable, hand: int) -> tuple[Hand, list[IncidentRow]]:
    """The audit service's own record of the hand and its incidents, from nothing but what the table told."""
    pool = await fresh(database)
    await project(pool, "audit", [Histories(), LiveChecks()], source_of(published(table)), limit=7)
    async with pool.acquire() as connection:
        record = await record_of(connection, "hand", "t1", hand)
        found, _ = await incidents(connection)
    await pool.close()
    assert record is not None
    of_no_interest = Kind.HAND_ORDER, Kind.OPENED_ALONE  # the tests' tables are the staff's
    return msgspec.json.decode(record, type=Hand), [each for each in found if each.kind not in of_no_interest]


def audited(table: LiveTable) -> tuple[list[Finding], list[IncidentRecorded]]:
    """Everything the table told, through the auditor's checks with the deck opened."""
    chips, decks = Chips(), Decks()
    found: list[Finding] = []
    incidents = []
    for told, event in zip(published(table), table.told, strict=True):
        # The tests of the table count hands from 2 on; where the auditor's own numbering starts is not judged here.
        found += [each for each in check_chips(chips, told, event) if each.kind is not Kind.HAND_ORDER]
        found += check_deck(decks, told, event, table.decks[told.version - 1])
        if isinstance(event, IncidentRecorded):
            incidents.append(event)
    return found, incidents


def turn_too_early(number: int = 2) -> LiveTable:
    table = LiveTable(1, 2, 3, 4, rulebook=CASINO_OMAHA, structure="pot_limit")
    table.state = replace(table.state, hands=number - 1, running=True, button=1)
    table.stack_pack("Td Jh Qc Ac 9d Js Qd Kc 8s 5h 6s 8h 7s 4c 2c 3d 3s Jc 6d 5d 9c Ah 4s Kd").begin(2).deal_holes()
    table.plays("4 call", "1 call", "2 call", "3 check").burn().turn_up(3).plays("2 bet 600", "3 call").burn()
    assert table.report("DE-70e", cards=[table.next_card()], reason="turned the next card") is None
    table.plays("4 call", "1 fold").burn().turn_up().plays("2 check", "3 bet 1000", "4 call", "2 fold")
    table.pack = ["7d"]
    table.turn_up().plays("3 check", "4 check")
    assert table.deliver() is None
    return table


@rule("FP-5/1", "70.e")
def test_a_hand_with_an_incident_is_the_same_when_rebuilt_and_has_one_report(case: Case) -> None:
    table = turn_too_early(case["hand"])
    found, incidents = audited(table)
    assert found == []
    (incident,) = incidents
    assert (incident.hand, incident.code) == (case["hand"], "DE-70e")
    assert (incident.state_before, incident.state_after) == ("ROUND_2", "ROUND_2")
    told = (incident.reported_by, incident.decided_by, incident.reason, incident.at > 0, incident.table)
    assert told == ("dealer-1", "dealer-1", "turned the next card", True, "t1")
    assert incident.exposed[0].card == "Ah"


@pytest.mark.stack
@rule("FP-5/1", "70.e")
async def test_the_audit_service_has_the_hand_with_an_incident_as_it_was_played(database: str, case: Case) -> None:
    table = turn_too_early(case["hand"])
    hand, found = await rebuilt(database, table, case["hand"])
    assert (hand.outcome, hand.board) == ("ended", ("Jc", "6d", "5d", "Kd", "7d"))
    burned = [place for event in table.of(StreetDealt, everything=True) for place in event.burned]
    assert (hand.burned, len(burned)) == (burned, 2), "and that of the turn which was taken back stands in the scans"
    assert {seat.seat: seat.stack_after for seat in hand.seats} == table.stacks
    assert sum(seat.refunded or 0 for seat in hand.seats) == 0
    (incident,) = hand.incidents
    told = (incident.code, incident.outcome, incident.cards, incident.state)
    assert told == ("DE-70e", table.of(IncidentRecorded, everything=True)[0].outcome, ("Ah",), "ROUND_2")
    (reported,) = found
    assert (reported.kind, reported.severity) == (Kind.EXPOSED, "minor"), "raises were forbidden on the dealer's word"
    assert "DE-70e on the word of dealer-1" in reported.detail
    assert "may only match in this round" in reported.detail


@pytest.mark.stack
@rule("FP-5", "69")
async def test_the_audit_service_has_the_refunds_of_a_void_hand_and_its_incident(database: str) -> None:
    table = five(5, "Qc 4d 8h Ks 2s 9h Jd 5c Tc 3h").deal_holes(turned=(3, 9))
    assert isinstance(table, LiveTable)
    (voided,) = table.of(HandVoided, everything=True)
    hand, found = await rebuilt(database, table, voided.hand)
    assert (hand.outcome, hand.board, [each.code for each in hand.incidents]) == ("void", (), ["DE-70c", "DE-69g"])
    refunded = {seat.seat: seat.refunded for seat in hand.seats if seat.refunded}
    assert refunded == {refund.seat: refund.amount for refund in voided.refunds if refund.amount}
    assert sum(refunded.values()) == 300
    assert {seat.seat: seat.stack_after for seat in hand.seats} == table.stacks
    (reported,) = found
    assert (reported.kind, reported.stream, reported.count) == (Kind.LIVE_VOID, "t1", 1)
    assert f"hand {voided.hand}, dealer dealer-1: void by DE-69g" in reported.detail


@rule("FP-5", "69")
def test_a_void_hand_and_one_with_a_turned_card_leave_nothing_to_object_to() -> None:
    table = five(5, "Qc 4d 8h Ks 2s 9h Jd 5c Tc 3h").deal_holes(turned=(3, 9))
    assert isinstance(table, LiveTable)
    found, incidents = audited(table)
    assert found == []
    assert [each.code for each in incidents] == ["DE-70c", "DE-69g"]
    assert (incidents[1].state_after, incidents[1].returned) == ("VOID", 300)


@pytest.mark.stack
@rule("70.a")
async def test_a_pot_pushed_against_the_cards_is_told_at_once(database: str) -> None:
    table = flush_against_straight()
    assert table.deliver(winner=4, pushed=True) is None
    _, found = await rebuilt(database, table, table.state.hands)
    (reported,) = found
    assert (reported.kind, reported.stream, reported.severity) == (Kind.PUSHED, "t1", "major")
    assert "dealer-1: pushed to seat 4, by the cards it is seat 3's" in reported.detail


@rule("FP-5", "70.a", "9.d")
def test_reversed_pots_and_tips_agree_to_the_chip() -> None:
    table = flush_against_straight()
    assert table.deliver(winner=4, pushed=True) is None
    assert table.report("DE-70a") is None
    assert table.send(player("p3"), TipDealer(amount=100)) is None
    found, incidents = audited(table)
    assert found == []
    assert [each.outcome for each in incidents] == ["reversed"]
