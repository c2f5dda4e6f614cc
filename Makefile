# swarmlit. `make` or `make help` lists the commands.
#
# Only a Python of 3.11 or newer with its venv module is needed; everything else goes into .venv.
# Choose another interpreter with `make distclean run PYTHON=python3.13`.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test sync lab docs bench coverage mutants clean distclean

PYTHON = $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))" 2>/dev/null \
	&& echo $$p && break; done)
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --use-pep517
SOURCES := settings.ini setup.py pyproject.toml
JOBS ?= 2
LAB ?=  # more options for JupyterLab, such as LAB=--no-browser

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' Makefile

run: .venv/.installed  ## learn a rule list from the 1984 congressional votes, cross-validated
	@$(BIN)/swarmlit learn data/voting.csv --target class --cv 10

test: .venv/.developing  ## all tests: notebooks clean and in sync, chapters run, pytest
	@echo "== notebooks, library and README" && $(BIN)/python tools/check.py
	@echo "== style" && $(BIN)/ruff check --quiet swarmlit tests benchmarks tools setup.py
	@echo "== type hints" && $(BIN)/python tools/check_types.py
	@echo "== chapters, each in a process of its own" && find nbs -name '*.ipynb' -not -path '*/.*' | \
		sort | MPLBACKEND=agg xargs -P $(JOBS) -I '{}' $(BIN)/nbdev_test --path '{}' --do_print
	@echo "== tests" && $(BIN)/python -m pytest tests -n $(JOBS) --dist worksteal

sync: .venv/.developing  ## export the library, clean the notebooks, write README.md
	@$(BIN)/nbdev_export
	@$(BIN)/nbdev_clean
	@$(BIN)/python tools/readme.py

lab: .venv/.developing  ## open the notebooks in JupyterLab
	@$(BIN)/jupyter lab --notebook-dir=nbs $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB)

docs: .venv/.developing  ## build the site into _docs and check its links
	@$(BIN)/python tools/docs.py

bench: .venv/.developing  ## speed, and how it grows with the table
	@$(BIN)/python -m pytest benchmarks --benchmark-only

coverage: .venv/.developing  ## lines and branches that the tests reach, kernels run as plain Python
	@CI=1 NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest tests -n $(JOBS) --dist worksteal -W ignore \
		--cov --cov-report=term-missing:skip-covered

mutants: .venv/.developing  ## sow faults one by one and see whether the tests notice
	@$(BIN)/python tools/mutate.py

clean:  ## remove what was built; .venv stays
	@rm -rf build dist _proc _docs ./*.egg-info .pytest_cache .hypothesis .ruff_cache .benchmarks
	@find swarmlit nbs tests tools benchmarks -name __pycache__ -prune -exec rm -rf {} +

distclean: clean  ## remove .venv too
	@rm -rf .venv

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "swarmlit needs Python 3.11 or newer with its venv module" \
		"(Debian and Ubuntu: the package python3-venv). Or say where it is: make PYTHON=..."; exit 1; }
	@$(PYTHON) -m venv --clear .venv

# The stamps are older than settings.ini or setup.py exactly when the packages may be out of date.
# The install is editable, so a change of the code needs no new one.
.venv/.installed: $(SOURCES) | .venv/bin/python
	@echo "Installing swarmlit into .venv; the first time takes a minute or two."
	@$(INSTALL) --editable .
	@touch $@

.venv/.developing: .venv/.installed
	@echo "Installing the development tools into .venv."
	@$(INSTALL) --editable ".[dev]"
	@touch $@
