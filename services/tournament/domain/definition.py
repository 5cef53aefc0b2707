"""What specific rules a tournament may have: every break of the regulation by field and rule. Bounds of single values
stand in `libs/contracts/tournaments.py`, those of the tables in `libs/rulebooks`: every level is held against them."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from libs.contracts.texts import is_name
from libs.contracts.tournaments import Definition, Price, Until
from libs.money.currencies import CURRENCIES
from libs.money.play import PLAY_CURRENCY
from libs.money.rates import BASIS_POINTS as WHOLE
from libs.rulebooks.library import find_rulebook
from libs.rulebooks.poker import PokerRulebook
from libs.rulebooks.rulebook import Refusal
from libs.rulebooks.tournaments import judged_table
from services.tournament.domain.levels import configuration_of

SEATED_BYTES, SET_UP_BYTES, COMMIT_BYTES = 295, 300, 895_000
"""What one entrant and one table take of the start with the longest names there are, and what fits into one record."""
_FOREIGN = (
    "rebuy", "add-on", "re-entry", "reentry", "sit out", "buy-in", "bounty", "freeroll", "stack", "blind", "ante",
    "all-in", "big blind ante", "sit-and-go", "button",
)  # fmt: skip
"""Words that a Portuguese text about tournaments borrows; each used has to be explained (58)."""
_OF_LEVELS = ("small_blind", "big_blind", "ante", "big_blind_ante")
_FIXED_AT_TABLES = frozenset({"seats", *_OF_LEVELS, "version", "currency"})
"""Of the tournament and its levels, not of `table`."""


class Broken(NamedTuple):
    field: str
    rule: str
    why: str

    def __str__(self) -> str:
        return f"{self.field} ({self.rule}): {self.why}"


def broken_rules(rules: Definition, now: int, tournament: str = "") -> list[Broken]:
    """In the order of judgement; empty: it may be approved. `now`: milliseconds since the epoch."""
    judges = (_texts, _approval, _prices, _hours, _levels, _chips, _windows, _prizes)
    found = [broken for judge in judges for broken in judge(rules, now)]
    return [*found, *_target(rules, tournament), *_tables(rules), *_size(rules, tournament)]


def not_offered(rules: Definition) -> list[str]:
    """Fields of rules that are sound and that this house can't run yet: nobody is sold what there is not."""
    asked = {
        "sit_out_action": rules.sit_out_action == "fold",
    }
    return [name for name, wanted in asked.items() if wanted]


def _texts(rules: Definition, now: int) -> Iterator[Broken]:
    portuguese = rules.rules.get("pt", "")
    if not portuguese:
        yield Broken("rules", "56", "there is no Portuguese text")
    if hidden := sum(not is_name(word) for word in rules.glossary):
        yield Broken("glossary", "58", f"{hidden} of its words have letters that nobody sees")
    explained = {word.casefold() for word in rules.glossary}
    for word in _FOREIGN:
        used = re.search(rf"(?<!\w){re.escape(word)}s?(?!\w)", portuguese.casefold())
        if used and word not in explained:
            yield Broken("glossary", "58", f"'{word}' is used and not explained")


def _approval(rules: Definition, now: int) -> Iterator[Broken]:
    if rules.currency != PLAY_CURRENCY and rules.currency not in CURRENCIES:
        yield Broken("currency", "21", "is neither legal tender nor play money")
    if rules.currency != PLAY_CURRENCY and not rules.approval:
        yield Broken("approval", "FP-12", "rules for real money need the regulator's approval")


def _prices(rules: Definition, now: int) -> Iterator[Broken]:
    prices: dict[str, Price] = {"buy_in": rules.buy_in}
    for name, offer in (("rebuy", rules.rebuy), ("add_on", rules.add_on)):
        if offer is not None:
            prices[name] = offer.price
    for name, price in prices.items():
        if price.prize + price.fee + price.bounty != price.amount:
            yield Broken(name, "FP-1", "the parts do not add up to it")
        if name != "buy_in" and price.bounty:
            yield Broken(name, "FP-6", "a bounty is part of an entry alone")
        if name != "buy_in" and rules.freeroll:
            yield Broken(name, "FP-5", "a freeroll is free")


def _hours(rules: Definition, now: int) -> Iterator[Broken]:
    if rules.max_players < rules.min_players:
        yield Broken("max_players", "FP-20", "is below the minimum")
    if rules.sit_and_go:
        if rules.min_players != rules.max_players:
            yield Broken("min_players", "FP-20", "a sit-and-go starts when its last seat is taken")
        if rules.unregister_before_ms:
            yield Broken("unregister_before_ms", "24", "a sit-and-go has no hour before which one could ask")
        return
    assert rules.starts_at is not None
    if rules.starts_at <= now:
        yield Broken("starts_at", "FP-12", "rules are fixed and published before the start")
    if rules.registration_opens_at >= rules.starts_at:
        yield Broken("registration_opens_at", "FP-20", "registration opens before the start")


def _size(rules: Definition, tournament: str) -> Iterator[Broken]:
    """All tables are set up and everybody is seated by one decision, whatever players call themselves."""
    tables = -(-rules.max_players // rules.seats)
    table = SET_UP_BYTES + len(tournament) + len(str(rules.table))
    if rules.max_players * (SEATED_BYTES + len(tournament)) + tables * table > COMMIT_BYTES:
        yield Broken("max_players", "FP-7", "is too many for one start at tables of so few seats")


def _levels(rules: Definition, now: int) -> Iterator[Broken]:
    for number, (before, level) in enumerate(pairwise(rules.levels), start=2):
        if level.small_blind < before.small_blind or level.big_blind < before.big_blind:
            yield Broken("levels", "46", f"the blinds of level {number} are lower than before")
    for number, level in enumerate(rules.levels, start=1):
        if level.small_blind > level.big_blind:
            yield Broken("levels", "46", f"the small blind of level {number} is the bigger one")
        if level.ante and level.big_blind_ante:
            yield Broken("levels", "46", f"level {number} has two kinds of ante")
    after = [each.after_level for each in rules.breaks]
    if after != sorted(set(after)):
        yield Broken("breaks", "FP-14", "one break after a level, in their order")
    elif after and after[-1] >= len(rules.levels):
        yield Broken("breaks", "FP-14", "none comes after the last level, which goes on without end")


def _chips(rules: Definition, now: int) -> Iterator[Broken]:
    shown = sum(each.value * each.count for each in rules.composition)
    if rules.composition and shown != rules.starting_stack:
        yield Broken("composition", "41", f"adds up to {shown}, not to the starting stack")
    first = rules.levels[0]
    forced = first.ante + first.big_blind + first.big_blind_ante
    if rules.starting_stack < forced:
        yield Broken("starting_stack", "41", f"must be at least {forced}, what the first hand can ask of one seat")
    least = min((each.value for each in rules.composition), default=1)
    for number, level in enumerate(rules.levels, start=1):
        if any(getattr(level, name) % least for name in _OF_LEVELS):
            yield Broken("composition", "41", f"has no chips for the blinds of level {number}")


def _windows(rules: Definition, now: int) -> Iterator[Broken]:
    windows: dict[str, Until | None] = {
        "late_entry": rules.late_entry, "re_entry": rules.re_entry,
        "rebuy": rules.rebuy.until if rules.rebuy is not None else None,
    }  # fmt: skip
    for name, until in windows.items():
        if until is None:
            continue
        if bool(until.level) == bool(until.ms):
            yield Broken(name, "23", "closes at the end of a level or at a time, one of the two")
        elif until.level > len(rules.levels):
            yield Broken(name, "23", "closes after a level that there is not")
        if rules.sit_and_go and name != "rebuy":
            yield Broken(name, "FP-20", "the last seat of a sit-and-go is taken when it starts")
    if rules.add_on is not None and rules.add_on.after_level not in {each.after_level for each in rules.breaks}:
        yield Broken("add_on", "FP-3", "there is no break after this level")
    if rules.rebuy is not None and rules.rebuy.time_ms < 1:
        yield Broken("rebuy", "31", "there is no time to decide")


def _prizes(rules: Definition, now: int) -> Iterator[Broken]:
    if rules.tickets is not None:
        yield from _tickets(rules)
        return
    if rules.ticket_count:
        yield Broken("ticket_count", "32", "tickets are for no tournament")
    if not rules.payouts:
        yield Broken("payouts", "34", "no number of paid places")
        return
    if rules.freeroll and not rules.guarantee:
        yield Broken("guarantee", "FP-5", "a freeroll's prizes come from the house, and there are none")
    entries = [row.entries for row in rules.payouts]
    if entries != sorted(set(entries)):
        yield Broken("payouts", "FP-18", "one row for a number of entries, the fewest first")
    elif entries[0] > rules.min_players:
        yield Broken("payouts", "FP-18", f"there is no row for {rules.min_players} entries")
    for row in rules.payouts:
        if sum(row.shares) != WHOLE or min(row.shares) <= 0:
            yield Broken("payouts", "34", "the shares do not add up to the whole")
        elif any(lower > higher for higher, lower in pairwise(row.shares)):
            yield Broken("payouts", "34", "a lower place gets more than a higher one")
        least = max(row.entries, rules.min_players)
        if len(row.shares) > least:
            yield Broken("min_players", "FP-18", f"must be at least {len(row.shares)}: so many places are paid")


def _target(rules: Definition, tournament: str) -> Iterator[Broken]:
    if rules.tickets is not None and rules.tickets.tournament == tournament:
        yield Broken("tickets.tournament", "32", "is the tournament itself")


def _tickets(rules: Definition) -> Iterator[Broken]:
    if rules.payouts or rules.guarantee:
        yield Broken("payouts", "32", "prizes are tickets or a pool of money, not both")
    if rules.freeroll and not 1 <= rules.ticket_count <= rules.min_players:
        yield Broken("ticket_count", "FP-18", "at least one, and no more than the fewest players")
    if not rules.freeroll and rules.ticket_count:
        yield Broken("ticket_count", "32", "a satellite awards what its pool buys")


def _tables(rules: Definition) -> Iterator[Broken]:
    """No table is opened outside its rulebook, in no level: that is known before anybody pays (46, 55)."""
    if named := sorted(_FIXED_AT_TABLES & set(rules.table)):
        for name in named:
            yield Broken(f"table.{name}", "FP-7" if name == "seats" else "46", "is not a matter of the tables")
        return
    rulebook = find_rulebook(rules.rulebook)
    if rulebook is None:
        yield Broken("rulebook", "55", "is none of this house")
    elif not rulebook.enabled:
        yield Broken("rulebook", rulebook.ref(rulebook.disabled_rule) or "55", "no table is opened with it")
    elif not isinstance(rulebook, PokerRulebook):
        yield Broken("rulebook", "55", "is not of poker between players")
    else:
        yield from _outside(rules, rulebook)


def _outside(rules: Definition, rulebook: PokerRulebook) -> Iterator[Broken]:
    """What is wrong in every level is said once; levels of the same blinds are judged once."""
    said: set[str] = set()
    judged: dict[tuple[int, ...], list[Refusal]] = {}
    for number, level in enumerate(rules.levels, start=1):
        forced = tuple(getattr(level, name) for name in _OF_LEVELS)
        if forced not in judged:
            _, judged[forced] = judged_table(rulebook, configuration_of(rules, number))
        for refusal in judged[forced]:
            broken = Broken(f"table.{refusal.field}", refusal.rule or "55", refusal.reason)
            if refusal.field == "seats":
                broken = Broken("seats", refusal.rule or "FP-7", refusal.reason)
            elif refusal.field in _OF_LEVELS:
                broken = Broken("levels", refusal.rule or "46", f"{refusal.field} of level {number} {refusal.reason}")
            if str(broken) not in said:
                said.add(str(broken))
                yield broken
