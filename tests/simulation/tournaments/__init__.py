"""Whole tournaments on virtual time: real deciders, folds, timers and policies of three services, and what goes wrong
between them. What the log itself does is the house's matter (`tests/simulation/world.py`); here there is room for many
players.
"""
