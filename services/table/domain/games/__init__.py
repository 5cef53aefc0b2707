"""One folder a game: what differs between games, and nothing that they share."""
