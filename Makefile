# Every target sets up what it needs: Python 3.11+, git and make are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2

.PHONY: setup demo lint test deep bench docs clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

demo: $(STAMP)
	$(BIN)/python bench/demo.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not deep" --hypothesis-profile=ci

deep: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --hypothesis-profile=deep --timeout=0

bench: $(STAMP)
	$(BIN)/python -m bench

docs: $(STAMP)
	$(BIN)/python docs/reference.py

clean:
	rm -rf $(VENV) .demo dist build
