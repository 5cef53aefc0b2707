"""Plays recorded rounds of no-draw poker through the real rules and compares every stake, credit and net."""
