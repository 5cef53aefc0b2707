"""An evening written as public events: versions are counted, amounts are the author's, money follows the rules."""

from collections.abc import Iterable
from typing import Any

from libs.contracts import conduct_events as conduct
from libs.contracts import poker_events as poker
from libs.contracts import table_events as table
from libs.contracts import wallet_events as wallet
from libs.contracts.configurations import grouped
from libs.contracts.facts import Fact, WalletEvent
from libs.contracts.messages import PublicEvent
from libs.contracts.poker_configuration import PokerConfiguration
from libs.contracts.registry import encode_fact, wire_name
from libs.contracts.topics import topic
from libs.contracts.wallet_commands import account_id
from services.wallet.projections.chart import Book
from tests.testkit.partitions import partition_of

Record = tuple[str, int, PublicEvent]

START = 1_790_000_000_000


class Script:
    """Collects events in the order in which they are written; `records` are what a source delivers."""

    def __init__(self, rulebook: str = "pt-811-2015-omaha", kind: Book = "real", commission_bp: int = 0) -> None:
        self.records: list[Record] = []
        self.now = START
        self._versions: dict[str, int] = {}
        self._rulebook = rulebook
        self._kind = kind
        self._commission_bp = commission_bp
        self._stacks: dict[tuple[str, str], int] = {}
        self._wallets: dict[str, tuple[int, int]] = {}
        self._hands: dict[str, int] = {}

    def emit(self, stream: str, body: Fact) -> PublicEvent:
        service = "wallet" if isinstance(body, WalletEvent) else "table"
        version = self._versions[stream] = self._versions.get(stream, 0) + 1
        event = PublicEvent(
            stream=stream,
            version=version,
            type=wire_name(type(body)),
            time=self.now,
            causation=f"c{len(self.records)}",
            data=encode_fact(body)[1],
        )
        self.records.append((topic(service, "events").name, partition_of(stream), event))
        return event

    def open_table(self, name: str) -> None:
        self.emit(
            name,
            table.TableOpened(
                table=name, name=name, configuration=configuration(self._rulebook, self._kind), rulebook_hash="00"
            ),
        )

    def open_account(self, player: str, kind: Book = "real") -> str:
        account = account_id(player, "EUR", kind)
        if account not in self._wallets:
            self._wallets[account] = (0, 0)
            self.emit(account, wallet.AccountOpened(**self._whose(account, player), kind=kind, by="operator:o"))
        return account

    def deposit(self, player: str, amount: int, reference: str | None = None) -> None:
        account = self.open_account(player, self._kind)
        self._move(account, player, amount, 0)
        self.emit(account, wallet.FundsDeposited(
            **self._whose(account, player), reference=reference or f"d{len(self.records)}", amount=amount,
            by="operator:o", **self._figures(account)))  # fmt: skip

    def reserve(self, player: str, at: str, sitting: str, amount: int, reserve: str | None = None) -> None:
        account = account_id(player, "EUR", self._kind)
        self._move(account, player, -amount, amount)
        self.emit(account, wallet.FundsReserved(
            **self._whose(account, player), reserve=reserve or sitting, sitting=sitting, table=at, amount=amount,
            **self._figures(account)))  # fmt: skip

    def seat(self, player: str, at: str, sitting: str, amount: int, seat: int = 1) -> None:
        commission = amount * self._commission_bp // 10_000
        self._stacks[at, player] = amount - commission
        self.emit(at, table.PlayerSeated(
            table=at, reservation=sitting, player=player, seat=seat, amount=amount, commission=commission,
            stack=amount - commission, currency="EUR", kind=self._kind, rulebook=self._rulebook))  # fmt: skip

    def buy_in(self, player: str, at: str, sitting: str, amount: int, seat: int = 1) -> None:
        self.reserve(player, at, sitting, amount)
        self.seat(player, at, sitting, amount, seat)

    def top_up(self, player: str, at: str, sitting: str, amount: int, top_up: str) -> None:
        self.reserve(player, at, sitting, amount, top_up)
        commission = amount * self._commission_bp // 10_000
        self._stacks[at, player] += amount - commission
        self.emit(at, table.TopUpAdded(
            table=at, top_up=top_up, reservation=sitting, player=player, seat=1, amount=amount, commission=commission,
            stack=self._stacks[at, player], currency="EUR", rulebook=self._rulebook))  # fmt: skip

    def fee_due(self, player: str, at: str, sitting: str, amount: int, session: int = 1) -> None:
        self.emit(at, poker.SessionFeeDue(
            table=at, fee=f"{at}-{session}-{player}", session=session, player=player, seat=1, reservation=sitting,
            amount=amount, currency="EUR", kind=self._kind, rulebook=self._rulebook))  # fmt: skip

    def fee_charged(self, player: str, at: str, amount: int, session: int = 1) -> None:
        account = account_id(player, "EUR", self._kind)
        self._move(account, player, -amount, 0)
        self.emit(account, wallet.FeeCharged(
            **self._whose(account, player), fee=f"{at}-{session}-{player}", table=at, rulebook=self._rulebook,
            amount=amount, **self._figures(account)))  # fmt: skip

    def tip(self, player: str, at: str, sitting: str, amount: int) -> None:
        self._stacks[at, player] -= amount
        self.emit(at, conduct.DealerTipped(
            table=at, player=player, seat=1, reservation=sitting, amount=amount, stack=self._stacks[at, player],
            currency="EUR"))  # fmt: skip

    def hand(self, at: str, bets: dict[str, int], winner: str, *, rake: int = 0, uncalled: int = 0,
             sittings: dict[str, str] | None = None) -> int:  # fmt: skip
        """Everybody puts in `bets` (the first two as blinds); the winner gets `uncalled` back, then the pot."""
        number = self._hands[at] = self._hands.get(at, 0) + 1
        for index, (player, amount) in enumerate(bets.items()):
            self.bet(at, number, index, player, amount)
        if uncalled:
            self._stacks[at, winner] += uncalled
            self.emit(at, poker.UncalledBetReturned(
                table=at, hand=number, seat=1, player=winner, amount=uncalled, stack=self._stacks[at, winner],
                currency="EUR"))  # fmt: skip
        pot = sum(bets.values()) - uncalled
        self._stacks[at, winner] += pot - rake
        payment = poker.Payment(seat=1, player=winner, gross=pot, rake=rake, net=pot - rake)
        self.emit(at, poker.PotAwarded(
            table=at, hand=number, pot="main", amount=pot, eligible=[1], winners=[1], rake=rake, basis="pot",
            payments=[payment], currency="EUR", rulebook=self._rulebook))  # fmt: skip
        named = sittings or {player: f"{player}@{at}" for player in bets}
        results = [
            poker.SeatResult(
                seat=index + 1, player=player, reservation=named[player],
                staked=amount - (uncalled if player == winner else 0), won=pot - rake if player == winner else 0,
                rake=rake if player == winner else 0, stack=self._stacks[at, player])
            for index, (player, amount) in enumerate(bets.items())
        ]  # fmt: skip
        self.emit(
            at,
            poker.HandEnded(table=at, hand=number, results=results, rake=rake, exemption=None, currency="EUR"),
        )
        return number

    def void(self, at: str, bets: dict[str, int]) -> None:
        number = self._hands[at] = self._hands.get(at, 0) + 1
        for index, (player, amount) in enumerate(bets.items()):
            self.bet(at, number, index, player, amount)
        refunds = []
        for index, (player, amount) in enumerate(bets.items()):
            self._stacks[at, player] += amount
            refunds.append(self._refund(at, index + 1, player, amount))
        self.emit(
            at, poker.HandVoided(table=at, hand=number, cause="fault", by="house", refunds=refunds, currency="EUR")
        )

    def refund(self, at: str, hand: int, player: str, amount: int) -> None:
        """The hand is void; the player's bet comes back, also to one who had left."""
        self._stacks[at, player] = self._stacks.get((at, player), 0) + amount
        refund = self._refund(at, 1, player, amount)
        self.emit(
            at, poker.HandVoided(table=at, hand=hand, cause="fault", by="house", refunds=[refund], currency="EUR")
        )

    def _refund(self, at: str, seat: int, player: str, amount: int) -> table.Refund:
        stack = self._stacks[at, player]
        return table.Refund(seat=seat, player=player, reservation=f"{player}@{at}", amount=amount, stack=stack)

    def send_after(self, player: str, at: str, sitting: str) -> None:
        self.emit(at, table.RefundSent(
            table=at, reservation=sitting, player=player, seat=1, amount=self._stacks.pop((at, player)),
            currency="EUR"))  # fmt: skip

    def leave(self, player: str, at: str, sitting: str) -> int:
        stack = self._stacks.pop((at, player))
        self.emit(at, table.PlayerLeft(
            table=at, reservation=sitting, player=player, seat=1, stack=stack, currency="EUR",
            reason="player"))  # fmt: skip
        return stack

    def settle(self, player: str, at: str, sitting: str, brought: int, returned: int) -> None:
        account = account_id(player, "EUR", self._kind)
        self._move(account, player, returned, -brought)
        self.emit(account, wallet.SittingSettled(
            **self._whose(account, player), sitting=sitting, table=at, brought=brought, returned=returned,
            **self._figures(account)))  # fmt: skip

    def bet(self, at: str, number: int, index: int, player: str, amount: int) -> None:
        self._stacks[at, player] -= amount
        common: dict[str, Any] = {
            "table": at, "hand": number, "seat": index + 1, "player": player, "amount": amount, "to": amount,
            "stack": self._stacks[at, player], "all_in": self._stacks[at, player] == 0, "currency": "EUR",
        }  # fmt: skip
        if index < 2:
            self.emit(at, poker.BlindPosted(**common, blind="small" if index == 0 else "big", compulsory=True))
        else:
            self.emit(at, poker.BetPlaced(**common, act="call"))

    def _move(self, account: str, player: str, available: int, reserved: int) -> None:
        had = self._wallets[account]
        self._wallets[account] = (had[0] + available, had[1] + reserved)

    def _figures(self, account: str) -> dict[str, Any]:
        available, reserved = self._wallets[account]
        return {"available": available, "reserved": reserved}

    def _whose(self, account: str, player: str) -> dict[str, Any]:
        return {"account": account, "player": player, "currency": "EUR"}


def evening(hands: int = 20, tables: Iterable[str] = ("table-1", "table-2"), rake: int = 15) -> Script:
    """Three players at each table, `hands` hands there, everybody leaves and is settled."""
    script = Script()
    players = ("ann", "bob", "cleo")
    for at in tables:
        script.open_table(at)
    for player in players:
        script.deposit(player, 10_000_00)
    for at in tables:
        for player in players:
            script.buy_in(player, at, f"{player}@{at}", 1_000_00)
    for number in range(hands):
        for at in tables:
            script.now += 1_000
            script.hand(at, {"ann": 100, "bob": 200, "cleo": 200}, players[number % 3], rake=rake)
    for at in tables:
        for player in players:
            script.now += 1_000
            script.settle(player, at, f"{player}@{at}", 1_000_00, script.leave(player, at, f"{player}@{at}"))
    return script


def configuration(rulebook: str, kind: str) -> PokerConfiguration:
    return grouped(
        PokerConfiguration,
        {
            "rulebook": rulebook, "version": 1, "approval": "SRIJ-1", "currency": "EUR", "kind": kind, "seats": 6,
            "structure": "pot_limit", "raise_cap": None, "raise_cap_lifted_heads_up": False, "small_blind": 50,
            "big_blind": 100, "buy_in_min": 4000, "buy_in_max": 10000, "top_up_to": 10000, "rake_mode": "pot",
            "rake_bp": 500, "rake_cap_big_blinds": None, "no_flop_no_rake": False,
            "flop_round_without_bet_no_rake": False, "rake_per_payment_when_all_in": True,
            "odd_unit": "one_unit_each_clockwise_from_button", "min_unit": 1, "heads_up_blinds": "button_small",
            "first_button": "drawn", "deal_from": "small_blind", "burn_before_board": True, "decision_ms": 20000,
            "time_bank_ms": 10000, "break_ms": 300000, "waiting_ms": 30000, "absent_hands": 5,
            "reservation_ms": 60000, "reentry_ms": 3600000, "between_hands_ms": 2000,
        },
    )  # fmt: skip
