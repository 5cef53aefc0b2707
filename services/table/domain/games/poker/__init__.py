"""One hand: dealing, betting, pots, showdown and payment."""
