"""The tournament bound to bytes, as the journal's runner and follower want it."""

from collections.abc import Callable
from typing import Any

from libs.contracts.commands import TournamentCommand
from libs.contracts.facts import TournamentEvent
from libs.contracts.messages import Principal
from libs.contracts.registry import ALL_TOURNAMENT_COMMANDS, decode_fact, encode_fact
from libs.journal.machine import Machine, command_reader
from libs.journal.quotas import Standing, standing_of
from libs.sealing.health import EntropyUnhealthy
from libs.sealing.lots import LotSeed
from libs.sealing.shuffle import Shuffler
from services.tournament import journal_format
from services.tournament.domain.decide import MOST_GUARANTEED, TournamentDecider
from services.tournament.domain.life_cycle import next_wake
from services.tournament.domain.reminding import moved_at
from services.tournament.domain.state import Tournament

HORIZON_MS = 24 * 3_600_000
"""The longest outage after which an answer of the wallet and the news of a table still count."""
RING_CAP = 200_000
"""2,500 players register, and some 50,000 hands of their tables are heard of, each by two or three commands, within
the horizon. A full ring takes 9.4 MB of a snapshot's 16."""

TournamentMachine = Machine[Tournament, TournamentCommand, TournamentEvent, Any]
decode_command = command_reader(ALL_TOURNAMENT_COMMANDS)
"""Raises Malformed: an unknown type, or a body that is out of bounds."""


def fresh_lots(shuffler: Shuffler, unhealthy: Callable[[], None]) -> Callable[[Tournament, TournamentCommand], Any]:
    """Lots for every decision from the start on; None (and `unhealthy()` called) when the source fails."""

    def fresh(state: Tournament, command: TournamentCommand) -> LotSeed | None:
        if state.phase not in ("registering", "running"):
            return None
        try:
            return LotSeed.drawn(shuffler)
        except EntropyUnhealthy:
            unhealthy()
            return None

    return fresh


def standing_in(state: Tournament, by: Principal) -> Standing:
    """A player has a part in it from the first registration on."""
    known = by.kind != "player" or any(entry.player == by.id for entry in state.entries.values())
    return standing_of(by) if known else "guest"


def tournament_machine(
    shuffler: Shuffler | None = None,
    unhealthy: Callable[[], None] = lambda: None,
    most_guaranteed: int = MOST_GUARANTEED,
) -> TournamentMachine:
    """`unhealthy` is called each time the entropy source fails its test: nobody is seated by lot until it is mended."""
    return Machine(
        service="tournament",
        decider=TournamentDecider(most_guaranteed),
        decode_command=decode_command,
        encode_event=encode_fact,
        decode_event=decode_fact,
        encode_state=lambda stream, state: journal_format.encode_state(state),
        decode_state=lambda stream, raw: journal_format.decode_state(raw),
        fresh=fresh_lots(shuffler or Shuffler(), unhealthy),
        drew=lambda fresh: False,  # most decisions draw nothing, and a seed is used for one alone
        horizon_ms=HORIZON_MS,
        standing=standing_in,
        ring_cap=RING_CAP,
        rests=lambda state: next_wake(state) is None and moved_at(state) is None,
        reads=journal_format.reads_state,
    )
