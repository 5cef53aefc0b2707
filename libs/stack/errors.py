"""The one error that the local stack raises."""


class StackError(RuntimeError):
    """Something the stack needs can't be had. Its text is one line, fit to be shown to a person as it is."""
