"""In which order the tests run on several workers."""

from tests.testkit.order import longest_first


def test_each_worker_begins_with_its_share_of_the_long_files_and_has_as_many_tests() -> None:
    short = [(0.0, [f"short{n}.{k}" for k in range(3)]) for n in range(10)]
    long = [(100.0, ["a"]), (300.0, ["b1", "b2"]), (200.0, ["c"]), (100.0, ["d"])]
    ordered = longest_first([*short, *long], 2)
    first, second = ordered[: len(ordered) // 2], ordered[len(ordered) // 2 :]
    assert first[:3] == ["b1", "b2", "d"]
    assert "c" in second[:3]
    assert "a" in second[:4]
    assert sorted(ordered) == sorted(item for _, items in (*short, *long) for item in items)
    assert all(ordered.index(f"short{n}.1") == ordered.index(f"short{n}.0") + 1 for n in range(10))


def test_without_long_files_the_order_is_as_it_was() -> None:
    files = [(0.0, [1, 2]), (0.0, [3]), (0.0, [4, 5])]
    assert longest_first(files, 2) == [1, 2, 3, 4, 5]
