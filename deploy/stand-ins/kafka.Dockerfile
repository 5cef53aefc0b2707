# In place of apache/kafka where it can't be pulled: the local stack's jars and Java, in that image's places. For trying out.
ARG BASE
FROM ${BASE}
COPY libs /opt/kafka/libs
COPY java /opt/java
RUN mkdir -p /opt/kafka/bin /var/lib/kafka/data && chown 1000:1000 /var/lib/kafka/data \
    && printf '#!/bin/sh\nexec java $KAFKA_HEAP_OPTS $KAFKA_LOG4J_OPTS -XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError -cp "$CLASSPATH:/opt/kafka/libs/*" kafka.Kafka "$@"\n' \
    > /opt/kafka/bin/kafka-server-start.sh && chmod 755 /opt/kafka/bin/kafka-server-start.sh
ENV PATH=/opt/java/bin:$PATH
USER 1000:1000
VOLUME /var/lib/kafka/data
