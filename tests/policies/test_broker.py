"""The policies' connection to the log."""

from libs.policies import policy_broker


def test_a_cluster_is_reached_at_each_of_its_addresses():
    """Found by running the house on three brokers: one string with commas was taken for one host."""
    broker = policy_broker("127.0.0.1:9092,127.0.0.1:9093,127.0.0.1:9094", "p")
    assert broker._connection_kwargs["bootstrap_servers"] == ["127.0.0.1:9092", "127.0.0.1:9093", "127.0.0.1:9094"]
