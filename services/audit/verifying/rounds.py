"""The results of no-draw poker (pt-803-2015 7 to 29) and baccarat (pt-812-2015 7 to 26), from the cards in the open.

The auditor has these rules in words of its own: what it finds right does not hang on the code that dealt and paid.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from libs.contracts.baccarat_events import CoupSettled
from libs.contracts.banked_rounds import BetSettled
from libs.contracts.no_draw_poker_events import RoundResult, RoundSettled
from services.audit.verifying.findings import Kind
from services.audit.verifying.strengths import ACE, HIGH_CARD, KING, worth

Complaint = tuple[Kind, str]
DEALER = "dealer"
_TO_ONE = (1, 1, 2, 3, 4, 5, 7, 20, 50, 100)
"""What a winning second bet pays for each kind of hand (12)."""


def check_round(shown: Mapping[str, list[str]], suit_tiebreak: bool, fact: RoundSettled) -> Iterator[Complaint]:
    """`shown`: the cards turned up, by `dealer` and by seat number."""
    for result in fact.results:
        staked = {bet.area: bet.staked for bet in result.bets}
        due = _due(shown, str(result.seat), staked, suit_tiebreak)
        if due is None:
            yield (
                Kind.ROUND_RESULT,
                f"round {fact.round} seat {result.seat} is settled before its cards are in the open",
            )
        elif {bet.area: bet.credited for bet in result.bets} != due or not _adds_up(result):
            yield Kind.ROUND_RESULT, f"round {fact.round} seat {result.seat} is not paid by the rules"


def _adds_up(result: RoundResult) -> bool:
    staked, credited = sum(bet.staked for bet in result.bets), sum(bet.credited for bet in result.bets)
    return (result.staked, result.credited, result.net) == (staked, credited, credited - staked)


def _due(
    shown: Mapping[str, list[str]], seat: str, staked: dict[str, int], suit_tiebreak: bool
) -> dict[str, int] | None:
    """What each area gets back; None where a card is missing to tell."""
    ante = staked.get("ante", 0)
    if "bet" not in staked:
        return {"ante": 0}  # 22
    dealer, bet = shown.get(DEALER), staked["bet"]
    if dealer is None or bet != 2 * ante:
        return None
    if not plays(dealer):
        return {"ante": 2 * ante, "bet": bet}  # 26
    hand = shown.get(seat)
    if hand is None:
        return None
    ours, theirs = worth(hand), worth(dealer)
    if ours == theirs and ours[0] == HIGH_CARD and suit_tiebreak:
        ours, theirs = (_suited(hand), []), (_suited(dealer), [])  # 9
        won = _TO_ONE[HIGH_CARD]
    else:
        won = _TO_ONE[ours[0]]
    if ours == theirs:
        return {"ante": ante, "bet": bet}
    return {"ante": 2 * ante, "bet": bet * (1 + won)} if ours > theirs else {"ante": 0, "bet": 0}


def plays(dealer: list[str]) -> bool:
    """25: ace and king, or any combination."""
    kind, ranks = worth(dealer)
    return kind > HIGH_CARD or ranks[:2] == [ACE, KING]


def _suited(cards: list[str]) -> int:
    return int(max(Counter(card[1] for card in cards).values()) >= 3)


_STANDS_ON = {3: "8", 4: "A89TJQK", 5: "A2389TJQK", 6: "A234589TJQK", 7: "A23456789TJQK"}
"""Banca's score: ranks of Ponto's third card on which it stands."""
_CHANCE_TO_ONE = {"ponto": 1, "banca": 1, "empate": 8, "par_ponto": 11, "par_banca": 11}


def check_coup(ponto: list[str], banca: list[str], fact: CoupSettled) -> Iterator[Complaint]:
    """Cards by name as they were turned up, the third last, against what was settled."""
    if len(ponto) < 2 or len(banca) < 2:
        yield Kind.ROUND_RESULT, f"coup {fact.round} is settled before its cards are in the open"
        return
    if (len(ponto), len(banca)) != _cards_due(ponto, banca):
        yield Kind.ROUND_RESULT, f"coup {fact.round}: third cards are not those of the drawing table"
    p, b = _score(ponto), _score(banca)
    winner = "empate" if p == b else "ponto" if p > b else "banca"
    if (fact.ponto, fact.banca, fact.winner) != (p, b, winner):
        yield Kind.ROUND_RESULT, f"coup {fact.round}: the cards make {p} to {b}"
    pairs = {"par_ponto": ponto[0][0] == ponto[1][0], "par_banca": banca[0][0] == banca[1][0]}
    for result in fact.results:
        for bet in result.bets:
            won = pairs.get(bet.area, bet.area == winner)
            if (bet.credited, bet.commission) != _back(bet, won, winner, b, fact.commission_mode):
                yield Kind.ROUND_RESULT, f"coup {fact.round} seat {result.seat}: {bet.area} is not paid by the rules"


def _cards_due(ponto: list[str], banca: list[str]) -> tuple[int, int]:
    """How many cards each side should have."""
    p, b = _score(ponto[:2]), _score(banca[:2])
    if max(p, b) >= 8:
        return 2, 2
    if p >= 6:
        return 2, 3 if b <= 5 else 2
    third = ponto[2][0] if len(ponto) > 2 else "?"
    return 3, 2 if third in _STANDS_ON.get(b, "") else 3


def _score(cards: list[str]) -> int:
    return sum(1 if card[0] == "A" else int(card[0]) if card[0].isdigit() else 0 for card in cards) % 10


def _back(bet: BetSettled, won: bool, winner: str, banca: int, mode: str) -> tuple[int, int]:
    """Credited and commission."""
    if not won:
        return (bet.staked if winner == "empate" and bet.area in ("ponto", "banca") else 0), 0
    winnings = bet.staked * _CHANCE_TO_ONE[bet.area]
    commission = 0
    if bet.area == "banca":
        commission = {"five-percent": winnings // 20, f"half-on-{banca}": winnings // 2}.get(mode, 0)
    return bet.staked + winnings - commission, commission
