"""Evidence: what happened at every table, whether the books and decks agree with it, and what does not."""
