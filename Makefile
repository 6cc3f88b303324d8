# `make` alone lists what there is to make. Every target does the set-up it needs by itself.

PYTHON ?= python3
BIN    := .venv/bin
BENCH  := .venv-bench/bin
STAMPS := .venv/stamps

# The tested CLI versions, the newest first, from the one file that pins them.
CLI_VERSIONS := $(shell sed -n 's/^number = "\(.*\)"/\1/p' requirements/claude-code.toml)
NEWEST       := .venv/cli/$(firstword $(CLI_VERSIONS))/claude

# The packages that compute and touch nothing are covered whole by tests, branches included.
PURE      := ids errors payload events commands conversation recording wire protocol tools transcript view policy
PURE_CODE := $(foreach room,$(PURE),src/bascule/$(room).py src/bascule/$(room)/*)
comma     := ,
empty     :=
comma_list = $(subst $(empty) ,$(comma),$(strip $(1)))

# Of the web UI: whether a Node is here that its tools run on.
NODE := $(shell node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null && echo node)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup setup-all demo demo-web ui ui-check test live drift check format bench soak lock clean

help: ## list what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: $(STAMPS)/package $(NEWEST) ## .venv with locked tools, the package, the newest tested CLI
	@:

setup-all: $(STAMPS)/package $(CLI_VERSIONS:%=.venv/cli/%/claude) ## the same with every tested CLI
	@:

demo: setup ## a real CLI with a scripted model: no account, no network
	@PATH="$(CURDIR)/$(dir $(NEWEST)):$$PATH" $(BIN)/bascule demo

demo-web: setup ui ## the same as sessions in a browser: asks for an edit, a command, an answer, a plan
	@$(BIN)/bascule demo --web

ui: ui/node_modules/.package-lock.json ## the web UI, built into the package; it is served by `bascule serve`
	@cd ui && npm run --silent build && npm run --silent size

ui-check: ui/node_modules/.package-lock.json
	@cd ui && npm run --silent check >../.venv/ui-check.txt 2>&1 || { cat ../.venv/ui-check.txt; exit 1; }

check: $(STAMPS)/package ## static checks: style, types, layers, house rules
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { $(BIN)/ruff format --check; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo >$(STAMPS)/imports.txt || { cat $(STAMPS)/imports.txt; exit 1; }
	@$(BIN)/pytest -q --no-header tests/test_house.py

test: setup check ## check, the fast tests with coverage, the web UI's, a smoke test on the real CLI
	@$(if $(NODE),$(MAKE) --no-print-directory ui-check ui,echo "the web UI is neither checked nor built: it needs Node 20.19 or newer")
	@$(BIN)/pytest -q --no-header -m "not live" --cov --cov-report=
	@$(BIN)/coverage report --fail-under=100 --include='$(call comma_list,$(PURE_CODE))'
	@$(BIN)/coverage report --fail-under=90 --omit='$(call comma_list,$(PURE_CODE))'
	@$(BIN)/pytest -q --no-header -m "smoke and not older"

live: setup-all ## every test on the real CLI, on every tested version
	@$(BIN)/pytest -q --no-header -m live

drift: $(STAMPS)/package ## what differs in another CLI version, whatever npm has: make drift VERSION=2.1.300
	@test -n "$(VERSION)" || { echo "which version? make drift VERSION=2.1.300"; exit 2; }
	@$(BIN)/python scripts/bring_cli.py $(VERSION) .venv/drift/$(VERSION)/claude --unpinned
	@XDG_STATE_HOME="$(CURDIR)/.venv/drift" $(BIN)/bascule doctor --cli .venv/drift/$(VERSION)/claude

format: $(STAMPS)/package ## mend style and order of imports
	@$(BIN)/ruff check --quiet --fix-only
	@$(BIN)/ruff format --quiet

bench: .venv-bench/package $(NEWEST) ## every benchmark beside its peers; ONE=loop: that one; SHORT=1: a trial
	@$(BENCH)/python -m bench $(ONE) $(if $(SHORT),--short)

soak: $(STAMPS)/package ## hundreds of sessions and every fault at random: SESSIONS=200 FOR=300 SEED=1; SHORT=1: a minute
	@$(BIN)/python -m scripts.soak $(if $(SHORT),--sessions 20 --real 0 --seconds 20) $(if $(SESSIONS),--sessions $(SESSIONS)) \
	    $(if $(FOR),--seconds $(FOR)) $(if $(SEED),--seed $(SEED))

lock: ## write requirements/*.txt anew from pyproject.toml and *.in
	@PYTHON=$(PYTHON) scripts/lock

clean: ## remove .venv and what the tools left
	@rm -rf .venv .venv-bench ui/node_modules src/bascule/web/static dist build .coverage .coverage.* htmlcov \
	    .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

ui/node_modules/.package-lock.json: ui/package-lock.json
	@cd ui && npm ci --silent --no-audit --no-fund
	@touch $@

# --- set-up, step by step; a step runs again when what it reads has changed ---

$(BIN)/python $(BENCH)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(@:/bin/python=) || { echo "python3-venv is needed (Debian: apt-get install python3-venv)"; exit 1; }

$(STAMPS)/tools: requirements/dev.txt | $(BIN)/python
	@echo "installing the locked tools …"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/package: pyproject.toml $(STAMPS)/tools
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv-bench/tools: requirements/bench.txt | $(BENCH)/python
	@echo "installing the locked peers …"
	@$(BENCH)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@

.venv-bench/package: pyproject.toml .venv-bench/tools
	@$(BENCH)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv/cli/%/claude: requirements/claude-code.toml | $(BIN)/python
	@$(BIN)/python scripts/bring_cli.py $* $@
