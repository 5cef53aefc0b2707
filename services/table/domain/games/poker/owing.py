"""What a hand leaves a player owing: blinds that passed while away, hands without a bet (pt-217-2007 89, 90)."""

from msgspec.structs import replace

from services.table.domain.games.poker.state import Hand, PokerSitter


def owing_after(sitter: PokerSitter, hand: Hand) -> PokerSitter:
    """After a hand that counts; one that is void leaves things as they were."""
    dealt = hand.players.get(sitter.seat)
    if dealt is not None and dealt.reservation == sitter.reservation:
        return replace(sitter, owes_small=False, owes_big=False, idle=0 if dealt.staked else sitter.idle + 1)
    passed = [missed.blind for missed in hand.missed if missed.seat == sitter.seat and not sitter.newcomer]
    return replace(
        sitter,
        owes_small=sitter.owes_small or "small" in passed,
        owes_big=sitter.owes_big or "big" in passed,
    )
