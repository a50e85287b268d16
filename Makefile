# The only two set-up commands are `make demo` and `make test`; both work from nothing but Python.
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
PACKAGES := $(shell find src -name '*.py' 2>/dev/null)

ifdef UV
INSTALL = VIRTUAL_ENV=$(VENV) uv pip install --quiet
CREATE = uv venv --quiet --python "$(PYTHON)" $(VENV)
else
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
CREATE = "$(PYTHON)" -m venv $(VENV)
endif

.PHONY: demo test test-all test-clients explore coverage lint types imports unit all docs format clean

# What is compiled is kept: each process would compile the whole source and every test again.
unexport PYTHONDONTWRITEBYTECODE

$(BIN)/python:
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "offbook needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $@ || $(CREATE)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	@echo "installing offbook ..."
	@$(INSTALL) -e .
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	@echo "installing offbook and what its tests need ..."
	@$(INSTALL) -e '.[test]'
	@touch $@ $(VENV)/.core

demo: $(VENV)/.core
	@$(BIN)/offbook demo

test: lint types imports unit

lint: $(VENV)/.test
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.test
	$(BIN)/mypy

imports: $(VENV)/.test
	$(BIN)/lint-imports

# A commit is judged by the same examples in the same order each time; `make explore` makes up others.
FIXED := --randomly-seed=1851
SPREAD := -n 2 --dist worksteal
TESTS := $(BIN)/python -m pytest $(SPREAD)

unit: $(VENV)/.test
	$(TESTS) -m "not long" $(FIXED) --hypothesis-profile=quick

test-all: lint types imports all

all: $(VENV)/.test
	$(TESTS) $(FIXED) --hypothesis-profile=repeatable

# Other people's clients, from the package index, each in an environment of its own.
test-clients: $(VENV)/.test
	OFFBOOK_TEST_CLIENTS=1 $(BIN)/python -m pytest -n0 tests/clients

explore: $(VENV)/.test
	$(TESTS) -m "not long"

# The site has an environment of its own: only the tools are in it, since no page imports offbook.
DOCS_VENV ?= build/docs-venv

$(DOCS_VENV)/.docs: pyproject.toml | $(BIN)/python
	@"$(PYTHON)" -m venv $(DOCS_VENV)
	@"$(PYTHON)" -c 'import tomllib; \
	  print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"], sep="\n")' \
	  > $(DOCS_VENV)/docs.txt
	@$(DOCS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $(DOCS_VENV)/docs.txt
	@touch $@

docs: $(DOCS_VENV)/.docs
	$(DOCS_VENV)/bin/python -m sphinx -W --keep-going -q -b html docs build/docs

coverage: $(VENV)/.test
	$(TESTS) $(FIXED) --hypothesis-profile=repeatable --cov --cov-report=term

format: $(VENV)/.test
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
