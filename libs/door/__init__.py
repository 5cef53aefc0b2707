"""The platforms' door: what stands between operators' platforms and the broker, and lets readers' requests through."""
