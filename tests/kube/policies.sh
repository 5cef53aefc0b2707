#!/usr/bin/env bash
# policies.sh FOLDER: enforces NetworkPolicies on the tool's node, whose network knows none, until Ctrl-C: kube-router as a firewall and
# nothing else, built from its Go module into FOLDER. Needs root, Go and Debian's ipset; KUBECONFIG is the tool's (`kube env`).
set -euo pipefail
[ -x "$1/kube-router" ] || GOBIN=$1 go install -trimpath -ldflags '-s -w' github.com/cloudnativelabs/kube-router/v2/cmd/kube-router@v2.1.0
# Its own --cleanup-config (2.1.0) ends in a panic.
trap 'iptables-save -t filter | grep -vE "KUBE-(NWPLCY|POD-FW|ROUTER|DEFAULT)" | iptables-restore -T filter' EXIT
"$1/kube-router" --run-firewall=true --run-router=false --run-service-proxy=false --kubeconfig "$KUBECONFIG" --hostname-override here \
  --service-cluster-ip-range 10.97.0.0/16 --health-port 0 --metrics-port 0
