"""One tournament, decided command by command, with a wallet that answers as it is told."""

from random import Random
from typing import Any

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.commands import TournamentCommand, fitted
from libs.contracts.facts import TournamentEvent
from libs.contracts.messages import Principal, PublicEvent
from libs.contracts.registry import encode_fact
from libs.contracts.tournaments import Definition
from libs.decider import Given, Rejected
from libs.journal.commit import Commit
from libs.sealing.lots import LotSeed
from services.audit.verifying.asked_for import told_otherwise
from services.audit.verifying.by_itself import ByItself
from services.audit.verifying.tournaments import TournamentMoney, check_tournament
from services.tournament.domain.decide import TournamentDecider
from services.tournament.domain.state import Tournament
from tests.tournament.pooled import Pooled

DECIDER = TournamentDecider()
START = 1_768_161_600_000
"""The hour set for the start, milliseconds since the epoch."""
MINUTE = 60_000
FLOOR, SUPERVISOR = Principal("staff", "floor-1"), Principal("staff", "supervisor-1")
POLICY, TIMER = Principal("policy", "tournament.when_tournament_paid"), Principal("timer", "tournament")
Answer = list[TournamentEvent] | Rejected


def player(name: str) -> Principal:
    return Principal("player", name)


def definition(**other: Any) -> Definition:
    """A freeze-out of two paid places that starts at `START`, and what is said otherwise."""
    rules = {
        "rulebook": "pt-811-2015-omaha",
        "table": {"structure": "pot_limit", "decision_ms": 15_000},
        "currency": "EUR",
        "approval": "OPERATOR-2026-T1",
        "seats": 9,
        "starts_at": START,
        "min_players": 2,
        "max_players": 100,
        "buy_in": {"amount": 2_200, "prize": 2_000, "fee": 200},
        "starting_stack": 10_000,
        "levels": [{"small_blind": 50, "big_blind": 100, "lasts_ms": 10 * MINUTE}],
        "payouts": [{"entries": 2, "shares": [6_500, 3_500]}],
        "rules": {"pt": "Torneio de póquer Omaha."},
    }
    return fitted(asked.ProposeTournament, {"name": "Sunday", "definition": {**rules, **other}}).definition


class Course:
    """`now` is the clock; what was told stands in `events`."""

    def __init__(self, now: int = START - 120 * MINUTE, name: str = "t-1", **other: Any) -> None:
        self.state: Tournament = DECIDER.initial(name)
        self.now = now
        self.events: list[TournamentEvent] = []
        self.seeds = Random(1)
        self.audited: TournamentMoney | None = TournamentMoney()
        """None: some of it was made up."""
        self.by_itself = ByItself()
        self.pool = Pooled(name)
        self.proposed = self.ask(FLOOR, asked.ProposeTournament(name="Sunday", definition=definition(**other)))

    @classmethod
    def registering(cls, **other: Any) -> "Course":
        course = cls(**other)
        assert not isinstance(course.proposed, Rejected), course.proposed
        assert not isinstance(course.ask(SUPERVISOR, asked.ApproveTournament()), Rejected)
        assert course.state.phase == "registering"
        return course

    def ask(self, by: Principal, command: TournamentCommand, now: int | None = None) -> Answer:
        """The events of this decision, or why not. `now`: at which the record came; time never goes back."""
        self.now = max(self.now, now or 0)
        decided = DECIDER.decide(self.state, command, Given(now or self.now, LotSeed(self.seeds.randbytes(32)), by))
        if isinstance(decided, Rejected):
            return decided
        told = list(map(encode_fact, decided.events))
        assert told_otherwise("tournament", command, by, told) is None, "as the auditor has it"
        place = (
            self.state.tournament,
            len(self.events),
            bytes(32),
            bytes(16),
            "tournament-commands.1/0",
            0,
            now or self.now,
        )
        commit = Commit(*place, "accepted", None, None, "", tuple(told), "test", 1)
        assert self.by_itself.judge(commit, command, known=True) is None
        for event, state in zip(decided.events, decided.states, strict=True):
            self.state = DECIDER.evolve(self.state, event)
            assert self.state == state, "what was folded while deciding is what its events fold to"
        for event, (name, data) in zip(decided.events, told, strict=True):
            self.events.append(event)
            at: dict[str, Any] = {"stream": self.state.tournament, "version": len(self.events), "time": event.at}
            public = PublicEvent(**at, type=name, causation="c", data=data)
            found = check_tournament(self.audited, public, event) if self.audited is not None else ()
            assert list(found) == [], "as the auditor has it"
            if self.audited is not None:
                self.pool.hear([(public, event)])
        return list(decided.events)

    def register(self, name: str, now: int | None = None, entry: str = "") -> Answer:
        return self.ask(player(name), asked.RegisterPlayer(entry=entry or f"entry-{name}"), now)

    def paid(self, payment: str, now: int | None = None) -> Answer:
        return self.ask(POLICY, asked.ConfirmPayment(payment=payment), now)

    def enter(self, *names: str) -> "Course":
        """Registered, and paid."""
        for name in names:
            assert not isinstance(self.register(name), Rejected)
            assert not isinstance(self.paid(f"entry-{name}"), Rejected)
        return self

    def wake(self, now: int) -> Answer:
        return self.ask(TIMER, asked.WakeTournament(due=now), now)

    def credited(self) -> dict[str, int]:
        """To whom how much goes back, minor units."""
        sums: dict[str, int] = {}
        for event in self.events:
            if isinstance(event, told.CreditsDue):
                for each in event.credits:
                    sums[each.player] = sums.get(each.player, 0) + each.amount
            elif isinstance(event, told.PaymentReturned):
                sums[event.player] = sums.get(event.player, 0) + event.amount
        return sums


def why(answer: Answer) -> tuple[str, str | None]:
    """Reason and rule of a refusal."""
    assert isinstance(answer, Rejected), answer
    return answer.reason, answer.rule


def done(answer: Answer) -> list[TournamentEvent]:
    """What was decided; nothing was refused."""
    assert not isinstance(answer, Rejected), answer
    return answer
