"""The rules of the table service: pure, and without a clock, dice or network."""
