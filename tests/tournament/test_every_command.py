"""A tournament player with 30,000 chips: every command that the table service takes is tried, and no chip goes by any.

mo-97-2010 4.2: refused on every path until the player is eliminated or the tournament ends. Messages as they stand on
the topic, the table's own decider.
"""

from typing import Any

import pytest

from libs.contracts.commands import STAFF
from libs.contracts.messages import CommandMessage, Principal
from libs.contracts.registry import ALL_TABLE_COMMANDS
from libs.contracts.scanned_cards import sealed_card
from libs.sealing.secret import DataKey
from services.table.machine import decode_command
from services.table.scanning import Scanner
from tests.table.tournament.play import ASKED, TABLE, TOURNAMENT, TournamentTable
from tests.testkit.cases import Case

COMMANDS = {command.__name__: command for command in ALL_TABLE_COMMANDS}
CHIPS = 30_000
CASH_OUT = 10_000
KEY = bytes(range(32))
RULE = "mo-97-2010#4.2"

Attempt = tuple[dict[str, Any], str | None]
"""Body, and the reason of the refusal; None: taken, and no chip goes anywhere by it."""

MONEY, ORGANISERS, STAY = "no_money_in_tournament", "organisers_matter", "chips_stay_in_tournament"
BY_RULE = {MONEY, ORGANISERS, STAY, "has_chips", "withdraw_while_seated", "transfer_not_allowed"}
"""Reasons that the regulation itself gives."""

_HAND: dict[str, Any] = {"hand": 2}
_ROUND: dict[str, Any] = {"round": 1}
ATTEMPTS: dict[str, list[Attempt]] = {
    # Out with the chips, some of them or all
    "LeaveTable": [({}, STAY)],
    "RemovePlayer": [({"player": "p1", "reason": "asked for it"}, STAY)],
    "CloseTable": [({"reason": "night"}, STAY)],
    "StatePresence": [({"present": True}, "not_in_this_mode")],
    "TipDealer": [({"amount": CASH_OUT}, "not_in_this_mode")],
    "AskFavour": [
        ({"favour": "take_chips_off"}, "withdraw_while_seated"),
        ({"favour": "move_chips"}, "transfer_not_allowed"),
        ({"favour": "split_pot"}, "chop_not_allowed"),
        ({"favour": "swap_seats"}, "seat_swap_not_allowed"),
    ],
    # In with money
    "TakeSeat": [({"reservation": "r9", "seat": 7, "amount": CASH_OUT}, MONEY)],
    "ConfirmSeat": [({"reservation": "e1"}, MONEY)],
    "ReleaseSeat": [({"reservation": "e1", "reason": "cancelled"}, MONEY)],
    "RequestTopUp": [({"top_up": "u1", "amount": CASH_OUT}, MONEY)],
    "ConfirmTopUp": [({"top_up": "u1"}, MONEY)],
    "FailTopUp": [({"top_up": "u1"}, MONEY)],
    "ConfirmFee": [({"fee": "t1-1-p1"}, "no_such_fee")],
    "FailFee": [({"fee": "t1-1-p1"}, "no_such_fee")],
    "RequestBankChange": [({"change": "b1", "direction": "drop", "amount": CASH_OUT, "reason": "r"}, MONEY)],
    "ApproveBankChange": [({"change": "b1", "direction": "top_up", "amount": 1}, MONEY)],
    "DeclineBankChange": [({"change": "b1", "reason": "r"}, MONEY)],
    # To another seat or table
    "AskSeatChange": [({"entry": "c1", "seat": 7}, ORGANISERS)],
    "AskTableChange": [({"to_table": "t2", "players_there": 3}, ORGANISERS)],
    "JoinWaitingList": [({"entry": "w1"}, ORGANISERS)],
    "LeaveWaitingList": [({}, ORGANISERS)],
    "DrawSeats": [({}, ORGANISERS)],
    "DrawTables": [({"tables": ["t2"]}, ORGANISERS)],
    "AssignPlaces": [({"players": ["p1"], "suits": ["s"], "tables": ["t2"], "drawn_at": "t2"}, ORGANISERS)],
    # Other rules
    "OpenTable": [({"name": "x", "rulebook": "mo-97-2010-omaha", "configuration": {}}, "already_open")],
    "ChangeConfiguration": [({"configuration": ASKED | {"version": 2, "kind": "real", "rake_bp": 500}}, ORGANISERS)],
    "ApproveConfiguration": [({"version": 2}, ORGANISERS)],
    "DeclineConfiguration": [({"version": 2, "reason": "r"}, ORGANISERS)],
    # Dealers, who do not deal here
    "AssignDealer": [({"dealer": "d1"}, "not_in_this_mode")],
    "InspectDeck": [({"deck": "R", "cards": []}, "not_in_this_mode")],
    "CheckDeck": [({"deck": "R", "cards": 52, "sound": True}, "not_in_this_mode")],
    "ShuffleDeck": [({"deck": "R", "times": 3}, "not_in_this_mode")],
    "MarkDeckDamaged": [({"deck": "R"}, "not_in_this_mode")],
    "ReplaceDeck": [({"deck": "R", "by_deck": "B"}, "not_in_this_mode")],
    "DealHand": [({"deck": "R"}, "not_in_this_mode")],
    "ScanCard": [(_HAND | {"card": sealed_card(KEY, TABLE, 2, "Td"), "to": "board"}, "not_in_this_mode")],
    "RecordPost": [(_HAND | {"seat": 1}, "not_in_this_mode")],
    "PassTurn": [(_HAND | {"seat": 1}, "not_in_this_mode")],
    "RecordIncident": [(_HAND | {"code": "DE-70a", "seat": 1}, "not_in_this_mode")],
    "DecideIncident": [(_HAND | {"incident": 1, "decision": "reverse", "reason": "r"}, "not_in_this_mode")],
    "DeliverPot": [(_HAND | {"winner": 1, "pushed": True}, "not_in_this_mode")],
    "OpenDispute": [({"hand": 1, "text": "the pot was mine"}, None)],
    "ResolveDispute": [({"hand": 1, "dispute": 1, "decision": "no", "reason": "the cards say so"}, None)],
    # Games against the house; what each of them takes beside this is tried with its example
    **{own.__name__: [(dict(own.example), STAY)] for own in ALL_TABLE_COMMANDS if own.path},
    "DealRound": [(_ROUND, STAY)],
    "VoidRound": [(_ROUND | {"cause": "fault"}, STAY)],
    # What is taken, and moves no chip
    "SitOut": [({}, None)],
    "SitIn": [({}, None)],
    "SendMessage": [({"message": "m1", "sealed": "AAEC"}, "chat_closed")],
    "WarnPlayer": [({"player": "p1", "rule": "58", "cause": "insults", "grave": True}, None)],
    "MutePlayer": [({"player": "p1", "cause": "insults"}, None)],
    "PauseTable": [({"reason": "check"}, ORGANISERS)],
    "ResumeTable": [({}, "not_paused")],
    "ReportConnection": [({"player": "p1", "connected": False}, None), ({"player": "p1", "connected": True}, None)],
    # The play itself: tried apart, below, where chips go into the pot and nowhere else
    "Act": [],
    "ChooseVariant": [],
    "CorrectDeal": [],
    "CancelAct": [],
    "VoidHand": [],
    "WakeTable": [],
    # Those of a tournament, from anybody else
    "OpenTournamentTable": [({"name": "x", "rulebook": "mo-97-2010-omaha", "configuration": {}}, "not_allowed")],
    "SeatEntrant": [({"reservation": "e9", "player": "p9", "seat": 7, "chips": CASH_OUT}, "not_allowed")],
    "EliminateEntrant": [({"reservation": "e1"}, "not_allowed")],
    "BarEntrant": [({"reservation": "e1", "why": "disqualified"}, "not_allowed")],
    "AddChips": [({"reservation": "e1", "payment": "pay-1", "chips": CASH_OUT}, "not_allowed")],
    "MoveEntrant": [({"reservation": "e1", "to_table": "t2"}, "not_allowed")],
    "AllowHands": [({"through": 9}, "not_allowed")],
    "EndTournament": [({"reason": "asked for it"}, "not_allowed")],
}
"""Every command of the service. One that is not here fails the test below: a new door is tried before it opens."""


class Talk:
    """Messages as they stand on the topic to the table's own decider."""

    def __init__(self, table: TournamentTable) -> None:
        self.table = table

    def asks(self, kind: str, body: dict[str, Any], by: str, who: str) -> str | None:
        message = CommandMessage(
            id="01973a7e-5b0c-7c3e-9f21-6d1f0a4b8c55",  # type: ignore[arg-type]
            stream=TABLE,
            type=kind,
            principal=Principal(by, who),  # type: ignore[arg-type]
            body=body,
        )
        return self.table.send(
            message.principal, decode_command(message, Scanner(DataKey(KEY))), self.table.shuffler.shuffle()
        )


def at_a_table(in_a_hand: bool, chips: int = CHIPS) -> TournamentTable:
    """Four entrants after their first hand; in the middle of the second, where asked."""
    table = TournamentTable().enter(1, 2, 3, 4, chips=chips)
    table.deal().folds_round()
    return table.deal() if in_a_hand else table


def lying(table: TournamentTable) -> dict[str, int]:
    """Each player's chips in stack and pot, by name."""
    in_pot = {p.player: p.staked for p in table.state.hand.players.values()} if table.state.hand is not None else {}
    return {s.player: s.stack + in_pot.get(s.player, 0) for s in table.state.seats.values()}


def asking_for(amount: int, body: dict[str, Any] | None) -> dict[str, Any] | None:
    """The same attempt with this amount of chips or money, where it names one."""
    return body and {name: amount if name in ("amount", "chips") else said for name, said in body.items()}


@pytest.mark.rule("mo-97-2010", "4.2/1")
@pytest.mark.parametrize("in_a_hand", [False, True])
def test_no_command_takes_chips_off_a_tournament_table(case: Case, in_a_hand: bool) -> None:
    assert set(COMMANDS) == set(ATTEMPTS), "a new door: try it here"
    chips = case.int("chips")
    talk = Talk(at_a_table(in_a_hand, chips))
    before = lying(talk.table)
    for kind, attempts in ATTEMPTS.items():
        asking = [by for by in COMMANDS[kind].may_ask if by != "tournament"] or ["player"]
        for body, reason in attempts:
            said = asking_for(case["asked"], body) or {}
            answers = [talk.asks(kind, said, by, "p1" if by == "player" else by) for by in asking]
            assert answers[0] == reason, (kind, body, answers)
            assert lying(talk.table) == before, kind
            assert talk.table.chips == 4 * chips
            if reason in BY_RULE:
                assert set(answers) == {reason}
                assert talk.table.refused is not None
                assert talk.table.refused.rule == RULE, kind
    assert set(talk.table.state.seats) == {1, 2, 3, 4}


@pytest.mark.rule("mo-97-2010", "4.2")
def test_who_may_ask_is_never_a_way_round_it() -> None:
    """Whoever sends it: nothing that a principal of another kind asks for is more than that kind may."""
    for kind, attempts in ATTEMPTS.items():
        for by in ("player", *STAFF, "policy", "timer"):
            if by in COMMANDS[kind].may_ask:
                continue
            talk = Talk(at_a_table(False))
            for body, _ in attempts:
                assert talk.asks(kind, body, by, "p1") == "not_allowed", (kind, by)


@pytest.mark.rule("mo-97-2010", "4.2")
def test_play_moves_chips_into_the_pot_and_to_winners_only() -> None:
    talk = Talk(at_a_table(True))
    table = talk.table
    for kind, body, by in (
        ("VoidHand", {"hand": 1, "cause": "c"}, "staff"),
        ("CorrectDeal", {"hand": 1, "cause": "c"}, "staff"),
        ("CancelAct", {"hand": 2, "seat": 1}, "player"),
        ("ChooseVariant", {"variant": "omaha"}, "player"),
    ):  # fmt: skip
        before = table.chips, lying(table)
        assert talk.asks(kind, body, by, "p1") is not None
        assert (table.chips, lying(table)) == before, kind
    while table.state.hand is not None:
        seat = table.turn
        act = "check" if table.legal[0] else "call"
        assert talk.asks("Act", {"hand": 2, "seat": seat, "act": act}, "player", f"p{seat}") is None
        assert table.chips == 4 * CHIPS
    table.deal()
    for who in ("floor-1", "floor-2"):
        assert talk.asks("VoidHand", {"hand": 3, "cause": "fault"}, "staff", who) is None
    assert table.state.hand is None
    table.later(3_600_000)
    assert sum(lying(table).values()) == 4 * CHIPS


@pytest.mark.rule("mo-97-2010", "4.2/1")
def test_refused_until_eliminated_or_the_tournament_ends(case: Case) -> None:
    """The two ways out are its own tournament's, and to no other one does the table listen."""
    table = at_a_table(False, case["chips"])
    talk = Talk(table)
    for favour in ("take_chips_off", "move_chips"):
        assert talk.asks("AskFavour", {"favour": favour}, "player", "p1") in BY_RULE
    assert talk.asks("RequestTopUp", {"top_up": "u1", "amount": case["asked"]}, "player", "p1") == MONEY
    one = table.state.seats[1].reservation
    assert talk.asks("EliminateEntrant", {"reservation": one}, "tournament", "another-1") == "other_tournament"
    assert talk.asks("EliminateEntrant", {"reservation": one}, "tournament", TOURNAMENT) == "has_chips"
    assert table.refused is not None
    assert table.refused.rule == RULE
    assert talk.asks("EndTournament", {"reason": "won"}, "tournament", TOURNAMENT) is None
    assert [type(event).__name__ for event in table.last].count("EntrantFinished") == 4
    assert table.state.seats == {}
    assert talk.asks("LeaveTable", {}, "player", "p1") == "table_not_open"
