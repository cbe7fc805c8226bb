# Every target sets itself up: `make demo` and `make test` need Python 3.11+ with venv, and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Real data for tests and benchmarks, when it lies beside the repo.
ifneq ($(wildcard ../shared/data/README.md),)
export TACIT_DATA ?= $(abspath ../shared/data)
endif

.PHONY: fuzz setup demo serve test lint bench bench-setup bench-check docs dist clean

$(VENV)/base.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install -e .
	touch $@

$(VENV)/dev.stamp: pyproject.toml $(VENV)/base.stamp
	$(PIP) install -e '.[dev]'
	touch $@

setup: $(VENV)/dev.stamp

demo: $(VENV)/base.stamp
	$(BIN)/tacit demo

# The service, on http://127.0.0.1:8000/ with models of the bundled data; MODEL="a.tacit b.tacit" for yours.
$(VENV)/serve.stamp: pyproject.toml $(VENV)/base.stamp
	$(PIP) install -e '.[serve]'
	touch $@

serve: $(VENV)/serve.stamp
	$(BIN)/tacit serve $(MODEL)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The suite with compiled kernels, then the small shapes again with the kernels as plain Python (the rules about source
# text and start-up are the same there). Kernels compile beside the linters, which take one core; otherwise both workers
# would compile the same ones.
test: setup
	$(BIN)/tacit warm > /dev/null & $(MAKE) --no-print-directory lint && wait $$!
	$(BIN)/python -m pytest -q -n 2 --dist worksteal
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not jit and not slow" \
		--ignore tests/kernels/test_rules.py tests/kernels tests/solvers tests/neighbours tests/metrics

# Model files and others that are damaged or forged, and inputs to every public call, for so many seconds each; a case can be
# repeated by its seed and number.
SECONDS ?= 60
fuzz: setup
	$(BIN)/python -W ignore -m tests.fuzz.driver files other_files inputs --seconds $(SECONDS)

# Peers have an environment of their own: they never enter the package's.
PEERS := .venv-peers
$(PEERS)/stamp: benchmarks/peers/requirements.txt benchmarks/peers/compiled.txt
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip --disable-pip-version-check --quiet install -r benchmarks/peers/requirements.txt
	$(PEERS)/bin/python -m pip --disable-pip-version-check --quiet install -r benchmarks/peers/compiled.txt \
		|| echo "benchmarks/peers/compiled.txt could not be installed (is there a compiler?): its rows will say so"
	touch $@

bench-setup: setup $(PEERS)/stamp
	$(PIP) install -e '.[bench]'

# QUICK=1 for the small versions, NAME="recommend sweep" for some of them.
bench: bench-setup
	$(BIN)/python -m benchmarks.run $(if $(QUICK),--quick) $(NAME)

# Fails when a key ratio has lost 20 % against the last results.
bench-check: bench-setup
	$(BIN)/python -m benchmarks.machine.check

$(VENV)/docs.stamp: pyproject.toml $(VENV)/base.stamp
	$(PIP) install -e '.[docs]'
	touch $@

docs: $(VENV)/docs.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# A wheel and an sdist in dist/; tests/test_dist.py installs and uses them.
dist: setup
	$(BIN)/python -m build --no-isolation --outdir dist

clean:
	rm -rf $(VENV) build dist site tacit-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
