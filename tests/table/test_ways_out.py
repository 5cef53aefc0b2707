"""Every command at every kind of table: by which of them chips move and cards turn up, and by no other one.

Two things are enumerated from the code: the commands, and the events that move chips (those that the books have a rule
for, and the entrants' own) or turn up cards. Which command may cause which is `WAYS`, with its rule. What is not there
is no door: no pot is divided, nothing goes from player to player, nobody shows cards, nobody deals but who is named.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

import pytest
from msgspec.structs import fields

from libs.contracts.facts import TableEvent
from libs.contracts.poker_events import CardsShown, HandEnded
from libs.contracts.registry import ALL_TABLE_COMMANDS, ALL_TABLE_EVENTS
from libs.contracts.table_commands import WakeTable
from libs.contracts.table_events import DeckCard, PlayerLeft
from libs.contracts.tournament_events import EntrantEvent
from libs.decider import Given, Rejected
from services.table.domain.games.registry import ALL_GAMES, game_of
from services.table.domain.table.decide import decide
from services.table.domain.table.waking import next_wake
from services.wallet.projections.transfers import _rule_of
from tests.table.baccarat.play import CoupTable
from tests.table.deadlines.scenarios import SCENARIOS, portugal
from tests.table.deadlines.woken import asked, woken
from tests.table.live.play import LiveTable, live_h6
from tests.table.luck import seeded_shuffler
from tests.table.tournament.play import TournamentTable
from tests.table.wishes import wishes

COURSES, STEPS = 90, 14
_SHUFFLER = seeded_shuffler()

_ENDS_A_HAND = "Act LeaveTable PassTurn DeliverPot RecordIncident DecideIncident"
"""By which a hand goes on, and may end: what follows of its end is told at once."""
_ENDS_A_ROUND = "DecideHand DealRound LeaveTable"
_TAKES_OFF = "LeaveTable RemovePlayer WarnPlayer CloseTable AskTableChange"
_ENDS_ANY = f"{_ENDS_A_HAND} {_ENDS_A_ROUND} VoidHand VoidRound WithdrawAnte WithdrawStake PlaceAnte"
WAYS: Mapping[str, tuple[str, str]] = {
    # Into a stack, out of its player's account
    "PlayerSeated": ("pt-811-2015 8", "ConfirmSeat"),
    "TopUpAdded": ("pt-811-2015 11.b", f"ConfirmTopUp {_ENDS_ANY}"),
    # Home, with all of it; a top-up that was paid for comes into the stack, or home, when the round is over
    "PlayerLeft": ("pt-811-2015 10, 11.g, 71; pt-217-2007 26, 58, 71.a", f"{_TAKES_OFF} {_ENDS_ANY}"),
    "RefundSent": (
        "pt-811-2015 72; pt-803-2015-no-draw 33",
        "VoidHand VoidRound RecordIncident DecideIncident ScanCard",
    ),
    # Bet, and back when nobody matched it
    "BlindPosted": ("pt-811-2015 21; pt-217-2007 91", "DealHand RecordPost"),
    "BetPlaced": ("pt-811-2015 34; pt-217-2007 71.c, 71.f", f"{_ENDS_A_HAND} RecordPost"),
    "UncalledBetReturned": ("pt-811-2015 2.o", _ENDS_A_HAND),
    "AntePlaced": ("pt-803-2015-no-draw 14", "PlaceAnte"),
    "AnteWithdrawn": ("pt-803-2015-no-draw 16", "WithdrawAnte PlaceAnte LeaveTable"),
    "SecondBetPlaced": ("pt-803-2015-no-draw 20", "DecideHand"),
    "StakePlaced": ("pt-812-2015-baccarat 27", "PlaceStake"),
    "StakeWithdrawn": ("pt-812-2015-baccarat 27", "WithdrawStake"),
    # To the winners, and the house's part
    "PotAwarded": ("pt-811-2015 33, 61 to 63", _ENDS_A_HAND),
    "PotReversed": ("pt-217-2007 70.a", "RecordIncident DecideIncident"),
    "RoundSettled": ("pt-803-2015-no-draw 25 to 29", _ENDS_A_ROUND),
    "CoupSettled": ("pt-812-2015-baccarat 22 to 25", _ENDS_A_ROUND),
    # All of it back
    "HandVoided": ("pt-811-2015 72; pt-217-2007 69", "VoidHand RecordIncident DecideIncident ScanCard"),
    "RoundVoided": ("pt-803-2015-no-draw 33", "VoidRound"),
    "CoupVoided": ("pt-812-2015-baccarat 29", "VoidRound"),
    # For the dealer, where there is one
    "DealerTipped": ("pt-217-2007 9.d", "TipDealer"),
    # The house's own
    "BankOpened": ("", ""),
    "BankToppedUp": ("", "ApproveBankChange RequestBankChange"),
    "BankDropped": ("", "ApproveBankChange RequestBankChange"),
    "BankCovered": ("pt-812-2015-baccarat 40", _ENDS_A_ROUND),
    "BankClosed": ("", f"CloseTable {_ENDS_ANY}"),
    # A tournament's chips
    "EntrantSeated": ("mo-97-2010 4.2", "SeatEntrant"),
    "EntrantChipsDue": ("pt-810-2015 FP-2, FP-3", "AddChips"),
    "EntrantChipsAdded": ("mo-97-2010 4.2; pt-810-2015 FP-2, FP-3", f"AddChips VoidHand {_ENDS_A_HAND}"),
    "EntrantMoved": ("mo-97-2010 4.2", "MoveEntrant"),
    "EntrantEliminated": ("mo-97-2010 4.2", "EliminateEntrant"),
    "EntrantBarred": ("pt-810-2015 FP-16", "BarEntrant"),
    "EntrantDisqualified": ("pt-810-2015 FP-16", f"BarEntrant VoidHand {_ENDS_A_HAND}"),
    "EntrantFinished": ("mo-97-2010 4.2", f"EndTournament VoidHand {_ENDS_A_HAND}"),
    # Cards that anybody sees
    "StreetDealt": ("pt-811-2015 25", "Act LeaveTable ScanCard"),
    "CardsShown": ("pt-811-2015 59; pt-217-2007 62", _ENDS_A_HAND),
    "IncidentRecorded": ("pt-217-2007 8.c, 69 to 71, 91", "Act RecordIncident ScanCard DeliverPot"),
    "DealCorrected": ("mo-97-2010 9.1", "CorrectDeal"),
    "RoundDealt": ("", ""),
    "DealerShown": ("pt-803-2015-no-draw 24", _ENDS_A_ROUND),
    "RoundHandShown": ("pt-803-2015-no-draw 27", _ENDS_A_ROUND),
    "SideShown": ("pt-812-2015-baccarat 17, 18", _ENDS_A_ROUND),
    "ThirdCardDealt": ("pt-812-2015-baccarat 20", _ENDS_A_ROUND),
    # Who deals
    "HandStarted": ("pt-217-2007 9.a, 68", "DealHand"),
    "HoleCardsDealt": ("pt-217-2007 9.a", "ScanCard"),
    "CardScanned": ("pt-217-2007 9.a", "ScanCard"),
    "LiveDealOpened": ("pt-217-2007 68", "DealHand"),
    "ShoeStarted": ("", ""),
    "CoupDealt": ("pt-812-2015-baccarat 28", _ENDS_A_ROUND),
}
"""By event its rule, and the commands that may cause it, beside a timer's wake and the opening of a table."""
ONLY_LIVE = {"DealerTipped", "CardScanned", "LiveDealOpened", "PotReversed"}
"""What there is only where a human deals; there, in turn, no clock deals."""


def live_paying() -> Any:
    """The pot lies to be delivered, all cards on the table."""
    table = live_h6().plays("3 call", "4 fold", "5 fold", "6 fold", "1 call", "2 check")
    table.stack_pack("7c 7d 9h Th Qh 8s Ah 9s Jh Tc")
    for cards in (3, 1, 1):
        table.burn().turn_up(cards).plays("1 check", "2 check", "3 check")
    return table


def last_round() -> Any:
    table = portugal(1, 2, 3).deal(button=1).plays("1 call", "2 call", "3 check")
    return table.plays("2 check", "3 check", "1 check", "2 check", "3 check", "1 check", "2 bet 100")


def all_in() -> Any:
    """One call before the board runs out."""
    table = portugal(1, 2, structure="no_limit").deal()
    seat = table.turn
    assert seat is not None
    return table.plays(f"{seat} raise {table.legal[3]}")


def lost_all() -> Any:
    table = all_in()
    seat = table.turn
    assert seat is not None
    return table.plays(f"{seat} call")


def before_a_live_hand() -> Any:
    return LiveTable(1, 2, 3, 4).make_ready()


def between_tournament_hands() -> Any:
    return TournamentTable(between_hands_ms=2_000_000).enter(1, 2, 3, 4)


def before_a_coup() -> Any:
    """A single player has staked, and waits for no clock."""
    table = CoupTable(seats=1, mode="single").seat(1).betting()
    assert table.bet(1, "ponto 500") is None
    return table


STARTS: Mapping[str, Callable[[], Any]] = {
    **SCENARIOS, **{make.__name__: make for make in (live_paying, last_round, all_in, lost_all, before_a_live_hand,
                                           between_tournament_hands, before_a_coup)}
}  # fmt: skip


def shows_cards(event: type[TableEvent]) -> bool:
    return any("DeckCard" in str(field.type) or field.type is DeckCard for field in fields(event))


def told() -> set[str]:
    """Events that move chips, turn up cards, or are a deal."""
    moving = {event.__name__ for event in ALL_TABLE_EVENTS if _rule_of(event) is not None}
    chips = {event.__name__ for event in ALL_TABLE_EVENTS if issubclass(event, EntrantEvent)}
    cards = {event.__name__ for event in ALL_TABLE_EVENTS if shows_cards(event)}
    deals = {"HandStarted", "HoleCardsDealt", "CardScanned", "LiveDealOpened", "ShoeStarted", "RoundDealt", "CoupDealt"}
    return moving | chips | cards | deals


def own(state: Any) -> Counter[str]:
    """Each player's chips: the stack, and what lies in the middle."""
    chips: Counter[str] = Counter()
    for sitter in state.seats.values():
        chips[sitter.player] += sitter.stack
    playing = getattr(state, "hand", None) or getattr(state, "round", None)
    in_it = getattr(playing, "players", None) or getattr(playing, "stakes", None) or {}
    for player in in_it.values():
        chips[player.player] += player.staked
    return chips


def tried(course: int) -> Iterator[tuple[Any, str, Any]]:
    """Every wish that is taken at some tables of a course at random: the table before, the command, the decision."""
    luck = Random(course)
    table = STARTS[list(STARTS)[course % len(STARTS)]]()
    state, now = table.state, table.now
    for step in range(STEPS):
        due = next_wake(state)
        if step % 7 == 0 and (due is None or due > now):  # what a clock has ended is another test's
            fresh = _SHUFFLER.shuffle()
            for by, command in wishes(state):
                decided = decide(state, command, Given(now, fresh, by))
                if not isinstance(decided, Rejected) and decided.events:
                    yield state, type(command).__name__, decided
        if due is not None and luck.random() < 0.3:
            now = max(now, due)
            state, _ = woken(state, now)
        else:
            now += luck.randrange(50)
            state = asked(state, now, luck.randrange(10**6))


def test_every_way_is_named_with_its_rule() -> None:
    """A new event that moves chips or turns up cards, or a new command, is nowhere unnoticed."""
    assert told() == set(WAYS)
    known = {command.__name__ for command in ALL_TABLE_COMMANDS}
    assert {command for _, commands in WAYS.values() for command in commands.split()} <= known


@pytest.mark.rule("pt-811-2015", "11.a", "11.d", "28")
@pytest.mark.rule("mo-97-2010", "4.2", "10.3")
@pytest.mark.rule("pt-217-2007", "9.a", "9.d", "14.c", "62")
def test_chips_move_and_cards_turn_up_by_no_other_command_at_any_table() -> None:
    kinds, commands, seen = set(), set(), set()
    for course in range(COURSES):
        for state, command, decided in tried(course):
            live, happened = state.rules.live, {type(event).__name__ for event in decided.events}
            kinds.add(type(game_of(state.rules)))
            commands.add(command)
            for event in happened & set(WAYS):
                assert command in WAYS[event][1].split(), f"{command} causes {event}"
                assert live or event not in ONLY_LIVE, f"{command} causes {event} where no human deals"
                seen.add((event, command))
            ways = happened & set(WAYS)
            assert ways or own(decided.states[-1]) == own(state), f"{command} moves chips and tells nothing that does"
            if CardsShown in {type(event) for event in decided.events}:
                assert any(isinstance(event, HandEnded) for event in decided.events), "cards before the showdown"
    assert kinds == {type(game) for game in ALL_GAMES}
    assert {("PlayerLeft", "LeaveTable"), ("PotAwarded", "Act"), ("CardsShown", "Act"), ("DealerTipped", "TipDealer"),
            ("PotAwarded", "DeliverPot"), ("CoupSettled", "DealRound"), ("RoundSettled", "DecideHand"),
            ("EntrantFinished", "EndTournament"), ("HandStarted", "DealHand")} <= seen  # fmt: skip
    assert WakeTable.__name__ not in commands


@pytest.mark.rule("pt-811-2015", "11.a")
@pytest.mark.rule("mo-97-2010", "4.2")
@pytest.mark.rule("pt-217-2007", "14.f", "14.g")
def test_who_stays_keeps_what_is_his_but_for_bets_and_tips() -> None:
    """The chips of a player who stays change by a round's end, a top-up or a tip, and who goes takes all of them."""
    for course in range(COURSES):
        for state, command, decided in tried(course):
            after = decided.states[-1]
            before, now = own(state), own(after)
            happened = {type(event).__name__ for event in decided.events}
            for player in before:
                stays = state.sitter_of(player) is not None and after.sitter_of(player) is not None
                if stays and now[player] != before[player]:
                    by_play = {"PotAwarded", "PotReversed", "RoundSettled", "CoupSettled", "HandVoided"}
                    assert happened & {*by_play, "TopUpAdded", "EntrantChipsAdded", "DealerTipped"}, (command, player)
            if happened & {"PotAwarded", "RoundSettled", "CoupSettled"}:
                continue  # what was won goes home, too
            for left in (event for event in decided.events if isinstance(event, PlayerLeft)):
                stack = next((s.stack for s in state.seats.values() if s.player == left.player), 0)
                assert left.stack in (before[left.player], stack), (command, left)
