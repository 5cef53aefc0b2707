"""Rounds against the house told in public events, for the gateway to fold and show."""

from typing import Any

from libs.contracts import baccarat_events as b
from libs.contracts import no_draw_poker_events as n
from libs.contracts import table_events as t
from libs.contracts.banked_rounds import BetSettled, SeatInRound, SeatSettled
from libs.contracts.facts import TableEvent
from tests.banked.script import BACCARAT, BACCARAT_RULES, NO_DRAW_RULES, POKER, baccarat, no_draw

UNTIL = 60_000


def card(position: int, face: str) -> t.DeckCard:
    return t.DeckCard(position=position, card=face, salt="00" * 32, proof=["11" * 32])


def who(seat: int, table: str) -> dict[str, Any]:
    player = {1: "alice", 2: "bob"}[seat]
    return {"seat": seat, "player": player, "reservation": f"{player}@{table}"}


def seated(table: str, seat: int, stack: int = 10_000) -> t.PlayerSeated:
    return t.PlayerSeated(
        table=table, **who(seat, table), amount=stack, commission=0, stack=stack, currency="EUR", kind="real",
        rulebook=NO_DRAW_RULES,
    )  # fmt: skip


def opened(table: str, **changes: Any) -> t.TableOpened:
    chosen = baccarat(**changes) if table == BACCARAT else no_draw(**changes)
    return t.TableOpened(table=table, name=table, configuration=chosen, rulebook_hash="ab" * 32)


def _round(table: str, number: int) -> dict[str, Any]:
    return {"table": table, "round": number}


def _betting(table: str, number: int, rulebook: str, stacks: tuple[int, int]) -> dict[str, Any]:
    seats = [SeatInRound(**who(seat, table), stack=stack) for seat, stack in zip((1, 2), stacks, strict=True)]
    return {
        **_round(table, number), "rulebook": rulebook, "rulebook_hash": "ab" * 32, "configuration_version": 1,
        "currency": "EUR", "kind": "real", "seats": seats, "until": UNTIL,
    }  # fmt: skip


def moved(table: str, number: int, seat: int, area: str, amount: int, total: int, stack: int) -> dict[str, Any]:
    what = {"area": area, "amount": amount, "total": total, "stack": stack, "currency": "EUR"}
    return {**_round(table, number), **who(seat, table), **what}


def antes(number: int = 1) -> list[TableEvent]:
    """Alice stakes 500, Bob 300 with 200 left: too little for his second bet of 600."""
    return [
        n.AntesOpened(**_betting(POKER, number, NO_DRAW_RULES, (10_000, 500))),
        n.AntePlaced(**moved(POKER, number, 1, "ante", 500, 500, 9_500), short_of=0),
        n.AntePlaced(**moved(POKER, number, 2, "ante", 300, 300, 200), short_of=400),
    ]


def deal(number: int = 1) -> list[TableEvent]:
    deals = [n.RoundDeal(seat=1, positions=[1, 3, 5, 7, 9]), n.RoundDeal(seat=2, positions=[2, 4, 6, 8, 10])]
    choices = [
        n.Choice(**who(1, POKER), ante=500, bet=1_000, short_of=0),
        n.Choice(**who(2, POKER), ante=300, bet=600, short_of=400),
    ]
    return [
        n.AntesClosed(**_round(POKER, number), seats=[1, 2]),
        n.RoundDealt(
            **_round(POKER, number), deck_root="cd" * 32, burned=[0], deals=deals, dealer=[11, 12, 13, 14, 15],
            dealer_up=card(15, "4s"), generator="g",
        ),
        n.HandsAwaited(**_round(POKER, number), choices=choices, until=UNTIL, currency="EUR"),
    ]  # fmt: skip


def decided(number: int = 1) -> list[TableEvent]:
    return [
        n.HandsWarned(**_round(POKER, number), seats=[1, 2], until=UNTIL + 10_000),
        n.SecondBetPlaced(**moved(POKER, number, 1, "bet", 1_000, 1_000, 8_500)),
        n.HandSurrendered(**_round(POKER, number), seat=2, player="bob", actor="house", cause="disconnected"),
    ]


def paid(number: int = 1) -> list[TableEvent]:
    """A pair of eights beats ace-king: 1 to 1 on both stakes."""
    shown = [card(position, face) for position, face in zip((1, 3, 5, 7, 9), HAND, strict=True)]
    dealer = [card(position, face) for position, face in zip((11, 12, 13, 14, 15), DEALER, strict=True)]
    bets = [BetSettled(area="ante", staked=500, credited=1_000), BetSettled(area="bet", staked=1_000, credited=2_000)]
    lost = [BetSettled(area="ante", staked=300, credited=0)]
    results = [
        n.RoundResult(
            **who(1, POKER), staked=1_500, credited=3_000, net=1_500, stack=11_500, bets=bets, outcome="win",
            decided_by="hands", multiplier=1, category="pair",
        ),
        n.RoundResult(
            **who(2, POKER), staked=300, credited=0, net=-300, stack=200, bets=lost, outcome="fold",
            decided_by="fold", multiplier=0, category="",
        ),
    ]  # fmt: skip
    return [
        n.DealerShown(**_round(POKER, number), cards=dealer, category="ace_king", plays=True),
        n.RoundHandShown(**_round(POKER, number), seat=1, player="alice", cards=shown, category="pair"),
        n.RoundSettled(
            **_round(POKER, number), rulebook=NO_DRAW_RULES, currency="EUR", results=results, house=-1_200, bank=1
        ),
    ]


HAND = ("8c", "8d", "Ks", "5h", "2c")
DEALER = ("Ac", "Kd", "Jh", "7s", "4s")


def void(number: int) -> list[TableEvent]:
    refunds = [t.Refund(**who(1, POKER), amount=500, stack=10_000)]
    return [
        n.AntesOpened(**_betting(POKER, number, NO_DRAW_RULES, (10_000, 500))),
        n.AntePlaced(**moved(POKER, number, 1, "ante", 500, 500, 9_500), short_of=0),
        n.RoundVoided(
            **_round(POKER, number), cause="the house stood still", by="house", refunds=refunds, currency="EUR"
        ),
    ]  # fmt: skip


def shoe() -> b.ShoeStarted:
    return b.ShoeStarted(
        table=BACCARAT, shoe=1, decks=8, cards=416, cut=14, burned=[], deck_root="ef" * 32, generator="g"
    )


def coup_open(number: int = 1) -> list[TableEvent]:
    common = _betting(BACCARAT, number, BACCARAT_RULES, (10_000, 10_000))
    return [
        b.CoupOpened(**common, shoe=1, commission_mode="five-percent", min_bet=100),
        b.StakePlaced(**moved(BACCARAT, number, 1, "banca", 2_000, 2_000, 8_000)),
        b.StakePlaced(**moved(BACCARAT, number, 2, "ponto", 1_500, 1_500, 8_500)),
        b.StakeWithdrawn(**moved(BACCARAT, number, 2, "ponto", 500, 1_000, 9_000)),
    ]


def _side(number: int, side: Any, cards: list[t.DeckCard], score: int) -> b.SideShown:
    return b.SideShown(**_round(BACCARAT, number), side=side, cards=cards, score=score, natural=False)


def coup_cards(number: int = 1) -> list[TableEvent]:
    """Ponto 2c 3c draws 8s and has 3; Banca has Ah 2d and stands."""
    return [
        b.BettingClosed(**_round(BACCARAT, number), totals={"banca": 2_000, "ponto": 1_000}),
        b.CoupDealt(**_round(BACCARAT, number), shoe=1, ponto=[0, 2], banca=[1, 3]),
        _side(number, "ponto", [card(0, "2c"), card(2, "3c")], 5),
        _side(number, "banca", [card(1, "Ah"), card(3, "2d")], 3),
        b.ThirdCardDealt(**_round(BACCARAT, number), side="ponto", card=card(4, "9s"), score=4),
    ]  # fmt: skip


def coup_paid(number: int = 1, coup: int = 1) -> b.CoupSettled:
    lost = [BetSettled(area="banca", staked=2_000, credited=0)]
    won = [BetSettled(area="ponto", staked=1_000, credited=2_000)]
    results = [
        SeatSettled(**who(1, BACCARAT), staked=2_000, credited=0, net=-2_000, stack=8_000, bets=lost),
        SeatSettled(**who(2, BACCARAT), staked=1_000, credited=2_000, net=1_000, stack=11_000, bets=won),
    ]
    return b.CoupSettled(
        **_round(BACCARAT, number), rulebook=BACCARAT_RULES, currency="EUR", results=results, house=1_000, bank=5,
        shoe=1, coup=coup, ponto=4, banca=3, winner="ponto", natural=False, ponto_pair=False, banca_pair=False,
        commission_mode="five-percent", bead=b.RoadPlace(column=1, row=coup), big=b.RoadPlace(column=1, row=coup),
        cards_left=411,
    )  # fmt: skip
