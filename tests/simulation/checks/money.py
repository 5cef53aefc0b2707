"""Money at every position of the log: conserved, never below zero, reserved and free what it should be."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from libs.contracts.bank_events import BankClosed, BankCovered, BankDropped, BankOpened, BankToppedUp
from libs.contracts.escrow_commands import escrow_of
from libs.contracts.table_events import TableOpened
from libs.contracts.wallet_events import (
    FundsReleased,
    FundsReserved,
    ReferencesForgotten,
    ReserveRefused,
    SittingSettled,
    SittingsForgotten,
    TournamentPaid,
)
from libs.money.play import kind_of
from services.audit.verifying.facts import FactChecks
from services.audit.verifying.findings import Finding, Kind
from services.audit.verifying.tournaments import Passage, note_side
from services.wallet.domain.account.forgetting import Kept
from services.wallet.domain.account.state import Account, key_of, payment_key
from services.wallet.projections.chart import Book, in_transit, player
from tests.simulation.books import BelowFloor, Books
from tests.simulation.truth import Entry, Truth
from tests.simulation.violations import ensure

_NAMES = {
    Kind.CHIPS: "money_conserved",
    Kind.ACCOUNT: "reserved_plus_free_is_balance",
    Kind.RESERVE: "reserved_plus_free_is_balance",
    Kind.RESERVE_OPEN: "every_reserve_ends",
    Kind.NEGATIVE: "no_negative_balance",
    Kind.HAND_ORDER: "rounds_dense_each_ends_once",
    Kind.VERSION_BROKEN: "one_writer_per_version",
    Kind.DECK_ROOT: "same_deck",
    Kind.CARD_NOT_IN_DECK: "same_deck",
    Kind.CARD_PROOF: "same_deck",
    Kind.DEAL_ORDER: "same_deck",
    Kind.ROUND_RESULT: "paid_by_the_rules",
    Kind.POT_RESULT: "paid_by_the_rules",
    Kind.RAKE: "paid_by_the_rules",
    Kind.FEE: "paid_by_the_rules",
    Kind.FEE_OPEN: "every_reserve_ends",
}


def audit_finds_nothing(truth: Truth, facts: FactChecks) -> Callable[[Entry], None]:
    """The auditor's own checks, after every event: chips, accounts, hands, decks."""

    def watch(entry: Entry) -> None:
        for told in entry.told:
            for finding in facts.take(told.event, told.fact, told.deck):
                truth.violations.note(_NAMES.get(finding.kind, "audit_finds_nothing"), _line(finding))
            if isinstance(paid := told.fact, TournamentPaid):
                for side in (False, paid.amount), (True, paid.amount):  # the cup's own word, which has no stream here
                    name = f"{paid.tournament}/{paid.payment}" + ("/back" if side[0] else "")
                    passage = facts.passages.get(name) or Passage()
                    for finding in note_side(name, passage, told.event, side):
                        truth.violations.note(_NAMES.get(finding.kind, "audit_finds_nothing"), _line(finding))
                    facts.passages[name] = passage

    return watch


def sittings_agree(facts: FactChecks, now: int) -> None:
    """Table against wallet, when all is over: what was played was reserved, what left came home, no reserve is open."""
    for finding in facts.end(now, 0):
        ensure(False, _NAMES.get(finding.kind, "audit_finds_nothing"), _line(finding))


def escrows_hold_what_lies_there(truth: Truth) -> None:
    """When all is quiet: what accounts reserved for a table, with its bank, less what they took home; nothing waits."""
    due: dict[tuple[str, str], int] = defaultdict(int)
    risks: dict[str, int] = defaultdict(int)
    for told in (each for stream in truth.told.values() for each in stream):
        match told.fact:
            case FundsReserved() as fact:
                due[fact.table, fact.currency] += fact.amount
            case FundsReleased() as fact:
                due[fact.table, fact.currency] -= fact.amount
            case SittingSettled() as fact:
                due[fact.table, fact.currency] -= fact.returned
            case BankOpened() as fact:
                due[fact.table, fact.currency] += fact.risk_limit
                risks[fact.table] = fact.risk_limit
            case BankToppedUp() as fact:
                due[fact.table, fact.currency] += fact.amount
            case BankDropped() as fact:
                due[fact.table, fact.currency] -= fact.amount
            case BankCovered() as fact:
                risks[fact.table] -= min(risks[fact.table], fact.amount)
            case BankClosed() as fact:
                due[fact.table, fact.currency] -= fact.amount + risks[fact.table]
            case _:
                pass
    for (table, currency), amount in due.items():
        escrow = truth.states.get(escrow_of(table))
        if kind_of(currency) == "demo":
            ensure(escrow is None, "escrows_hold_what_lies_there", f"{table} has one for play money")
            continue
        left, held = (escrow.left.get(currency, 0), len(escrow.held)) if escrow is not None else (0, 0)
        line = f"{table}: {left} of {amount}, {held} held"
        ensure((left, held) == (amount, 0), "escrows_hold_what_lies_there", line)


def money_conserved(truth: Truth, books: Books) -> Callable[[Entry], None]:
    """The books of the log itself: in sum zero after every event, no floor broken, every stated balance met."""

    def watch(entry: Entry) -> None:
        for told in entry.told:
            try:
                books.post(told.event, told.fact)
            except (BelowFloor, KeyError) as wrong:
                truth.violations.note("money_conserved", str(wrong))
            truth.violations.ensure(books.total == 0, "money_conserved", f"{told.event.id}: in sum {books.total}")
        for line in books.disagreements:
            truth.violations.note("money_conserved", line)

    return watch


def reserved_plus_free_is_balance(truth: Truth) -> Callable[[Entry], None]:
    """An account's figures are the sum of its parts at every version, and never below zero."""

    def watch(entry: Entry) -> None:
        state = truth.states[entry.commit.stream]
        if not isinstance(state, Account):
            return
        where = f"{entry.commit.stream}/{entry.commit.version}"
        reserved = sum(reserve.amount for reserve in state.reserves.values())
        truth.violations.ensure(
            state.reserved == reserved, "reserved_plus_free_is_balance", f"{where}: {state.reserved} of {reserved}"
        )
        truth.violations.ensure(min(state.available, state.reserved) >= 0, "no_negative_balance", where)

    return watch


def remembered_long_enough(truth: Truth, kept: Kept) -> Callable[[Entry], None]:
    """What ended, or was paid, a shorter time ago than is promised is remembered after each event that forgets."""
    ended: dict[str, dict[str, int]] = defaultdict(dict)
    paid: dict[str, dict[bytes, int]] = defaultdict(dict)

    def watch(entry: Entry) -> None:
        for told in entry.told:
            if isinstance(told.fact, SittingSettled):
                ended[told.fact.account].setdefault(told.fact.sitting, told.event.time)
            elif isinstance(told.fact, SittingsForgotten):
                since = [s for s, at in ended[told.fact.account].items() if told.event.time - at < kept.for_ms]
                lost = [each for each in since if told.step.state.table_of(key_of(each)) is None]
                truth.violations.ensure(not lost, "remembered_long_enough", f"{told.event.id} forgets {lost}")
            elif isinstance(told.fact, TournamentPaid):
                paid[told.fact.account][payment_key(told.fact.tournament, told.fact.payment)] = told.event.time
            elif isinstance(told.fact, ReferencesForgotten):
                young = [
                    k for k, at in paid[told.fact.account].items() if told.event.time - at < kept.references_for_ms
                ]
                gone = [each for each in young if told.step.state.asked_as(each) is None]
                truth.violations.ensure(not gone, "remembered_long_enough", f"{told.event.id} forgets {len(gone)}")

    return watch


def demo_money_stays_demo(truth: Truth) -> Callable[[Entry], None]:
    """Who plays for nothing stakes nothing (pt-811-2015 74, 75): an account pays for tables of its own kind alone."""
    kinds: dict[str, str] = {}

    def watch(entry: Entry) -> None:
        for told in entry.told:
            if isinstance(told.fact, TableOpened):
                kinds[told.fact.table] = told.fact.configuration.kind
            elif isinstance(told.fact, FundsReserved | ReserveRefused):
                own = "demo" if told.step.state.demo else "real"
                truth.violations.ensure(own == kinds[told.fact.table], "demo_money_stays_demo", told.event.id)

    return watch


def every_reserve_ends(truth: Truth, books: Books) -> None:
    """Everybody has gone home: nothing is reserved, nothing under way, and the books say what the accounts say."""
    for account in _accounts(truth):
        ensure(
            account.reserved == 0 and not account.reserves,
            "every_reserve_ends",
            f"{account.stream} keeps {account.reserved}",
        )
        book: Book = "demo" if account.demo else "real"
        booked = books.balances.get((book, player(account.player, account.currency), account.currency), 0)
        ensure(booked == account.available, "money_conserved", f"{account.stream}: {account.available}, books {booked}")
    for (_, name, _), balance in books.balances.items():
        if name.startswith((in_transit(""), "stack/", "pot/")):
            ensure(balance == 0, "every_reserve_ends", f"{name} keeps {balance}")


def ledger_is_the_fold(kept: Books, fold: Books) -> None:
    """What the projectors wrote, however often they were killed and doubled, is the fold of the log."""
    ensure(kept.transfers == fold.transfers, "ledger_is_the_fold", f"{kept.transfers} transfers of {fold.transfers}")
    ensure(kept.balances == fold.balances, "ledger_is_the_fold", "balances differ")
    ensure(not kept.disagreements, "ledger_is_the_fold", f"{kept.disagreements[:1]}")


def _accounts(truth: Truth) -> Iterator[Account]:
    states: list[Any] = list(truth.states.values())
    return (state for state in states if isinstance(state, Account))


def _line(finding: Finding) -> str:
    return f"{finding.kind}: {finding.stream}/{finding.version}: {finding.detail}"
