"""The gateway at Kafka: who sends commands, and who hears replies, public events and private deals."""
