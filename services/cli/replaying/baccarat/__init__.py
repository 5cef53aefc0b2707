"""Worked coups of baccarat."""
