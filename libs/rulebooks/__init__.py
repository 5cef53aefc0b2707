"""Rulebooks: what each regulation fixes, allows and leaves to the operator. Data beside the code that reads it."""
