"""The house's own money at a table whose game is played against the house."""
