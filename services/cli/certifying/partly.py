"""Running some of the tests: what of the others is known stands on the page."""

from services.cli.certifying.page import outcomes_on, rows_of
from services.cli.certifying.results import Outcomes, Result, certify_rules, outcomes_of
from services.cli.certifying.rules import Rules
from services.cli.certifying.running import Marked


def refs_of(rules: Rules, entries: list[str]) -> set[str]:
    """The entries and their cases."""
    return {ref for ref in rules.refs if ref.partition("/")[0] in entries}


def refs_new(rules: Rules, tests: list[Marked], page: str) -> set[str]:
    """Cases whose row the page has not as it would be, or as one that is not green; entries that fail on it."""
    certificate = certify_rules(rules, tests, outcomes_on(page))
    rows, lines = rows_of(certificate), set(page.splitlines())
    cases = [case for line in certificate.lines for case in line.cases]
    green = {Result.SHOWN, Result.IN_PART}
    refs = {case.ref for case in cases if rows[case.ref] not in lines or (case.tests and case.result not in green)}
    return refs | {line.ref for line in certificate.lines if line.result is Result.FAILING}


def outcomes_with(rules: Rules, page: str, refs: set[str], ran: list[Marked]) -> Outcomes:
    """Of `refs` what was run just now, of everything else what the page says."""
    new = outcomes_of(rules, ran)
    return outcomes_on(page) | {ref: new.get(ref) for ref in refs}
