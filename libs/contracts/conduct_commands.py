"""Commands of conduct at any table: messages, measures against players, favours that nobody gets, tips."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from libs.contracts.commands import Amount, PlayerCommand, StaffCommand
from libs.contracts.texts import Id, Words, name

Sealed = Annotated[str, msgspec.Meta(min_length=1, max_length=4096, pattern=r"^[A-Za-z0-9+/=]+(?!\n)$")]


class SendMessage(PlayerCommand):
    """What a player writes to the table; withheld until the hand is over, or blocked, as the table has it
    (pt-811-2015 11.d; pt-217-2007 14.j)."""

    example = {"message": "message-9", "sealed": "d2VsbCBwbGF5ZWQ="}
    message: Id
    sealed: Sealed
    """Base64 of what the gateway closed: no log can read it."""
    names_cards: bool = False
    """It looked like cards to the gateway."""


class WarnPlayer(StaffCommand):
    """On record with who and why; at the table's limit the player leaves after the hand (pt-811-2015 11.g;
    pt-217-2007 58)."""

    example = {"player": "alice", "rule": "14.j", "cause": "comments on a hand in progress"}
    player: Id
    rule: Annotated[str, name(16)]
    """The rule that was broken."""
    cause: Words
    grave: bool = False
    """Out without further warnings (pt-217-2007 58)."""


class MutePlayer(StaffCommand):
    """No more messages at this table."""

    example = {"player": "alice", "cause": "insults"}
    player: Id
    cause: Words


class AskFavour(PlayerCommand):
    """What no table grants: refused, on record, and the answer names the rule (pt-217-2007 14.c, 14.f, 14.g, 14.k)."""

    example = {"favour": "split_pot"}
    favour: Literal["split_pot", "move_chips", "take_chips_off", "swap_seats"]


class TipDealer(PlayerCommand):
    """Where a human deals: out of the stack between hands, never part of a pot or the commission (pt-217-2007 9.d)."""

    example = {"amount": 500}
    amount: Amount


class ConductReason(StrEnum):
    """Closed list; within one command they win in the order in which its guards stand."""

    CHAT_CLOSED = "chat_closed"
    """The table has no chat, or the player is muted there."""
    MESSAGE_USED = "message_used"
    """This message id was used before."""
    TOO_MANY_MESSAGES = "too_many_messages"
    """Too many messages wait for the end of this round; write again when it is over."""
    CHOP_NOT_ALLOWED = "chop_not_allowed"
    """Blinds or pots are not divided by agreement."""
    TRANSFER_NOT_ALLOWED = "transfer_not_allowed"
    """Chips are not handed from player to player."""
    WITHDRAW_WHILE_SEATED = "withdraw_while_seated"
    """Chips do not leave the table while their player stays."""
    SEAT_SWAP_NOT_ALLOWED = "seat_swap_not_allowed"
    """Players do not swap seats."""
    ABOVE_STACK = "tip_above_stack"
    """The tip is more than the stack."""
    HAND_RUNNING = "hand_running"
    """The player is in the running hand; ask when it is over."""
