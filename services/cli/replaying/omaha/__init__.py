"""Worked hands of Omaha."""
