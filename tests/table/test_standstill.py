"""The house fails and is back, as it runs: from when to when it stood still it reads from its own signs of life.

What it interrupted for too long is void; else nobody's time ran out meanwhile. One answer for all games, and for
whatever comes first, a command or the timer.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from libs.contracts.baccarat_commands import PlaceStake
from libs.contracts.commands import Command
from libs.contracts.no_draw_poker_commands import DecideHand, PlaceAnte
from libs.contracts.no_draw_poker_events import AntesExtended
from libs.contracts.poker_events import HandVoided
from libs.contracts.table_commands import LeaveTable, RequestTopUp, SitOut
from libs.contracts.table_events import STANDSTILL
from libs.journal.log import LogUnavailable
from services.table.domain.table.waking import next_wake
from tests.table.baccarat.play import CoupTable
from tests.table.casino.play import CASINO_HOLDEM, STREETS, led
from tests.table.deadlines import scenarios
from tests.table.house_down import House, played
from tests.table.no_draw.play import NoDraw
from tests.table.play import MACAU, PORTUGAL, TableUnderTest
from tests.table.under_test import player_principal
from tests.testkit.cases import Case

rule = pytest.mark.rule
NO_DRAW, BACCARAT = "pt-803-2015-no-draw", "pt-812-2015-baccarat"
LIMIT, LONG = 120_000, 300_000
WARNED = ["PlayerInvitedToLeave", "PlayerWarned"]
VOID = {"HandVoided", "RoundVoided", "CoupVoided"}


async def down(house: House, failure: int, back: int) -> None:
    """It fails, and is back; what it does then has been done."""
    await house.at(failure)
    house.fail()
    await house.at(back)
    await house.up()
    await house.over()


def hand(rulebook: str = PORTUGAL, **changes: Any) -> TableUnderTest:
    """Dealt: the first to act has 20 s."""
    return TableUnderTest(rulebook, between_hands_ms=1_000, **changes).seat(1, 2, 3, 4).later(1_000)


def bets(house: House, *commands: Command, ms: int = 10_000) -> Any:
    async def placed() -> None:
        await house.at(ms)
        for seat, command in enumerate(commands, 1):
            house.ask(player_principal(f"p{seat}"), command)
        await house.over()

    return placed()


# Each leads a house to where a round runs, and tells when it then fails.


async def at_poker(house: House) -> int:
    return 10_000


async def at_no_draw(house: House) -> int:
    """Cards at 20 s; they are to be decided on until 40 s."""
    await bets(house, *[PlaceAnte(amount=100)] * 2)
    return 25_000


async def at_baccarat(house: House) -> int:
    await bets(house, PlaceStake(chance="ponto", amount=1_000))
    return 15_000


GAMES: list[Any] = [
    pytest.param(hand, at_poker, id="omaha", marks=rule("pt-811-2015", "72")),
    pytest.param(lambda: hand("pt-217-2007-holdem"), at_poker, id="holdem", marks=rule("pt-217-2007", "FP-4")),
    pytest.param(lambda: hand(MACAU), at_poker, id="macau", marks=rule("mo-97-2010", "9.2")),
    pytest.param(lambda: NoDraw().seat(1, 2), at_no_draw, id="no-draw", marks=rule(NO_DRAW, "33")),
    pytest.param(lambda: CoupTable().seat(1), at_baccarat, id="baccarat", marks=rule(BACCARAT, "29")),
    # A clock that outlasts the limit.
    pytest.param(lambda: hand(time_bank_ms=LONG), at_poker, id="omaha, long", marks=rule("pt-811-2015", "72")),
    pytest.param(
        lambda: NoDraw(decision_ms=LONG).seat(1, 2), at_no_draw, id="no-draw, long", marks=rule(NO_DRAW, "33")
    ),
    pytest.param(
        lambda: CoupTable(betting_ms=LONG).seat(1), at_baccarat, id="baccarat, long", marks=rule(BACCARAT, "29")
    ),
]
ASKED: dict[str, Callable[[], Command] | None] = {
    "nobody": None,
    "who sits out": lambda: SitOut(on_break=False),
    "who leaves": LeaveTable,
}


@pytest.mark.parametrize("asks", list(ASKED))
@pytest.mark.parametrize("late", [-1, 0, 1])
@pytest.mark.parametrize(("table", "lead"), GAMES)
def test_the_limit_counts_from_the_failure_whoever_comes_first(table: Any, lead: Any, late: int, asks: str) -> None:
    """What lay in the log before the house was back comes before its timer; who asks then comes after.

    First of all the round is void, so what is asked is decided without it.
    """
    make = ASKED[asks]

    def told(asked_at: int) -> list[str]:
        async def script(house: House) -> list[str]:
            failure: int = await lead(house)
            back = failure + LIMIT + late
            await house.at(failure)
            house.fail()
            for moment in (back - 1, back):
                await house.at(moment)
                if make is not None and asked_at == moment - back:
                    house.ask(player_principal("p1"), make())
            await house.up()
            await house.over()
            if make is not None and asked_at > 0:
                house.ask(player_principal("p1"), make())
                await house.over()
            return house.names

        subject = table()
        assert subject.state.rules.timing.resume_ms == LIMIT
        return played(subject, script)

    for asked_at in (-1, 0, 1) if make is not None else (0,):
        names = told(asked_at)
        assert bool(VOID & set(names)) is (late >= 0)
        assert late < 0 or names[0] in VOID


@pytest.mark.parametrize("phase", [1, 250, 500, 999])
@pytest.mark.parametrize(("table", "lead"), GAMES)
def test_a_failure_is_known_to_a_second(table: Any, lead: Any, phase: int) -> None:
    """By the last sign of life, which was `phase` milliseconds before: never is the house given more than the limit."""

    def void(back: int) -> bool:
        async def script(house: House) -> bool:
            failure = await lead(house)
            await down(house, failure + phase, failure + back)
            return bool(VOID & set(house.names))

        return played(table(), script)

    assert [void(LIMIT - 1), void(LIMIT)] == [False, True]


def minute_of(case: Case) -> int:
    return case.moment("ends") - case.moment("warned")


def warned_in_a_standstill(table: Any, minute: int, at: int, command: Command) -> None:
    """Warned anew, for the whole minute, in which what is asked is taken; and so is what was asked meanwhile."""

    def warned_anew(failure: int, back: int) -> Callable[[House], Awaitable[None]]:
        async def script(house: House) -> None:
            await down(house, failure, back)
            assert house.names == WARNED
            await house.at(back + at)
            house.ask(player_principal("p1"), command)
            await house.over()
            assert house.answers() == [None]

        return script

    async def before(house: House) -> None:
        await house.at(10_000)
        house.fail()
        for moment in (minute + 1, minute + 500, minute + LIMIT):
            await house.at(moment)
            house.ask(player_principal("p2"), SitOut(on_break=False))
        house.ask(player_principal("p1"), command)
        await house.up()
        await house.over()
        assert house.answers()[-1] is None
        assert "PlayerLeft" not in house.names

    async def stood(house: House) -> None:
        await house.at(minute)
        await house.over()
        await house.at(minute + 1_000)
        assert "PlayerLeft" in house.names

    # The minute is over while the house stands still, be it in the millisecond in which it is back.
    for play in (warned_anew(10_000, minute + LIMIT), warned_anew(10_000, minute), before, stood):
        subject = table()
        assert next_wake(subject.state) == subject.now + minute
        played(subject, play)


@rule(NO_DRAW, "42/1")
def test_no_draw_gives_the_minute_again_after_a_standstill(case: Case) -> None:
    at = case.moment("ante") - case.moment("warned")
    warned_in_a_standstill(scenarios.idle_and_warned_at_no_draw, minute_of(case), at, PlaceAnte(amount=100))


@rule(BACCARAT, "36/1")
def test_baccarat_gives_the_minute_again_after_a_standstill(case: Case) -> None:
    at, stake = case.moment("bet") - case.moment("warned"), PlaceStake(chance="ponto", amount=500)
    warned_in_a_standstill(scenarios.idle_and_warned_at_baccarat, minute_of(case), at, stake)


@rule("pt-811-2015", "71/5")
def test_poker_gives_the_waiting_time_again_after_a_standstill(case: Case) -> None:
    again = case.int("again") * 1000
    table: TableUnderTest = scenarios.short_stack_warned()
    (seat,) = [seat for seat, sitter in table.state.seats.items() if sitter.notice is not None]
    assert (table.state.seats[seat].stack, seat) == (case["stack"], 1)
    assert table.state.rules.timing.waiting_ms == case.int("seconds") * 1000
    top_up = RequestTopUp(top_up="again", amount=5_000)
    warned_in_a_standstill(scenarios.short_stack_warned, again, again - 1, top_up)


def betting(bet: int) -> TableUnderTest:
    """On the flop somebody has bet, and the next is asked."""
    table = TableUnderTest(big_blind=bet, small_blind=bet // 2, buy_in=100 * bet, top_up_to=100 * bet).seat(1, 2, 3)
    table.deal(button=1).plays("1 call", "2 call", "3 check", f"2 bet {bet}")
    return table


@rule("pt-811-2015", "45/2")
def test_a_standstill_of_ours_is_no_time_of_a_player(case: Case) -> None:
    """Where the clock ended while the house stood still it begins anew, be it by a millisecond; else it is over."""
    clock = case.int("seconds") * 1000

    async def stood(house: House) -> None:
        await down(house, clock - 5_000, clock + 1)
        assert house.names == ["DecisionAwaited"]
        assert house.state.hand.turn.until == house.now() + clock

    async def alive(house: House) -> None:
        house.told.clear()
        await house.at(clock + 2)
        await house.over()
        assert house.names[0] == "PlayerFolded"

    played(betting(case.int("bet")), stood)
    played(betting(case.int("bet")), alive)


async def unsigned(house: House, failure: int, back: int) -> None:
    """Down, and somebody writes another position, without a mark and so without a sign that counts."""
    await house.at(failure)
    house.fail()
    house.broker.beside.update(dict.fromkeys(house.broker.beside, str(house.now())))
    await house.at(back)
    await house.up()
    await house.over()


def test_without_a_true_sign_no_clock_runs_out_and_no_hand_is_void_for_it() -> None:
    """Whoever takes the sign away can neither have a player folded nor a hand be void: how long is not known."""
    table = betting(200)
    clock = table.state.rules.timing.decision_ms

    async def stood(house: House) -> None:
        await unsigned(house, clock - 5_000, clock + 1)
        assert house.names == ["DecisionAwaited"]
        assert house.state.hand.turn.until == house.now() + clock

    async def long(house: House) -> None:
        await unsigned(house, 10_000, 10_000 + LIMIT)
        assert house.names == []

    async def proved(house: House) -> None:
        await unsigned(house, clock - 5_000, 10 * LIMIT)
        assert house.names[0] == "HandVoided"

    played(table, stood)
    played(hand(time_bank_ms=LONG), long)
    played(betting(200), proved)


@rule("pt-811-2015", "72/1")
def test_a_hand_that_is_found_too_late_is_void(case: Case) -> None:
    put_in = case.ints("put_in")
    table = TableUnderTest(small_blind=put_in[1], buy_in_min=1_000, buy_in_max=10_000, between_hands_ms=60_000)
    table.seat(**{f"s{seat}": stack for seat, stack in enumerate(case.ints("stacks"), 1)})
    table.now += 60_000
    table.deal(button=1).plays(f"1 raise {put_in[0]}", "2 fold", "3 call")

    async def script(house: House) -> None:
        await down(house, 10_000, 10_000 + LIMIT)
        (voided,) = house.told
        assert isinstance(voided, HandVoided)
        assert (voided.by, voided.cause) == ("house", STANDSTILL)
        assert [refund.amount for refund in voided.refunds] == put_in
        assert [seat.stack for _, seat in sorted(house.state.seats.items())] == case.ints("stacks")
        assert house.state.books.raked == case["rake"] == case["staked"]

    played(table, script)


@rule("pt-217-2007", "FP-4/1")
def test_a_hand_lost_for_longer_than_the_resume_limit_gives_every_bet_back(case: Case) -> None:
    put_in = dict(enumerate(case.ints("contributions"), 1))
    stacks = {1: 20_000, 2: 20_000, 3: put_in[3], 4: 20_000}
    least, most = min(stacks.values()), max(stacks.values())
    table = TableUnderTest(
        CASINO_HOLDEM, rebuy=None, rake_bp=500, buy_in_min=least, buy_in_max=most, between_hands_ms=60_000
    )
    table.seat(**{f"s{seat}": stack for seat, stack in stacks.items()})
    table.now += 60_000
    led(table, 1).plays("3 call", "4 fold", "1 call", "2 check", "1 bet 400", "2 call", "3 call")
    assert table.hand.street == STREETS[case.int("round") - 1]
    assert {player.seat: player.committed for player in table.hand.players.values() if player.committed} == put_in

    async def script(house: House) -> None:
        await down(house, 10_000, 10_000 + LIMIT)
        voided = house.told[0]
        assert isinstance(voided, HandVoided)
        assert {refund.seat: refund.amount for refund in voided.refunds if refund.amount} == put_in
        assert (voided.by, voided.cause) == ("house", STANDSTILL)
        assert house.state.books.raked == case["rake"]
        assert {seat: sitter.stack for seat, sitter in house.state.seats.items()} == stacks

    played(table, script)


@rule("pt-811-2015", "72/2")
def test_a_hand_that_is_restored_in_time_goes_on_as_it_was(case: Case) -> None:
    table = betting(100)

    async def script(house: House) -> None:
        before = house.state.hand
        await down(house, 8_000, 8_000 + case.int("seconds") * 1000)
        assert house.names == []
        assert house.state.hand == before

    played(table, script)


@rule(NO_DRAW, "33")
def test_no_sign_of_life_is_no_standstill_while_the_log_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The group takes no offset, and so no sign, for longer than the limit; commands come and are decided."""

    async def refused(*_: object) -> None:
        raise LogUnavailable

    async def script(house: House) -> None:
        failure = await at_no_draw(house)
        await house.at(failure)
        with monkeypatch.context() as patched:
            patched.setattr(house.source, "commit", refused)
            await house.at(failure + LIMIT + 20_000)
        await house.at(failure + LIMIT + 60_000)
        house.ask(player_principal("p1"), LeaveTable())
        await house.over()
        assert "HandSurrendered" in house.names
        assert not VOID & set(house.names)

    played(NoDraw(decision_ms=LONG).seat(1, 2), script)


def after_ten(case: Case, name: str) -> int:
    """Milliseconds after 10:00:10.000, when the betting opens: the cards come at 10:00:30.000."""
    return case.moment(name) - 36_010_000


@rule(NO_DRAW, "33/2", "33/3")
def test_back_in_time_the_round_goes_on_and_later_it_is_void_for_good(case: Case) -> None:
    """The cards come at 10:00:30.000, and nothing happens until the failure at 10:00:35.000."""
    failure, seat, ante = after_ten(case, "failure"), case.int("undecided"), 100
    assert NoDraw().state.rules.timing.resume_ms == case.int("limit") * 1000

    async def lead(house: House, back: int) -> None:
        await house.at(10_000)
        for each in (3, seat):
            house.ask(player_principal(f"p{each}"), PlaceAnte(amount=ante))
        await house.at(21_000)
        assert house.names[-1] == "HandsAwaited"
        await down(house, failure, back)

    async def in_time(house: House) -> None:
        await lead(house, after_ten(case, "back"))
        (again,) = house.told
        assert [choice.seat for choice in again.choices] == [3, seat]  # type: ignore[attr-defined]
        assert again.until - house.now() >= case.int("time")  # type: ignore[attr-defined]
        for each in (3, seat):
            house.ask(player_principal(f"p{each}"), DecideHand(round=1, decision="fold"))
        await house.over()
        assert "RoundSettled" in house.names

    async def late(house: House) -> None:
        await lead(house, after_ten(case, "late"))
        (voided,) = [event for event in house.told if type(event).__name__ in VOID]
        assert voided.by == "house"  # type: ignore[attr-defined]
        assert {refund.seat: refund.amount for refund in voided.refunds} == {3: ante, seat: ante}  # type: ignore[attr-defined]
        assert [sitter.stack for sitter in house.state.seats.values()] == [10_000, 10_000]
        house.ask(player_principal(f"p{seat}"), DecideHand(round=1, decision="continue"))
        await house.at(after_ten(case, "late") + 100_000)
        assert house.answers()[-1] == "wrong_round"
        assert not {"RoundSettled", "HandsAwaited"} & set(house.names)

    for script in (in_time, late):
        played(NoDraw().seat(3, seat), script)


@rule(NO_DRAW, "33")
@pytest.mark.parametrize("back", [19_999, 20_000, 15_000 + LIMIT - 1])
def test_bets_that_the_house_interrupted_are_open_for_their_whole_time_again(back: int) -> None:
    async def script(house: House) -> None:
        await bets(house, *[PlaceAnte(amount=100)] * 2)
        await down(house, 15_000, back)
        (extended,) = house.told
        assert isinstance(extended, AntesExtended)
        assert extended.until == house.now() + 20_000

    played(NoDraw(betting_ms=20_000).seat(1, 2), script)


@rule(BACCARAT, "29/3")
def test_a_coup_is_dealt_in_time_and_later_it_is_void_for_good(case: Case) -> None:
    """Bets are open since 10:00:00.000, and would be until half a second after the failure."""
    opened = case.moment("failure") - 21_000
    assert CoupTable().state.rules.timing.resume_ms == case.int("limit") * 1000, "as it ships"

    async def lead(house: House, back: str) -> None:
        await house.at(10_000)
        house.ask(player_principal("p1"), PlaceStake(chance="ponto", amount=case["credited"] - 200))
        house.ask(player_principal("p1"), PlaceStake(chance="empate", amount=200))
        await down(house, case.moment("failure") - opened, case.moment(back) - opened)

    async def in_time(house: House) -> None:
        await lead(house, "back")
        await house.at(case.moment("back") - opened + 1_000)
        assert "CoupSettled" in house.names
        assert not VOID & set(house.names)

    async def late(house: House) -> None:
        await lead(house, "late")
        voided: Any = house.told[0]
        assert (voided.by, voided.cause, voided.refunds[0].amount) == ("house", STANDSTILL, case["credited"])
        assert house.state.seats[1].stack == 10_000
        await house.at(case.moment("late") - opened + 100_000)
        assert not {"CoupDealt", "CoupSettled"} & set(house.names)

    for script in (in_time, late):
        played(CoupTable(betting_ms=21_500).seat(1), script)


@rule(BACCARAT, "29")
@pytest.mark.parametrize("stood", [False, True])
def test_no_refund_however_long_a_single_player_waited_before_leaving(stood: bool) -> None:
    """Staked, and nothing more for minutes: who then leaves is dealt to (34), and gets nothing back.

    No clock runs and no card is to come, so a standstill of the house meanwhile interrupts nothing.
    """

    async def script(house: House) -> None:
        await bets(house, PlaceStake(chance="ponto", amount=1_000), ms=1_000)
        await house.at(100_000)
        house.ask(player_principal("p1"), PlaceStake(chance="ponto", amount=1_000))
        if stood:
            await down(house, 110_000, 110_000 + LIMIT)
        await house.at(270_000)
        house.ask(player_principal("p1"), LeaveTable())
        await house.at(271_000)
        assert "CoupSettled" in house.names
        assert not VOID & set(house.names)

    played(CoupTable(mode="single").seat(1), script)


@rule(NO_DRAW, "33")
@pytest.mark.parametrize(("away", "void"), [(119_000, False), (121_000, True)])
def test_a_log_that_is_away_is_a_standstill_too(away: int, void: bool) -> None:
    """The process lives on, and nothing that it writes arrives. Before it decides what lay in the log it knows."""

    async def script(house: House) -> None:
        failure = await at_no_draw(house)
        await house.at(failure)
        house.told.clear()
        house.cut_off()
        await house.at(failure + 1_000)
        house.ask(player_principal("p1"), LeaveTable())
        await house.at(failure + away)
        house.reconnect()
        await house.at(failure + away + 3_000)
        assert (house.names[0] == "RoundVoided") is ("RoundVoided" in house.names) is void
        assert ("HandsAwaited" in house.names) is not void

    played(NoDraw().seat(1, 2), script)
