"""What a human dealer's word cost the players: void hands, raises, pots, hands taken out, large acts entered for them
(pt-217-2007 53, 69 to 71, 91).

Each is told with its dealer: who counts them sees who profits.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from libs.contracts.facts import Fact, HandEvent
from libs.contracts.live_events import (
    CardScanned,
    DealerAssigned,
    HeldAct,
    IncidentRecorded,
    LiveDealOpened,
    SupervisorDecided,
    WinnerAnnounced,
)
from libs.contracts.messages import PublicEvent
from libs.contracts.people import person_of
from libs.contracts.poker_events import (
    BetPlaced,
    DecisionAwaited,
    HandEnded,
    HandVoided,
    PlayerChecked,
    PlayerFolded,
    StreetDealt,
)
from services.audit.verifying.dealt import FaceUp, PublicDecks, TakenOut
from services.audit.verifying.findings import Finding, Kind

OUT = ("withdrawn", "annulled", "barred")
"""Outcomes by which hands are out at once."""
_TAKES = ("against", "return_contributions", "stands")
"""Decisions by which they are, or by which what was entered is the player's act."""
OFTEN = 2
"""Named so often while one hand runs each further dealer is told: who has dealt in it does not judge it (8.c)."""
MOST_MISDEALS = 2
"""Of each kind of one dealer within 24 hours, on the dealer's word alone: of more each is told."""
TURNED_OVER = "DE-70c"
FACE_UP = "DE-69d"
SHOWN = "PE-71e"
UNDECIDED = "PE-71a"
WRONG_WINNER = "DE-70a"
"""Takes a pot, which is told of itself, and no hand."""
_DAY_MS = 86_400_000


def check_by_hand(decks: PublicDecks, event: PublicEvent, fact: Fact) -> Iterator[Finding]:
    """Of one table; `decks` remembers what its running hand has lost."""
    if isinstance(fact, DealerAssigned) and decks.dealers >= 0:
        decks.dealers += 1
        if decks.dealers >= OFTEN:
            detail = f"hand {decks.hand}: {fact.by} named {fact.dealer}, dealer number {decks.dealers + 1} of the hand"
            yield Finding(Kind.DEALERS, event.stream, detail, event.version)
    if not isinstance(fact, HandEvent):
        return
    if isinstance(fact, LiveDealOpened | HandEnded | HandVoided):
        decks.dealers = 0 if isinstance(fact, LiveDealOpened) else -1
    told = f"hand {fact.hand}, dealer {decks.dealer}: "
    if isinstance(fact, LiveDealOpened):
        decks.asked, decks.taken_out, decks.face_up = {}, [], []
        decks.waits, decks.waits_for, decks.pushed_by = 0, 0, ""
    if isinstance(fact, SupervisorDecided) and fact.code == WRONG_WINNER and fact.decision == "stands":
        decks.pushed_by = fact.by
    for detail in _meanwhile(decks, fact):
        yield Finding(Kind.ENTERED, event.stream, told + detail, event.version)
    if isinstance(fact, IncidentRecorded) and fact.outcome == "call_only":
        detail = f"{told}{fact.code} on the word of {fact.reported_by}, recorded by"
        detail += f" {fact.recorded_by}, decided by {fact.decided_by}"
        detail += f"; seats {', '.join(map(str, fact.restricted))} may only match in this round"
        yield Finding(Kind.EXPOSED, event.stream, detail, event.version)
    if isinstance(fact, IncidentRecorded) and fact.code == SHOWN and fact.exposed:
        detail = (
            f"{told}{len(fact.exposed)} hole cards of seat {', '.join(map(str, fact.seats))} shown to all by {SHOWN}"
        )
        detail += f" on the word of {fact.reported_by}, recorded by {fact.recorded_by}"
        yield Finding(Kind.SHOWN, event.stream, detail, event.version)
    if isinstance(fact, IncidentRecorded | SupervisorDecided) and fact.state_after == "VOID":
        by = fact.by if isinstance(fact, SupervisorDecided) else fact.decided_by
        yield Finding(Kind.LIVE_VOID, event.stream, f"{told}void by {fact.code}, decided by {by}", event.version)
    if isinstance(fact, WinnerAnnounced) and fact.pushed and fact.seat not in fact.by_the_cards:
        best = ", ".join(map(str, fact.by_the_cards))
        detail = f"hand {fact.hand}, dealer {fact.by}: pushed to seat {fact.seat}, by the cards it is seat {best}'s"
        detail += f", decided by {decks.pushed_by}" * bool(decks.pushed_by)
        yield Finding(Kind.PUSHED, event.stream, detail, event.version)
    _note_taken_out(decks, event, fact)
    _note_face_up(decks, event, fact)
    if isinstance(fact, PlayerFolded | PlayerChecked | BetPlaced):
        for detail in _answered(decks, fact):
            yield Finding(Kind.ENTERED, event.stream, told + detail, event.version)
    if isinstance(fact, HandEnded):
        won = ", ".join(f"seat {each.seat} ({each.won})" for each in fact.results if each.won)
        for out in decks.taken_out:
            what = f"seats {', '.join(map(str, out.seats))} out" if not out.act else f"seat {out.seats[0]}'s {out.act}"
            detail = f"{told}{what} by {out.code} on the word of {out.reported_by},"
            detail += f" recorded by {out.recorded_by}, decided by {out.decided_by}; won by {won}"
            kind = Kind.ENTERED if out.act else Kind.TAKEN_OUT
            yield Finding(kind, event.stream, detail, out.version)
        for card in filter(lambda each: each.came, decks.face_up):
            detail = (
                f"{told}the card at position {card.position} was burnt as one of the next street: face up in the stub"
            )
            detail += f" on the word of {card.reported_by}, recorded by {card.recorded_by}"
            detail += f", decided by {card.decided_by or 'nobody else'}; won by {won}"
            yield Finding(Kind.FACE_UP_NEXT, event.stream, detail, card.version)
        decks.asked, decks.taken_out, decks.face_up = {}, [], []


def _meanwhile(decks: PublicDecks, fact: HandEvent) -> Iterator[str]:
    """While a supervisor is asked nobody else is, and no clock decides. Found by an attacker: a dealer had the clock
    fold a hand whose player was refused, and the fold counted as the player's own."""
    match fact:
        case IncidentRecorded(choices=[_, *_]):
            decks.waits, decks.waits_for = fact.incident, _in_person(fact)
        case SupervisorDecided() | HandEnded() | HandVoided():
            decks.waits = decks.waits_for = 0
        case DecisionAwaited() if decks.waits:
            yield f"seat {fact.seat} is asked, with a clock, while incident {decks.waits} waits for a supervisor"
        case PlayerFolded() | PlayerChecked() if decks.waits and _for_the_clock(fact):
            did = f"the house made seat {fact.seat}'s {_in_words(fact)} ({fact.reason})"
            yield f"{did} while incident {decks.waits} waited for a supervisor"
        case _:
            pass
    if isinstance(fact, PlayerFolded | PlayerChecked | BetPlaced) and fact.seat == decks.waits_for:
        decks.waits = decks.waits_for = 0


def _in_person(fact: IncidentRecorded) -> int:
    if fact.held is not None:
        return fact.held.seat
    return fact.seats[0] if fact.code == UNDECIDED else 0


def _for_the_clock(fact: PlayerFolded | PlayerChecked) -> bool:
    """Hands that a decision takes are out before it is told."""
    return fact.actor == "house" and fact.reason not in OUT


def _answered(decks: PublicDecks, fact: PlayerFolded | PlayerChecked | BetPlaced) -> Iterator[str]:
    """What was entered waits no more once its player has acted in person; that it was something else is told. What the
    house did is nobody's word."""
    if fact.entered_by or _by_the_house(fact):
        return
    for incident, asked in [*decks.asked.items()]:
        if not asked.act or asked.seats != [fact.seat]:
            continue
        del decks.asked[incident]
        did = _in_words(fact)
        if did != asked.act:
            yield f"{asked.recorded_by} entered a {asked.act} for seat {fact.seat}, whose player did {did}"


def _by_the_house(fact: PlayerFolded | PlayerChecked | BetPlaced) -> bool:
    return not isinstance(fact, BetPlaced) and fact.actor == "house"


def _in_words(act: HeldAct | PlayerFolded | PlayerChecked | BetPlaced) -> str:
    match act:
        case PlayerFolded():
            return "fold"
        case PlayerChecked():
            return "check"
        case _:
            return f"{act.act} to {act.to}" if act.act in ("bet", "raise") else act.act


def _note_taken_out(decks: PublicDecks, event: PublicEvent, fact: HandEvent) -> None:
    if isinstance(fact, IncidentRecorded) and fact.seats and fact.code != WRONG_WINNER:
        report = TakenOut(fact.code, fact.seats, fact.reported_by, fact.recorded_by, fact.decided_by, event.version)
        if fact.choices:
            report.act = _in_words(fact.held) if fact.held is not None else ""
            decks.asked[fact.incident] = report
        elif fact.outcome in OUT:
            decks.taken_out.append(report)
    if isinstance(fact, SupervisorDecided):
        asked = decks.asked.pop(fact.incident, None)
        if asked is not None and fact.decision in _TAKES and fact.state_after != "VOID":
            asked.decided_by, asked.version = fact.by, event.version
            decks.taken_out.append(asked)


def _note_face_up(decks: PublicDecks, event: PublicEvent, fact: HandEvent) -> None:
    """69.d: a card that comes a street later, or never, nobody can have been rid of for what it is worth now."""
    match fact:
        case IncidentRecorded(code=code) if code == FACE_UP:
            said, by = (fact.reported_by, fact.recorded_by), fact.incident if fact.choices else 0
            decks.face_up += [FaceUp(card.position, *said, event.version, by) for card in fact.exposed]
            for card in decks.face_up:
                card.incident = by if card.position in fact.burned else card.incident
        case SupervisorDecided():
            asked = [card for card in decks.face_up if card.incident == fact.incident]
            for card in asked:
                card.decided_by = fact.by
            if fact.decision == "go_on":
                decks.face_up = [card for card in decks.face_up if card not in asked]
        case CardScanned(to="burn"):
            for card in decks.face_up:
                card.came |= card.position == fact.position
        case StreetDealt():
            decks.face_up = [card for card in decks.face_up if card.came]
        case _:
            pass


@dataclass(slots=True)
class Misdeals:
    """Of one dealer, at whatever table, what happened on the dealer's word alone. Milliseconds since the epoch, the
    last 24 hours of them."""

    at: list[int] = field(default_factory=list)
    """When hands were void before the first action."""
    turned: list[int] = field(default_factory=list)
    """When a hole card was turned over in dealing, and another one took its place (70.c)."""
    unposted: list[int] = field(default_factory=list)
    """When a hand was dealt before its blinds were there (91)."""
    face_up: list[int] = field(default_factory=list)
    """When cards of the stub were said to lie face up (69.d), whatever a supervisor said of it."""


def misdeals_of(fact: Fact) -> str:
    """Whose it is; empty: nobody's. Once somebody has acted a supervisor decides, who is named there; cards of the stub
    that lay face up are the report's all the same, by which all have seen them."""
    if isinstance(fact, LiveDealOpened):
        return person_of(fact.dealer) if fact.unposted else ""
    if isinstance(fact, IncidentRecorded) and _names_cards(fact):
        return person_of(fact.recorded_by or fact.reported_by)
    if not isinstance(fact, IncidentRecorded) or fact.choices:
        return ""
    return person_of(fact.decided_by) if fact.state_after == "VOID" or fact.code == TURNED_OVER else ""


def _names_cards(fact: IncidentRecorded) -> bool:
    return fact.code == FACE_UP and bool(fact.exposed) and fact.state_after != "VOID"


def note_misdeal(misdeals: Misdeals, event: PublicEvent, fact: Fact) -> Iterator[Finding]:
    """Who deals knows cards by then, and could throw away what a friend does not like, or let a friend see the cards
    before the blind."""
    if isinstance(fact, LiveDealOpened):
        misdeals.unposted, number = _counted(misdeals.unposted, event.time)
        seats = ", ".join(map(str, fact.unposted))
        kind, dealer, what = Kind.UNPOSTED, fact.dealer, f"dealt without the blind of seat {seats}"
    else:
        assert isinstance(fact, IncidentRecorded), "nothing else is a dealer's misdeal"
        dealer = fact.decided_by
        if fact.state_after == "VOID":
            misdeals.at, number = _counted(misdeals.at, event.time)
            kind, what = Kind.MISDEALS, f"void before the first action by {fact.code}"
        elif _names_cards(fact):
            misdeals.face_up, number = _counted(misdeals.face_up, event.time)
            kind, dealer = Kind.FACE_UP, fact.recorded_by or fact.reported_by
            what = f"cards of the stub face up ({fact.code}): {len(fact.exposed)}"
        else:
            misdeals.turned, number = _counted(misdeals.turned, event.time)
            seats = ", ".join(map(str, fact.seats))
            kind, what = Kind.TURNED, f"a hole card of seat {seats} turned over and replaced ({fact.code})"
    if number > MOST_MISDEALS:
        detail = f"hand {fact.hand}, dealer {dealer}: {what}, number {number} of this dealer within 24 hours"
        yield Finding(kind, event.stream, detail, event.version)


def _counted(at: list[int], now: int) -> tuple[list[int], int]:
    """With one more, those of the last 24 hours; and how many of them came up to now: of two tables they come in any
    order."""
    times = sorted((*at, now))
    return [each for each in times if each > times[-1] - _DAY_MS], sum(now - _DAY_MS < each <= now for each in times)
