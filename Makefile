# Everything a developer does here. Needs only git, make and Python 3.11+ with pip and venv.

# A Python for .venv: the first of these that is new enough and can make one. Or say: make setup PYTHON=/path/to/python3
PYTHON ?= $(firstword $(foreach name,python3 python3.11 python3.12 python3.13 python3.14, \
	$(shell $(name) -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(name))))
# More words for pytest: make test ARGS='-k redact -x'
ARGS ?=
# How long make fuzz feeds each of its targets.
FUZZ_SECONDS ?= 60

BIN := .venv/bin
INSTALLED := .venv/.installed
COMPILED := .venv/.compiled
FUZZER := .venv/.fuzzer
PEERS := build/peers/.installed
GPTME := build/gptme/.installed
SOURCES := $(shell find capture_core capview -name '*.py')

# Bytecode is what makes `capview run` start fast, so it is written whatever the shell says; and .venv is all there is.
unexport PYTHONDONTWRITEBYTECODE PYTHONPATH PYTHONHOME

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run demo test test-long peers fuzz lint types fmt bench compare screenshots check lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(COMPILED) ## Make .venv with everything in it, pinned and checked by hash

$(INSTALLED): requirements.lock pyproject.toml
	@test -x $(BIN)/python || test -n "$(PYTHON)" || \
		{ echo "This needs Python 3.11 or newer with pip and venv: make setup PYTHON=/path/to/python3" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "Making .venv …"; $(PYTHON) -m venv --clear .venv; }
	@echo "Installing what requirements.lock names …"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock
	@# Python 3.11 puts setuptools into a new .venv, and its .pth file into every start.
	@$(BIN)/python -m pip uninstall -qq --yes setuptools 2>/dev/null
	@$(BIN)/python -m pip install -qq --no-deps --no-index --no-build-isolation --editable .
	@# A package may carry a file for another Python; what matters is compiled.
	@$(BIN)/python -m compileall -qq -j 0 .venv/lib || true
	@touch $@

$(COMPILED): $(INSTALLED) $(SOURCES)
	@$(BIN)/python -m compileall -q capture_core capview
	@touch $@

run: setup ## Open the terminal UI on your own captures
	@$(BIN)/capview $(ARGS)

demo: setup ## Open the terminal UI on a sample conversation, made by real commands on the spot
	@$(BIN)/capview demo

test: setup ## Run the tests (ARGS='-k name -x' goes to pytest)
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

test-long: test ## Run the tests, then those that take minutes or gigabytes
	$(BIN)/python -m pytest -m long --timeout 1800 $(ARGS)

peers: $(PEERS) ## Fetch what some tests compare with into build/peers; without it they are skipped

$(PEERS): tests/peers/requirements.lock $(INSTALLED)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes --no-deps --only-binary :all: \
		--upgrade --target build/peers -r tests/peers/requirements.lock
	@touch $@

fuzz: setup $(FUZZER) ## Fuzz the sanitiser's stages and the parsers, each for FUZZ_SECONDS (60); what fails is kept in build/fuzz
	@set -e; for target in $$($(BIN)/python -m tests.fuzz); do \
		echo "== $$target"; $(BIN)/python -m tests.fuzz "$$target" -max_total_time=$(FUZZ_SECONDS); done

$(FUZZER): tests/fuzz/requirements.lock $(INSTALLED)
	@echo "Installing what tests/fuzz/requirements.lock names …"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes --only-binary :all: \
		-r tests/fuzz/requirements.lock
	@touch $@

check: ## Run every check but the tests, each even when another fails
	@$(MAKE) --no-print-directory --keep-going lint types

lint: setup ## Check style, formatting and the direction of imports
	@status=0; \
	$(BIN)/ruff check . || status=1; \
	$(BIN)/ruff format --check . || status=1; \
	$(BIN)/lint-imports --no-logo || status=1; \
	exit $$status

types: setup ## Check types, tests too
	$(BIN)/mypy

fmt: setup ## Format the code and mend what can be mended
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: setup ## Measure, beside the tools that people use today
	@set -e; for script in $$(grep -l '^if __name__ == "__main__":' tests/bench/*.py); do \
		echo "== $$script"; $(BIN)/python "$$script"; done

compare: setup $(GPTME) ## Run script, tee, tsp, gptme and capview on the same commands; write the README's table (needs root)
	$(BIN)/python -m tests.compare

$(GPTME): tests/compare/requirements.lock
	@$(PYTHON) -m venv --clear build/gptme
	@build/gptme/bin/python -m pip install -qq --disable-pip-version-check --require-hashes -r tests/compare/requirements.lock
	@touch $@

screenshots: setup ## Draw screenshots/ from the scenes of the snapshot tests
	$(BIN)/python -m tests.view.screenshots screenshots

lock: ## Pin the newest versions that pyproject.toml allows, with hashes, for Linux and every Python from 3.11
	@set -e; tools=$$(mktemp -d); trap 'rm -rf "$$tools"' EXIT; \
	$(PYTHON) -m venv "$$tools"; \
	"$$tools/bin/python" -m pip install -qq --disable-pip-version-check uv; \
	"$$tools/bin/uv" pip compile pyproject.toml --group dev --universal --python-version 3.11 --upgrade \
		--generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header --quiet \
		--output-file "$$tools/requirements.lock"; \
	{ echo "# Written by \`make lock\`: names, versions and hashes of everything that \`make setup\` installs."; \
	  cat "$$tools/requirements.lock"; } > requirements.lock; \
	"$$tools/bin/uv" pip compile --group fuzz --universal --python-version 3.11 --upgrade \
		--generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header --quiet \
		--output-file "$$tools/fuzz.lock"; \
	{ echo "# Written by \`make lock\`: names, versions and hashes of what \`make fuzz\` installs beside what \`make setup\` does."; \
	  cat "$$tools/fuzz.lock"; } > tests/fuzz/requirements.lock; \
	echo gptme==0.35.1 | "$$tools/bin/uv" pip compile - --universal --python-version 3.11 --upgrade \
		--generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header --quiet \
		--output-file "$$tools/gptme.lock"; \
	{ echo "# Written by \`make lock\`: gptme and what it needs, for \`make compare\`, apart from everything else."; \
	  cat "$$tools/gptme.lock"; } > tests/compare/requirements.lock

clean: ## Remove .venv and every cache
	rm -rf .venv .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist snapshot_report.html
	find capture_core capview tests -name __pycache__ -type d -prune -exec rm -rf {} +
