"""An evening against the house written as public events: amounts are the author's, versions are counted."""

from typing import Any

from msgspec.structs import asdict, replace

from libs.contracts import baccarat_events as b
from libs.contracts import bank_events as banks
from libs.contracts import no_draw_poker_events as n
from libs.contracts import table_events as t
from libs.contracts.baccarat_configuration import BaccaratConfiguration
from libs.contracts.banked_rounds import BetSettled, SeatInRound, SeatSettled
from libs.contracts.configurations import grouped
from libs.contracts.facts import Fact
from libs.contracts.no_draw_poker_configuration import NoDrawConfiguration
from libs.rulebooks.library import RULEBOOKS
from services.wallet.projections.chart import Book
from tests.wallet.script import Script

POKER, BACCARAT = "caribe-1", "bacara-1"
NO_DRAW_RULES, BACCARAT_RULES = "pt-803-2015-no-draw", "pt-812-2015-baccarat"
_SHARED: dict[str, Any] = {
    "version": 1, "approval": "SRIJ-1", "currency": "EUR", "kind": "real", "mode": "multi", "buy_in_min": 1_000,
    "buy_in_max": 1_000_000, "top_up_to": 1_000_000, "break_ms": 300_000, "reservation_ms": 60_000, "reentry_ms": 0,
    "resume_ms": 120_000, "idle_ms": 180_000, "idle_rounds": 5, "idle_warning_ms": 60_000, "between_rounds_ms": 0,
    "betting_ms": 20_000,
}  # fmt: skip


def no_draw(**changes: Any) -> NoDrawConfiguration:
    pays = dict(zip(
        ("royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush", "straight", "three_of_a_kind",
         "two_pair", "pair", "high_card"),
        (100, 50, 20, 7, 5, 4, 3, 2, 1, 1), strict=True,
    ))  # fmt: skip
    chosen: dict[str, Any] = {
        **_SHARED, **RULEBOOKS[NO_DRAW_RULES].names, "seats": 7, "min_ante": 100, "max_ante": 2_500,
        "decision_ms": 20_000,
        "extra_ms": 10_000, "high_card_suit_tiebreak": True, **{f"pays_{hand}": pay for hand, pay in pays.items()},
    }  # fmt: skip
    return grouped(NoDrawConfiguration, chosen | changes)


def baccarat(**changes: Any) -> BaccaratConfiguration:
    chosen: dict[str, Any] = {
        **_SHARED, **RULEBOOKS[BACCARAT_RULES].names, "seats": 9, "approved_on": "2026-01-02",
        "variant": "ponto-e-banca",
        "decks": 8, "cut_cards": 14, "burn_cards": 0, "shuffle_every_coup": False, "min_bet": 100,
        "max_ponto_banca": 7_000, "max_tie": 1_500, "max_pair": 800, "pair_bets": True,
        "pair_requires_main_bet": False, "commission_mode": "five-percent",
    }  # fmt: skip
    return grouped(BaccaratConfiguration, chosen | changes)


class BankedScript(Script):
    """`Script` with tables against the house. One seat per player, in the order in which they sat down."""

    def __init__(self, kind: Book = "real") -> None:
        super().__init__(kind=kind)
        self.facts: list[Fact] = []
        self._banks: dict[str, int] = {}
        self._rounds: dict[str, int] = {}
        self._seats: dict[str, list[str]] = {}
        self._stakes: dict[str, dict[tuple[str, str], int]] = {}

    def emit(self, stream: str, body: Fact) -> Any:
        self.facts.append(body)
        return super().emit(stream, body)

    def open_against(self, at: str, configuration: Any, bank: int = 1_000_000) -> None:
        chosen = replace(configuration, kind=self._kind)
        self.emit(at, t.TableOpened(table=at, name=at, configuration=chosen, rulebook_hash="00"))
        self._banks[at], self._seats[at] = bank, []
        self.emit(at, banks.BankOpened(
            table=at, amount=bank, bank=bank, risk_limit=bank, currency="EUR", kind=self._kind,
            by="staff:ada"))  # fmt: skip

    def sit(self, player: str, at: str, amount: int) -> None:
        self._seats[at].append(player)
        self.buy_in(player, at, f"{player}@{at}", amount, len(self._seats[at]))

    def change_bank(self, at: str, change: str, amount: int) -> None:
        """A drop for amounts below zero."""
        self._banks[at] += amount
        told: type[banks.BankToppedUp | banks.BankDropped] = banks.BankToppedUp if amount > 0 else banks.BankDropped
        self.emit(at, told(
            table=at, change=change, amount=abs(amount), bank=self._banks[at], currency="EUR", kind=self._kind,
            requested_by="staff:ada", by="staff:bo"))  # fmt: skip

    def betting(self, at: str, **own: Any) -> int:
        number = self._rounds[at] = self._rounds.get(at, 0) + 1
        self._stakes[at] = {}
        seats = [SeatInRound(**self._who(at, p), stack=self._stacks[at, p]) for p in self._seats[at]]
        common: dict[str, Any] = {
            "table": at, "round": number, "rulebook_hash": "00", "configuration_version": 1, "currency": "EUR",
            "kind": self._kind, "seats": seats, "until": self.now + 20_000,
        }  # fmt: skip
        if at.startswith("bac"):
            common |= {"rulebook": BACCARAT_RULES, "shoe": 1, "commission_mode": "five-percent", "min_bet": 100}
            self.emit(at, b.CoupOpened(**(common | own)))
        else:
            self.emit(at, n.AntesOpened(**common, rulebook=NO_DRAW_RULES, **own))
        return number

    def stake(self, at: str, player: str, area: str, amount: int) -> None:
        """Below zero takes back."""
        self._stacks[at, player] -= amount
        lies = self._stakes[at][player, area] = self._stakes[at].get((player, area), 0) + amount
        moved: dict[str, Any] = {
            "table": at, "round": self._rounds[at], **self._who(at, player), "area": area, "amount": abs(amount),
            "total": lies, "stack": self._stacks[at, player], "currency": "EUR",
        }  # fmt: skip
        if at.startswith("bac"):
            self.emit(at, b.StakePlaced(**moved) if amount > 0 else b.StakeWithdrawn(**moved))
        elif area == "bet":
            self.emit(at, n.SecondBetPlaced(**moved))
        else:
            self.emit(at, n.AntePlaced(**moved, short_of=0) if amount > 0 else n.AnteWithdrawn(**moved))

    def settle_round(self, at: str, credits: dict[tuple[str, str], tuple[int, int]], **own: Any) -> None:
        """`credits`: player and area to (credited, commission); what is not named lost."""
        results, house = [], 0
        for player in self._seats[at]:
            bets = [
                BetSettled(area=area, staked=lies, credited=credits.get((who, area), (0, 0))[0],
                           commission=credits.get((who, area), (0, 0))[1])
                for (who, area), lies in self._stakes[at].items() if who == player and lies
            ]  # fmt: skip
            if not bets:
                continue
            staked, credited = sum(bet.staked for bet in bets), sum(bet.credited for bet in bets)
            self._stacks[at, player] += credited
            house += staked - credited
            results.append(SeatSettled(
                **self._who(at, player), staked=staked, credited=credited, commission=sum(x.commission for x in bets),
                net=credited - staked, stack=self._stacks[at, player], bets=bets))  # fmt: skip
        self._banks[at] += house
        common: dict[str, Any] = {
            "table": at, "round": self._rounds[at], "currency": "EUR", "house": house, "bank": self._banks[at],
        }  # fmt: skip
        if at.startswith("bac"):
            told: dict[str, Any] = {
                "shoe": 1, "coup": 1, "ponto": 6, "banca": 8, "winner": "banca", "natural": True, "ponto_pair": False,
                "banca_pair": False, "commission_mode": "five-percent", "bead": b.RoadPlace(column=1, row=1),
                "big": b.RoadPlace(column=1, row=1), "cards_left": 400,
            }  # fmt: skip
            self.emit(at, b.CoupSettled(**common, rulebook=BACCARAT_RULES, results=results, **(told | own)))
        else:
            plus: dict[str, Any] = {"outcome": "win", "decided_by": "hands", "multiplier": 1, "category": "pair"}
            named = [n.RoundResult(**asdict(result), **plus) for result in results]
            self.emit(at, n.RoundSettled(**common, rulebook=NO_DRAW_RULES, results=named))

    def void_round(self, at: str) -> None:
        refunds = []
        for player in self._seats[at]:
            amount = sum(lies for (who, _), lies in self._stakes[at].items() if who == player)
            self._stacks[at, player] += amount
            if amount:
                refunds.append(t.Refund(**self._who(at, player), amount=amount, stack=self._stacks[at, player]))
        told: type[b.CoupVoided | n.RoundVoided] = b.CoupVoided if at.startswith("bac") else n.RoundVoided
        self.emit(at, told(
            table=at, round=self._rounds[at], cause="the house stood still", by="house", refunds=refunds,
            currency="EUR"))  # fmt: skip

    def lapse(self, at: str) -> None:
        told: type[b.CoupLapsed | n.AntesLapsed] = b.CoupLapsed if at.startswith("bac") else n.AntesLapsed
        self.emit(at, told(table=at, round=self._rounds[at]))

    def stand_up(self, player: str, at: str, brought: int) -> None:
        self._seats[at].remove(player)
        self.settle(player, at, f"{player}@{at}", brought, self.leave(player, at, f"{player}@{at}"))

    def close_bank(self, at: str) -> None:
        self.emit(at, banks.BankClosed(table=at, amount=self._banks.pop(at), currency="EUR", kind=self._kind))

    def _who(self, at: str, player: str) -> dict[str, Any]:
        return {"seat": self._seats[at].index(player) + 1, "player": player, "reservation": f"{player}@{at}"}


def night(kind: Book = "real") -> BankedScript:
    """The sessions of the regulations' own cases at one table of each game, then everybody goes home.

    No-draw (pt-803-2015-no-draw 39): +500 on stakes of 1500, -3000, a void round of 900. Baccarat (pt-812-2015-baccarat
    33): 2000 on Banca at +1900, a void coup of 1200, -400.
    """
    script = BankedScript(kind)
    script.deposit("ann", 100_000)
    script.deposit("bob", 100_000)
    script.open_against(POKER, no_draw())
    script.open_against(BACCARAT, baccarat())
    for at in (POKER, BACCARAT):
        script.sit("ann", at, 20_000)
        script.sit("bob", at, 20_000)
    script.change_bank(POKER, "bank-1", 50_000)
    _poker(script)
    _baccarat(script)
    script.change_bank(BACCARAT, "bank-2", -10_000)
    for at in (POKER, BACCARAT):
        script.stand_up("ann", at, 20_000)
        script.stand_up("bob", at, 20_000)
        script.close_bank(at)
    return script


def _poker(script: BankedScript) -> None:
    script.betting(POKER)
    script.stake(POKER, "ann", "ante", 700)
    script.stake(POKER, "ann", "ante", -200)
    script.stake(POKER, "bob", "ante", 300)
    script.stake(POKER, "ann", "bet", 1_000)
    # The dealer does not qualify: the ante wins 500, the bet comes back; Bob had folded (26).
    script.settle_round(POKER, {("ann", "ante"): (1_000, 0), ("ann", "bet"): (1_000, 0)})
    script.betting(POKER)
    script.lapse(POKER)
    script.betting(POKER)
    script.stake(POKER, "ann", "ante", 1_000)
    script.stake(POKER, "ann", "bet", 2_000)
    script.settle_round(POKER, {})
    script.betting(POKER)
    script.stake(POKER, "ann", "ante", 300)
    script.stake(POKER, "ann", "bet", 600)
    script.void_round(POKER)


def _baccarat(script: BankedScript) -> None:
    script.emit(BACCARAT, b.ShoeStarted(
        table=BACCARAT, shoe=1, decks=8, cards=416, cut=14, burned=[], deck_root="ab" * 32, generator="g"))  # fmt: skip
    script.betting(BACCARAT)
    script.stake(BACCARAT, "ann", "banca", 2_000)
    script.stake(BACCARAT, "bob", "ponto", 1_000)
    script.settle_round(BACCARAT, {("ann", "banca"): (3_900, 100)})
    script.betting(BACCARAT)
    script.stake(BACCARAT, "ann", "ponto", 1_000)
    script.stake(BACCARAT, "ann", "empate", 200)
    script.void_round(BACCARAT)
    script.betting(BACCARAT)
    script.stake(BACCARAT, "ann", "ponto", 400)
    script.settle_round(BACCARAT, {})
