"""Red or black: one card, and everybody has staked on its colour."""
