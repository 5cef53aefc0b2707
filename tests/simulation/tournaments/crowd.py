"""Everybody at one tournament: players who enter and act, and the staff who direct it."""

from functools import partial
from random import Random
from typing import Any

from libs.contracts import tournaments_commands as asked
from libs.contracts.commands import Command, fitted, message_of
from libs.contracts.messages import Principal, command_id_at
from libs.contracts.poker_commands import Act
from libs.contracts.poker_events import DecisionAwaited
from libs.contracts.table_commands import SitIn, WakeTable
from libs.contracts.tournament_play_events import BreakBegan, EntryEliminated, RebuyOffered
from libs.contracts.tournaments_commands import WakeTournament
from libs.contracts.tournaments_events import CancellationProposed, PlayerDisqualified, PlayerExcluded, TournamentPaused
from libs.contracts.wallet_commands import DepositFunds, OpenAccount, account_id
from libs.journal.fold import Step
from libs.sealing.sealed import Keyring
from services.table.domain.table.waking import moved_at
from services.table.domain.table.waking import next_wake as table_wake
from services.table.machine import table_machine
from services.tournament.domain.life_cycle import next_wake
from services.tournament.machine import tournament_machine
from services.tournament.policies.orders import ORDERS
from services.tournament.policies.reactions import TO_WALLET
from services.tournament.policies.tables import TO_TABLES
from services.tournament.policies.tickets import TO_OTHERS
from services.wallet.machine import wallet_machine
from services.wallet.policies.pools import TO_ACCOUNTS, TO_POOLS
from services.wallet.policies.reactions import TO_TOURNAMENTS
from tests.simulation.tournaments.checks import Checks, tournament_of
from tests.simulation.tournaments.forms import START, TARGET, Form
from tests.simulation.tournaments.rails import Part, Rails
from tests.table.luck import seeded_shuffler

STREAM = "t-1"
_KEYS = Keyring({"kek-1": bytes(range(32))}, "kek-1")
_FLOOR, _SUPERVISOR = Principal("staff", "floor-1"), Principal("staff", "supervisor-1")
_SECOND = Principal("staff", "supervisor-2")
_OPERATOR = Principal("operator", "acme")
_HOUR = 3_600_000
_ASKS_AGAIN_MS = 9_000
"""Who hears nothing asks again after so long."""


class Crowd:
    def __init__(self, form: Form, luck: Random) -> None:
        self.form, self.luck, self.checks = form, luck, Checks()
        self.all = {STREAM: self.checks} | ({TARGET: Checks()} if form.target is not None else {})
        """By tournament."""
        shuffler = seeded_shuffler(Random(luck.random()))
        parts = {
            "tournament": Part(tournament_machine(shuffler), WakeTournament, next_wake),
            "table": Part(table_machine(_KEYS, shuffler), WakeTable, table_wake, moved_at),
            "wallet": Part(wallet_machine()),
        }
        self.rails = Rails(Random(luck.random()), form.faults, START - _HOUR, parts, self._hear)
        self.rails.listen("table", TO_TABLES)
        self.rails.listen("tournament", ORDERS)
        self.rails.listen("tournament", TO_TOURNAMENTS)
        self.rails.listen("tournament", TO_POOLS)
        self.rails.listen("wallet", TO_ACCOUNTS)
        self.rails.listen("tournament", TO_OTHERS)
        self.rails.listen("wallet", TO_WALLET)
        self.people = [f"p{number}" for number in range(1, form.players + form.late + 1)]
        self.absent = {name for name in self.people if luck.random() < form.absent}
        self._sent = 0
        self._entered: dict[str, int] = {}
        """How often each has entered."""

    # What people set out to do

    def arrive(self) -> None:
        """Rules are announced, people bring money and register, some will come late; then the weather begins."""
        rails, form = self.rails, self.form
        rails.healed = True
        for stream, rules, after in ((TARGET, form.target, 10), (STREAM, form.rules, 20)):
            if rules is not None:
                self._ask(stream, _FLOOR, asked.ProposeTournament, {"name": "Sunday", "definition": rules})
                rails.after(after, partial(self._ask, stream, _SUPERVISOR, asked.ApproveTournament, {}))
        price = form.rules["buy_in"]["amount"]
        for name in self.people:
            entries = self.luck.choices([0, 1, 3], [1, 20, 10])[0]
            account = account_id(name, "EUR")
            self._ask(account, _OPERATOR, OpenAccount, {"player": name, "currency": "EUR"})
            rails.after(30, partial(self._bring, account, name, max(1, entries * price)))
        rails.after(1_000, self._weather)
        for number, name in enumerate(self.people):
            wanted = rails.now + self.luck.randint(2_000, _HOUR // 2)
            if number >= form.players:
                wanted = START + self.luck.randint(0, 3 * form.rules["levels"][0]["lasts_ms"])
            rails.at(wanted, partial(self._enter, name))
            if number < form.players and self.luck.random() < 0.03:
                rails.at(START - self.luck.randint(1, _HOUR // 3), partial(self._ask_as, name, asked.UnregisterPlayer))
        if form.cancelled:
            rails.at(START + self.luck.randint(-60_000, 300_000), self._cancel)
        rails.at(START + _HOUR, self._give_up)
        for _ in range(form.disqualified):
            rails.at(START + self.luck.randint(1_000, 300_000), self._disqualify)
        for _ in range(form.excluded):
            rails.at(START + self.luck.randint(-300_000, 300_000), self._exclude)
        for _ in range(form.paused):
            rails.at(START + self.luck.randint(1_000, 600_000), self._direct)

    def _weather(self) -> None:
        self.rails.healed = False
        self.rails.kill_one()

    def play(self, most_steps: int = 20_000_000) -> None:
        """To the last prize and the last table; after two days of play the weather clears."""
        rails = self.rails
        for _ in range(most_steps):
            if not rails.step():
                return
            if all(each.state.phase in ("completed", "cancelled") for each in self.all.values()):
                rails.healed = True
            elif rails.now > START + 48 * _HOUR:
                return

    # How they do it

    def _hear(self, stream: str, step: Step[Any, Any]) -> None:
        fact = step.event
        of = tournament_of(fact) or STREAM
        self.all[of].see(stream, step)
        if isinstance(fact, DecisionAwaited) and fact.player not in self.absent:
            think = self.luck.randint(20, 3_000) if self.luck.random() < 0.97 else 20_000
            self.rails.after(think, partial(self._act, stream, fact))
        elif of != STREAM:
            pass  # nobody enters the target again, or buys there
        elif isinstance(fact, EntryEliminated) and self.form.rules.get("re_entry") and self._wants():
            self.rails.after(self.luck.randint(10, 20_000), partial(self._enter, fact.player))
        elif isinstance(fact, RebuyOffered):
            self.rails.after(self.luck.randint(10, 20_000), partial(self._answer, fact.player))
        elif isinstance(fact, BreakBegan):
            for name in self.people:
                self.rails.after(self.luck.randint(10, 50_000), partial(self._add, name))
        elif isinstance(fact, TournamentPaused):  # when it holds, which may be long after it was asked
            self.rails.after(self.luck.randint(1_000, 600_000), self._resume)
        elif isinstance(fact, PlayerDisqualified):
            self.rails.after(self.luck.randint(1_000, _HOUR // 2), partial(self._decide, fact.player))
        elif isinstance(fact, PlayerExcluded):
            self.rails.after(self.luck.randint(1_000, _HOUR // 2), partial(self._confirm_exclusion, fact.player))
        elif isinstance(fact, CancellationProposed):
            self.rails.after(self.luck.randint(10, 5_000), self._confirm)

    def _wants(self) -> bool:
        return self.luck.random() < self.form.again

    def _answer(self, name: str) -> None:
        """To the offer of a rebuy: yes, no, or nothing."""
        if self._wants():
            self._ask_as(name, asked.RequestRebuy, {"payment": f"rebuy-{name}-{self._sent}"})
        elif self._wants():
            self._ask_as(name, asked.DeclineRebuy)

    def _add(self, name: str) -> None:
        """In a break."""
        if self._wants():
            self._ask_as(name, asked.RequestAddOn, {"payment": f"add-on-{name}-{self._sent}"})

    def _enter(self, name: str) -> None:
        self._entered[name] = self._entered.get(name, 0) + 1
        self._register(name, f"{name}-{self._entered[name]}", 3)

    def _register(self, name: str, entry: str, times: int) -> None:
        """Under the same key until it stands in the list of entries."""
        if times and entry not in self.checks.state.used:
            self._ask_as(name, asked.RegisterPlayer, {"entry": entry})
            self.rails.after(_ASKS_AGAIN_MS, partial(self._register, name, entry, times - 1))

    def _act(self, table: str, turn: DecisionAwaited) -> None:
        hand = self.rails.state("table", table).hand
        if hand is None or hand.turn is None or (hand.number, hand.turn.seat) != (turn.hand, turn.seat):
            return
        legal, luck = hand.turn.legal, self.luck.random()
        act, to = ("check", None) if legal.check else ("call", None) if luck < 0.35 else ("fold", None)
        if luck > 0.8 and legal.max_to is not None:
            act, to = "bet" if hand.bet == 0 else "raise", legal.max_to if luck > 0.9 else legal.min_to
        player = Principal("player", turn.player)
        self._ask(table, player, Act, {"hand": turn.hand, "seat": turn.seat, "act": act, "to": to})
        if self.rails.state("table", table).seats[turn.seat].out:
            self._ask(table, player, SitIn, {})

    def _bring(self, account: str, name: str, amount: int) -> None:
        self._ask(account, _OPERATOR, DepositFunds, {"reference": f"d-{name}", "amount": amount})

    def _direct(self) -> None:
        """A pause that ends, or a clock that is set."""
        if self.luck.random() < 0.3:
            minutes = {"reason": "it was wrong", "ms": self.luck.choice([-1, 1]) * self.luck.randint(1, 30_000)}
            self._ask(STREAM, _FLOOR, asked.AdjustClock, minutes)
            return
        self._ask(STREAM, _FLOOR, asked.PauseTournament, {"reason": "the lights went out"})

    def _resume(self) -> None:
        """Until it runs: what is lost is asked again."""
        if self.checks.state.phase == "running" and self.checks.state.play.is_paused:
            self._ask(STREAM, _SUPERVISOR, asked.ResumeTournament, {"reason": "they are back"})
            self.rails.after(_ASKS_AGAIN_MS, self._resume)

    def _disqualify(self) -> None:
        if self.checks.state.phase == "running" and self.checks.state.alive:
            name = self.luck.choice(self.checks.state.alive).player
            self._ask(STREAM, _SUPERVISOR, asked.DisqualifyPlayer, {"player": name, "reason": "two seats"})

    def _exclude(self) -> None:
        if self.checks.state.phase in ("registering", "running") and self.checks.state.alive:
            name = self.luck.choice(self.checks.state.alive).player
            self._ask(STREAM, _SUPERVISOR, asked.ExcludePlayer, {"player": name, "reason": "self-exclusion"})

    def _confirm_exclusion(self, name: str) -> None:
        """Until it is: what is lost is asked again."""
        if name in self.checks.excluded:
            self._ask(STREAM, _SECOND, asked.ConfirmExclusion, {"player": name, "reason": "it had to be"})
            self.rails.after(_ASKS_AGAIN_MS, partial(self._confirm_exclusion, name))

    def _decide(self, name: str) -> None:
        """Until it is: what is lost is asked again, and of all who took part one has to be released."""
        if name in self.checks.open:
            kind = self.luck.choice([asked.ReleasePrize, asked.FinalizeDisqualification])
            self._ask(STREAM, _SECOND, kind, {"player": name, "reason": "the appeal"})
            self.rails.after(_ASKS_AGAIN_MS, partial(self._decide, name))

    def _cancel(self) -> None:
        if self.checks.state.phase in ("registering", "running"):
            self._ask(STREAM, _FLOOR, asked.ProposeCancellation, {"cause": "technical", "reason": "fire"})
            self.rails.after(30_000, self._cancel)

    def _give_up(self) -> None:
        """A sit-and-go whose last seat nobody takes."""
        if self.checks.state.phase == "registering":
            self._cancel()

    def _confirm(self) -> None:
        self._ask(STREAM, _SUPERVISOR, asked.ConfirmCancellation, {"sheet": max(1, self.checks.state.sheets)})

    def _ask_as(self, name: str, kind: type[Command], wish: dict[str, Any] | None = None) -> None:
        self._ask(STREAM, Principal("player", name), kind, wish or {})

    def _ask(self, stream: str, by: Principal, kind: type[Command], wish: dict[str, Any]) -> None:
        self._sent += 1
        id_ = command_id_at(self.rails.now, str(by), str(self._sent))
        self.rails.send(message_of(fitted(kind, wish), id=id_, stream=stream, by=by))
