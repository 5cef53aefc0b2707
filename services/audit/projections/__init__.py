"""Read models of the auditor: hand histories, and the folds of the live checks."""
