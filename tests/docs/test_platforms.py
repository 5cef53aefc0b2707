"""What docs/platforms.md shows of each game is what the house takes and tells."""

import re
from pathlib import Path

import msgspec
from msgspec import structs

from libs.contracts.messages import Principal
from libs.contracts.no_draw_poker_events import RoundSettled
from libs.contracts.wallet_commands import ClaimReference, references_of
from libs.decider import Decided, Rejected
from libs.rulebooks.library import RULEBOOKS
from services.gateway.app.asked import fitting
from services.gateway.app.doors import PLAYERS_DOORS
from services.gateway.ws.protocol import Sent, parse
from services.wallet.domain.references.decide import decide
from services.wallet.domain.references.state import References

PAGE = (Path(__file__).parents[2] / "docs" / "platforms.md").read_text(encoding="utf-8")
GAMES = PAGE[PAGE.index("## Every game") : PAGE.index("## Public events from Kafka")]


def test_every_message_shown_is_taken() -> None:
    shown = re.findall(r'^(\{"type":.*?\})(?: .*)?$', GAMES, re.MULTILINE)
    assert len(shown) == 6
    for text in shown:
        wish = parse(text)
        assert isinstance(wish, Sent), text
        fitting(wish.door.body, wish.fields, {}, wish.door.left_out, wish.door.minted)


def test_every_message_that_a_player_may_send_is_named() -> None:
    """What every table takes here; what a game takes beside it at the latest on the pages of its rulebooks."""
    named = set(re.findall(r"`(\w+)`", GAMES))
    for page in (Path(__file__).parents[2] / "docs" / "configuration").iterdir():
        named |= set(re.findall(r"`(\w+)` \(", page.read_text(encoding="utf-8")))
    assert set(PLAYERS_DOORS) <= named


def test_it_leads_to_every_rulebook() -> None:
    """Those of regulations are told of; what else this house has is on the pages that are made of them."""
    named = set(re.findall(r"`([\w-]+)`", GAMES))
    assert {name for name, book in RULEBOOKS.items() if book.enabled and name[:2] in ("pt", "mo")} <= named
    assert "(configuration/README.md)" in PAGE


def test_the_settlement_shown_is_one() -> None:
    (text,) = re.findall(r'^\{"at":.*?^```', GAMES, re.MULTILINE | re.DOTALL)
    settled = msgspec.json.decode(text.removesuffix("```").replace("\n", ""), type=RoundSettled)
    assert sum(seat.net for seat in settled.results) == -settled.house


def test_the_conflict_of_references_shown_is_one() -> None:
    (text,) = re.findall(r'^409 (\{"type".*?"reason":"reference_conflict".*?\})$', PAGE, re.MULTILINE | re.DOTALL)
    shown = msgspec.json.decode(text.replace("\n", ""))
    (asked,) = re.findall(r'^\{"reference".*?"currency":"EUR"\}$', PAGE, re.MULTILINE)[:1]
    wish, platform = msgspec.json.decode(asked), Principal("operator", "platform")
    claim = ClaimReference(player="alice", purpose="deposit", **wish)
    first = decide(References(references_of(str(platform), wish["reference"])), claim, platform)
    assert isinstance(first, Decided)
    refused = decide(first.states[-1], structs.replace(claim, amount=claim.amount + 1), platform)
    assert isinstance(refused, Rejected)
    assert (shown["reason"], shown["detail"]) == (refused.reason, refused.detail)
    assert not {"stream", "version"} & shown.keys(), "they would tell how much others pay in"
