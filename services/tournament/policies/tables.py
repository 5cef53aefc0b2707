"""What the events of its tables ask of a tournament: to hear of them."""

from libs.contracts.commands import TournamentCommand
from libs.contracts.messages import CommandMessage, PublicEvent
from libs.contracts.poker_events import HandEnded, HandStarted, HandVoided, PotAwarded
from libs.contracts.table_events import PlayerSatIn, PlayerSatOut
from libs.contracts.tournament_events import Absence, EntrantDisqualified, EntrantFinished, EntrantMoved, TableStood
from libs.contracts.tournament_play_commands import (
    HearAbsence,
    HearDeal,
    HearDisqualified,
    HearHand,
    HearMove,
    HearPot,
    HearStandstill,
    StackHeard,
)
from libs.contracts.tournament_tables import table_number
from libs.money.chips import NO_CURRENCY
from libs.policies import Reactions, policy_command


def when_hand_started(event: PublicEvent, fact: HandStarted) -> list[CommandMessage]:
    return _of_table(
        event, fact, lambda table: HearDeal(table=table, hand=fact.hand, button=fact.button, began=fact.at)
    )


def when_pot_awarded(event: PublicEvent, fact: PotAwarded) -> list[CommandMessage]:
    """A pot that one alone had chips in puts nobody out."""
    if len(fact.eligible) < 2:
        return []
    return _of_table(
        event, fact,
        lambda table: HearPot(table=table, hand=fact.hand, seats=fact.eligible, winners=fact.winners),
    )  # fmt: skip


def when_hand_ended(event: PublicEvent, fact: HandEnded) -> list[CommandMessage]:
    """A stack at the start is what it is now, and what it put in, less what it won."""
    stacks = [StackHeard(each.reservation, each.stack + each.staked - each.won, each.stack) for each in fact.results]
    return _of_table(event, fact, lambda table: HearHand(table=table, hand=fact.hand, stacks=stacks))


def when_hand_voided(event: PublicEvent, fact: HandVoided) -> list[CommandMessage]:
    return _of_table(event, fact, lambda table: HearHand(table=table, hand=fact.hand, stacks=[], void=True))


def when_entrant_moved(event: PublicEvent, fact: EntrantMoved | EntrantFinished) -> list[CommandMessage]:
    """Or whom the table's end has taken off before the order to move came: off it with all chips, either way."""
    asked = HearMove(sitting=fact.reservation, chips=fact.chips)
    return [policy_command(event, fact.tournament, asked, "tournament.when_entrant_moved")]


def when_entrant_disqualified(event: PublicEvent, fact: EntrantDisqualified) -> list[CommandMessage]:
    asked = HearDisqualified(sitting=fact.reservation, chips=fact.chips)
    return [policy_command(event, fact.tournament, asked, "tournament.when_entrant_disqualified")]


def when_table_stood(event: PublicEvent, fact: TableStood) -> list[CommandMessage]:
    asked = HearStandstill(since=fact.since, until=fact.until)
    return [policy_command(event, fact.tournament, asked, "tournament.when_table_stood")]


def when_player_sat_out(event: PublicEvent, fact: PlayerSatOut) -> list[CommandMessage]:
    return _absence(event, fact, "not_connected" if fact.reason == "not_connected" else "away")


def when_player_sat_in(event: PublicEvent, fact: PlayerSatIn) -> list[CommandMessage]:
    return _absence(event, fact, "")


def _absence(event: PublicEvent, fact: PlayerSatOut | PlayerSatIn, away: Absence) -> list[CommandMessage]:
    """By the table's name, which no other table has."""
    found = table_number(fact.table)
    heard = HearAbsence(player=fact.player, away=away)
    return [policy_command(event, found[0], heard, "tournament.hears_absence")] if found is not None else []


def _of_table(event, fact, hear) -> list[CommandMessage]:  # type: ignore[no-untyped-def]
    """Nothing where money is played for: that is no tournament's table."""
    found = table_number(fact.table) if fact.currency == NO_CURRENCY else None
    if found is None:
        return []
    tournament, number = found
    command: TournamentCommand = hear(number)
    return [policy_command(event, tournament, command, "tournament.hears")]


TO_TABLES: Reactions = {
    HandStarted: when_hand_started,
    PotAwarded: when_pot_awarded,
    HandEnded: when_hand_ended,
    HandVoided: when_hand_voided,
    EntrantMoved: when_entrant_moved,
    EntrantFinished: when_entrant_moved,
    EntrantDisqualified: when_entrant_disqualified,
    TableStood: when_table_stood,
    PlayerSatOut: when_player_sat_out,
    PlayerSatIn: when_player_sat_in,
}
"""To events of tables."""
