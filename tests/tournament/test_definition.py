"""A bad definition is refused with the field and the rule's number; a good one is approved by a second person."""

from typing import Any

import msgspec
import pytest

from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.tournaments import digest_of
from libs.decider import Given, Rejected
from libs.rulebooks.poker import PokerRulebook
from libs.rulebooks.tournaments import judged_table
from services.tournament.domain.decide import TournamentDecider
from services.tournament.domain.definition import broken_rules
from tests.tournament.course import FLOOR, MINUTE, START, SUPERVISOR, Course, definition, done, why

LEVEL = {"small_blind": 100, "big_blind": 200, "lasts_ms": 60_000}
LOWER = {**LEVEL, "small_blind": 75, "big_blind": 150}
BUY_IN = {"amount": 2_200, "prize": 2_000, "fee": 200}
TICKETS = {"tournament": "t-2", "value": 2_200}
BROKEN: list[tuple[str, str, dict[str, Any]]] = [
    ("buy_in", "FP-1", {"buy_in": {**BUY_IN, "fee": 100}}),
    ("payouts", "34", {"payouts": [{"entries": 2, "shares": [6_500, 3_400]}]}),
    ("payouts", "34", {"payouts": [{"entries": 2, "shares": [6_500, 3_600]}]}),
    ("payouts", "34", {"payouts": [{"entries": 2, "shares": [3_500, 6_500]}]}),
    ("payouts", "34", {"payouts": [{"entries": 2, "shares": [10_000, 0]}]}),
    ("payouts", "34", {"payouts": []}),
    ("payouts", "FP-18", {"payouts": [{"entries": 3, "shares": [6_500, 3_500]}]}),
    ("min_players", "FP-18", {"min_players": 5, "payouts": [{"entries": 2, "shares": [4_000, 2_500, 1_500, 1_000, 600, 400]}]}),  # noqa: E501
    ("composition", "41", {"composition": [{"value": 25, "count": 8}]}),
    ("levels", "46", {"levels": [LEVEL, LOWER]}),
    ("levels", "46", {"levels": [{**LEVEL, "ante": 10, "big_blind_ante": 10}]}),
    ("rules", "56", {"rules": {"en": "A tournament."}}),
    ("glossary", "58", {"rules": {"pt": "Cada jogador pode fazer um rebuy."}}),
    ("glossary", "58", {"glossary": {"rebuy\u3164": "recompra de fichas"}}),
    ("tickets.tournament", "32", {"payouts": [], "tickets": {"tournament": "t-1", "value": 2_200}}),
    ("approval", "FP-12", {"approval": ""}),
    ("currency", "21", {"currency": "XXX"}),
    ("starts_at", "FP-12", {"starts_at": START - 180 * MINUTE}),
    ("registration_opens_at", "FP-20", {"registration_opens_at": START}),
    ("max_players", "FP-20", {"min_players": 20, "max_players": 10}),
    ("min_players", "FP-20", {"starts_at": None, "max_players": 6}),
    ("late_entry", "23", {"late_entry": {}}),
    ("late_entry", "23", {"late_entry": {"level": 2}}),
    ("late_entry", "23", {"late_entry": {"level": 1, "ms": 60_000}}),
    ("add_on", "FP-3", {"add_on": {"price": {"amount": 1_500, "prize": 1_500}, "chips": 15_000, "after_level": 1}}),
    ("breaks", "FP-14", {"breaks": [{"after_level": 2, "lasts_ms": 1}, {"after_level": 1, "lasts_ms": 1}]}),
    ("breaks", "FP-14", {"levels": [LEVEL], "breaks": [{"after_level": 1, "lasts_ms": 300_000}]}),
    ("breaks", "FP-14", {"levels": [LEVEL, LEVEL], "breaks": [{"after_level": 150, "lasts_ms": 1}], "lasts_ms": 60_000,
                         "late_entry": {"ms": 1_000}}),
    ("payouts", "32", {"tickets": TICKETS}),
    ("ticket_count", "32", {"tickets": TICKETS, "payouts": [], "ticket_count": 2}),
    ("guarantee", "FP-5", {"buy_in": {"amount": 0, "prize": 0}}),
    ("table.seats", "FP-7", {"table": {"seats": 6}}),
    ("table.big_blind", "46", {"table": {"big_blind": 6}}),
    ("table.version", "46", {"table": {"version": 6}}),
    ("starting_stack", "41", {"starting_stack": 99}),
    ("composition", "41", {"composition": [{"value": 20, "count": 500}], "levels": [LEVEL, {**LEVEL, "big_blind": 250}]}),  # noqa: E501
    ("rulebook", "55", {"rulebook": "pt-811-2015"}),
    ("rulebook", "55", {"rulebook": "pt-812-2015-baccarat"}),
]  # fmt: skip
GOOD: list[dict[str, Any]] = [
    {},
    {"levels": [LEVEL, LEVEL]},
    {"composition": [{"value": 25, "count": 8}, {"value": 100, "count": 8}, {"value": 500, "count": 4}, {"value": 1_000, "count": 7}]},  # noqa: E501
    {"rules": {"pt": "Cada jogador pode fazer um rebuy."}, "glossary": {"Rebuy": "recompra de fichas"}},
    {"starts_at": None, "min_players": 6, "max_players": 6},
    {"buy_in": {"amount": 0, "prize": 0}, "guarantee": 10_000},
    {"buy_in": {"amount": 0, "prize": 0}, "payouts": [], "tickets": TICKETS, "ticket_count": 2},
    {"currency": "FUN", "approval": ""},
    {"levels": [LEVEL, LEVEL], "breaks": [{"after_level": 1, "lasts_ms": 300_000}],
     "add_on": {"price": {"amount": 1_500, "prize": 1_500}, "chips": 15_000, "after_level": 1}},
]  # fmt: skip


@pytest.mark.parametrize(("field", "rule", "other"), BROKEN, ids=range(len(BROKEN)))
def test_a_bad_definition_is_refused_with_field_and_rule(field: str, rule: str, other: dict[str, Any]) -> None:
    refused = Course(**other).proposed
    assert why(refused) == ("bad_definition", f"pt-810-2015#{rule}")
    assert isinstance(refused, Rejected)
    assert refused.detail.startswith(f"{field} ({rule})")


TABLE = {"structure": "pot_limit", "decision_ms": 15_000}
HOLDEM = {"rulebook": "common-holdem"}
NO_TABLE: list[tuple[str, str, str, dict[str, Any]]] = [
    ("levels", "pt-811-2015#21", "ante of level 3 has no place in this game", {"levels": [LEVEL, LEVEL, {**LEVEL, "ante": 10}]}),  # noqa: E501
    ("levels", "pt-811-2015#22", "small_blind of level 1 must be at least 1", {"levels": [{**LEVEL, "small_blind": 0}]}),  # noqa: E501
    ("levels", "46", "ante of level 2 must be at most the big blind for real money", HOLDEM | {"levels": [LEVEL, {**LEVEL, "ante": 10**9}]}),  # noqa: E501
    ("table.structure", "pt-811-2015#24", "is missing", {"table": {"decision_ms": 15_000}}),
    ("table.decision_ms", "pt-811-2015#43", "must be at least 3000 for real money", {"table": {**TABLE, "decision_ms": 1}}),  # noqa: E501
    ("table.resume_ms", "pt-811-2015#72", "must be at least 1000 for real money", {"table": {**TABLE, "resume_ms": 1}}),
    ("table.timer_action", "pt-811-2015#74", "is fixed in a tournament", {"table": {**TABLE, "timer_action": "all_in"}}),  # noqa: E501
    ("table.rake_bp", "pt-811-2015#17", "is fixed in a tournament", {"table": {**TABLE, "rake_bp": 500}}),
    ("table.tournament", "pt-811-2015#6", "is not known", {"table": {**TABLE, "tournament": "other"}}),
    ("table.straddle", "55", "must be at most 4 big blinds for real money", HOLDEM | {"table": {**TABLE, "straddle": 10**9}}),  # noqa: E501
    ("rulebook", "pt-217-2007#2.c", "no table is opened with it", {"rulebook": "pt-217-2007-sintetico"}),
]  # fmt: skip


@pytest.mark.parametrize(("field", "rule", "why_not", "other"), NO_TABLE, ids=range(len(NO_TABLE)))
def test_what_no_table_is_opened_with_is_refused_before_anybody_pays(
    field: str, rule: str, why_not: str, other: dict[str, Any]
) -> None:
    """By field, level and the game's own rule: every level is held against the rulebook of the tables."""
    refused = Course(**other).proposed
    assert isinstance(refused, Rejected)
    assert refused.reason == "bad_definition"
    assert refused.rule == (rule if "#" in rule else f"pt-810-2015#{rule}")
    assert refused.detail.startswith(f"{field} ({rule}): {why_not}")
    assert refused.detail.count(why_not) == 1


def test_levels_of_the_same_blinds_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no table is made of any: one of the staff held up all tournaments with definitions of 200 levels."""
    judged: list[Any] = []

    def counted(rulebook: PokerRulebook, asked: dict[str, Any]) -> Any:
        judged.append(asked)
        return judged_table(rulebook, asked)

    monkeypatch.setattr("services.tournament.domain.definition.judged_table", counted)
    monkeypatch.setattr("libs.rulebooks.poker.grouped", lambda *_: pytest.fail("a configuration was made"))
    higher = {**LEVEL, "small_blind": 200, "big_blind": 400}
    assert broken_rules(definition(levels=[LEVEL] * 100 + [higher] * 100), 0) == []
    assert len(judged) == 2
    wrong = broken_rules(definition(levels=[{**LEVEL, "ante": 10}] * 2), 0)
    assert [each.why.split(" has")[0] for each in wrong] == ["ante of level 1", "ante of level 2"], "each is named"


@pytest.mark.parametrize("other", GOOD, ids=range(len(GOOD)))
def test_a_good_one_is_proposed_as_it_stands(other: dict[str, Any]) -> None:
    [proposed] = Course(**other).events
    assert isinstance(proposed, told.TournamentProposed)
    assert proposed.definition == definition(**other)


def test_what_no_tournament_has_cannot_be_said() -> None:
    with pytest.raises(msgspec.ValidationError):
        definition(early_bird={"chips": 500})
    with pytest.raises(msgspec.ValidationError):
        definition(buy_in={**BUY_IN, "early_bird_chips": 500})


@pytest.mark.rule("pt-810-2015", "FP-12")
def test_a_second_person_approves_and_nobody_changes_it_afterwards() -> None:
    assert why(Course(approval="").proposed) == ("bad_definition", "pt-810-2015#FP-12"), "the regulator's comes first"
    course = Course()
    assert why(course.register("ann")) == ("unknown_tournament", None)
    assert why(course.ask(FLOOR, asked.ApproveTournament())) == ("same_person", "pt-810-2015#FP-12")
    other = asked.ApproveTournament(digest=digest_of(definition(guarantee=5)))
    assert why(course.ask(SUPERVISOR, other)) == ("other_rules", "pt-810-2015#FP-12")
    told_now = done(course.ask(SUPERVISOR, asked.ApproveTournament(digest=digest_of(definition()))))
    assert [type(each).__name__ for each in told_now] == ["TournamentAnnounced", "RegistrationOpened"]
    dearer = asked.ProposeTournament(
        name="Sunday", definition=definition(buy_in={**BUY_IN, "amount": 2_300, "fee": 300})
    )
    assert why(course.ask(FLOOR, dearer)) == ("tournament_exists", "pt-810-2015#FP-12")
    assert course.state.rules == definition()


def test_no_tournament_takes_the_name_of_a_tournaments_table() -> None:
    """Its events would lie under the table's name, and one who reads both would take them for the table's."""
    for name in ("t9.t1", "t9.T1", "t9.t1."):
        assert why(Course(name=name).proposed) == ("reserved_name", None)
    assert not isinstance(Course(name="t9.team").proposed, Rejected)


def test_a_declined_proposal_is_spent() -> None:
    course = Course()
    course.ask(FLOOR, asked.DeclineTournament(reason="not today"))
    assert course.state.phase == "declined"
    assert why(course.ask(SUPERVISOR, asked.ApproveTournament())) == ("not_proposed", None)


@pytest.mark.rule("pt-810-2015", "FP-12")
def test_who_approves_too_late_approves_nothing() -> None:
    """The rules would be published after the hour that they set for the start."""
    course = Course()
    assert why(course.ask(SUPERVISOR, asked.ApproveTournament(), START)) == ("bad_definition", "pt-810-2015#FP-12")


def test_registration_opens_at_its_hour() -> None:
    opens = START - 60 * MINUTE
    course = Course(registration_opens_at=opens)
    course.ask(SUPERVISOR, asked.ApproveTournament())
    assert why(course.register("ann", opens - 1)) == ("registration_closed", "pt-810-2015#FP-20")
    assert not isinstance(course.register("ann", opens), Rejected)


def test_no_two_people_give_more_of_the_house_s_money_than_the_house_allows() -> None:
    """Found by an attacker (issue 11, F16): any sum of the treasury went to a field of friends."""
    course = Course(guarantee=10_000_000)
    assert not isinstance(course.proposed, Rejected)
    refused = Course(guarantee=10_000_001).proposed
    assert isinstance(refused, Rejected)
    assert (refused.reason, refused.detail) == ("bad_definition", "guarantee: this house adds at most 10000000")
    frugal = TournamentDecider(most_guaranteed=9_999_999)  # lowered while the proposal waited
    approved = frugal.decide(course.state, asked.ApproveTournament(), Given(course.now, None, SUPERVISOR))
    assert isinstance(approved, Rejected)
    assert approved.reason == "bad_definition"


def test_the_tickets_of_a_freeroll_are_the_house_s_money_too() -> None:
    """Found by an attacker: two tickets for a target that nobody entered were paid in cash, over any bound."""
    for value, count, taken in ((5_000_000, 2, True), (5_000_001, 2, False)):
        free: dict[str, Any] = {"buy_in": {"amount": 0, "prize": 0, "fee": 0}, "payouts": [], "min_players": 2}
        course = Course(**free, tickets={"tournament": "t-2", "value": value}, ticket_count=count)
        assert isinstance(course.proposed, Rejected) is not taken
        if isinstance(course.proposed, Rejected):
            assert course.proposed.detail == "ticket_count: this house adds at most 10000000"
