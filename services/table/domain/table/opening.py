"""Which rules hold at a table: opened under a rulebook, with the bank that its limits need, and changed when open.

A new configuration is announced at once, in force when no round runs (pt-811-2015 enact.3, 17); what could cost players
more, not before they have had time to leave. Rulebook, variant, currency and kind stay for the life of a table: its
money and its cards hang on them. Of real money one of the staff asks and another one approves before anything is
announced: neither the bank that two have put in nor the house's rake is lost by rules that one has made. A platform
changes its own poker tables by itself; against a bank nothing but people does.
"""

from libs.contracts.any_configuration import AnyConfiguration, as_told
from libs.contracts.bank_events import OPENING as OPENING_OF_BANK
from libs.contracts.configurations import Configuration
from libs.contracts.facts import TableEvent, taken
from libs.contracts.people import same_person
from libs.contracts.table_commands import ApproveConfiguration, ChangeConfiguration, DeclineConfiguration, OpenTable
from libs.contracts.table_commands import TableReason as Reason
from libs.contracts.table_events import (
    ConfigurationAnnounced,
    ConfigurationDeclined,
    ConfigurationRequested,
    TableOpened,
)
from libs.contracts.tournament_commands import OpenTournamentTable, TournamentReason
from libs.contracts.tournament_tables import reads_as_numbered, table_number
from libs.decider import Decided, Given, Rejected
from libs.rulebooks.library import find_rulebook
from libs.rulebooks.real_money import FIRST_VERSION_MAX, VERSION_STEP
from libs.rulebooks.rulebook import Refusal
from services.table.configure import configure
from services.table.domain.games.registry import TOURNAMENT_GAMES, game_of
from services.table.domain.table.after_round import activate_announced
from services.table.domain.table.bank import bank_to_be, open_bank, why_no_bank, why_not_alone
from services.table.domain.table.rejections import outside_rulebook, rejected
from services.table.domain.table.state import AskedConfiguration, Table
from services.table.domain.table.story import AnyStory, Story, Supply

OPENING = (OpenTable, OpenTournamentTable)
_OF_PEOPLE = "the house's money is moved by people alone"


def decide_opening(
    state: Table, command: OpenTable | OpenTournamentTable, given: Given[Supply]
) -> Decided[Table, TableEvent] | Rejected:
    """A table of a tournament has no money at it, no bank, no buy-in."""
    if state.status != "new":
        return rejected(Reason.ALREADY_OPEN, state.configuration)
    tournament = given.by.id if isinstance(command, OpenTournamentTable) else ""
    if (refused := _why_not_this_name(state.table, tournament)) is not None:
        return refused
    rulebook = find_rulebook(command.rulebook)
    if rulebook is None:
        return rejected(Reason.UNKNOWN_RULEBOOK)
    if not rulebook.enabled:
        return Rejected(str(Reason.VARIANT_NOT_AVAILABLE), rulebook.ref(rulebook.disabled_rule))
    if tournament and rulebook.game not in TOURNAMENT_GAMES:
        return rejected(Reason.NOT_THIS_GAME)
    configured = configure(rulebook, command.configuration, tournament)
    if isinstance(configured, list):
        return outside_rulebook(configured)
    if configured.version > FIRST_VERSION_MAX:
        rule = rulebook.ref(rulebook.fields["version"].rule)
        return outside_rulebook([Refusal("version", rule, f"must be at most {FIRST_VERSION_MAX} at the opening")])

    story: AnyStory = Story(state, given, game_of(configured))
    if story.game.banked and story.role != "staff":
        return rejected(Reason.NOT_ALLOWED, configured, _OF_PEOPLE)
    bank = command.bank if isinstance(command, OpenTable) else 0
    asked = command.risk_limit if isinstance(command, OpenTable) else None
    risk_limit = asked if asked is not None else bank
    alone = command.alone_up_to if isinstance(command, OpenTable) else 0
    refused = why_no_bank(story, configured, bank, risk_limit) or why_not_alone(configured, bank, alone)
    if refused is not None:
        return refused
    by = story.by if story.role == "staff" else ""
    story.tell(TableOpened(name=command.name, configuration=as_told(configured), rulebook_hash=rulebook.digest, by=by))
    open_bank(story, bank, risk_limit, alone)
    return story.decided


def _why_not_this_name(table: str, tournament: str) -> Rejected | None:
    """Who could open a table under the name of a tournament's next one would stop that tournament."""
    if tournament:
        named = table_number(table)
        return None if named is not None and named[0] == tournament else rejected(TournamentReason.OTHER_TOURNAMENT)
    return rejected(Reason.RESERVED_NAME) if reads_as_numbered(table) else None


def change_configuration(command: ChangeConfiguration, story: AnyStory) -> Rejected | None:
    rules = story.rules
    if (refused := _why_not_ask(story)) is not None:
        return refused
    rulebook = find_rulebook(rules.rulebook)
    if rulebook is None:
        return rejected(Reason.UNKNOWN_RULEBOOK, rules)
    configured = configure(rulebook, command.configuration, rules.tournament)
    if isinstance(configured, list):
        return outside_rulebook(configured)
    if configured.version <= story.state.office.asked_version:
        return rejected(Reason.VERSION_NOT_NEWER, rules)
    newest = max(_last(story).version, story.state.office.asked_version)
    if configured.version > newest + VERSION_STEP:
        return rejected(Reason.VERSION_TOO_HIGH, rules)
    refused = _why_not(story, configured)
    if refused is not None:
        return refused

    told = as_told(configured)
    if needs_two(story):
        story.tell(ConfigurationRequested(configuration=told, rulebook_hash=rulebook.digest, by=story.by))
    else:
        _announce(story, told, rulebook.digest)
    return None


def approve_configuration(command: ApproveConfiguration, story: AnyStory) -> Rejected | None:
    """What was asked for, held against the table as it is by now."""
    asked = _asked(command.version, story)
    if asked is None:
        return rejected(Reason.NO_SUCH_CHANGE, story.rules)
    if same_person(asked.by, story.by):
        return rejected(Reason.OWN_REQUEST, story.rules)
    rulebook = find_rulebook(story.rules.rulebook)
    if rulebook is None or rulebook.digest != asked.rulebook_hash:
        return rejected(Reason.OUTSIDE_RULEBOOK, story.rules, "the rulebook is another one by now; ask anew")
    refused = _why_not(story, story.game.rules_of(asked.configuration))
    if refused is None:
        _announce(story, asked.configuration, asked.rulebook_hash, asked.by)
    return refused


def decline_configuration(command: DeclineConfiguration, story: AnyStory) -> Rejected | None:
    asked = _asked(command.version, story)
    if asked is None:
        return rejected(Reason.NO_SUCH_CHANGE, story.rules)
    story.tell(taken(ConfigurationDeclined, command, requested_by=asked.by, by=story.by))
    return None


def needs_two(story: AnyStory) -> bool:
    """Any change then: there is no list of what can't cost the house anything, to be wrong about."""
    return story.rules.kind == "real" and (bool(story.game.banked) or story.role == "staff")


def _why_not_ask(story: AnyStory) -> Rejected | None:
    """Who approves the opening of a bank approves the rules that it was asked for with: they stay until then."""
    if not needs_two(story):
        return None
    if story.role != "staff":
        return rejected(Reason.NOT_ALLOWED, story.rules, _OF_PEOPLE)
    return rejected(Reason.OPENING_PENDING, story.rules) if OPENING_OF_BANK in story.state.office.pending else None


def _asked(version: int, story: AnyStory) -> AskedConfiguration | None:
    asked: AskedConfiguration | None = story.state.office.configuration
    return asked if asked is not None and asked.configuration.version == version else None


def _last(story: AnyStory) -> Configuration:
    """Announced, or else in force."""
    announced, rules = story.state.announced, story.rules
    last: Configuration = announced.configuration if announced is not None else rules
    return last


def _why_not(story: AnyStory, configured: Configuration) -> Rejected | None:
    """Why this configuration may not follow at the table as it is."""
    rules, state = story.rules, story.state
    if configured.version <= _last(story).version:
        return rejected(Reason.VERSION_NOT_NEWER, rules)
    if (configured.currency, configured.kind) != (rules.currency, rules.kind):
        return rejected(Reason.FIXED_AT_OPENING, rules)
    seats = (*state.seats, *(reserved.seat for reserved in state.reserved.values()), *state.seats_in_round)
    if max(seats, default=0) > configured.seats:
        return rejected(Reason.SEATS_IN_USE, rules)
    refused: Rejected | None = story.game.refuse_change(state, configured)
    return refused or why_no_bank(story, configured, bank_to_be(state), state.office.risk_limit)


def _announce(story: AnyStory, told: AnyConfiguration, rulebook_hash: str, requested_by: str = "") -> None:
    notice = max(story.rules.timing.limits_notice_ms, story.game.notice_of(story.state, told))
    announced = ConfigurationAnnounced(
        configuration=told,
        rulebook_hash=rulebook_hash,
        by=story.by,
        holds_from=story.now + notice if notice else 0,
        requested_by=requested_by,
    )
    story.tell(announced)
    if not story.state.in_round:
        activate_announced(story)
        story.game.seats_changed(story)
