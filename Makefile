# Everything that is done with this project. `make` alone lists it. The first run of any target sets everything up.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

UV_VERSION := 0.13.9
TOOLS := .tools
PROMETHEUS := $(TOOLS)/prometheus/usr/bin/promtool
VENV := .venv
BIN := $(VENV)/bin
UV := $(TOOLS)/bin/uv
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null \
	&& { echo $$p; break; }; done)

# Every command of the tests would be compiled anew, which takes it a second.
unexport PYTHONDONTWRITEBYTECODE

WORKED := omaha-worked-hands.yaml casino-poker-worked-hands.yaml no-draw-poker-worked-rounds.yaml baccarat-worked-rounds.yaml

# Not in requirements.lock: it runs in a copy of its own.
MUTMUT_VERSION := 3.8.1
MUTANTS := .croupier/mutants
PIP_AUDIT_VERSION := 2.10.1

SAY := printf '%s\n'
NETWORK := { $(SAY) "make: the Python package registry can't be reached (or has not what requirements.lock names): is the network there?" >&2; exit 1; }

.PHONY: help setup up down house demo test test-long check chaos takeovers attack sim sim-tournaments sim-bugs lock replay bench-engine bench-core bench-house bench-tournament bench-years bench-beside bench-move bench-questions mutants sbom images stand-ins audit-deps prometheus alerts kube kube-drill kube-alerts kube-down clean

help: ## List these targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 18

setup: $(VENV)/.ready ## Fetch uv and every locked Python package into .tools and .venv

up: setup ## Start Kafka and PostgreSQL, create the topics (croupier up)
	@$(BIN)/croupier up

down: setup ## Stop them; their data stays (croupier down)
	@$(BIN)/croupier down

house: setup ## Run the whole house on this machine until Ctrl-C (PORT=8080)
	@$(BIN)/croupier serve $(if $(PORT),--port $(PORT))

demo: setup ## Play: services, six tables, a tournament, bots, two crashes, the books reconciled (HANDS=n for a number of hands)
	@$(BIN)/croupier demo $(if $(HANDS),--hands $(HANDS))

test: check ## All checks, then the tests on the real broker and database (ARGS='-k word' for some, JOBS=3)
	@$(BIN)/pytest -n $(or $(JOBS),3) --dist worksteal -m "not slow and not long" --durations=25 --durations-min=5 $(ARGS)

test-long: setup ## The long tests that `make test` leaves out: moves, restores, bounds, nine faults (ARGS='-k word', JOBS=2)
	@$(BIN)/pytest -n $(or $(JOBS),2) --dist worksteal -m long --timeout 900 --durations=25 --durations-min=5 $(ARGS)

check: setup ## Lint, format, types, import walls
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

chaos: setup ## Break every part of the house while it plays, 25 times each (ROUNDS=n, LANES=n, FAULT='words, words')
	@$(BIN)/python -m tests.chaos $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(REPEAT),--repeat $(REPEAT)) $(if $(LANES),--lanes $(LANES)) $(if $(FAULT),--fault '$(FAULT)') $(ARGS)

takeovers: setup ## Kill one of two processes of every service while bots play, one after the other: what takes how long
	@CROUPIER_TAKEOVERS=all $(BIN)/pytest -n 0 -q -s tests/e2e/test_taking_over.py

sim: setup ## Simulate the whole house under faults, seed by seed (SEEDS=500 FIRST=0 JOBS=2)
	@$(BIN)/python -m tests.simulation --seeds $(or $(SEEDS),500) --first $(or $(FIRST),0) --jobs $(or $(JOBS),2) $(if $(BUG),--bug "$(BUG)")

sim-tournaments: setup ## Simulate whole tournaments of 2 to 500 players under faults (SEEDS=1000 FIRST=0 JOBS=2)
	@$(BIN)/python -m tests.simulation.tournaments --seeds $(or $(SEEDS),1000) --first $(or $(FIRST),0) --jobs $(or $(JOBS),2) $(if $(BUG),--bug "$(BUG)")

sim-bugs: setup ## Plant every known bug and say which check catches it (SEEDS=40 for each; WRITE=1 writes the page)
	@$(BIN)/python -m tests.simulation.planted --seeds $(or $(SEEDS),40) --jobs $(or $(JOBS),2) $(if $(WRITE),--write)

replay: setup ## Play recorded hands through the real decider (FILES=… for other records)
	@$(BIN)/croupier replay $(or $(FILES),$(addprefix ../shared/regulations/,$(WORKED)))

attack: setup ## Attack a running house of its own and say what came of it (SHARE=0.1 for a part, ONLY=money, WRITE=1)
	@$(BIN)/python -m tests.attack $(if $(SHARE),--share $(SHARE)) $(if $(ONLY),--only $(ONLY)) $(if $(WRITE),--write)

bench-engine: setup ## Full hands a second through decide, evolve and event encoding, against PokerKit (ARGS=--json)
	@$(BIN)/python -m tests.bench.engine $(ARGS)

bench-core: setup ## The write path, ledger, rebuilding, restarting and idle tables as ratios of paired runs (ARGS=--json)
	@$(BIN)/python -m tests.bench.core $(ARGS)

bench-house: setup ## The whole house under bots: CPU and bytes an act by service, answers, views, idle (ARGS='--stage 40@280')
	@$(BIN)/python -m tests.bench.house $(ARGS)

bench-lines: setup ## What logins with rules, and TLS on top, cost the house, as ratios to an open broker (ARGS='--rounds 3')
	@$(BIN)/python -m tests.bench.house.lines $(ARGS)

bench-tournament: setup ## A tournament of N players on the whole house: balancing, the clock, CPU, memory (N=2000 ARGS=--json)
	@$(BIN)/python -m tests.bench.tournament $(or $(N),2000) $(ARGS)

bench-years: setup ## What history does to starts, memory, bytes an act, answers and tools (N='10000 100000' events, ARGS='--only services')
	@$(BIN)/python -m tests.bench.years $(or $(N),10000 100000) $(ARGS)

bench-beside: setup ## Two houses that `bench-years ARGS='--keep FOLDER'` left, by turns: ratios of starts and answers with their spread (FOLDER=, N='1000000 10000000')
	@$(BIN)/python -m tests.bench.years.beside $(FOLDER) $(or $(N),1000000 10000000) $(ARGS)

bench-move: setup ## Move a house of N events to 16 partitions, killed five times: everything the same, time, memory (N=1000000)
	@$(BIN)/python -m tests.bench.move $(or $(N),100000) $(ARGS)

bench-questions: setup ## p50 and p99 of every question of staff and players as history grows (N='30000 300000' transfers)
	@$(BIN)/python -m tests.bench.questions $(or $(N),30000 300000) $(ARGS)

mutants: setup ## Change one operator at a time of betting, pots and ranking: does a test notice? (NAMES='*.pots.*' JOBS=2)
	@rm -rf $(MUTANTS) && mkdir -p $(MUTANTS) && cp -R libs services tests docs pyproject.toml README.md $(MUTANTS)
	@$(UV) venv -q --python $(BIN)/python $(MUTANTS)/.venv
	@$(UV) pip sync -q --python $(MUTANTS)/.venv/bin/python --require-hashes requirements.lock || $(NETWORK)
	@$(UV) pip install -q --python $(MUTANTS)/.venv/bin/python mutmut==$(MUTMUT_VERSION) || $(NETWORK)
	@cd $(MUTANTS) && CROUPIER_SHARED=$${CROUPIER_SHARED:-$(abspath ../shared)} \
		.venv/bin/mutmut run --max-children $(or $(JOBS),2) $(if $(NAMES),$(foreach name,$(NAMES),'$(name)'))
	@$(BIN)/python -m tests.mutation $(MUTANTS)

lock: setup ## Resolve anew: requirements.lock (Python) and libs/stack/kafka.lock.toml (jars)
	@$(UV) lock --upgrade
	@$(UV) export -q --all-groups --no-emit-project --no-header --format requirements-txt -o requirements.lock
	@$(BIN)/python -m libs.stack.lock

sbom: setup ## List what is used of others: docs/third-party.md, and a CycloneDX document in .croupier
	@$(BIN)/croupier sbom

images: setup ## Build the image of all services with podman or docker (BASE=python:3.11-slim, IMAGE=localhost/croupier:latest)
	@BASE=$(BASE) IMAGE=$(IMAGE) bash deploy/images.sh image

stand-ins: setup ## Build images of Kafka and PostgreSQL from the local stack's packages, where the official ones can't be pulled
	@BASE=$(BASE) bash deploy/images.sh stand-ins

kube: setup ## A house on Kubernetes: cluster (where ../shared has the tool; else KUBECONFIG's), images, servers, chart, ingress
	@$(BIN)/python -m tests.kube up

kube-drill: setup ## Break the house of `make kube` in every way while 20 tables play there (ROUNDS=2 at most, REPEAT=10 OTHER=tag ONLY=words WRITE=1)
	@$(BIN)/python -m tests.kube drill $(if $(ONLY),--only '$(ONLY)') $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(REPEAT),--repeat $(REPEAT)) $(if $(OTHER),--other $(OTHER)) $(if $(WRITE),--write)

kube-alerts: setup $(PROMETHEUS) ## Fire the cluster's own alerts there: backups, jobs, disks (WRITE=1)
	@$(BIN)/python -m tests.kube alerts $(if $(WRITE),--write)

kube-down: setup ## Take it away, data and keys too
	@$(BIN)/python -m tests.kube down

prometheus: $(PROMETHEUS) ## Fetch Prometheus and promtool as Debian packages them into .tools (the tests of the alerts use them)

alerts: setup $(PROMETHEUS) ## Break a house that a real Prometheus watches: does each alert fire by its fault? (ONLY=words, WRITE=1)
	@$(BIN)/python -m tests.watching $(if $(ONLY),--only '$(ONLY)') $(if $(WRITE),--write)

audit-deps: setup ## Look up every locked Python package in PyPI's advisories (ARGS='-s osv' for OSV's); needs one of them
	@$(UV) tool run --from pip-audit==$(PIP_AUDIT_VERSION) pip-audit --strict --no-deps --disable-pip --require-hashes \
		--progress-spinner off -r requirements.lock $(ARGS)

clean: ## Stop the stack; remove its data, downloads, both environments and all caches
	@if [ -x $(BIN)/croupier ]; then $(BIN)/croupier down --wipe || true; fi
	@rm -rf $(VENV) $(TOOLS) .croupier .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PROMETHEUS):
	@mkdir -p $(TOOLS)/prometheus
	@cd $(TOOLS)/prometheus && apt-get download -q prometheus && dpkg -x prometheus_*.deb . && rm prometheus_*.deb \
		|| { $(SAY) "make: Debian's package prometheus can't be had here (or this is no Debian): put prometheus and promtool on the PATH" >&2; exit 1; }
	@touch $(PROMETHEUS)

$(UV):
	@if [ -z "$(PYTHON)" ]; then $(SAY) "make: Python 3.11 to 3.13 with venv is missing (looked for python3.11 … python3.13, python3; set PYTHON=…)" >&2; exit 1; fi
	@$(SAY) "Fetching uv $(UV_VERSION)"
	@$(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install -q --disable-pip-version-check uv==$(UV_VERSION) || $(NETWORK)
	@touch $(UV)

$(VENV)/bin/python: | $(UV)
	@$(UV) venv -q --allow-existing --python $(or $(PYTHON),python3) $(VENV)

$(VENV)/.ready: requirements.lock pyproject.toml | $(UV) $(VENV)/bin/python
	@$(SAY) "Installing $$(grep -c '==' requirements.lock) locked Python packages"
	@$(UV) pip sync --python $(BIN)/python --require-hashes requirements.lock || $(NETWORK)
	@$(UV) pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@
