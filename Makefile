# Every command runs in the project's own environment, made on first use from the lock file.
.DELETE_ON_ERROR:
PYTHON ?= python3
ENV := .venv
RUN := $(ENV)/bin

.PHONY: demo test check bench lock schema samples clean

$(ENV)/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(ENV)
	$(RUN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(RUN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# The sample pages through the real engine: JSON, Markdown, searchable PDF and PNG in out/demo.
demo: $(ENV)/ready
	$(RUN)/python -m samples.demo

# Everything the project promises, checked.
test: $(ENV)/ready
	$(RUN)/pytest

# Style and types alone: quicker than the tests, which check them too.
check: $(ENV)/ready
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy

# The table of measures, against the peers; BENCH=--samples uses the bundled pages alone.
bench: $(ENV)/ready
	$(RUN)/python -m bench $(BENCH)

# The sample pages, drawn anew from their words; needs two Debian font packages.
samples: $(ENV)/ready
	$(RUN)/python -m samples.draw

# The JSON schema of the result, from the types.
schema: $(ENV)/ready
	$(RUN)/python -m pagetide.schema > docs/reference/document.schema.json

lock: pyproject.toml
	$(RUN)/pip install --quiet uv
	$(RUN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --group dev pyproject.toml -o requirements.lock

clean:
	rm -rf $(ENV) out
