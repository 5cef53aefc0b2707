#!/bin/sh
# As much of the official image's start as docker-compose.yml and the chart use.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  (umask 077; printf '%s\n' "${POSTGRES_PASSWORD:-$(cat "$POSTGRES_PASSWORD_FILE")}" >/tmp/password)
  initdb -U postgres --pwfile=/tmp/password --auth-host=scram-sha-256 --auth-local=trust \
    --encoding=UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C >/dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  pg_ctl -D "$PGDATA" -o "-c listen_addresses='' -k /tmp" -w start >/dev/null
  for script in /docker-entrypoint-initdb.d/*.sql; do [ ! -e "$script" ] || psql -q -v ON_ERROR_STOP=1 -h /tmp -U postgres -f "$script"; done
  pg_ctl -D "$PGDATA" -w stop >/dev/null
fi
exec "$@" -k /tmp
