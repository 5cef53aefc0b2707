"""Worked hands of casino poker (pt-217-2007): line by line with stacks, pots and cards left, incidents included."""
