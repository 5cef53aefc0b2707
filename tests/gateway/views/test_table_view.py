"""The public view is the fold of the table's public events; no card that was not shown can be in it."""

import msgspec

from libs.contracts import poker_events as p
from libs.contracts import table_events as e
from libs.contracts.facts import TableEvent
from libs.views.hand import pots
from libs.views.table import TableView, fold_table, shown_to
from tests.gateway.hands import TABLE, T, awaited, bet, blind, dealt, everybody, opened, started, street, to_the_end


def fold(*facts: TableEvent | None, view: TableView | None = None) -> TableView:
    view = view or TableView(TABLE)
    for fact in facts:
        view = fold_table(view, fact, view.version + 1)
    return view


def test_a_whole_hand():
    view = fold(opened(), *everybody(), *to_the_end())
    assert view.version == 1 + 3 + len(to_the_end())
    assert view.hands_played == 1
    assert {seat.seat: seat.stack for seat in view.seats.values()} == {1: 10_723, 2: 9_950, 3: 9_250}
    assert view.hand is not None
    assert view.hand.over
    assert view.hand.board == ("2c", "3d", "9h", "Jc", "Qs")
    assert view.hand.awards[0].rake == 77


def test_chips_before_the_seats_go_to_the_pot_with_the_next_street():
    view = fold(opened(), *everybody(), *to_the_end()[:10])
    assert view.hand is not None
    assert {s.seat: (s.bet, s.staked, s.folded) for s in view.hand.seats} == {
        1: (350, 350, False),
        2: (50, 50, True),
        3: (350, 350, False),
    }
    view = fold(street("flop", "2c", "3d", "9h"), view=view)
    assert view.hand is not None
    assert [seat.bet for seat in view.hand.seats] == [0, 0, 0]
    assert pots(view.hand) == [{"pot": "main", "amount": 750, "eligible": [1, 3]}]


def test_side_pots_are_shown_one_by_one():
    """pt-811-2015 4.e."""
    view = fold(
        opened(), *everybody(), started(), bet(1, "raise", 100, 100, 0, all_in=True),
        bet(2, "raise", 300, 300, 0, all_in=True), bet(3, "call", 300, 300, 9_700),
    )  # fmt: skip
    assert view.hand is not None
    assert pots(view.hand) == [
        {"pot": "main", "amount": 300, "eligible": [1, 2, 3]},
        {"pot": "side_1", "amount": 400, "eligible": [2, 3]},
    ]


def test_a_decision_stands_until_it_is_answered():
    view = fold(opened(), *everybody(), started(), blind(2, "small", 50, 9_950), dealt(), awaited(1))
    assert view.hand is not None
    assert view.hand.decision is not None
    assert (view.hand.decision.player, view.hand.decision.turn) == ("alice", view.version)
    view = fold(bet(1, "call", 100, 100, 9_900), view=view)
    assert view.hand is not None
    assert view.hand.decision is None


def test_an_uncalled_bet_comes_back():
    back = p.UncalledBetReturned(**T, hand=41, seat=1, player="alice", amount=60, stack=9_960, currency="EUR")
    view = fold(opened(), *everybody(), started(), bet(1, "bet", 100, 100, 9_900), back)
    assert view.hand is not None
    assert [(seat.bet, seat.staked) for seat in view.hand.seats if seat.seat == 1] == [(40, 40)]
    assert view.seats[1].stack == 9_960


def test_seats_come_and_go():
    reserved = e.SeatReserved(**T, reservation="r", player="dan", seat=5, amount=5_000, currency="EUR", until=9)
    released = e.SeatReleased(**T, reservation="r", player="dan", seat=5, currency="EUR", reason="lapsed")
    out = e.PlayerSatOut(**T, player="bob", seat=2, reason="break", until=77)
    warned = e.PlayerWarned(**T, player="bob", seat=2, reason="break_over")
    left = e.PlayerLeft(**T, reservation="r", player="alice", seat=1, stack=1, currency="EUR", reason="player")
    view = fold(opened(), *everybody(), reserved, out, warned)
    assert view.seats[5].status == "reserved"
    assert (view.seats[2].status, view.seats[2].until, view.seats[2].notice) == (
        "sitting_out",
        77,
        "warned: break_over",
    )
    lifted = e.NoticeLifted(**T, player="bob", seat=2, reason="break_over")
    view = fold(released, left, lifted, e.PlayerSatIn(**T, player="bob", seat=2, posts_big_blind=False), view=view)
    assert sorted(view.seats) == [2, 3]
    assert (view.seats[2].status, view.seats[2].notice) == ("playing", None)


def test_a_void_hand_gives_the_stacks_back():
    refund = e.Refund(seat=2, player="bob", reservation="r-bob", amount=50, stack=10_000)
    void = p.HandVoided(**T, hand=41, cause="broken", by="staff", refunds=[refund], currency="EUR")
    view = fold(opened(), *everybody(), started(), blind(2, "small", 50, 9_950), void)
    assert view.seats[2].stack == 10_000
    assert view.hands_played == 0
    assert view.hand is not None
    assert view.hand.outcome == "void"


def test_a_fact_of_a_newer_build_moves_the_version_only():
    before = fold(opened(), *everybody())
    after = fold(None, view=before)
    assert after == msgspec.structs.replace(before, version=before.version + 1)


def test_every_event_of_the_contract_folds_on_an_empty_table_too():
    """`evolve` does not argue: a gateway that knows less than it should still goes on."""
    for fact in [*everybody(), *to_the_end()]:
        assert fold(fact).version == 1


def test_own_cards_and_seat_are_the_viewers():
    view = fold(opened(), *everybody(), started(), dealt())
    mine = shown_to(view, "alice", ("As", "Ad", "7h", "4c"))
    other = shown_to(view, "bob", ())
    assert mine["own"] == {"seat": 1, "cards": ["As", "Ad", "7h", "4c"]}
    assert other["own"] == {"seat": 2, "cards": []}
    assert "As" not in msgspec.json.encode(other).decode()
    assert [seat["player"] for seat in other["seats"]] == ["alice", "bob", "carol"]
