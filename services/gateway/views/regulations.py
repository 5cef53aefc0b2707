"""The regulations themselves, word by word as they were published (pt-811-2015 enact.4). Official texts are free."""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parents[1] / "regulations"
NAMES = {
    "pt-811-2015": "Regulamento n.º 811/2015, rules of Omaha between players, online (Portugal)",
    "mo-97-2010": "Despacho do Secretário para a Economia e Finanças n.º 97/2010, Omaha Poker (Macau)",
    "pt-217-2007": "Portaria n.º 217/2007, non-banked poker in casinos (Portugal)",
    "pt-803-2015-no-draw": "Regulamento n.º 803/2015, no-draw poker, online (Portugal)",
    "pt-812-2015-baccarat": "Regulamento n.º 812/2015, punto banco baccarat and its Macau variant, online (Portugal)",
}


def regulation_id(rulebook: str) -> str | None:
    """The regulation behind a rulebook's id; None for rules without one."""
    return next((known for known in NAMES if rulebook.startswith(known)), None)


@cache
def text_of(regulation: str) -> str | None:
    """The whole text in its own language, or None."""
    if regulation not in NAMES:
        return None
    return (_FOLDER / f"{regulation}.txt").read_text(encoding="utf-8")
