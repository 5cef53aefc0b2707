"""Hands dealt by a person, seen by the auditor: nothing to object to, incidents once, the same when folded anew."""

from msgspec.structs import replace

from libs.contracts.conduct_commands import TipDealer
from libs.contracts.live_events import IncidentRecorded
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_events import StreetDealt
from libs.contracts.registry import encode_fact
from services.audit.verifying.chips import Chips, check_chips
from services.audit.verifying.dealt import Decks
from services.audit.verifying.decks import check_deck
from services.audit.verifying.findings import Finding, Kind
from services.table.domain.table.decide import evolve
from services.table.domain.table.state import Table
from tests.table.asking import player
from tests.table.casino.play import CASINO_OMAHA, rule
from tests.table.live.play import LiveTable, five
from tests.table.live.test_dealer_errors import flush_against_straight
from tests.testkit.cases import Case


def audited(table: LiveTable) -> tuple[list[Finding], list[IncidentRecorded]]:
    """Everything the table told, through the auditor's checks with the deck opened."""
    chips, decks = Chips(), Decks()
    found: list[Finding] = []
    incidents = []
    for version, event in enumerate(table.told, 1):
        name, data = encode_fact(event)
        told = PublicEvent(stream="t1", version=version, type=name, time=event.at, causation="c", data=data)
        # The tests of the table count hands from 2 on; where the auditor's own numbering starts is not judged here.
        found += [each for each in check_chips(chips, told, event) if each.kind is not Kind.HAND_ORDER]
        found += check_deck(decks, told, event, table.decks[version - 1])
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
    state = Table(table="t1")
    boards, burns = [], []
    for event in table.told:
        state = evolve(state, event)
        if isinstance(event, StreetDealt):
            boards += [card.card for card in event.cards]
            burns += event.burned
    assert (len(boards), boards[-2:]) == (5, ["Kd", "7d"])
    assert len(burns) == 2, "and that of the turn which was taken back stands in the scans"
    assert {seat: sitter.stack for seat, sitter in state.seats.items()} == table.stacks
    assert state.books == table.state.books


@rule("FP-5", "69")
def test_a_void_hand_and_one_with_a_turned_card_leave_nothing_to_object_to() -> None:
    table = five(5, "Qc 4d 8h Ks 2s 9h Jd 5c Tc 3h").deal_holes(turned=(3, 9))
    assert isinstance(table, LiveTable)
    found, incidents = audited(table)
    assert found == []
    assert [each.code for each in incidents] == ["DE-70c", "DE-69g"]
    assert (incidents[1].state_after, incidents[1].returned) == ("VOID", 300)


@rule("FP-5", "70.a", "9.d")
def test_reversed_pots_and_tips_agree_to_the_chip() -> None:
    table = flush_against_straight()
    assert table.deliver(winner=4, pushed=True) is None
    assert table.report("DE-70a") is None
    assert table.send(player("p3"), TipDealer(amount=100)) is None
    found, incidents = audited(table)
    assert found == []
    assert [each.outcome for each in incidents] == ["reversed"]
