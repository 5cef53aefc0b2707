"""What a demo bot plays against the house."""

import pytest

from services.cli.demo.bots import worth_playing


@pytest.mark.parametrize(
    ("cards", "plays"),
    [
        ("2s 2d 7c 5h 4s", True),
        ("Ac Kd Jh 7s 4s", True),
        ("As Qd Jc Th 9s", False),
        ("9h 8d 7c 6s 5h", True),
        ("Kh 9h 7h 4h 2h", True),
        ("Ks Qd Jc 9h 8s", False),
        ("", False),
    ],
)
def test_a_pair_or_better_or_ace_king(cards: str, plays: bool) -> None:
    assert worth_playing(cards.split()) is plays
