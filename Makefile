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
