"""The result of a coup of baccarat, worked out once more from the cards in the open (pt-812-2015 7 to 26).

The auditor has these rules in words of its own: what it finds right does not hang on the code that dealt and paid.
"""

from collections.abc import Iterator

from libs.contracts.baccarat_events import CoupSettled
from libs.contracts.banked_rounds import BetSettled
from services.audit.verifying.findings import Kind

Complaint = tuple[Kind, str]
_STANDS_ON = {3: "8", 4: "A89TJQK", 5: "A2389TJQK", 6: "A234589TJQK", 7: "A23456789TJQK"}
"""Banca's score: ranks of Ponto's third card on which it stands."""
_TO_ONE = {"ponto": 1, "banca": 1, "empate": 8, "par_ponto": 11, "par_banca": 11}


def check_coup(ponto: list[str], banca: list[str], fact: CoupSettled) -> Iterator[Complaint]:
    """Cards by name as they were turned up, the third last, against what was settled."""
    if len(ponto) < 2 or len(banca) < 2:
        yield Kind.ROUND_RESULT, f"coup {fact.round} is settled before its cards are in the open"
        return
    if (len(ponto), len(banca)) != _due(ponto, banca):
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


def _due(ponto: list[str], banca: list[str]) -> tuple[int, int]:
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
    winnings = bet.staked * _TO_ONE[bet.area]
    commission = 0
    if bet.area == "banca":
        commission = {"five-percent": winnings // 20, f"half-on-{banca}": winnings // 2}.get(mode, 0)
    return bet.staked + winnings - commission, commission
