# Each target creates .venv and installs what it needs, once.
.PHONY: quick mutants release pictures bench-growth test-slow test-integrations test-peers image conda explore fuzz faults bombs test-kill bench-scale help demo docs browser test test-plain test-nocompiler test-wheel lint bench study study-null orders clean
.DEFAULT_GOAL := help
.SILENT:
unexport PYTHONDONTWRITEBYTECODE # tests start many processes, each of which would compile the package anew

BIN := .venv/bin
LEAN := .venv/.lean
READY := .venv/.ready
KERNELS := $(wildcard src/doxeval/kernels/*.py)
PIP_INSTALL := -m pip install -q --disable-pip-version-check
TESTS := -m pytest -n 2 --doctest-modules --ignore-glob='*/doxeval/kernels/*' --pyargs tests doxeval

help:
	echo "make demo             six systems on twelve pages, in one screen, and a report"
	echo "make test             the tests and doctests, all but the slow ones"
	echo "make quick            two cases of every test, in about a minute"
	echo "make test-slow        those of browsers, servers, signals and many processes, hostile input, drawings"
	echo "make test-plain       make test without the compiled kernels"
	echo "make mutants          change the package in small ways, and list the changes that no test notices (MUTANTS='--seed 7 --count 400 --seconds 3600')"
	echo "make explore          the same with random cases never tried before"
	echo "make test-nocompiler  install where no compiler works; the numbers must be the same"
	echo "make test-wheel       build sdist and wheel, install the wheel where no compiler works, check the numbers"
	echo "make test-integrations  tests with real third-party packages: LangChain, Haystack, PyTerrier, ..."
	echo "make test-peers       the pages about other tools, with ragas, DeepEval, Phoenix and trec_eval, each in an environment of its own"
	echo "make test-kill        kill sweeps at random points, 20 times, judging servers, 200 times, browsers, 100 times; copy one, 100 times"
	echo "make faults           full disks, closed pipes, signals and more in every command, 100 times each"
	echo "make bombs            small inputs that cost much: time and memory against size, into docs/robustness.md"
	echo "make fuzz             fuzz every reader, bytes and structure, a minute each (FUZZ_SECONDS=60 READERS='run-inex-fol ...')"
	echo "make bench-scale      a thousand runs, 660,000 documents: 20 GB of disk, half an hour or more"
	echo "make lint             ruff, mypy, and the contract of the rooms (import-linter)"
	echo "make bench            time and memory against pytrec_eval, trec_eval, ir_measures, ranx and plain loops"
	echo "make study            repeat the papers' experiments, into build/study"
	echo "make study-null       simulate the tests under the null hypothesis, and intervals of corrected means"
	echo "make orders           compare orders of judging, into docs/judging.md"
	echo "make release VERSION=0.2.0  state a version and its date in code, changelog, citation and recipe"
	echo "make docs             the documentation as a site, into build/site"
	echo "make image            the container of the Dockerfile, and the demo in it; needs docker"
	echo "make conda            the package of conda/meta.yaml, which runs the demo; needs conda-build"
	echo "make pictures         the pictures of the README, from the demo, into docs/pictures"
	echo "make browser          install what the tests of reports, of the site and of RAG frameworks need in addition"
	echo "make clean            remove everything these targets made"

$(BIN)/python:
	for python in $(PYTHON) python3.11 python3.12 python3.13 python3.14 python3; do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    exec $$python -m venv .venv; \
	  fi; \
	done; \
	echo "No Python 3.11 or newer was found; install one, or name it: make demo PYTHON=/path/to/python3.11" >&2; \
	exit 1

# What the demo needs, without scipy, which pytrec_eval asks for and does not use here; and on top of it, with the kernels as they are, what tests, linters and benchmarks need.
$(LEAN): pyproject.toml setup.py $(KERNELS) | $(BIN)/python
	echo "Installing doxeval into .venv and compiling its kernels: a minute or two, the first time only ..."
	$(BIN)/python $(PIP_INSTALL) -e ".[demo]"
	$(BIN)/python $(PIP_INSTALL) --no-deps "ir_measures>=0.3.7" "pytrec-eval-terrier>=0.5.5"
	touch $@

$(READY): $(LEAN)
	echo "Installing what tests, linters and benchmarks need: a few minutes, the first time only ..."
	$(BIN)/python $(PIP_INSTALL) "setuptools>=77" "Cython>=3.1"
	DOXEVAL_NO_COMPILE=1 $(BIN)/python $(PIP_INSTALL) --no-build-isolation -e ".[test,lint,bench]"
	touch $@

browser: $(READY)
	$(BIN)/python $(PIP_INSTALL) -r tests/requirements-outside.txt -r docs/requirements.txt || \
	  echo "Not everything in tests/requirements-outside.txt and docs/requirements.txt could be installed; the tests that need it are skipped."
	if ! command -v chromium >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get update -qq >/dev/null && apt-get install -y -qq chromium >/dev/null 2>&1 || true; \
	fi
	command -v chromium >/dev/null || echo "There is no chromium; the tests that need a browser are skipped."

docs: $(READY)
	$(BIN)/python $(PIP_INSTALL) -r docs/requirements.txt
	$(BIN)/python -m docs.build

pictures: browser
	$(BIN)/python -m docs.pictures

image:
	command -v docker >/dev/null || { echo "There is no docker here; install it, and try again." >&2; exit 1; }
	docker build -t doxeval .
	docker run --rm --workdir /home/reader doxeval demo --no-open

conda:
	command -v conda-build >/dev/null || { echo "There is no conda-build here; install it, and try again." >&2; exit 1; }
	conda-build conda

demo: $(LEAN)
	$(BIN)/doxeval demo

test: $(READY)
	$(BIN)/python $(TESTS)

quick: $(READY)
	DOXEVAL_QUICK=1 $(BIN)/python $(TESTS)

test-slow: $(READY)
	$(BIN)/python -m pytest -n 2 -m slow tests

mutants: $(READY)
	$(BIN)/python -m tests.mutants $(MUTANTS)

explore: $(READY)
	DOXEVAL_EXPLORE=1 $(BIN)/python $(TESTS)

PLAIN := build/plain
test-plain: $(READY)
	rm -rf $(PLAIN) && mkdir -p $(PLAIN)
	cp -r src/doxeval $(PLAIN)/ && find $(PLAIN) \( -name '*.so' -o -name '*.pyd' \) -delete
	PYTHONPATH=$(CURDIR)/$(PLAIN) $(BIN)/doxeval --version | grep "plain Python kernels"
	PYTHONPATH=$(CURDIR)/$(PLAIN) $(BIN)/python $(TESTS)

DEMO := src/doxeval/demo
DEMO_SCORES := eval $(wildcard $(DEMO)/runs/*.jsonl) --qrels $(DEMO)/answers.jsonl --docs $(DEMO)/documents \
  -m "AiP iP[0.01] iP@5 iR@5 F@5 IoU@5 iR@2000c Judged@10" --per-topic --format csv

# $(call installed,FOLDER,KERNELS): what is installed in FOLDER/venv has such kernels, needs no Cython, and scores alike.
define installed
	$(1)/venv/bin/doxeval --version | grep "$(2) kernels"
	! $(1)/venv/bin/python -c "import cython" 2>/dev/null
	$(1)/venv/bin/doxeval demo --no-open --report $(1)/demo.html > $(1)/demo.txt
	$(1)/venv/bin/doxeval $(DEMO_SCORES) > $(1)/installed.csv
	$(BIN)/doxeval $(DEMO_SCORES) > $(1)/here.csv
	cmp $(1)/installed.csv $(1)/here.csv
endef

NOCOMPILER := build/nocompiler
test-nocompiler: $(READY)
	rm -rf $(NOCOMPILER) && mkdir -p $(NOCOMPILER)/source
	cp -r src pyproject.toml setup.py README.md LICENSE $(NOCOMPILER)/source
	find $(NOCOMPILER) \( -name '*.so' -o -name '*.pyd' -o -name '*.egg-info' \) -prune -exec rm -rf {} +
	$(BIN)/python -m venv $(NOCOMPILER)/venv
	CC=/bin/false CXX=/bin/false $(NOCOMPILER)/venv/bin/python $(PIP_INSTALL) --no-cache-dir $(NOCOMPILER)/source
	$(call installed,$(NOCOMPILER),plain Python)
	echo "Installed without a compiler; the demo's scores are the same, digit for digit."

WHEEL := build/wheel
test-wheel: $(READY)
	rm -rf $(WHEEL) && $(BIN)/python -m build --outdir $(WHEEL) . > /dev/null
	ls $(WHEEL)/*.tar.gz $(WHEEL)/*-cp311-abi3-*.whl
	$(BIN)/python -m venv $(WHEEL)/venv
	CC=/bin/false CXX=/bin/false $(WHEEL)/venv/bin/python $(PIP_INSTALL) $(WHEEL)/*.whl
	$(call installed,$(WHEEL),compiled)
	echo "The wheel needs no compiler; the demo's scores are the same, digit for digit."

# What cannot be installed is named, and its tests are skipped.
OUTSIDE := tests/requirements-outside.txt tests/requirements-integrations.txt
test-integrations: $(READY)
	$(BIN)/python $(PIP_INSTALL) $(OUTSIDE:%=-r %) 2>/dev/null || \
	  cat $(OUTSIDE) | grep -v '^#' | while read -r wanted; do \
	    $(BIN)/python $(PIP_INSTALL) "$$wanted" 2>/dev/null </dev/null || echo "not installed: $$wanted"; \
	  done
	$(BIN)/python -m pytest -n 2 tests/integrations

test-peers: $(READY)
	$(BIN)/python -m tests.integrations.peers

test-kill: $(READY)
	DOXEVAL_KILLS=20 $(BIN)/python -m pytest tests/robustness/test_kill.py
	DOXEVAL_JUDGE_KILLS=200 $(BIN)/python -m pytest -s tests/judging/test_kills.py
	DOXEVAL_JUDGE_COPIES=100 $(BIN)/python -m pytest -s tests/judging/test_copies.py
	DOXEVAL_BROWSER_KILLS=100 $(BIN)/python -m pytest tests/browser/test_browser_kills.py

FAULT_TRIES := 100
faults: $(READY)
	$(BIN)/python -u -m tests.robustness.faults --tries $(FAULT_TRIES)

bombs: $(READY)
	$(BIN)/python -m tests.robustness.bombs --write

FUZZ := build/fuzz-venv
FUZZ_SECONDS := 60
$(FUZZ)/.ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m venv $(FUZZ)
	$(FUZZ)/bin/python $(PIP_INSTALL) "setuptools>=77" "Cython>=3.1"
	$(FUZZ)/bin/python $(PIP_INSTALL) --no-build-isolation -e ".[fuzz]"
	touch $@

fuzz: $(FUZZ)/.ready
	$(FUZZ)/bin/python -m fuzz --seconds $(FUZZ_SECONDS) $(READERS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(READY)
	$(BIN)/python -m benchmarks

bench-growth: $(READY)
	$(BIN)/python -m benchmarks.bench_growth

bench-scale: $(READY)
	$(BIN)/python -m benchmarks.scale

study: $(READY)
	$(BIN)/doxeval study papers --output build/study
	$(if $(DOXEVAL_REFERENCE_DATA),$(BIN)/doxeval study papers --output build/study-real --paper esr --derive \
	  $(DOXEVAL_REFERENCE_DATA)/data/inex0910/{passages,bert,overlap}.fol --nav "readon(mean=500)" \
	  --qrels $(DOXEVAL_REFERENCE_DATA)/data/inex0910/qrels.txt)

study-null: $(READY)
	$(BIN)/python -m pytest -m simulation tests/comparison tests/comparison/agreement

release: $(READY)
	$(BIN)/python -m docs.release $(VERSION)

orders: $(READY)
	$(BIN)/python -m docs.orders

clean:
	rm -rf .venv build bench-data fuzz-findings dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src \( -name '*.so' -o -name '*.pyd' -o -name __pycache__ \) -prune -exec rm -rf {} +
