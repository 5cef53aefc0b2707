"""What docs/platforms.md shows of each game is what the house takes and tells."""

import re
from pathlib import Path

import msgspec

from libs.contracts.no_draw_poker_events import RoundSettled
from services.gateway.app.asked import fitting
from services.gateway.app.doors import PLAYERS_DOORS
from services.gateway.ws.protocol import Wish, parse
from services.table.rulebooks.library import RULEBOOKS

PAGE = (Path(__file__).parents[2] / "docs" / "platforms.md").read_text(encoding="utf-8")
GAMES = PAGE[PAGE.index("## Every game") : PAGE.index("## Public events from Kafka")]


def test_every_message_shown_is_taken() -> None:
    shown = re.findall(r'^(\{"type":.*?\})(?: .*)?$', GAMES, re.MULTILINE)
    assert len(shown) == 6
    for text in shown:
        wish = parse(text)
        assert isinstance(wish, Wish), text
        fitting(wish.door.body, wish.fields, {}, wish.door.left_out, wish.door.minted)


def test_every_message_that_a_player_may_send_is_named() -> None:
    named = set(re.findall(r"`(\w+)`", GAMES))
    assert set(PLAYERS_DOORS) <= named


def test_every_rulebook_that_is_enabled_is_named() -> None:
    assert {name for name, book in RULEBOOKS.items() if book.enabled} <= set(re.findall(r"`([\w-]+)`", GAMES))


def test_the_settlement_shown_is_one() -> None:
    (text,) = re.findall(r'^\{"at":.*?^```', GAMES, re.MULTILINE | re.DOTALL)
    settled = msgspec.json.decode(text.removesuffix("```").replace("\n", ""), type=RoundSettled)
    assert sum(seat.net for seat in settled.results) == -settled.house
