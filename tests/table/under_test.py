"""What a table of any game can do under test: commands by name, time by hand, every event folded and kept."""

from typing import Any, Literal

from libs.contracts.bank_events import OPENING
from libs.contracts.commands import TableCommand
from libs.contracts.facts import TableEvent
from libs.contracts.messages import Principal, PublicEvent
from libs.contracts.registry import encode_fact
from libs.contracts.table_commands import (
    ApproveConfiguration,
    ChangeConfiguration,
    CloseTable,
    ConfirmSeat,
    LeaveTable,
    OpenTable,
    PauseTable,
    ReleaseSeat,
    RemovePlayer,
    ResumeTable,
    TakeSeat,
    WakeTable,
)
from libs.contracts.table_events import ConfigurationRequested, VoidRequested
from libs.decider import Given, Rejected, Standstill
from libs.journal.commit import Commit
from libs.sealing.shuffle import ShoeShuffle, Shuffle
from services.audit.verifying.acted_for import ActedFor
from services.audit.verifying.asked_for import told_otherwise
from services.audit.verifying.findings import Finding
from services.audit.verifying.pots import Pots, check_pots
from services.table.domain.games.registry import game_of
from services.table.domain.table.decide import decide, evolve
from services.table.domain.table.state import Table
from services.table.domain.table.waking import next_wake
from services.table.journal_format import receive_deck
from tests.table.approving import approval_of
from tests.table.luck import seeded_shuffler


class AnyTable:
    """Players are called `p<seat>`. A refusal comes back as its reason and has changed nothing."""

    def __init__(self, table: str, now: int) -> None:
        self.now = now
        self.state: Any = Table(table=table)
        self.told: list[Any] = []
        self.last: list[Any] = []
        self.ends: list[int] = []
        """How much had been told after each command: its events are one commit."""
        self.decks: list[Any] = []
        """Beside each event told: the deck that starts with it, mostly none."""
        self.refused: Rejected | None = None
        self.stood: Standstill | None = None
        """What the house knows of its last standstill."""
        self.shuffler = seeded_shuffler()
        self.sitting = ""
        """The last reservation that was asked for."""
        self._sittings = 0
        self.pots = Pots()
        self.acted_for = ActedFor()

    def configured(self, **changes: Any) -> dict[str, Any]:
        """The usual configuration of the game with some values changed."""
        raise NotImplementedError

    def send(self, by: Principal, command: TableCommand, fresh: Shuffle | ShoeShuffle | None = None) -> str | None:
        """The reason of a refusal, which has changed nothing; None when accepted."""
        answer = decide(self.state, command, Given(self.now, fresh, by, self.stood))
        if isinstance(answer, Rejected):
            self.refused, self.last = answer, []
            return answer.reason
        self.refused, self.last = None, list(answer.events)
        self._held_against(command, by)
        for event, after in zip(answer.events, answer.states, strict=True):
            starts = answer.secret is not None and hasattr(event, "deck_root")
            self.decks.append(answer.secret if starts else None)
            self.state = refolded(self.state, event, self.decks[-1])
            assert self.state == after, "what was folded while deciding is what the events say"
        self.told += answer.events
        self._audit()
        self.ends.append(len(self.told))
        return None

    def _held_against(self, command: TableCommand, by: Principal) -> None:
        """Against what was asked and what was told before, as the auditor has it."""
        events = tuple(map(encode_fact, self.last))
        assert told_otherwise("table", command, by, events) is None
        commit = Commit(
            self.state.table, len(self.told), bytes(32), bytes(16), "table-commands.1/0", 0, self.now, "accepted",
            None, None, "", events, "test", 1,
        )  # fmt: skip
        assert self.acted_for.judge(commit, command, by, self.now) is None

    def _audit(self) -> None:
        for fact in self.last:
            name, data = encode_fact(fact)
            event = PublicEvent(stream=fact.table, version=1, type=name, time=fact.at, causation="c", data=data)
            self.audited(list(check_pots(self.pots, event, fact)))

    def audited(self, findings: list[Finding]) -> None:
        """Whoever wins at a table of the tests and whatever is charged there, the auditor finds the same."""
        assert findings == []

    def open_table(self, opening: OpenTable) -> str | None:
        """As `send`; a bank that waits for a second one of the staff gets its money."""
        refused = self.send(staff(), opening)
        if refused is None and OPENING in self.state.office.pending:
            assert self.send(SECOND, approval_of(self.state, OPENING)) is None, self.refused
        return refused

    def ask_seat(self, seat: int | None, amount: int, player: str | None = None) -> str | None:
        self._sittings += 1
        self.sitting = f"r{self._sittings}"
        who = player_principal(player or f"p{seat}")
        return self.send(who, TakeSeat(reservation=self.sitting, seat=seat, amount=amount))

    def confirm_seat(self, reservation: str) -> str | None:
        """The money for it is reserved."""
        return self.send(policy(), ConfirmSeat(reservation=reservation))

    def release(
        self, reservation: str, reason: Literal["reserve_refused", "cancelled"] = "reserve_refused"
    ) -> str | None:
        return self.send(policy(), ReleaseSeat(reservation=reservation, reason=reason))

    def waking(self, **fields: Any) -> WakeTable:
        return WakeTable(due=self.now, **fields)

    def leave(self, seat: int) -> str | None:
        return self.send(player_principal(f"p{seat}"), LeaveTable())

    def remove(self, seat: int) -> str | None:
        return self.send(staff(), RemovePlayer(player=f"p{seat}", reason="conduct"))

    def change(self, version: int, **changes: Any) -> str | None:
        """The usual configuration with some values changed, as a new version; where two have to agree, they do."""
        values = self.configured(**{"version": version} | changes)
        refused = self.send(staff(), ChangeConfiguration(configuration=values))
        return self.send(SECOND, ApproveConfiguration(version=version)) if self.of(ConfigurationRequested) else refused

    def void_by_two(self, command: TableCommand) -> str | None:
        """As `send`; once cards are out a second one of the staff says so, too."""
        refused = self.send(staff(), command)
        return self.send(SECOND, command) if self.of(VoidRequested) else refused

    def pause(self) -> str | None:
        return self.send(staff(), PauseTable(reason="check"))

    def resume(self) -> str | None:
        return self.send(staff(), ResumeTable())

    def close(self) -> str | None:
        return self.send(staff(), CloseTable(reason="night"))

    @property
    def stacks(self) -> dict[int, int]:
        return {seat: sitter.stack for seat, sitter in sorted(self.state.seats.items())}

    @property
    def names(self) -> list[str]:
        """Names of the last command's events."""
        return [type(event).__name__ for event in self.last]

    def of(self, kind: type, everything: bool = False) -> list[Any]:
        """Events of a kind that the last command caused, or all so far."""
        return [event for event in (self.told if everything else self.last) if isinstance(event, kind)]

    def deck_of(self, event: Any) -> Any:
        """The deck or shoe that lies sealed beside this event in its commit."""
        return next(deck for told, deck in zip(self.told, self.decks, strict=True) if told is event)

    @property
    def due(self) -> int | None:
        return next_wake(self.state)


def refolded(state: Any, event: TableEvent, deck: Any) -> Any:
    """What the fold makes of an event read from the journal, and of the deck that lay sealed beside it."""
    after = evolve(state, event)
    return receive_deck(after, event, deck) if deck is not None else after


def deck_in(state: Table) -> Any:
    """The deck or shoe that the state holds."""
    return game_of(state.rules).deck_of(state)


TIMER = Principal("timer", "timer")
SECOND = Principal("staff", "staff-2")
"""Of the staff: who approves what `staff` asks for."""


def player_principal(player: str) -> Principal:
    return Principal("player", player)


def staff() -> Principal:
    return Principal("staff", "staff-1")


def policy() -> Principal:
    return Principal("policy", "table")
