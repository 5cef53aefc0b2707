"""The promises of the house, one small function each. What is seen while records land is noted; the rest is raised."""
