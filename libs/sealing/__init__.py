"""What keeps a deck secret and honest: fair shuffling, sealing at rest, and a commitment to open later."""
