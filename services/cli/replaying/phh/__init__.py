"""Poker hand histories in the PHH format (phh.readthedocs.io): read, set up, played through the real rules."""
