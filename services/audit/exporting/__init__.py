"""Hands in other people's formats, made of public events alone: what was not shown to everybody is not in them."""
