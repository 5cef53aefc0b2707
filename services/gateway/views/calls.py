"""The calls of a table against the house, as the regulations word them (pt-803-2015-no-draw 14, pt-812-2015 27)."""

PLACE_YOUR_BETS = "place your bets"
NO_MORE_BETS = "no more bets, cards in distribution"
