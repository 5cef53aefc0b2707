"""The auditor's read API."""
