"""Arithmetic on whole minor units: nothing here knows a fraction."""
