"""The one error that commands show as a line; alone, because who only catches it loads no stack."""


class StackError(RuntimeError):
    """Something the stack needs can't be had. Its text is one line, fit to be shown to a person as it is."""
