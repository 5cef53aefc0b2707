"""A worked coup of baccarat through the real rules: requests, cards, every stake and what came of it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from libs.cards.card import DECK, parse, parse_all
from libs.contracts.baccarat_commands import PlaceStake, WithdrawStake
from libs.contracts.baccarat_events import CoupDealt, CoupSettled, CoupVoided, ShoeStarted, SideShown, ThirdCardDealt
from libs.contracts.bank_commands import VoidRound
from libs.contracts.messages import Principal
from libs.contracts.table_commands import OpenTable, WakeTable
from libs.contracts.table_events import DeckCard
from libs.sealing.deck import Shoe
from libs.sealing.shuffle import ShoeShuffle
from services.cli.replaying.baccarat.record import WorkedCoup, WorkedRequest, WorkedRound, WorkedRounds
from services.cli.replaying.play import BANK, NO_SECRET, TIMER, Outcome, Replay, seated
from services.cli.replaying.record import NotARecord, parsed, play_each
from services.table.domain.games.baccarat.dealing import face_of, score
from services.table.domain.table.state import Table

_BETTING_MS = 20_000
_OUTAGE_MS = 5_000
_STACK = 10_000_000
"""More than any seat bets in a record."""
_RULEBOOKS = {"ponto-e-banca": "pt-812-2015-baccarat", "macau": "pt-812-2015-baccarat-macau"}


def replay_coups(document: Any) -> Iterator[Outcome]:
    """One outcome for each coup. NotARecord when something in the document can't be played."""
    rounds = parsed(WorkedRounds, document).rounds
    coups = ((f"{worked.id} {coup.id}", (worked, coup)) for worked in rounds for coup in worked.coups)
    return play_each(coups, lambda both: _replay(*both))


def _replay(worked: WorkedRound, coup: WorkedCoup) -> Outcome:
    name, rulebook = f"{worked.id} {coup.id}", _RULEBOOKS[worked.table.variant]
    outcome = Outcome(name, worked.title, rulebook)
    replay = Replay(_table_before(worked, coup, rulebook), outcome, _shoe_of(worked, coup))
    replay.wake()
    for request in coup.requests:
        _ask(replay, request)
    on = {(s.seat, chance): total for s in replay.state.round.stakes.values() for chance, total in s.on.items()}
    for what, bets in (("bets", coup.bets or coup.results), ("results", coup.results)):
        outcome.compare(f"stakes of {what}", _totals({(bet.seat, bet.chance): bet.stake} for bet in bets), on)
    if coup.outcome == "void":
        replay.demand_void(VoidRound(round=1, cause=coup.failure or "failure"))
        _compare_void(replay, coup)
    else:
        replay.now += _BETTING_MS
        if coup.failure:
            replay.now += _OUTAGE_MS  # the house comes back in time, and goes on from its record
            replay.send(TIMER, WakeTable(due=_BETTING_MS, outage=True))
        else:
            replay.wake()
        outcome.compare("coups dealt and settled", [1, 1], [len(replay.all(CoupDealt)), len(replay.all(CoupSettled))])
        for settled in replay.all(CoupSettled):
            _compare_settled(replay, coup, settled)
    replay.end()
    return outcome


def _table_before(worked: WorkedRound, coup: WorkedCoup, rulebook: str) -> Table:
    """What the recorded table does not say is left to the rulebook."""
    configuration = {
        **worked.table.model_dump(exclude={"variant"}, exclude_none=True),
        "mode": "multi",
        "approval": "worked rounds",
        "approved_on": "2015-11-26",
        "seats": 9,
        "commission_mode": coup.commission_mode,
        "betting_ms": _BETTING_MS,
        "between_rounds_ms": 0,
        "buy_in_min": _STACK,
    }
    opening = OpenTable(name=worked.title[:80], rulebook=rulebook, configuration=configuration, bank=BANK)
    stacks = {seat: (f"player-{seat}", _STACK) for seat in sorted({request.seat for request in coup.requests})}
    return seated(Table(table=f"replay-{worked.id}-{coup.id}"), opening, stacks)


def _shoe_of(worked: WorkedRound, coup: WorkedCoup) -> ShoeShuffle:
    """The recorded cards first, the rest as new decks lie. NotARecord when a card comes oftener than it can."""
    top = parse_all(coup.shoe)
    rest = Counter(DECK * worked.table.decks)
    rest.subtract(top)
    if min(rest.values()) < 0:
        raise NotARecord("shoe: a card comes oftener than the shoe has it")
    return ShoeShuffle(Shoe.of((*top, *rest.elements()), NO_SECRET, NO_SECRET))


def _ask(replay: Replay, request: WorkedRequest) -> None:
    kind = PlaceStake if request.action == "place" else WithdrawStake
    command = kind(round=1, chance=request.chance, amount=request.stake)
    refused = replay.send(Principal("player", f"player-{request.seat}"), command)
    rule = (refused.rule or refused.reason).rpartition("#")[2] if refused is not None else None
    where = f"seat {request.seat} {request.action} {request.chance} {request.stake}"
    claims = request.model_dump(include={"accepted", "refused_by"}, exclude_none=True)
    replay.outcome.compare(where, claims, {"accepted": refused is None, "refused_by": rule})
    replay.outcome.refusals += refused is not None


def _compare_settled(replay: Replay, coup: WorkedCoup, settled: CoupSettled) -> None:
    """Which side got which card in which place, committed to before the betting; every stake and what came of it."""
    cards: dict[str, list[DeckCard]] = {event.side: list(event.cards) for event in replay.all(SideShown)}
    for third in replay.all(ThirdCardDealt):
        cards[third.side].append(third.card)
    shown = sorted((card for side in cards.values() for card in side), key=lambda card: card.position)
    sides = {
        side: {"cards": " ".join(card.card for card in cards[side]), "score": getattr(settled, side)} for side in cards
    }
    got = {
        "commission_mode": settled.commission_mode,
        "shoe": " ".join(card.card for card in shown),
        **sides,
        "natural": settled.natural,
        "winner": settled.winner,
        "branch": _branch(settled, cards),
        "net_by_seat": {result.seat: result.net for result in settled.results},
    }
    compare = replay.outcome.compare
    compare("", coup.model_dump(include=set(got)), got)
    results = {(r.seat, r.chance): [r.stake, r.commission, r.credited] for r in coup.results}
    areas = {(r.seat, b.area): [b.staked, b.commission, b.credited] for r in settled.results for b in r.bets}
    compare("stake, commission, credited by seat and chance", results, areas)
    stacks = {seat: _STACK + net for seat, net in coup.net_by_seat.items()}
    compare("stacks", stacks, {result.seat: result.stack for result in settled.results})
    compare("house", -sum(coup.net_by_seat.values()), settled.house)
    started = replay.all(ShoeStarted)[0]
    replay.compare_proofs("shoe", (started.deck_root, started.cards), shown)


def _branch(settled: CoupSettled, cards: dict[str, list[DeckCard]]) -> str:
    """How the drawing rule went, in the words of the file: `banca 3 stands on 8`."""
    ponto, banca = ([parse(card.card) for card in cards[side]] for side in ("ponto", "banca"))
    if settled.natural:
        return "natural"
    before, does = score(banca[:2]), "draws" if len(banca) == 3 else "stands"
    if len(ponto) == 2:
        return f"ponto-stands, banca {before} {does}"
    if before <= 2 or before == 7:
        return f"banca {'0-2' if before <= 2 else before} {does}"
    face = face_of(ponto[2])
    return f"banca {before} {does} on {'ace' if face == 1 else face}"


def _compare_void(replay: Replay, coup: WorkedCoup) -> None:
    compare, voided = replay.outcome.compare, replay.all(CoupVoided)
    counts = [len(voided), len(replay.all(CoupDealt)), len(replay.all(CoupSettled))]
    compare("coups void, dealt, settled", [1, 0, 0], counts)
    refunds = {refund.seat: (refund.amount, refund.stack) for event in voided for refund in event.refunds}
    credited = _totals({result.seat: result.credited} for result in coup.results)
    compare("refunds", {seat: (amount, _STACK) for seat, amount in credited.items()}, refunds)
    compare("net by seat", coup.net_by_seat, {seat: stack - _STACK for seat, (_, stack) in refunds.items()})


def _totals(amounts: Iterator[dict[Any, int]]) -> dict[Any, int]:
    totals: Counter[Any] = Counter()
    for each in amounts:
        totals.update(each)
    return dict(totals)
