"""Plays recorded coups of baccarat through the real rules and compares every stake, commission, credit and net."""
