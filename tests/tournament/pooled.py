"""The pool that the wallet keeps of a tournament, told all that one decided here tells: each credit is covered."""

from collections.abc import Iterable

from libs.contracts import tournament_ticket_events as tickets
from libs.contracts import tournaments_events as told
from libs.contracts.facts import TournamentEvent
from libs.contracts.messages import CommandMessage, Principal, PublicEvent
from libs.contracts.pool_commands import NotePayment, NoteTicket, PoolCommand, pool_of
from libs.contracts.pool_events import CreditCovered, CreditHeld, PoolEvent
from libs.contracts.registry import encode_fact
from libs.decider import Given, Rejected
from services.audit.verifying.asked_for import told_otherwise
from services.wallet.domain.decide import WalletDecider
from services.wallet.domain.pool.bounds import added, came, total_in
from services.wallet.domain.pool.state import Pool
from services.wallet.journal_format import decode_state, encode_state
from services.wallet.machine import decode_command
from services.wallet.policies.pools import TO_POOLS
from services.wallet.policies.reactions import TO_TOURNAMENTS

POLICY = Principal("policy", "wallet.when_credits_due")
DECIDER = WalletDecider()


class Pooled:
    """Nothing is made up in it: a payment is noted once the tournament has it, or gives it back."""

    def __init__(self, tournament: str) -> None:
        self.tournament = tournament
        self.state: Pool = DECIDER.initial(pool_of(tournament))  # type: ignore[assignment]
        self.told: list[PoolEvent] = []

    def ask(self, command: PoolCommand, now: int) -> list[PoolEvent]:
        decided = DECIDER.decide(self.state, command, Given(now, None, POLICY))
        assert not isinstance(decided, Rejected), decided
        told = map(encode_fact, decided.events)
        assert told_otherwise("wallet", command, POLICY, told) is None, "as the auditor has it"
        for event, state in zip(decided.events, decided.states, strict=True):
            self.state = DECIDER.evolve(self.state, event)  # type: ignore[assignment]
            assert self.state == state, "what was folded while deciding is what its events fold to"
        self.told += decided.events  # type: ignore[arg-type]
        return list(decided.events)  # type: ignore[arg-type]

    def hear(self, events: Iterable[tuple[PublicEvent, TournamentEvent]]) -> None:
        """Of one decision. The wallet has paid whatever the tournament takes, or gives back, as money."""
        for public, event in events:
            self._pay(event)
            for reactions in (TO_TOURNAMENTS, TO_POOLS):
                for message in reactions.get(type(event), _nothing)(public, event):
                    if message.stream == self.state.stream:
                        self._asked(message, public.time)

    def _pay(self, event: TournamentEvent) -> None:
        if isinstance(event, told.PaymentTaken | told.PaymentReturned) and event.amount:
            if isinstance(event, told.EntryPaid) and event.with_ticket:
                return
            self.ask(NotePayment(
                tournament=self.tournament, payment=event.payment, player=event.player, currency=event.currency,
                amount=event.amount,
            ), event.at)  # fmt: skip
        if isinstance(event, tickets.TicketIssued):
            self.ask(NoteTicket(
                tournament=self.tournament, ticket=event.ticket, player=event.player, currency=event.currency,
                amount=event.amount, satellite=event.satellite,
            ), event.at)  # fmt: skip

    def _asked(self, message: CommandMessage, now: int) -> None:
        command = decode_command(message)
        assert isinstance(command, PoolCommand)
        found = self.ask(command, now)
        assert not any(isinstance(each, CreditHeld) for each in found), found
        terms = self.state.terms
        assert terms is not None
        more = added(self.state, terms, came(self.state, terms).prize)
        assert self.state.out.total - self.state.out.whole <= total_in(self.state) + more
        assert decode_state(encode_state(self.state)) == self.state

    def covered(self) -> int:
        """Minor units."""
        return sum(each.claim.amount for each in self.told if isinstance(each, CreditCovered))


def _nothing(event: PublicEvent, fact: object) -> list[CommandMessage]:
    return []
