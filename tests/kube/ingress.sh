#!/usr/bin/env bash
# ingress.sh FOLDER IMAGE BASE: an image of Traefik from its Go module; it has replaced modules, so `go install` refuses it.
set -euo pipefail
cd "$1"
module=$(GOFLAGS=-mod=mod go mod download -json github.com/traefik/traefik/v3@v3.5.0 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
cp -r "$module" source && chmod -R u+w source
mkdir -p source/webui/static && echo '<html></html>' >source/webui/static/index.html # its dashboard is not in the module
(cd source && go build -trimpath -ldflags '-s -w' -o ../traefik ./cmd/traefik) && rm -rf source
printf 'FROM %s\nCOPY traefik /traefik\nUSER 10001:10001\nENTRYPOINT ["/traefik"]\n' "$3" >Dockerfile
podman build -q -t "$2" .
