"""T-16: an absent player is blinded off at a real table, hand by hand."""

import re
from typing import TYPE_CHECKING, Any

from libs.cards.card import parse_all
from libs.contracts.messages import Principal
from libs.contracts.poker_events import BlindPosted, CardsShown, HandStarted, PlayerChecked, PlayerFolded
from libs.contracts.table_commands import ChangeConfiguration, SitOut
from libs.contracts.tournament_commands import OpenTournamentTable, SeatEntrant
from libs.contracts.tournament_tables import table_name
from services.cli.replaying.play import Outcome, Replay, stacked, told
from services.table.domain.table.state import Table
from services.tournament.domain.play.prizes import Prize, prizes_of
from services.tournament.domain.play.ranking import Bust, places_out

if TYPE_CHECKING:
    from services.cli.replaying.tournament.play import WorkedCase

_ORGANISER = Principal("tournament", "replay")
_OTHERS = 50_000
"""Chips of who is there; the case does not say."""


def blinded_off(case: "WorkedCase", outcome: Outcome) -> None:
    setup, expected = case.setup, case.expected
    absent = next(seat for seat, player in setup["seats"].items() if player == setup["absent"])
    posts, stacks = expected["posts_of_P3"], expected["stack_after_hand"]
    levels = [tuple(map(int, blinds)) for blinds in re.findall(r"(\d+)/(\d+)", setup["blinds"])]
    change = int(re.findall(r"from hand (\d+)", setup["blinds"])[0])
    given_up = int(re.findall(r"except in hand (\d+)", setup["others"])[0])
    replay = Replay(_table(case, levels[0], absent), outcome, _deck(case, absent))
    for hand in posts:
        if hand == change:
            replay.demand("the next level", _ORGANISER, ChangeConfiguration(configuration=_values(2, levels[1])))
        before = len(replay.told)
        replay.wake()
        replay.wake()
        plan = "showdown" if hand == max(posts) else "fold" if hand == given_up else "raise"
        while replay.state.hand is not None:
            plan = _act(replay, absent, plan)
        here = replay.told[before:]
        started = next(event for event in here if isinstance(event, HandStarted))
        if hand == min(posts):
            outcome.compare("button of the first hand", setup["button_of_hand_1"], started.button)
        outcome.compare(f"hand {hand} is dealt to", sorted(setup["seats"]), sorted(s.seat for s in started.seats))
        posted = sum(e.amount for e in here if isinstance(e, BlindPosted) and e.seat == absent)
        outcome.compare(f"hand {hand} posts", posts[hand], posted)
        if hand in stacks:
            outcome.compare(f"stack after hand {hand}", stacks[hand], replay.state.seats[absent].stack)
        acts = [e for e in here if isinstance(e, PlayerFolded | PlayerChecked) and e.seat == absent]
        outcome.compare(f"hand {hand} is acted by", {"house"} if acts else set(), {event.actor for event in acts})
    shown = any(isinstance(event, CardsShown) for event in here)
    outcome.compare("the last hand: not folded, to the showdown", (False, True), (bool(acts), shown))
    outcome.compare("the last hand is lost", 0, replay.state.seats[absent].stack)
    places = places_out([Bust(setup["absent"], "last", stacks[max(stacks)])], setup["players_left"])
    ladder = [Prize(setup["prizes"][place]) for place in sorted(setup["prizes"])]
    won = prizes_of(places, ladder, list(places))
    got = {"place": str(places[setup["absent"]]), "prize": won[setup["absent"]].money}
    outcome.compare("", expected["if_hand_14_is_lost"], got)
    outcome.events = len(replay.told)


def _act(replay: Replay, absent: int, plan: str) -> str:
    """Somebody raises and the others fold; or all fold; or all go to the showdown."""
    turn = replay.state.hand.turn
    if turn is None or turn.seat == absent:
        replay.wake()
        return plan
    if plan == "raise" and turn.legal.min_to is not None:
        replay.act(turn.seat, "raise", turn.legal.min_to)
        return "fold"
    act = "fold" if plan == "fold" else "check" if turn.legal.check else "call"
    replay.act(turn.seat, act, None)
    return plan


def _values(version: int, blinds: tuple[int, ...]) -> dict[str, Any]:
    small, big = blinds
    return {
        "version": version, "structure": "no_limit", "seats": 9, "small_blind": small, "big_blind": big,
        "between_hands_ms": 0, "first_button": "lowest_seat",
    }  # fmt: skip


def _table(case: "WorkedCase", blinds: tuple[int, ...], absent: int) -> Any:
    opening = OpenTournamentTable(name=case.title[:80], rulebook="common-holdem", configuration=_values(1, blinds))
    state = told(Table(table=table_name(_ORGANISER.id, 1)), _ORGANISER, opening)
    for seat, player in case.setup["seats"].items():
        chips = case.setup[f"stack_of_{player}"] if seat == absent else _OTHERS
        entrant = SeatEntrant(reservation=f"e{seat}", player=player, seat=seat, chips=chips)
        state = told(state, _ORGANISER, entrant)
    return told(state, Principal("player", case.setup["absent"]), SitOut())


def _deck(case: "WorkedCase", absent: int) -> Any:
    """The absent player's cards lose whoever holds the others: only the last hand comes to a showdown."""
    seats = sorted(case.setup["seats"])
    holes = {seat: parse_all(cards) for seat, cards in zip(seats, ("As Ah", "Ks Kh", "Qs Qh"), strict=False)}
    holes[absent] = parse_all("2c 3d")
    last = seats[seats.index(absent) - 1]
    around = [seat for seat in seats if seat > last] + [seat for seat in seats if seat <= last]
    return stacked(
        [holes[seat] for seat in around], [parse_all("Ad 9s 8h"), parse_all("7c"), parse_all("Jd")], burn=True
    )
