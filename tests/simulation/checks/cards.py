"""Canary decks: every deck is known here, so a card that somebody may read too early is seen wherever it turns up."""

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from tests.simulation.checks.canaries import NAME, Canaries
from tests.simulation.violations import ensure

_CARD = re.compile(rb"(?<![A-Za-z0-9])([2-9TJQKA][shdc])(?![A-Za-z0-9])")


def words(text: bytes) -> set[str]:
    return {word.decode() for word in _CARD.findall(text)}


def no_unseen_card_in_public(canaries: Canaries) -> Callable[[str, int, bytes], None]:
    """(table, version, value): a public event names open cards alone."""

    def see(table: str, version: int, value: bytes) -> None:
        named = words(value)
        if not named:
            return
        open_cards = canaries.public[table][version - 1] if version <= len(canaries.public[table]) else frozenset()
        canaries.truth.violations.ensure(named <= open_cards, NAME, f"{table}/{version} names unseen cards")

    return see


def no_unseen_card_in_view(canaries: Canaries, table: str, player: str, document: dict[str, Any]) -> None:
    """What a player is shown names open cards and own ones alone: of the hand on the table or of the one recalled."""
    named = words(msgspec.json.encode(document))
    if not named:
        return
    number = _number_in(document)
    hand = canaries.hands[table, number]
    allowed = canaries.shown[table, number] | hand.hole_of(player)
    canaries.truth.violations.ensure(named <= allowed, NAME, f"{player} sees a card too many at {table}")


def _number_in(document: dict[str, Any]) -> int:
    """Of the hand or round that a view or a recalled record is about."""
    shown = document.get("hand") or document.get("round")
    number = (shown.get("hand") or shown.get("round")) if isinstance(shown, dict) else shown
    return int(str(number))


def no_unseen_card_told(canaries: Canaries, table: str, number: int, player: str, cards: Sequence[str]) -> None:
    """Own cards go to their own player, and they are the ones that lie in the sealed deck."""
    held = canaries.hands[table, number].hole_of(player)
    canaries.truth.violations.ensure(set(cards) <= held, NAME, f"{player} is told cards of somebody else")
    canaries.truth.violations.ensure(set(cards) == held, "same_deck", f"{player} is told other cards than were dealt")


def no_card_in(where: str, texts: Iterable[bytes]) -> None:
    """Places that name no card at all: replies, commands, logs."""
    for text in texts:
        ensure(not words(text), NAME, f"a card stands in {where}")


def private_deals_are_sealed(values: Iterable[bytes]) -> None:
    """Own cards lie on their topic as a box alone: base64 of at least nonce and tag, and not a card by its name."""
    for value in values:
        sealed = msgspec.json.decode(value)["sealed"]
        ensure(re.fullmatch("[A-Za-z0-9+/=]{40,}", sealed) is not None, NAME, "own cards are sent in clear")
        no_card_in("a private deal", [value.replace(sealed.encode(), b"")])


def no_deck_in_clear(canaries: Canaries, where: str, texts: Sequence[bytes]) -> None:
    """No deck, salt or data key stands anywhere as it is, neither raw nor as hex or base64."""
    whole = b"\x00".join(texts)
    for (table, number), deck in canaries.decks.items():
        for secret in (deck.cards, deck.salt_secret, deck.data_key):
            for form in (secret[:16], secret[:16].hex().encode(), b64encode(secret)[:20]):
                ensure(form not in whole, NAME, f"the deck of {table} number {number} stands in {where}")
