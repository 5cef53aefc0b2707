"""One sample of every event of baccarat."""

from typing import Any

from libs.contracts import baccarat_events as b
from libs.contracts import banked_rounds as house
from libs.contracts.facts import TableEvent
from libs.contracts.table_events import DeckCard, Refund

_HEAD: dict[str, Any] = {"at": 1_700_000_000_000, "table": "t1"}
_COUP: dict[str, Any] = {**_HEAD, "round": 7}
_SIT: dict[str, Any] = {"seat": 1, "player": "p1", "reservation": "r1"}
_RULEBOOK = "pt-812-2015-baccarat"


def samples() -> list[TableEvent]:
    card = DeckCard(300, "Th", "00" * 16, ["11" * 32, "22" * 32])
    moved: dict[str, Any] = {**_COUP, **_SIT, "area": "ponto", "currency": "EUR"}
    return [
        b.ShoeStarted(
            **_HEAD,
            shoe=2,
            decks=8,
            cards=416,
            cut=14,
            burned=[0],
            deck_root="cd" * 32,
            generator="croupier-shuffle-1/os-entropy",
        ),
        b.CoupOpened(
            **_COUP,
            shoe=2,
            rulebook=_RULEBOOK,
            rulebook_hash="ab" * 32,
            configuration_version=1,
            currency="EUR",
            kind="real",
            commission_mode="five-percent",
            min_bet=100,
            seats=[house.SeatInRound(1, "p1", "r1", 10_000)],
            until=1_700_000_020_000,
        ),
        b.CoupLapsed(**_COUP),
        b.StakePlaced(**moved, amount=1000, total=1500, stack=8500),
        b.StakeWithdrawn(**moved, amount=500, total=1000, stack=9000),
        b.BettingClosed(**_COUP, totals={"ponto": 1000, "empate": 200}),
        b.CoupDealt(**_COUP, shoe=2, ponto=[300, 302], banca=[301, 303]),
        b.SideShown(**_COUP, side="ponto", cards=[card, card], score=8, natural=True),
        b.ThirdCardDealt(**_COUP, side="banca", card=card, score=7),
        b.CutCardReached(**_COUP, shoe=2),
        b.CoupSettled(
            **_COUP,
            shoe=2,
            coup=12,
            ponto=2,
            banca=6,
            winner="banca",
            natural=False,
            ponto_pair=False,
            banca_pair=True,
            commission_mode="half-on-6",
            bead=b.RoadPlace(2, 6),
            big=b.RoadPlace(5, 1, 2),
            cards_left=97,
            results=[
                house.SeatSettled(
                    **_SIT,
                    staked=1100,
                    credited=2700,
                    commission=500,
                    net=1600,
                    stack=11_600,
                    bets=[house.BetSettled("banca", 1000, 1500, 500), house.BetSettled("par_banca", 100, 1200, 0)],
                )
            ],
            house=-1600,
            bank=998_400,
            currency="EUR",
            rulebook=_RULEBOOK,
        ),
        b.CoupVoided(
            **_COUP,
            cause="shoe order not recoverable",
            by="staff-1",
            refunds=[Refund(1, "p1", "r1", 1200, 10_000)],
            currency="EUR",
        ),
    ]
