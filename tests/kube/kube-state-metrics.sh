#!/usr/bin/env bash
# kube-state-metrics.sh FOLDER: its program, from its Go module, into FOLDER.
set -euo pipefail
cd "$1"
module=$(GOFLAGS=-mod=mod go mod download -json k8s.io/kube-state-metrics/v2@v2.18.0 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
cp -r "$module" states && chmod -R u+w states
(cd states && go build -trimpath -ldflags '-s -w' -o ../kube-state-metrics .) && rm -rf states
