"""More chips for who is in: rebuys and add-ons, and who without chips may still decide for one (pt-810-2015 21, 23, 31,
44, FP-2, FP-3).

The moment of asking decides about the window; stack and balance are looked at when it is carried out, between hands.
"""

from collections.abc import Iterator
from typing import Literal

from libs.contracts import tournament_play_events as told
from libs.contracts import tournaments_commands as asked
from libs.contracts.facts import taken
from libs.contracts.tournaments_commands import TournamentsReason as Reason
from libs.contracts.tournaments_events import PaymentFailed, PurchaseNoted
from libs.decider import Rejected
from services.tournament.domain.levels import clock_of, window_of
from services.tournament.domain.money import ask_for
from services.tournament.domain.play import memory
from services.tournament.domain.play.clock import Window, rebuy_deadline
from services.tournament.domain.play.memory import Play
from services.tournament.domain.play.ranking import Bust
from services.tournament.domain.rejections import rejected
from services.tournament.domain.state import Entry, Tournament, Wish
from services.tournament.domain.story import Story

More = Literal["rebuy", "add_on"]
_BOTH: tuple[More, More] = ("rebuy", "add_on")
_DECIDE_MS = 30_000
"""Where an add-on alone can save who has no chips: the same as the rebuy's usual time (reading of 31)."""


def request_rebuy(command: asked.RequestRebuy, story: Story) -> Rejected | None:
    return _request(story, "rebuy", command.payment)


def request_add_on(command: asked.RequestAddOn, story: Story) -> Rejected | None:
    return _request(story, "add_on", command.payment)


def decline_rebuy(command: asked.DeclineRebuy, story: Story) -> Rejected | None:
    for bust in _deciding(story.state):
        entry = story.state.entries[bust.entry]
        if entry.player == story.by:
            story.tell(taken(told.RebuyDeclined, entry, reason="asked"))
            return None
    return rejected(Reason.NOTHING_TO_DECLINE)


def _request(story: Story, bought: More, payment: str) -> Rejected | None:
    state, entry = story.state, story.state.entry_of(story.by)
    window = window_of(state, bought)
    if state.phase != "running" or window is None or not window.holds(_position(story, entry)):
        return rejected(Reason.WINDOW_CLOSED)
    if entry is None or any(bust.entry == entry.entry and not bust.pending for bust in state.play.broke):
        return rejected(Reason.NOT_REGISTERED)  # out, also where the place waits for somebody else's decision
    if story.by in state.excluded:
        return rejected(Reason.PLAYER_EXCLUDED, "FP-16")
    if state.is_buying(entry.entry):
        return rejected(Reason.ALREADY_ASKED)
    if payment in state.used:
        return rejected(Reason.ENTRY_USED)
    if not _may_have_another(state, entry, bought):
        return rejected(Reason.LIMIT_REACHED, "FP-2" if bought == "rebuy" else "FP-3")
    wish = Wish(payment, bought, entry.entry, entry.player)
    if not _between_hands(state.play, entry.entry):
        story.tell(taken(PurchaseNoted, wish))
    elif _has_too_much(state, wish):
        return rejected(Reason.STACK_ABOVE_LIMIT)
    else:
        _carry_out(story, wish)
    return None


def _position(story: Story, entry: Entry | None) -> int:
    """At which is asked; -1, in no window: while the clock stands nobody asks but who decides (23)."""
    clock = clock_of(story)
    for bust in _deciding(story.state):
        if entry is not None and bust.entry == entry.entry:
            return clock.running(bust.at).position(story.now)
    return clock.position(story.now) if clock.stopped is None else -1


def carry_out(story: Story) -> None:
    """What was asked while a hand ran and is possible by now; what is not comes to nothing (FP-2)."""
    for wish in list(story.state.wishes.values()):
        if not _between_hands(story.state.play, wish.entry):
            continue
        if _has_too_much(story.state, wish):
            story.tell(taken(PaymentFailed, wish, reason=Reason.STACK_ABOVE_LIMIT.value))
        else:
            _carry_out(story, wish)


def offer(story: Story) -> None:
    """Who has just lost the last chip, and may buy more: the place waits (31)."""
    state = story.state
    for bust in state.play.broke:
        entry = state.entries[bust.entry]
        until = _deadline(state, bust)
        if not bust.pending and (until is not None or state.is_buying(bust.entry)):
            story.tell(taken(told.RebuyOffered, entry, until=until or story.now))


def expire(story: Story) -> None:
    """Whose time to decide is over; an answer of the wallet, or of the hand, goes before."""
    for bust in _deciding(story.state):
        if story.is_due(_deadline(story.state, bust) or 0):
            story.tell(taken(told.RebuyDeclined, story.state.entries[bust.entry], reason="time"))


def decisions_due(state: Tournament) -> Iterator[int]:
    """When the time to decide ends, of each who has it, milliseconds since the epoch."""
    if state.phase == "running":
        yield from (_deadline(state, bust) or 0 for bust in _deciding(state))


def tables_waiting(state: Tournament) -> set[int]:
    """Where somebody buys chips, or is not out yet and has none or must go: nobody moves there, and nobody comes."""
    entries = {*(bust.entry for bust in state.play.broke), *state.play.leaving}
    entries |= {payment.entry for payment in state.pending.values()}
    return {state.play.places[entry].table for entry in entries if entry in state.play.places}


def tables_paying(state: Tournament) -> set[int]:
    """Where the next hand waits for the wallet: what is bought lies there then."""
    paying = (payment.entry for payment in state.pending.values())
    return {state.play.places[entry].table for entry in paying if entry in state.play.places}


def _carry_out(story: Story, wish: Wish) -> None:
    rules = story.rules
    offered = rules.rebuy if wish.bought == "rebuy" else rules.add_on
    assert offered is not None, "nobody may ask for what is not offered"
    number = story.state.play.places[wish.entry].table
    table = story.state.play.tables[number]
    if table.begun < table.allowed and story.state.play.stacks[wish.entry]:
        story.tell(told.HandsHeld(table=number))
    ask_for(story, wish.bought, wish.payment, wish.entry, wish.player, offered.chips)


def _between_hands(play: Play, entry: str) -> bool:
    """As far as we have heard; where a hand has just begun all the same, the chips come when it is over."""
    place = play.places.get(entry)
    if place is None or entry in play.moving:
        return False
    table = play.tables[place.table]
    return table.begun == table.ended or not play.stacks[entry]


def _has_too_much(state: Tournament, wish: Wish) -> bool:
    return wish.bought == "rebuy" and state.play.stacks[wish.entry] > state.rules.starting_stack


def _may_have_another(state: Tournament, entry: Entry, bought: More) -> bool:
    if entry.player in state.excluded:
        return False
    rebuy = state.rules.rebuy
    most = 1 if bought == "add_on" else rebuy.most if rebuy is not None else 0
    return not most or state.bought_by(entry.player, bought) < most


def _deciding(state: Tournament) -> list[Bust]:
    return [bust for bust in state.play.broke if bust.pending and not state.is_buying(bust.entry)]


def _deadline(state: Tournament, bust: Bust) -> int | None:
    """None: there was nothing to wait for when the hand was over. A pause puts off no decision: what was left of the
    windows then goes by."""
    entry, rebuy, clock = state.entries[bust.entry], state.rules.rebuy, memory.clock_of(state.play)
    offered = (window_of(state, bought) for bought in _BOTH if _may_have_another(state, entry, bought))
    windows: list[Window] = [window for window in offered if window is not None]
    allowed = rebuy.time_ms if rebuy is not None else _DECIDE_MS
    return rebuy_deadline(clock.running(bust.at), bust.at, bust.position, allowed, windows)
