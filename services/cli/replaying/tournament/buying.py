"""T-07: late registrations, rebuys and add-ons, asked of a tournament and paid by wallets as they are."""

import re
from itertools import count
from typing import TYPE_CHECKING, Any

from libs.contracts import tournaments_commands as asked
from libs.contracts.messages import Principal
from libs.contracts.tournament_play_events import PrizesFixed
from libs.contracts.tournaments_events import PaymentFailed, PaymentTaken
from services.cli.replaying.play import Outcome
from services.cli.replaying.record import Claims
from services.cli.replaying.tournament.clocks import moment
from services.cli.replaying.tournament.house import House
from services.cli.replaying.tournament.tickets import DAY, rules

if TYPE_CHECKING:
    from services.cli.replaying.tournament.play import WorkedCase

_NAME = "evening"
_ASKS: dict[str, tuple[Any, set[str]]] = {
    "late registration": (asked.RegisterPlayer, {"registration_closed"}),
    "rebuy": (asked.RequestRebuy, {"window_closed"}),
    "add-on": (asked.RequestAddOn, {"window_closed"}),
}
"""What is asked, and as what it is refused when its window is closed."""
_REASONS = {
    "balance": {"insufficient_funds"}, "stack above limit": {"stack_above_limit"}, "one per player": {"limit_reached"},
}  # fmt: skip
_DECIDE_MS = 30_000
"""The time to decide on a rebuy; the case does not say."""
_BEFORE_MS = 20_000
"""So long before a request the hand is over that makes the stack; of what is asked in the break, before that begins."""


def more_chips(case: "WorkedCase", outcome: Outcome) -> None:
    evening = _Evening(case, outcome)
    for number, step in enumerate(case.steps):
        evening.step(number, step)
    evening.end(case.expected)


class _Evening:
    """Who asks in a step is a player of the start with no other part in it; the list's requests are in the totals."""

    def __init__(self, case: "WorkedCase", outcome: Outcome) -> None:
        self.setup, self.totals, self.outcome = case.setup, case.totals, outcome
        self.house, self.payments = House(DAY + moment("12:00:00")), count(1)
        self.opens, self.closes = (DAY + moment(time) for time in self.setup["add_on_break"].split(" to "))
        names = [f"p{number}" for number in range(1, self.totals["on_time_entries"] + 1)]
        refused = self.house.approve(_NAME, self._rules())
        assert not refused, refused
        for name in names:
            self._buys(name, "late registration", self.setup["buy_in"])
        self.house.wake(DAY + moment(self.setup["start"]), _NAME)
        self.who: list[str] = []
        for number, step in enumerate(case.steps):
            again = "same player" in step.get("note", "")
            name = names.pop(0) if "stack" in step else f"late{number}"
            self.who.append(self.who[number - 1] if again else name)
        self.others = names
        self.stacks = sorted(
            (min(DAY + moment(step["at"]), self.opens) - _BEFORE_MS, self.who[number], step["stack"])
            for number, step in enumerate(case.steps)
            if "stack" in step and self.who[number] not in self.who[:number]
        )
        self._fill(case)

    def _rules(self) -> Any:
        setup = self.setup
        minutes = setup["level_minutes"]
        level = int(re.findall(r"level (\d+)", setup["late_registration_and_rebuys_until"])[0])
        rebuy, add_on = (
            {"price": {"amount": each["prize"] + each["fee"], "prize": each["prize"], "fee": each["fee"]},
             "chips": each["chips"]} for each in (setup["rebuy"], setup["add_on"])
        )  # fmt: skip
        self.outcome.compare(
            "a rebuy is for stacks up to", setup["rebuy"]["allowed_if_stack_at_most"], setup["starting_stack"]
        )
        closes = moment(setup["start"]) + level * minutes * 60_000
        told = re.findall(r"\(([\d:.]+)\)", setup["late_registration_and_rebuys_until"])
        self.outcome.compare("entries close", [moment(time) for time in told], [closes])
        return rules(
            {"amount": sum(setup["buy_in"].values()), **setup["buy_in"]}, DAY + moment(setup["start"]),
            starting_stack=setup["starting_stack"], seats=10,
            levels=[{"small_blind": 50 * n, "big_blind": 100 * n, "lasts_ms": minutes * 60_000} for n in range(1, 9)],
            breaks=[{"after_level": level, "lasts_ms": self.closes - self.opens}],
            late_entry={"level": level}, rebuy={**rebuy, "until": {"level": level}, "time_ms": _DECIDE_MS},
            add_on={**add_on, "after_level": level},
            payouts=[{"entries": 2, "shares": [100 * share for share in setup["percentages"]]}],
            min_players=len(setup["percentages"]),
        )  # fmt: skip

    def _fill(self, case: "WorkedCase") -> None:
        """What the totals hold beside the list, but add-ons, which have to wait for the break."""
        listed = [step["request"] for step in case.steps if step["accepted"]]
        self.missing = self.totals["add_ons"] - listed.count("add-on")
        for name in self.others[: self.totals["rebuys"] - listed.count("rebuy")]:
            self._buys(name, "rebuy", self.setup["rebuy"])
        for number in range(self.totals["late_entries"] - listed.count("late registration")):
            self._buys(f"more{number}", "late registration", self.setup["buy_in"])

    def _buys(self, name: str, what: str, price: dict[str, Any]) -> None:
        self.house.deposit(name, price["prize"] + price["fee"])
        refused = self._ask(name, what)
        assert not refused, refused

    def _ask(self, name: str, what: str) -> str:
        """Why not, by the tournament or by the wallet; empty: bought."""
        kind, _ = _ASKS[what]
        field = "entry" if kind is asked.RegisterPlayer else "payment"
        before = len(self.house.told)
        refused = self.house.ask(_NAME, Principal("player", name), kind(**{field: f"{name}.{next(self.payments)}"}))
        self.house.settle()
        return refused or "".join(e.reason for e in self.house.told[before:] if isinstance(e, PaymentFailed))

    def _stack(self, name: str) -> int:
        state = self.house.state("tournament", _NAME)
        return int(state.play.stacks[state.entry_of(name).entry])

    def step(self, number: int, step: Claims) -> None:
        now, name, what = DAY + moment(step["at"]), self.who[number], f"step {number + 1}"
        while self.stacks and self.stacks[0][0] < now:
            at, other, stack = self.stacks.pop(0)
            self.house.wake(at, _NAME)
            kept = {each: self._stack(each) for each in self.who if not each.startswith("late") and self._in(each)}
            self.house.becomes(_NAME, other, stack, kept)
        self.house.wake(now, _NAME)
        self.house.deposit(name, 0)
        self.house.deposit(name, step["balance"] - self.house.available(name))
        if "stack" in step:
            self.outcome.compare(f"{what} stack", step["stack"], self._stack(name))
        refused = self._ask(name, step["request"])
        self.outcome.compare(f"{what} accepted", step["accepted"], not refused)
        self.outcome.compare(f"{what} is paid", step["accepted"], self.house.available(name) < step["balance"])
        if refused:
            closed = _ASKS[step["request"]][1]
            self.outcome.compare(f"{what} reason", True, refused in _REASONS.get(step.get("reason", ""), closed))
            self.outcome.compare(f"{what} names a reason", True, bool(step.get("reason")))
        elif gets := re.findall(r"gets ([\d ]+) chips, blinds of level (\d+)", step.get("note", "")):
            chips, level = gets[0][0].replace(" ", ""), gets[0][1]
            got = (self._stack(name), self.house.state("tournament", _NAME).play.level)
            self.outcome.compare(f"{what} chips and level", (int(chips), int(level)), got)
        self.outcome.refusals += bool(refused)
        self.outcome.events += 1
        if now > self.opens and step["request"] == "add-on" and not refused:
            while self.missing:
                self.missing -= 1
                self._buys(self.others[self.missing], "add-on", self.setup["add_on"])

    def _in(self, name: str) -> bool:
        return self.house.state("tournament", _NAME).entry_of(name) is not None

    def end(self, expected: Claims) -> None:
        self.house.wake(self.closes, _NAME)
        state = self.house.state("tournament", _NAME)
        taken = [fact for fact in self.house.told if isinstance(fact, PaymentTaken)]
        sizes = {kind: sum(each.bought == kind for each in taken) for kind in ("entry", "rebuy", "add_on")}
        prices = [self.setup[kind]["prize"] for kind in ("buy_in", "rebuy", "add_on")]
        fixed = [fact for fact in self.house.told if isinstance(fact, PrizesFixed)]
        got: Claims = {
            "prize_pool": sum(fact.pool for fact in fixed),
            "pool_detail": " + ".join(f"{n} x {price}" for n, price in zip(sizes.values(), prices, strict=True)),
            "fees": state.held.fee,
            "debited_from_players": sum(each.amount for each in taken),
            "chips_in_play": sum(state.play.stacks.values()),
            "prizes": {place: prize for fact in fixed for place, prize in enumerate(fact.prizes, 1)},
        }
        self.outcome.compare("", expected, got)
