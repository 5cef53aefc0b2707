"""What lies in these folders is laid over a copy of the house first; here it has nothing to run in."""

collect_ignore = ["red_black", "reentry_waived"]
