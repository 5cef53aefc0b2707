"""T-10, T-14: registrations, won tickets and what becomes of them, decided by tournaments and wallets as they are.

What happens stands in the words of each step.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from libs.contracts import tournament_ticket_commands as tickets
from libs.contracts import tournaments_commands as asked
from libs.contracts.commands import Command, fitted
from libs.contracts.facts import taken
from libs.contracts.messages import Principal
from libs.contracts.pool_commands import NoteTicket, pool_of
from libs.contracts.tournament_play_events import PrizesFixed, TournamentCompleted
from libs.contracts.tournament_ticket_events import TicketsAwarded
from libs.contracts.tournaments import Definition
from libs.contracts.tournaments_events import FeesEarned
from libs.contracts.wallet_commands import account_id
from services.cli.replaying.play import Outcome
from services.cli.replaying.record import Claims
from services.cli.replaying.tournament.clocks import moment
from services.cli.replaying.tournament.house import House
from services.tournament.domain.play.ranking import Places

if TYPE_CHECKING:
    from services.cli.replaying.tournament.play import WorkedCase

DAY = 1_768_089_600_000
"""A midnight, milliseconds since the epoch."""
_NOON = DAY + moment("12:00:00")
_TIME = re.compile(r"\b\d\d:\d\d(?::\d\d\.\d{3})?")
_WON = re.compile(r"satellite \d|a freeroll")
_ACTS = re.compile(r"registers|cancels|convert|give")
_TARGET, _SATELLITE = "target", "satellite"
_FILL = ("somebody", "else")


def cancelled_and_converted(case: "WorkedCase", outcome: Outcome) -> None:
    """T-10. Steps of one player follow each other; those of others happen at other times of the same evening."""
    setup, net = case.setup, Counter[str]()
    outcome.compare("one may cancel until", "start", setup["cancellation_until"])
    halls: dict[str, _Evening] = {}
    for number, step in enumerate(case.steps, 1):
        name = step["player"]
        evening = halls.setdefault(name, _Evening(setup["buy_in"], setup["start"]))
        what, before = f"step {number}", evening.prepare(name, step["event"], step["balance_before"])
        outcome.compare(f"{what} balance_before", step["balance_before"], before)
        refused = evening.play(name, step["event"])
        after = evening.house.settle().available(name)
        change = after - before
        net[name] += change
        got = {"accepted": not refused, "wallet_change": change, "balance_after": after}
        outcome.compare(what, {field: step[field] for field in got}, got)
        told = re.search(r"rule (\d+)", step.get("note", ""))
        if refused and told is not None:
            outcome.compare(f"{what} by which rule", told[1], refused.partition("#")[2])
        outcome.refusals += bool(refused)
        outcome.events += 1
    outcome.compare("net_wallet_change", case.expected["net_wallet_change"], dict(net))
    outcome.compare("the tournament has a name", True, bool(setup["tournament"]))


class _Evening:
    """Before the start of the target, with two who have paid for it."""

    def __init__(self, buy_in: Mapping[str, int], start: str) -> None:
        self.house = House(_NOON)
        self.buy_in = {"amount": sum(buy_in.values()), **dict(buy_in)}
        self.won = 0
        refused = self.house.approve(_TARGET, rules(self.buy_in, DAY + moment(start)))
        assert not refused, refused
        for name in _FILL:
            self.pays(name)

    def pays(self, name: str) -> None:
        self.house.deposit(name, self.buy_in["amount"])
        assert not self._asks(name, asked.RegisterPlayer(entry=f"{name}-paid"))
        self.house.settle()

    def prepare(self, name: str, said: str, balance: int) -> int:
        """What has happened before the step; the balance then."""
        if "bought with money" in said:
            self.pays(name)
        if ("wallet", account_id(name, "EUR")) not in self.house.states:
            self.house.deposit(name, balance)
        return self.house.available(name)

    def play(self, name: str, said: str) -> str:
        """The rule of a refusal; empty: nothing was refused."""
        for origin in _WON.findall(said):
            self.wins(name, "freeroll" if "freeroll" in origin else "satellite")
        times = _TIME.findall(said)
        if times:
            self.house.now = max(self.house.now, DAY + moment(times[-1] if len(times[-1]) > 5 else f"{times[-1]}:00"))
        for act in _ACTS.finditer(said):
            if refused := self._act(name, act[0], said[act.start() :]):
                return refused
        return ""

    def wins(self, name: str, origin: str) -> None:
        self.won += 1
        ticket = tickets.IssueTicket(
            ticket=f"earlier.{self.won}", player=name, value=self.buy_in["amount"], origin=origin,  # type: ignore[arg-type]
            satellite="earlier", won_at=_NOON + self.won,
        )  # fmt: skip
        policy = Principal("policy", "replay")
        assert not self.house.ask(_TARGET, policy, ticket)
        noted = taken(NoteTicket, ticket, tournament=_TARGET, currency="EUR", amount=ticket.value)
        assert not self.house.ask(pool_of(_TARGET), policy, noted)

    def held(self, name: str, origin: str = "") -> list[str]:
        """Tickets not used, the first one first."""
        unused = self.house.state("tournament", _TARGET).unused_tickets
        return [each.ticket for each in unused if each.player == name and origin in ("", each.origin)]

    def _act(self, name: str, act: str, said: str) -> str:
        if act == "registers":
            ticket = None if said.startswith("registers with money") else self.held(name)[0]
            entry = f"{name}-{len(self.house.records)}"
            return self._asks(name, asked.RegisterPlayer(entry=entry, ticket=ticket))
        if act == "cancels":
            return self._asks(name, asked.UnregisterPlayer())
        if act == "convert":
            found = self.held(name, "freeroll" if "freeroll" in said else "")
            return self._asks(name, tickets.ConvertTicket(ticket=found[-1]))
        other = said.split()[-1]
        return self._asks(other, asked.RegisterPlayer(entry=f"{other}-given", ticket=self.held(name)[0]))

    def _asks(self, name: str, command: Command) -> str:
        return self.house.answer(_TARGET, Principal("player", name), command)[1]


def satellite_and_target(case: "WorkedCase", outcome: Outcome) -> None:
    """T-14."""
    setup, expected = case.setup, case.expected
    outcome.compare("what s2 has", True, setup["s2_holds_before"].startswith("one ticket"))
    outcome.compare("the target has a name", True, bool(setup["target"]["name"]))
    evenings = [_satellite(case, variant, outcome) for variant in case.variants]
    evening = evenings[0]
    for step in case.steps:
        what, name = f"step {step['step']}", re.findall(r"s\d", step["event"])
        before = evening.house.available(name[0]) if name else 0
        if time := re.match(r"\d\d:\d\d:\d\d\.\d{3}", step["event"]):
            evening.house.wake(DAY + moment(time[0]), _TARGET)
            registered = evening.house.state("tournament", _TARGET).entry_of(name[0])
            outcome.compare(what, f"{name[0]} is registered", step["expected"])
            places = evening.house.state("tournament", _TARGET).play.places
            outcome.compare(
                f"{what} registered and seated", True, registered is not None and registered.entry in places
            )
        elif name:
            outcome.compare(f"{what} is refused by", "", evening.play(name[0], step["event"]))
        credited = evening.house.settle().available(name[0]) - before if name else 0
        outcome.compare(f"{what} credited", step.get("credited", {}), {name[0]: credited} if credited else {})
        held = evening.house.state("tournament", _TARGET).held
        outcome.compare(f"{what} ticket_account", step["ticket_account"], held.ticket)
        outcome.events += 1
    entries = [e for e in evening.house.state("tournament", _TARGET).alive if e.with_ticket]
    got = {"entries": len(entries), "prize": sum(e.prize for e in entries), "fee": sum(e.fee for e in entries)}
    outcome.compare("target_from_tickets", expected["target_from_tickets"], got)


def _satellite(case: "WorkedCase", variant: Mapping[str, Any], outcome: Outcome) -> _Evening:
    """Played to its end: the others first, then s4 and s5 in one hand, then s3 and s2."""
    setup, expected = case.setup, case.expected
    evening = _Evening(setup["target"]["buy_in"], setup["target"]["start"])
    for name in _FILL:
        evening._asks(name, asked.UnregisterPlayer())
    evening.wins("s2", "satellite")
    house, price = evening.house.settle(), setup["satellite"]["buy_in"]
    target = {"tournament": _TARGET, "value": evening.buy_in["amount"]}
    buy_in = {"amount": sum(price.values()), **dict(price)}
    assert not house.approve(_SATELLITE, rules(buy_in, _NOON + 60_000, payouts=[], tickets=target, seats=10))
    house.settle()
    order = setup["registration_order"]
    others = [f"other{number}" for number in range(len(order), setup["satellite"]["entries"])]
    for name in [*order, *others]:
        house.deposit(name, buy_in["amount"])
        house.ask(_SATELLITE, Principal("player", name), asked.RegisterPlayer(entry=f"{name}-entry"))
        house.settle()
    had = {name: house.available(name) for name in order}
    house.wake(_NOON + 60_000, _SATELLITE)
    for name in others:
        house.hand(_SATELLITE, name)
    stacks = [int(stack) for stack in re.findall(r"\d{4,}", variant["variant"])]
    house.hand(_SATELLITE, "s4", "s5", stacks=dict(zip(("s4", "s5"), stacks * (2 // len(stacks)), strict=True)))
    for name in ("s3", "s2"):
        house.hand(_SATELLITE, name)
    house.settle()
    _compare_satellite(outcome, variant, expected, house, had)
    return evening


def _compare_satellite(
    outcome: Outcome, variant: Mapping[str, Any], expected: Mapping[str, Any], house: House, had: Mapping[str, int]
) -> None:
    [completed] = [fact for fact in house.told if isinstance(fact, TournamentCompleted)]
    awarded = [fact for fact in house.told if isinstance(fact, TicketsAwarded)]
    places = {each.player: str(Places(each.first, each.last)) for each in completed.results}
    won = {name: house.available(name) - before for name, before in had.items()}
    got: Claims = {
        "places": {name: places[name] for name in had},
        "tickets": sorted(each.player for fact in awarded for each in fact.tickets),
        "money": {name: amount for name, amount in won.items() if amount},
        "to_ticket_account": sum(fact.value * len(fact.tickets) for fact in awarded),
    }
    outcome.compare("", {name: variant[name] for name in got}, got)
    outcome.compare("who has money", set(variant["money"]), set(got["money"]))
    totals = {
        "satellite_pool": sum(fact.pool for fact in house.told if isinstance(fact, PrizesFixed)),
        "satellite_fees": sum(fact.amount for fact in house.told if isinstance(fact, FeesEarned)),
        "satellite_account_at_end": house.state("tournament", _SATELLITE).held.total,
    }
    outcome.compare("", {name: expected[name] for name in totals}, totals)


def rules(buy_in: Mapping[str, int], starts_at: int, **other: Any) -> Definition:
    """Two players at least, and what the case says; the rest is not told by it."""
    definition = {
        "rulebook": "pt-811-2015-omaha", "table": {"structure": "pot_limit", "decision_ms": 15_000},
        "currency": "EUR", "approval": "replay", "seats": 9, "starts_at": starts_at,
        "max_players": 100, "buy_in": dict(buy_in), "starting_stack": 10_000,
        "levels": [{"small_blind": 50, "big_blind": 100, "lasts_ms": 600_000}],
        "payouts": [{"entries": 2, "shares": [10_000]}], "rules": {"pt": "Torneio."}, **other,
    }  # fmt: skip
    return fitted(asked.ProposeTournament, {"name": "replay", "definition": definition}).definition
