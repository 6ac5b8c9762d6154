# Everything happens inside the checkout: .venv/, .bootstrap/ and web/node_modules/. Nothing else is touched, but for five
# programs that `make test` installs where it is root and apt-get is there: bubblewrap, strace, fuse, chromium, iproute2.

PYTHON ?= python3
BIN := .venv/bin
CODE := $(wildcard src tests bench scripts)
# More than the cores of a small machine: of those that wait for processes and leases many stand beside each other, and
# others can compute meanwhile.
WORKERS ?= 6
# Compiled modules are kept, whatever the shell says. Tests start thousands of processes, and each would compile the
# whole package again, and each worker all tests.
export PYTHONDONTWRITEBYTECODE :=

SETUP := PYTHON="$(PYTHON)" ./scripts/bootstrap.sh
# Real coding clients for the tests: a quick one every time, all of them for the long tests.
CLIENTS := PYTHON="$(PYTHON)" $(BIN)/python -m tests.clients.clients install

# The page of the web board: what it is built with, the build itself, and whether what is kept is what its sources make.
WEB := PYTHON="$(PYTHON)" $(BIN)/python -m tests.web.build

# $(call step,name,command): run it, and name it if it fails.
step = @echo "== $(1)"; $(2) || { echo "== FAILED: $(1)" >&2; exit 1; }

CHECK_FORMAT := $(BIN)/ruff format --check $(CODE)
CHECK_LINT := $(BIN)/ruff check $(CODE)
CHECK_TYPES := $(BIN)/mypy $(CODE)
# They are forked when all is collected: tests/crew.py.
CREW := $(BIN)/python -m pytest -p tests.crew --crew $(WORKERS) -m "not slow"
CHECK_TESTS := $(CREW) --durations=10
# What shows most mistakes soonest: the rules, what is read and told, one store, the shape of the code.
QUICK := tests/core tests/flows tests/reports tests/briefs tests/engine tests/store/test_contract.py tests/shape
CHECK_QUICK := $(CREW) -q $(QUICK)

# Their boards are made without saying where, and so can be on a server: tests/stores.py.
ON_POSTGRES := tests/core tests/engine tests/flows tests/briefs tests/reports tests/acceptance \
	$(wildcard tests/doors/test_*.py) tests/doors/http tests/doors/observe

# Types need one core for a while, and print one line, or their faults: the tests begin meanwhile. Where one
# fails, the other goes on to its end.
BESIDE := $(MAKE) --no-print-directory --keep-going --jobs=2

.DEFAULT_GOAL := help
.PHONY: help demo test quick lint format types bench prove reference web lock clean runtime dev tools client clients said \
	the-types the-tests the-quick-tests

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

demo: runtime ## set up what is needed and show a board at work
	@$(BIN)/moot demo

test: said dev tools client ## the one command: format, lint, types, tests
	$(call step,format (make format repairs it),$(CHECK_FORMAT))
	$(call step,lint,$(CHECK_LINT))
	$(call step,the built page (make web makes it again),$(WEB) check)
	@$(BESIDE) the-types the-tests
	@echo "== all good"

quick: dev ## the rules, the readers and the shape, in a minute or two
	$(call step,format (make format repairs it),$(CHECK_FORMAT))
	$(call step,lint,$(CHECK_LINT))
	@$(BESIDE) the-types the-quick-tests
	@echo "== all good so far; make test runs the rest"

the-types:
	$(call step,types,$(CHECK_TYPES))

the-tests:
	$(call step,tests,$(CHECK_TESTS))

the-quick-tests:
	$(call step,quick tests,$(CHECK_QUICK))

lint: dev ## ruff, without changing anything
	$(call step,format (make format repairs it),$(CHECK_FORMAT))
	$(call step,lint,$(CHECK_LINT))

format: dev ## let ruff put format and imports right
	@$(BIN)/ruff check --fix-only $(CODE)
	@$(BIN)/ruff format $(CODE)

types: dev ## mypy, strict on src
	$(call step,types,$(CHECK_TYPES))

bench: dev ## measure, each beside a raw limit
	@PYTHON="$(PYTHON)" $(BIN)/python -m bench.peers install
	@$(BIN)/python -m bench

prove: dev tools clients ## the long tests
	@$(WEB) install
	$(call step,slow tests,$(BIN)/python -m pytest -m slow)
	$(call step,tests on PostgreSQL,MOOT_TEST_STORE=postgres $(BIN)/python -m pytest -m "not slow" -n $(WORKERS) $(ON_POSTGRES))

reference: dev ## write docs/reference/ from the code
	@$(BIN)/python scripts/reference.py

web: dev ## build the page of the web board from web/
	@$(WEB) make

lock: ## resolve pyproject.toml into the lock files again
	@$(SETUP) lock

clean: ## remove all that make made
	rm -rf web/node_modules .venv .bootstrap .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

# Before anything is installed, and only if something will be.
said:
	@[ -d .venv ] || echo "This makes .venv/ here with what the lock files name, and takes a minute. As root it also" \
		"installs bubblewrap, strace, fuse, chromium and iproute2 by apt-get; and by npm, for the tests, one coding client" \
		"(goose) and what the page is built with."

runtime:
	@$(SETUP) runtime

dev:
	@$(SETUP) dev

tools:
	@$(SETUP) tools

client: dev
	@$(CLIENTS) goose

clients: dev
	@$(CLIENTS) goose codex opencode gemini claude-code qwen copilot aider conformance inspector
