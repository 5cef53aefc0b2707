"""The house's money at a table: enough for the worst case, moved by two, and on the books to the cent."""

from collections.abc import Callable, Mapping
from typing import Any

from libs.contracts import bank_events as b
from libs.contracts import table_events as t
from libs.contracts.banked_rounds import BankedRoundOpened, BankedRoundVoided
from libs.contracts.configurations import BankedConfiguration, flat
from libs.contracts.facts import Fact
from libs.contracts.people import same_person
from libs.contracts.poker_events import HandVoided
from services.wallet.projections.chart import bank, house_round
from tests.simulation.books import Books
from tests.simulation.truth import Entry, Truth
from tests.simulation.violations import ensure

_DEAREST_HAND = 100
_TIE, _PAIR = 8, 11
LIMIT = "bank_keeps_its_limit"


def worst_case(configuration: Mapping[str, Any]) -> int | None:
    """What one round can cost the bank, worked out here once more (pt-803-2015 12, 18; pt-812-2015 15, 25, 43).

    By the names that values have in a rulebook. None: nothing limits it, or nobody plays against a bank.
    """
    seats = configuration["seats"]
    if "max_ante" in configuration:
        return int(seats * configuration["max_ante"] * (1 + 2 * _DEAREST_HAND))
    limit = configuration.get("prize_limit")
    if limit is not None:
        return int(max(limit, limit // 10 * _TIE) + limit * 8 // 100 * 2 * _PAIR)
    if configuration.get("max_ponto_banca") is None:
        return None
    dearest = max(configuration["max_ponto_banca"], _TIE * configuration["max_tie"])
    return int(seats * (dearest + 2 * _PAIR * configuration["max_pair"]))


def bank_keeps_its_limit(truth: Truth) -> Callable[[Entry], None]:
    """No betting opens above what the bank can pay, and no drop takes it below that."""
    rules: dict[str, dict[str, Any]] = {}

    def watch(entry: Entry) -> None:
        for told in entry.told:
            if isinstance(told.fact, t.TableOpened | t.ConfigurationActivated):
                rules[entry.commit.stream] = flat(told.fact.configuration)
            if isinstance(told.fact, BankedRoundOpened | b.BankDropped):
                needed = worst_case(rules[entry.commit.stream])
                enough = needed is None or told.step.state.bank >= needed
                truth.violations.ensure(enough, LIMIT, f"{told.event.id}: {told.step.state.bank} of {needed}")

    return watch


def two_of_the_staff(truth: Truth) -> Callable[[Entry], None]:
    """A change of a bank is asked for by one, approved by another, and made once; so is one of what its real money is
    played with; and so is a round void, unless no card is out."""
    asked: dict[tuple[str, str], b.BankChangeRequested] = {}
    wished: dict[tuple[str, type[Fact]], Any] = {}

    def sound(table: str, fact: b.BankToppedUp | b.BankDropped) -> bool:
        request = asked.pop((table, fact.change), None)
        if request is None:
            return False
        direction = "drop" if isinstance(fact, b.BankDropped) else "top_up"
        same = (request.direction, request.amount, request.by) == (direction, fact.amount, fact.requested_by)
        return same and not same_person(fact.by, request.by)

    def agreed(table: str, fact: t.ConfigurationAnnounced) -> bool:
        wish = wished.pop((table, t.ConfigurationRequested), None)
        if wish is None or (wish.configuration, wish.by) != (fact.configuration, fact.requested_by):
            return False
        return not same_person(fact.by, wish.by)

    def may_be_void(entry: Entry, fact: HandVoided | BankedRoundVoided) -> bool:
        if fact.by == "house":
            return True
        if not fact.requested_by:
            return isinstance(fact, BankedRoundVoided) and entry.before.round.phase == "betting"
        wish = wished.get((entry.commit.stream, t.VoidRequested))
        number = fact.hand if isinstance(fact, HandVoided) else fact.round
        if wish is None or (wish.round, wish.by) != (number, fact.requested_by):
            return False
        return not same_person(fact.by, wish.by)

    def watch(entry: Entry) -> None:
        for told in entry.told:
            fact = told.fact
            if isinstance(fact, t.ConfigurationRequested | t.VoidRequested):
                wished[entry.commit.stream, type(fact)] = fact
            elif isinstance(fact, t.ConfigurationAnnounced):
                rules, table = fact.configuration, entry.commit.stream
                risks = rules.kind == "real" and isinstance(rules, BankedConfiguration)
                truth.violations.ensure(not risks or agreed(table, fact), "two_of_the_staff", told.event.id)
            elif isinstance(fact, HandVoided | BankedRoundVoided):
                truth.violations.ensure(may_be_void(entry, fact), "two_of_the_staff", told.event.id)
            if isinstance(fact, b.BankChangeRequested):
                asked[entry.commit.stream, fact.change] = fact
            elif isinstance(fact, b.BankChangeDeclined):
                asked.pop((entry.commit.stream, fact.change), None)
            elif isinstance(fact, b.BankToppedUp | b.BankDropped):
                truth.violations.ensure(sound(entry.commit.stream, fact), "two_of_the_staff", told.event.id)

    return watch


def banks_are_on_the_books(truth: Truth, books: Books, tables: Mapping[str, Any]) -> None:
    """Nothing runs any more: the books have what each bank has, and no stake lies in any round."""
    for table, setup in tables.items():
        state = truth.states.get(table)
        booked = books.balances.get((setup.kind, bank(table), setup.currency), 0)
        ensure(state is None or state.bank == booked, "money_conserved", f"{table}: the books have {booked}")
        for number in range(1, getattr(state, "last_round", 0) + 1):
            lying = books.balances.get((setup.kind, house_round(table, number), setup.currency), 0)
            ensure(lying == 0, "money_conserved", f"{lying} lie in round {number} of {table}")
