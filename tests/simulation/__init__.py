"""The whole house in one seeded process: every service's real parts on a virtual clock and the simulated log."""
