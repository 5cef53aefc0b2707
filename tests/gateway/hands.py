"""A small hand told in public events: three players, P (bob) folds, the others go to showdown."""

from typing import Any

from libs.contracts import poker_events
from libs.contracts import table_events as e
from libs.contracts.configurations import grouped
from libs.contracts.facts import TableEvent
from libs.contracts.poker_configuration import PokerConfiguration

TABLE = "table-1"
EUR = "EUR"
T: dict[str, Any] = {"table": TABLE}


def configuration(**changes: Any) -> PokerConfiguration:
    chosen: dict[str, Any] = {
        "rulebook": "pt-811-2015-omaha",
        "regulation": "pt-811-2015",
        "version": 1,
        "approval": "A-1",
        "currency": EUR,
        "kind": "real",
        "seats": 6,
        "structure": "pot_limit",
        "raise_cap": None,
        "raise_cap_lifted_heads_up": False,
        "small_blind": 50,
        "big_blind": 100,
        "buy_in_min": 2_000,
        "buy_in_max": 10_000,
        "top_up_to": 10_000,
        "rake_mode": "pot",
        "rake_bp": 500,
        "rake_cap_big_blinds": None,
        "no_flop_no_rake": True,
        "flop_round_without_bet_no_rake": False,
        "rake_per_payment_when_all_in": False,
        "odd_unit": "one_unit_each_clockwise_from_button",
        "min_unit": 1,
        "heads_up_blinds": "button_small",
        "first_button": "drawn",
        "deal_from": "small_blind",
        "burn_before_board": True,
        "decision_ms": 15_000,
        "time_bank_ms": 30_000,
        "break_ms": 600_000,
        "waiting_ms": 60_000,
        "absent_hands": 3,
        "reservation_ms": 30_000,
        "reentry_ms": 0,
        "between_hands_ms": 0,
    }
    return grouped(PokerConfiguration, chosen | changes)


def opened() -> e.TableOpened:
    return e.TableOpened(**T, name="Lisboa", configuration=configuration(), rulebook_hash="ab" * 32)


def seated(seat: int, player: str, stack: int = 10_000) -> e.PlayerSeated:
    return e.PlayerSeated(
        **T, reservation=f"r-{player}", player=player, seat=seat, amount=stack, commission=0, stack=stack, currency=EUR,
        kind="real", rulebook="pt-811-2015-omaha",
    )  # fmt: skip


PLAYERS = {1: "alice", 2: "bob", 3: "carol"}


def everybody() -> list[TableEvent]:
    return [seated(seat, player) for seat, player in PLAYERS.items()]


def started(
    hand: int = 41, players: dict[int, str] = PLAYERS, stacks: dict[int, int] | None = None
) -> poker_events.HandStarted:
    return poker_events.HandStarted(
        **T, hand=hand, rulebook="pt-811-2015-omaha", rulebook_hash="ab" * 32, configuration_version=1, currency=EUR,
        kind="real", button=1, small_blind=2, big_blind=3, deck_root="cd" * 32, deck_leaves=30,
        seats=[
            poker_events.SeatInHand(seat=s, player=p, reservation=f"r-{p}", stack=(stacks or {}).get(s, 10_000))
            for s, p in players.items()
        ],
    )  # fmt: skip


def blind(seat: int, kind: Any, amount: int, stack: int, hand: int = 41) -> poker_events.BlindPosted:
    return poker_events.BlindPosted(
        **T, hand=hand, seat=seat, player=PLAYERS[seat], blind=kind, compulsory=True, amount=amount, to=amount,
        stack=stack, all_in=False, currency=EUR,
    )  # fmt: skip


def dealt(hand: int = 41, seats: tuple[int, ...] = (1, 2, 3)) -> poker_events.HoleCardsDealt:
    return poker_events.HoleCardsDealt(
        **T, hand=hand, deals=[poker_events.Deal(seat=s, positions=[s, s + 3, s + 6, s + 9]) for s in seats]
    )


def awaited(seat: int, hand: int = 41, street: Any = "preflop") -> poker_events.DecisionAwaited:
    return poker_events.DecisionAwaited(
        **T, hand=hand, seat=seat, player=PLAYERS[seat], street=street, until=5, bank_until=9,
        legal=poker_events.LegalActs(check=False, call=100, min_to=200, max_to=350),
    )  # fmt: skip


def bet(
    seat: int, act: Any, amount: int, to: int, stack: int, all_in: bool = False, hand: int = 41
) -> poker_events.BetPlaced:
    return poker_events.BetPlaced(
        **T, hand=hand, seat=seat, player=PLAYERS[seat], act=act, amount=amount, to=to, stack=stack, all_in=all_in,
        currency=EUR,
    )  # fmt: skip


def card(name: str, position: int = 0) -> e.DeckCard:
    return e.DeckCard(position=position, card=name, salt="00" * 16, proof=[])


def street(name: Any, *cards: str, hand: int = 41) -> poker_events.StreetDealt:
    return poker_events.StreetDealt(**T, hand=hand, street=name, cards=[card(c) for c in cards], burned=[20])


def shown(seat: int, *cards: str, hand: int = 41) -> poker_events.CardsShown:
    return poker_events.CardsShown(
        **T, hand=hand, seat=seat, player=PLAYERS[seat], cards=[card(c) for c in cards], category="pair",
        hole_used=list(cards[:2]), board_used=["2c", "3d", "9h"],
    )  # fmt: skip


def result(seat: int, staked: int, won: int, rake: int, stack: int) -> poker_events.SeatResult:
    player = PLAYERS[seat]
    return poker_events.SeatResult(
        seat=seat, player=player, reservation=f"r-{player}", staked=staked, won=won, rake=rake, stack=stack
    )


def to_the_end(hand: int = 41) -> list[TableEvent]:
    """Blinds 50 and 100; alice raises to 350, bob folds, carol calls; flop bet 400 returned 100 of an all-in call."""
    return [
        started(hand),
        blind(2, "small", 50, 9_950, hand),
        blind(3, "big", 100, 9_900, hand),
        dealt(hand),
        awaited(1, hand),
        bet(1, "raise", 350, 350, 9_650, hand=hand),
        awaited(2, hand),
        poker_events.PlayerFolded(**T, hand=hand, seat=2, player="bob", actor="house", reason="timeout"),
        awaited(3, hand),
        bet(3, "call", 250, 350, 9_650, hand=hand),
        street("flop", "2c", "3d", "9h", hand=hand),
        awaited(3, hand, "flop"),
        bet(3, "bet", 400, 400, 9_250, hand=hand),
        awaited(1, hand, "flop"),
        bet(1, "call", 400, 400, 9_250, hand=hand),
        street("turn", "Jc", hand=hand),
        street("river", "Qs", hand=hand),
        shown(1, "As", "Ad", "7h", "4c", hand=hand),
        shown(3, "Ks", "Kd", "8h", "5c", hand=hand),
        poker_events.PotAwarded(
            **T, hand=hand, pot="main", amount=1_550, eligible=[1, 3], winners=[1], rake=77, basis="pot",
            payments=[poker_events.Payment(seat=1, player="alice", gross=1_550, rake=77, net=1_473)], currency=EUR,
            rulebook="pt-811-2015-omaha",
        ),
        poker_events.HandEnded(
            **T, hand=hand, rake=77, exemption=None, currency=EUR,
            results=[
                result(1, staked=750, won=1_473, rake=77, stack=10_723),
                result(2, staked=50, won=0, rake=0, stack=9_950),
                result(3, staked=750, won=0, rake=0, stack=9_250),
            ],
        ),
    ]  # fmt: skip


def closed(at: int = 0) -> list[TableEvent]:
    """Everybody goes home after the hand `to_the_end`, and the table is closed, all at that time (ms)."""
    stacks = {1: 10_723, 2: 9_950, 3: 9_250}
    left = [
        e.PlayerLeft(
            **T, reservation=f"r-{player}", player=player, seat=seat, stack=stacks[seat], currency=EUR,
            reason="table_closed", at=at,
        )
        for seat, player in PLAYERS.items()
    ]  # fmt: skip
    return [e.TableClosing(**T, by="staff", reason="night", at=at), *left, e.TableClosed(**T, at=at)]
