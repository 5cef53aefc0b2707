"""Where two rules of pt-810-2015 meet: what a reader found who looked for it."""

from typing import Any

from libs.contracts import tournament_play_commands as heard
from libs.contracts import tournament_play_events as play
from libs.contracts import tournaments_commands as asked
from libs.contracts import tournaments_events as told
from libs.contracts.messages import Principal
from services.tournament.domain.play.seating import positions
from tests.tournament.course import FLOOR, MINUTE, SUPERVISOR, done, why
from tests.tournament.directed import Directed
from tests.tournament.hall import LEVELS
from tests.tournament.test_barred import disqualify

FAULT = asked.ProposeCancellation(cause="technical", reason="the hall is dark")


def near_the_money(least: int = 8, **other: Any) -> Directed:
    """Hand-for-hand at three tables of three, with so many paid places."""
    shares = [10_000 - (least - 1) * 700, *[700] * (least - 1)]
    tournament = Directed(9, seats=3, payouts=[{"entries": 2, "shares": shares}], **other)
    tournament.round()
    assert tournament.play.hand_for_hand
    assert tournament.play.round
    return tournament


def test_who_went_out_in_a_round_that_never_ended_has_the_place_and_its_prize() -> None:
    """FP-15, 38: the hands of other tables are void, the eliminations at this one stand."""
    tournament = near_the_money()
    entries = tournament.at(1)
    stacks = dict(zip(entries, (9_000, 10_000, 11_000), strict=True))
    for table in (1, 2, 3):
        tournament.deal(table)
    tournament.ends(1, stacks)
    for table in (2, 3):
        tournament.finish(table)
    for table in (1, 2, 3):
        tournament.deal(table)
    tournament.finish(1, *entries[:2])
    assert not tournament.of(play.EntryEliminated), "two tables play"
    done(tournament.course.ask(FLOOR, FAULT))
    done(tournament.course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=1)))
    [sheet] = tournament.of(told.CancellationProposed)
    assert sheet.rule == "36.c"
    eighth, ninth = entries[1].removeprefix("entry-"), entries[0].removeprefix("entry-")
    assert tournament.course.credited()[eighth] == 9 * 2_000 * 700 // 10_000
    assert ninth not in tournament.course.credited()
    assert tournament.course.state.held.total == 0


def test_the_button_of_a_void_hand_stays_where_it_was() -> None:
    """FP-15, FP-7: who would be the next big blind is reckoned from there."""
    tournament = Directed(9, seats=9)
    tournament.hand(1)
    tournament.deal(1)
    button = tournament.play.tables[1].button
    tournament.finish(1, void=True)
    at = tournament.play.tables[1]
    assert positions(at.entries, at.button).button == button


def test_a_void_extra_hand_is_dealt_again() -> None:
    """52, FP-15: the deal that everybody has once more is one that was played."""
    tournament = Directed(3, seats=3, levels=LEVELS, lasts_ms=MINUTE, payouts=[{"entries": 2, "shares": [10_000]}])
    tournament.course.wake(tournament.now + MINUTE)
    tournament.now += MINUTE
    for _ in range(2):
        tournament.hand(1)
    tournament.deal(1)
    last = tournament.play.tables[1].button
    tournament.finish(1, void=True)
    assert tournament.course.state.phase == "running"
    tournament.deal(1)
    assert tournament.play.tables[1].button == last
    tournament.finish(1)
    assert tournament.course.state.phase == "completed"


def test_a_table_left_alone_by_a_disqualification_waits_for_no_hand() -> None:
    """47, FP-16: the hand that it was allowed and never began keeps nobody from the final table."""
    tournament = Directed(4, seats=3)
    assert tournament.sizes == [2, 2]
    alone, gone = tournament.at(2)
    done(tournament.course.ask(SUPERVISOR, disqualify(gone.removeprefix("entry-"))))
    tournament._hear(heard.HearDisqualified(sitting=tournament.play.sittings[gone], chips=10_000), None)
    tournament.round()
    assert list(tournament.play.tables) == [1]
    assert sorted(tournament.play.tables[1].entries.values()) == sorted({*tournament.play.stacks} - {gone})
    assert alone in tournament.play.places
    assert tournament.play.tables[1].allowed > tournament.play.tables[1].ended


def test_one_round_is_one_hand_whatever_happens_in_it() -> None:
    """50, FP-16: a disqualification between two tables' eliminations makes no two hands of it."""
    tournament = near_the_money()
    tournament.becomes(tournament.at(1)[0], 9_000)
    for table in (2, 3):
        tournament.hand(table)
    small, big = tournament.at(1)[0], tournament.at(2)[0]
    for table in (1, 2, 3):
        tournament.deal(table)
    tournament.finish(2, big)
    barred = tournament.at(3)[0]
    done(tournament.course.ask(SUPERVISOR, disqualify(barred.removeprefix("entry-"))))
    tournament.finish(3)
    tournament._hear(heard.HearDisqualified(sitting=tournament.play.sittings[barred], chips=10_000), None)
    tournament.finish(1, small)
    first = {event.entry: event.first for event in tournament.of(play.EntryEliminated)}
    assert first[small] > first[big], "the smaller stack at the start of the round"


def test_in_a_round_nobody_changes_table() -> None:
    """49, FP-8: who has played the round would play it once more."""
    tournament = near_the_money(hand_for_hand_at=2, least=7)
    barred = tournament.at(2)[0]
    done(tournament.course.ask(SUPERVISOR, disqualify(barred.removeprefix("entry-"))))
    for table in (1, 2, 3):
        tournament.hand(table)
    tournament._hear(heard.HearDisqualified(sitting=tournament.play.sittings[barred], chips=10_000), None)
    assert tournament.sizes == [3, 2, 3]
    tournament.deal(1)
    tournament.finish(1)
    mover = tournament.at(1)[0].removeprefix("entry-")
    done(tournament.course.ask(SUPERVISOR, asked.MovePlayer(player=mover, table=2, reason="too loud")))
    assert not tournament.of(play.EntryMoves)
    for table in (2, 3):
        tournament.hand(table)
    assert [event.player for event in tournament.of(play.EntryMoves)] == [mover]


def test_bounties_are_credited_in_the_mode_of_the_prizes() -> None:
    """54: in the mode at_end nothing is credited before the end, also of a tournament that is cancelled."""
    for over in (True, False):
        buy_in = {"amount": 3_000, "prize": 2_000, "bounty": 1_000}
        tournament = Directed(3, seats=3, buy_in=buy_in, prizes_paid="at_end")
        loser, *_, winner = tournament.at(1)
        tournament.deal(1)
        tournament.wins(1, 1, ([winner, loser], [winner]))
        tournament.ends(1, {loser: 0, winner: 20_000})
        assert tournament.course.credited() == {}
        if over:
            while tournament.course.state.phase == "running":
                out = tournament.at(1)[0]
                tournament.deal(1)
                tournament.wins(1, tournament.play.tables[1].allowed, ([winner, out], [winner]))
                tournament.finish(1, out)
        else:
            done(tournament.course.ask(FLOOR, FAULT))
            done(tournament.course.ask(SUPERVISOR, asked.ConfirmCancellation(sheet=1)))
        bounties = [due for due in tournament.of(told.CreditsDue) if any(each.bounty for each in due.credits)]
        assert len({due.at for due in bounties}) == 1, "all together"
        won = {each.entry: each.bounty for each in bounties[-1].credits if ".bounty." in each.credit}
        assert won == {winner: 3_000 if over else 1_000}
        assert tournament.course.state.held.total == 0


def test_nobody_enters_once_the_time_is_up() -> None:
    """52, FP-10: a full stack that plays no hand would be ranked by its chips."""
    tournament = Directed(3, seats=3, levels=LEVELS, lasts_ms=MINUTE, late_entry={"level": 3})
    tournament.deal(1)
    refused = tournament.course.register("late", tournament.now + MINUTE)
    assert why(refused) == ("registration_closed", "pt-810-2015#23")


def test_what_the_house_says_itself_takes_no_notice_from_the_staff() -> None:
    tournament = Directed(3, levels=[{**LEVELS[0], "lasts_ms": 60 * MINUTE}])
    before = tournament.course.state.notices
    done(tournament.course.ask(FLOOR, asked.GiveNotice(text="Dinner is served.")))
    assert tournament.course.state.notices == before + 1
    for _ in range(6):
        tournament.now += 120_000
        tournament.course.wake(tournament.now)
    assert [event.by for event in tournament.of(told.NoticeGiven)].count("house") == 1
    assert tournament.course.state.notices == before + 1


def test_one_person_does_not_spend_all_notices() -> None:
    """Found by an attacker (issue 11): after 200 of one of the floor nobody could tell the players anything."""
    tournament = Directed(3, levels=[{**LEVELS[0], "lasts_ms": 60 * MINUTE}])
    for number in range(50):
        done(tournament.course.ask(FLOOR, asked.GiveNotice(text=f"Dinner {number}")))
    other_spelling = Principal("staff", FLOOR.id.upper())
    for person in (FLOOR, other_spelling):
        assert why(tournament.course.ask(person, asked.GiveNotice(text="Dinner")))[0] == "too_many_notices"
    done(tournament.course.ask(SUPERVISOR, asked.GiveNotice(text="Now, please.")))
