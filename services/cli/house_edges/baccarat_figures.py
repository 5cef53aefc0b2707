"""Every bet of baccarat under every setting that the regulation allows, beside what others have published."""

from collections.abc import Iterator

from libs.contracts.baccarat_commands import Chance
from services.cli.house_edges.baccarat import odds
from services.cli.house_edges.figures import Figure
from services.table.domain.games.baccarat.paying import CommissionMode

_FREE = "Wizard of Odds, commission-free baccarat"
_PUNKS = "excelpunks.com, non-commission baccarat"
_MULTI = "multiplayerbaccarat.com, odds (after Thorp)"
_BY_HAND = "by hand: 1 - 12 (4d - 1) / (52d - 1), d decks"
_PUBLISHED: tuple[tuple[int, Chance, CommissionMode, str, str], ...] = (
    (8, "ponto", "none", "1.2351", _MULTI),
    (8, "banca", "five-percent", "1.0579", _MULTI),
    (8, "banca", "half-on-5", "0.9327724", _PUNKS),
    (8, "banca", "half-on-6", "1.4581045", _PUNKS),
    (8, "banca", "none", "", ""),
    (8, "empate", "none", "14.3596", _MULTI),
    (8, "par_ponto", "none", "", _BY_HAND),
    (8, "par_banca", "none", "", _BY_HAND),
    (6, "ponto", "none", "1.2374", _MULTI),
    (6, "banca", "five-percent", "1.0558", _MULTI),
    (6, "banca", "half-on-5", "", ""),
    (6, "banca", "half-on-6", "1.4548", _FREE),
    (6, "banca", "none", "", ""),
    (6, "empate", "none", "14.4382", _MULTI),
    (6, "par_ponto", "none", "", _BY_HAND),
    (6, "par_banca", "none", "", _BY_HAND),
)


def baccarat_figures() -> Iterator[Figure]:
    """Both shoes, all bets: some two seconds of counting."""
    known = {decks: odds(decks) for decks in (8, 6)}
    for decks, chance, mode, published, source in _PUBLISHED:
        setting = f"{decks} decks, commission {mode}" if chance == "banca" else f"{decks} decks"
        yield Figure(chance, setting, known[decks].edge(chance, mode), published, source)
