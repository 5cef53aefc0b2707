"""The table's half of a tournament: entrants, their chips, and who alone may seat them and take them off."""
