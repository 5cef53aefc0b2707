"""The whole write path in one seeded process: owners, zombies, crashes, a network that loses and delays."""
