"""Punto banco: two hands from one shoe, and everybody bets on what they will be (pt-812-2015)."""
