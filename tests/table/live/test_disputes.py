"""What a dispute stops at a human dealer's table, and that no player stops it for ever (pt-217-2007 8.c)."""

from msgspec.structs import replace

from libs.contracts.live_commands import LiveReason as Reason
from libs.contracts.messages import Principal
from libs.contracts.poker_commands import OpenDispute, PokerReason, ResolveDispute
from libs.contracts.poker_events import DisputeOpened
from libs.contracts.table_commands import LeaveTable
from services.table.domain.games.live_poker.dealing import STOPPING
from services.table.domain.games.poker.evolve import _disputed
from services.table.domain.games.poker.state import DISPUTES_MS, Disputed
from tests.table.casino.play import rule
from tests.table.live.play import SUPERVISOR, LiveTable, live_h6


def played() -> LiveTable:
    """One hand is over, and the deck for the next is ready."""
    return live_h6().folds_round().make_ready()


def disputes(table: LiveTable, player: str, hand: int) -> str | None:
    return table.send(Principal("player", player), OpenDispute(hand=hand, text="the pot was mine"))


def decided(table: LiveTable) -> None:
    (open_,) = table.state.disputes
    words = {"decision": "stands", "reason": "the scans show it"}
    assert table.send(SUPERVISOR, ResolveDispute(hand=open_.hand, dispute=open_.id, **words)) is None


def deals(table: LiveTable) -> None:
    assert table.deal_hand() is None, table.refused
    table.stack_pack("").deal_holes().folds_round().make_ready()


@rule("8.c", "70.a")
def test_the_next_hand_waits_for_a_dispute_of_the_one_before() -> None:
    table = played()
    assert disputes(table, "p2", table.state.hands) is None
    assert table.deal_hand() == Reason.PREVIOUS_HAND_OPEN
    decided(table)
    assert table.deal_hand() is None


@rule("8.c", "70.a")
def test_a_dispute_of_an_old_hand_is_on_record_and_stops_nothing() -> None:
    """Found by a player who disputed the first hand of the day, again and again: no hand was dealt any more."""
    table = played()
    first = table.state.hands
    deals(table)
    assert disputes(table, "p2", first) is None
    assert table.of(DisputeOpened)[-1].hand == first
    deals(table)
    assert disputes(table, "p2", first) == PokerReason.ALREADY_DISPUTED
    decided(table)
    assert not table.state.disputes


@rule("8.c")
def test_no_player_stops_the_table_for_ever() -> None:
    table = played()
    for _ in range(STOPPING):
        assert disputes(table, "p2", table.state.hands) is None
        assert table.deal_hand() == Reason.PREVIOUS_HAND_OPEN
        decided(table)
    assert disputes(table, "p2", table.state.hands) is None, "the house decides every dispute"
    deals(table)
    decided(table)
    assert disputes(table, "p3", table.state.hands) is None
    assert table.deal_hand() == Reason.PREVIOUS_HAND_OPEN, "another player has disputes of their own"


def stops(table: LiveTable) -> bool:
    """Whether a dispute of the last hand by `p2` holds up the next; it is decided at once."""
    assert disputes(table, "p2", table.state.hands) is None
    waits = table.deal_hand() == Reason.PREVIOUS_HAND_OPEN
    if not waits:
        table.stack_pack("").deal_holes().folds_round().make_ready()
    decided(table)
    return waits


@rule("8.c")
def test_who_sits_down_again_has_no_more_disputes_that_stop_the_table() -> None:
    table = played()
    assert [stops(table) for _ in range(STOPPING)] == STOPPING * [True]
    for _ in range(2):
        stack = table.state.seats[2].stack
        assert table.send(Principal("player", "p2"), LeaveTable()) is None
        table.seat(2, amount=stack)
        assert not stops(table)


@rule("8.c")
def test_a_dispute_is_its_players_and_not_the_seats() -> None:
    """Found by an attacker: one account disputed on each free seat and left, and who sat down there was not heard."""
    table = played()
    first, stack = table.state.hands, table.state.seats[2].stack
    assert disputes(table, "p2", first) is None
    assert table.send(Principal("player", "p2"), LeaveTable()) is None
    assert table.take(2, 19_980, "p7") is None, table.refused
    assert table.confirm(2) is None
    assert disputes(table, "p7", table.state.hands) is None
    assert {each.player for each in table.state.disputes} == {"p2", "p7"}
    assert table.send(Principal("player", "p7"), LeaveTable()) is None
    table.seat(2, amount=stack)
    assert disputes(table, "p2", first) == PokerReason.ALREADY_DISPUTED


@rule("8.c")
def test_a_day_later_a_player_is_heard_as_before_and_who_is_not_heard_again_is_forgotten() -> None:
    table = played()
    assert disputes(table, "p3", table.state.hands) is None
    decided(table)
    assert [stops(table) for _ in range(STOPPING + 1)] == [*STOPPING * [True], False]
    table.now += DISPUTES_MS
    assert not stops(table)
    table.now += 1
    assert stops(table)
    assert table.state.disputed_by == {"p2": Disputed(1, table.now)}


@rule("8.c")
def test_the_pot_waits_for_each_dispute_of_its_hand() -> None:
    """However many there were before: that the pot waits the rule asks for itself."""
    table = LiveTable(1, 2, 3, 4, 5, 6).stack_pack("")
    table.state = replace(table.state, disputed_by={"p2": Disputed(STOPPING, table.now)})
    table.begin(1).deal_holes().plays("3 call", "4 fold", "5 fold", "6 fold", "1 call", "2 check")
    for cards in (3, 1, 1):
        table.burn().turn_up(cards).plays("1 check", "2 check", "3 check")
    assert disputes(table, "p2", table.state.hands) is None
    assert table.deliver() == Reason.DISPUTE_OPEN
    decided(table)
    assert table.deliver() is None


def test_what_was_opened_before_disputes_were_counted_stops_the_next_hand_as_it_did() -> None:
    table = played()
    assert disputes(table, "p2", table.state.hands) is None
    (event,) = table.of(DisputeOpened)
    before = _disputed(table.state, replace(event, nth=0))
    assert (before.disputed_by, before.disputes[-1].nth) == (table.state.disputed_by, 0)
