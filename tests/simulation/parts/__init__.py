"""Processes of the house, each made of the product's own parts and wired as its `wiring.py` wires them."""
