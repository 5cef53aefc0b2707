"""No file imports another that imports it, whatever lies between them."""

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest


def test_no_circles_between_files() -> None:
    """Imports for types alone do not count: they are not followed at run time."""
    graph = grimp.build_graph("libs", "services", exclude_type_checking_imports=True)
    files = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(files).prepare()
    files["libs.contracts.facts"].add("services.table.machine")
    with pytest.raises(CycleError):
        TopologicalSorter(files).prepare()
