"""Worked rounds of no-draw poker."""
