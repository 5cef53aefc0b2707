"""Whatever is asked of an account, the auditor follows it and accuses nobody; what no account would tell it finds."""

import zlib
from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from libs.contracts import wallet_commands as commands
from libs.contracts import wallet_events as events
from libs.contracts.commands import WalletCommand
from libs.contracts.facts import WalletEvent
from libs.contracts.messages import Principal, PublicEvent, command_id_at
from libs.contracts.registry import encode_fact
from libs.decider import Given, Rejected
from services.audit.projections.live_checks import MOST_TOP_UPS
from services.audit.verifying.accounts import Account, check_account, keep_latest_top_ups
from services.audit.verifying.asked_for import told_otherwise
from services.wallet.domain.account.decide import AccountDecider
from services.wallet.domain.account.forgetting import Kept
from services.wallet.domain.account.state import Account as Decided
from services.wallet.domain.account.state import NoAccount, State
from tests.wallet.account.given import OPERATOR, PLAYER, POLICY, STREAM

DAY = 86_400_000
T = 1_700_000_000_000
FEW = Kept(for_ms=3 * DAY, least=4, references_for_ms=3 * DAY, references_least=4)
CASHIER, SECOND = Principal("staff", "otto"), Principal("staff", "rita")


class Audited:
    """An account that the auditor follows, event by event, in the form that its states are kept in."""

    def __init__(self, kept: Kept = FEW) -> None:
        self.at = T
        self.state: State = NoAccount(STREAM)
        self.check = Account()
        self.told: list[WalletEvent] = []
        self.asked_at: dict[str, int] = {}
        self._decider = AccountDecider(kept)
        self.ask(OPERATOR, commands.OpenAccount(player="ann", currency="EUR"))
        self.ask(OPERATOR, commands.DepositFunds(reference="first", amount=10_000))

    def ask(self, by: Principal, command: WalletCommand) -> Sequence[WalletEvent]:
        decided = self._decider.decide(self.state, command, Given(self.at, None, by))
        if isinstance(decided, Rejected):
            return []
        assert told_otherwise("wallet", command, by, map(encode_fact, decided.events)) is None
        for event in decided.events:
            self.state = self._decider.evolve(self.state, event)
            assert self.hears(event) == [], (command, event)
        self._agrees()
        return decided.events

    def hears(self, event: WalletEvent) -> list[tuple[str, str]]:
        """What the auditor finds wrong with it."""
        self.told.append(event)
        name, data = encode_fact(event)
        public = PublicEvent(
            stream=STREAM, version=len(self.told), type=name, time=self.at, causation="", data=msgspec.Raw(data)
        )
        found = [(each.kind.value, each.detail) for each in check_account(self.check, public, event)]
        self.check = msgspec.json.decode(msgspec.json.encode(self.check), type=Account)
        return found

    def _agrees(self) -> None:
        state, check = self.state, self.check
        if isinstance(state, Decided):
            assert (check.available, check.reserved) == (state.available, state.reserved)
            assert len(check.reserves) == len(state.reserves)
            assert len(check.top_ups) == len(state.settled_top_ups), "it remembers as the account does"
            assert len(check.former_top_ups) == len(state.former.settled_top_ups)
            assert check.deposits - check.withdrawals + check.settled == check.available + check.reserved

    def name(self, what: str, number: int, days_ago: int = 0) -> str:
        """The same one for two days."""
        since = (self.at - T) // DAY // 2 * 2 - days_ago
        return f"{what}-{command_id_at(T + since * DAY, what, str(number))}"

    def told_at(self, name: str) -> int:
        """What a name stands for is told by one event. Of every third one it is not known when."""
        return self.asked_at.setdefault(name, self.at) if zlib.crc32(name.encode()) % 3 else 0


def at_random(life: Audited, draw: Random) -> tuple[Principal, WalletCommand]:
    ago, table = draw.choice([0, 0, 0, 2, 4]), draw.choice(["table-7"] * 9 + ["table-8"])
    amount = draw.choice([draw.randint(1, 300), draw.randint(1, 300), draw.randint(1, 10**6)])
    which, number = draw.randrange(2), draw.randrange(3)
    sitting, top_up = life.name("sitting", which, ago), life.name("top_up", 3 * which + number, ago)
    wish: dict[str, Any] = {"reference": f"r{draw.randrange(200)}", "amount": amount}
    name = f"n{draw.randrange(200)}"
    by_policy: list[WalletCommand] = [
        *[commands.ReserveFunds(reserve=sitting, sitting=sitting, table=table, amount=amount)] * 3,
        *[commands.ReserveFunds(reserve=top_up, sitting=sitting, table=table, amount=amount)] * 4,
        *[commands.SettleSitting(sitting=sitting, table=table, returned=amount, covered=True)] * 2,
        commands.SettleSitting(
            sitting=sitting, table=table, returned=amount, settlement=f"{table}/{number}", covered=True
        ),
        *[commands.ReleaseFunds(reserve=top_up, table=table, reason="left", covered=True)] * 4,
        commands.ReleaseFunds(reserve=sitting, table=table, reason="left", covered=True),
        commands.ChargeFee(
            fee=name, table=table, rulebook="pt-217-2007-holdem", amount=amount, told_at=life.told_at(name)
        ),
        commands.PayTournament(payment=name, tournament="cup", amount=amount, told_at=life.told_at(name)),
        commands.CreditTournament(
            credit=name, tournament="cup", amount=amount, why="prize", told_at=life.told_at(name)
        ),
        commands.ReturnPayment(payment=name, tournament="cup", amount=amount, told_at=life.told_at(f"{name}/back")),
    ]
    by_others: list[WalletCommand] = [
        commands.DepositFunds(**wish),
        commands.WithdrawFunds(**wish),
        commands.RequestCash(purpose=draw.choice(["deposit", "withdrawal"]), **wish),
        commands.ApproveCash(purpose=draw.choice(["deposit", "withdrawal"]), **wish),
        commands.DeclineCash(reference=wish["reference"], reason="no"),
        commands.ReportSignal(report=wish["reference"], kind="device", value="of-ann"),
    ]
    if draw.random() < 0.7:
        return POLICY, draw.choice(by_policy)
    return draw.choice([OPERATOR, CASHIER, SECOND, PLAYER, POLICY]), draw.choice(by_others)


@pytest.mark.parametrize("seed", range(8))
def test_the_auditor_accuses_no_account_of_what_it_may(seed: int) -> None:
    life, draw = Audited(), Random(seed)
    came_late = 0
    for _ in range(2_500):
        if draw.random() < 0.03:
            life.at += draw.randint(1, 3) * DAY
        top_ups = life.check.top_ups | life.check.former_top_ups
        told = life.ask(*at_random(life, draw))
        came_late += any(isinstance(each, events.FundsReleased) and each.reserve in top_ups for each in told)
    assert came_late >= 3
    assert sum(isinstance(each, events.SittingsForgotten) for each in life.told) >= 3
    assert sum(isinstance(each, events.ReferencesForgotten) for each in life.told) >= 3


def settled_with_a_top_up(life: Audited, number: int = 0) -> commands.ReleaseFunds:
    """And what may come of it later."""
    sitting, top_up = life.name("sitting", number), life.name("top_up", number)
    for reserve, amount in ((sitting, 100), (top_up, 50)):
        life.ask(POLICY, commands.ReserveFunds(reserve=reserve, sitting=sitting, table="table-7", amount=amount))
    life.ask(POLICY, commands.SettleSitting(sitting=sitting, table="table-7", returned=100, covered=True))
    return commands.ReleaseFunds(reserve=top_up, table="table-7", reason="left", covered=True)


@pytest.mark.parametrize(("least", "former"), [(3, False), (2, True)])
def test_a_top_up_that_failed_after_its_sitting_was_settled_comes_home_once(least: int, former: bool) -> None:
    """The auditor said that the wallet gave back what nobody had reserved, and that the account was out of balance.
    `least`: with so many reserves that ended the generation turns."""
    life = Audited(Kept(least=least))
    release = settled_with_a_top_up(life)
    assert bool(life.check.former_top_ups) is former
    (event, *_) = life.ask(POLICY, release)
    assert isinstance(event, events.FundsReleased)
    assert life.ask(POLICY, release) == []
    state = life.state
    assert isinstance(state, Decided)
    again = msgspec.structs.replace(event, available=state.available + 50, reserved=state.reserved)
    assert [kind for kind, _ in life.hears(again)] == ["reserve_does_not_match", "account_not_balanced"]


@pytest.mark.parametrize("lie", [{"amount": 51}, {"sitting": "other"}, {"available": 10_001}, {"reserved": 1}])
def test_a_release_of_a_settled_top_up_gives_back_what_it_was(lie: dict[str, Any]) -> None:
    life = Audited()
    release = settled_with_a_top_up(life)
    true: dict[str, Any] = {"sitting": life.name("sitting", 0), "amount": 50, "available": 10_000, "reserved": 0}
    event = events.FundsReleased(reserve=release.reserve, table="table-7", reason="left", **true | lie, covered=True)
    assert life.hears(event)


def test_neither_a_buy_in_nor_what_is_forgotten_comes_home_so() -> None:
    life = Audited()
    release = settled_with_a_top_up(life)
    sitting = life.name("sitting", 0)
    told: dict[str, Any] = {"sitting": sitting, "table": "table-7", "reason": "left", "reserved": 0}
    assert life.hears(events.FundsReleased(reserve=sitting, amount=100, available=10_050, **told, covered=True))
    for _ in range(2):
        assert life.hears(events.SittingsForgotten(at=life.at, before=0)) == []
    assert life.hears(events.FundsReleased(reserve=release.reserve, amount=50, available=10_100, **told, covered=True))


def test_a_reserve_is_made_once_also_after_its_sitting() -> None:
    life = Audited()
    release = settled_with_a_top_up(life)
    told: dict[str, Any] = {
        "sitting": life.name("sitting", 0),
        "table": "table-7",
        "amount": 50,
        "available": 9_900,
        "reserved": 50,
    }
    found = life.hears(events.FundsReserved(reserve=release.reserve, **told))
    assert [kind for kind, _ in found] == ["reserve_does_not_match"]


def test_an_account_that_refuses_what_it_has_to_remember_is_named() -> None:
    life = Audited()
    assert life.hears(events.ReferencesForgotten(at=T, before=0)) == []
    assert life.hears(events.ReferencesForgotten(at=T + 400 * DAY, before=T + DAY + 1)) == []
    found = life.hears(events.ReferencesForgotten(at=T + 800 * DAY, before=T + 401 * DAY + 2))
    assert [kind for kind, _ in found] == ["account_not_balanced"]


def test_of_settled_top_ups_so_many_are_remembered_while_play_goes_on() -> None:
    account = Account()
    account.former_top_ups = {f"old-{number}": ("s", 1) for number in range(3)}
    account.top_ups = {f"new-{number}": ("s", 1) for number in range(MOST_TOP_UPS)}
    keep_latest_top_ups(account, MOST_TOP_UPS + 1)
    assert (list(account.former_top_ups), len(account.top_ups)) == (["old-2"], MOST_TOP_UPS)
    keep_latest_top_ups(account, 2)
    assert (account.former_top_ups, list(account.top_ups)) == ({}, ["new-998", "new-999"])


def test_a_state_that_was_kept_by_an_older_build_loads() -> None:
    old = b"""{"available": 900, "reserved": 100, "due_available": 900, "due_reserved": 100, "deposits": 1000,
        "withdrawals": 0, "settled": 0, "reserves": {"s1": ["s1", 100]}, "references": [], "events": 3}"""
    account = msgspec.json.decode(old, type=Account)
    assert (account.reserves, account.top_ups, account.former_top_ups) == ({"s1": ("s1", 100)}, {}, {})
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(msgspec.json.decode(old)), type=Account) == account
