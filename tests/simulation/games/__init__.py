"""What the simulated house plays: one file per game, how its tables are set up and how people play at them."""
