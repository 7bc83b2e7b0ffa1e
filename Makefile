# Every command runs in the project's own environment, which is created from the lock file on first use.
.DELETE_ON_ERROR:
PYTHON ?= python3
ENV := .venv
RUN := $(ENV)/bin
PADDLE := .venv-paddle
PARTS := .parts
CLIENTS := .venv-clients
BATCH := .venv-batch
DOCS := .venv-docs
TYPESCRIPT := clients/typescript

.PHONY: demo serve docs docs-env paddle parts clients batch-env test test-slow coverage mutations seeded-deploy verify-deploy chart check \
	bench bench-service bench-structure bench-public bench-cluster bench-front bench-gpu bench-lighthouse bench-strangers chaos chaos-all fuzz simulation load lock lock-paddle lock-clients lock-docs lock-images schema scopes samples architecture dependencies settings sync-client image-digests bench-load bench-fair lock-batch clean

# A lock names every package, so nothing is left to resolve. Without --no-deps pip would still ask the
# index where one package wants another's extra, and refuse the newer release it finds there.
INSTALL := install --quiet --disable-pip-version-check --no-deps --require-hashes

$(ENV)/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(ENV)
	$(RUN)/pip $(INSTALL) -r requirements.lock
	$(RUN)/pip check --disable-pip-version-check
	$(RUN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# The Python that PaddleOCR runs in, separate from ours: 1.1 GB, a minute. Two packages bring the
# same OpenCV; the one that needs no display must be installed last.
paddle: $(PADDLE)/ready

$(PADDLE)/ready: requirements-paddle.lock
	$(PYTHON) -m venv $(PADDLE)
	echo '*' > $(PADDLE)/.gitignore
	$(PADDLE)/bin/pip $(INSTALL) --no-compile -r requirements-paddle.lock
	sed -n '/^opencv-contrib-python-headless/,/# via/p' requirements-paddle.lock > $(PADDLE)/opencv.txt
	$(PADDLE)/bin/pip $(INSTALL) --no-compile --force-reinstall -r $(PADDLE)/opencv.txt
	$(PADDLE)/bin/pip check --disable-pip-version-check
	touch $@

# Third-party clients that the tests point at our server: separate, so that their requirements do not
# affect ours. What is never imported need not be compiled: this saves half of the time.
clients: $(CLIENTS)/ready $(TYPESCRIPT)/node_modules/ready

$(CLIENTS)/ready: requirements-clients.lock
	$(PYTHON) -m venv $(CLIENTS)
	echo '*' > $(CLIENTS)/.gitignore
	$(CLIENTS)/bin/pip $(INSTALL) --no-compile -r requirements-clients.lock
	$(CLIENTS)/bin/pip check --disable-pip-version-check
	touch $@

# Tools that generate and compile the TypeScript client (50 MB, seconds, Node.js 18).
$(TYPESCRIPT)/node_modules/ready: $(TYPESCRIPT)/package-lock.json
	npm ci --prefix $(TYPESCRIPT) --no-audit --no-fund --loglevel=error
	touch $@

# The engines for data lakes, Ray and Spark (1.1 GB, a minute; Spark needs a Java runtime),
# in addition to our own environment.
batch-env: $(BATCH)/ready

$(BATCH)/ready: requirements-batch.lock $(ENV)/ready
	$(PYTHON) -m venv $(BATCH)
	echo '*' > $(BATCH)/.gitignore
	$(BATCH)/bin/pip $(INSTALL) --no-compile -r requirements-batch.lock
	$(BATCH)/bin/pip check --disable-pip-version-check
	$(RUN)/python -c 'import site; print(f"import site; site.addsitedir({site.getsitepackages()[0]!r})")' \
		> $$(echo $(BATCH)/lib/python3*/site-packages)/pagetide.pth
	touch $@

# Tools that build the documentation site and check the files for a public host (170 MB, seconds).
docs-env: $(DOCS)/ready

$(DOCS)/ready: requirements-docs.lock
	$(PYTHON) -m venv $(DOCS)
	echo '*' > $(DOCS)/.gitignore
	$(DOCS)/bin/pip $(INSTALL) --no-compile -r requirements-docs.lock
	$(DOCS)/bin/pip check --disable-pip-version-check
	touch $@

# Azurite, for the tests of Azure's blobs and queues (365 MB, a minute, Node.js 20), and kubectl and
# Helm, which render the manifests.
parts: $(PARTS)/ready $(PARTS)/kubectl/kubectl

$(PARTS)/ready: tests/parts/npm/package-lock.json
	mkdir -p $(PARTS)
	echo '*' > $(PARTS)/.gitignore
	cp tests/parts/npm/package.json tests/parts/npm/package-lock.json $(PARTS)/
	npm ci --prefix $(PARTS) --no-audit --no-fund --loglevel=error
	touch $@

$(PARTS)/kubectl/kubectl: tests/parts/kubectl.py
	mkdir -p $(PARTS)
	echo '*' > $(PARTS)/.gitignore
	$(PYTHON) $< $(PARTS)/kubectl

# The sample pages through the service: JSON, Markdown, searchable PDF and PNG in out/demo.
demo: $(ENV)/ready
	$(RUN)/python -m samples.demo

# The service on this machine: http://127.0.0.1:8000 in a browser, its routes at /docs
serve: $(ENV)/ready
	$(RUN)/pagetide serve

# The documentation site in out/site, which needs no server: open out/site/index.html. Fails on broken
# links.
docs: $(ENV)/ready $(DOCS)/ready
	$(RUN)/python -m tests.docs.site out/docs
	$(DOCS)/bin/zensical build --clean --strict

# Ruff, mypy and every test except the slow ones, with one summary: under eight minutes on two quiet cores.
# PART=unit (or contract, acceptance, golden, deploy, docs, fuzz, simulation) runs only the tests of that part.
test: $(ENV)/ready
	$(RUN)/python -m tests.run $(PART)

# The slow tests, each with its reason in the summary.
test-slow: $(ENV)/ready
	$(RUN)/python -m tests.run --slow

# Line and branch coverage of src, in every process that the tests start; fails under 90 %.
# PART=... measures only those parts.
coverage: $(ENV)/ready
	$(RUN)/python -m tests.run $(PART) --cov --cov-fail-under=90 \
		--cov-report=term:skip-covered --cov-report=html:out/coverage

# Injects thirty faults, one at a time, and counts those that the tests catch.
mutations: $(ENV)/ready
	$(RUN)/python -m bench.mutations

# Injects faults into deploy/, one at a time, and counts those that its checks catch. KIND=aws (or
# aws_permissions, azure, compose, kubernetes) tries only those.
seeded-deploy: $(ENV)/ready $(PARTS)/kubectl/kubectl
	$(RUN)/python -m tests.deploy.seeded $(if $(KIND),--kind $(KIND))

# Verifies deploy/: every check of the files, then the images are built, run, drained, played as
# Kubernetes would and brought up as a stack. Needs podman and mmdebstrap, and says so.
verify-deploy: $(ENV)/ready $(PARTS)/kubectl/kubectl
	PAGETIDE_TEST_REQUIRE=all $(RUN)/pytest --durations=15 tests/deploy tests/containers

# The Helm chart as a package, including its files from the Kustomize tree: out/pagetide-VERSION.tgz
chart: $(PARTS)/kubectl/kubectl
	$(PARTS)/kubectl/helm package deploy/helm/pagetide --destination out

# Style and types only, which `make test` checks too.
check: $(ENV)/ready
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy

# The table of measures against the peers; BENCH=--samples uses only the bundled pages.
bench: $(ENV)/ready
	$(RUN)/python -m bench $(BENCH)

# The service against the library; the store after a million tasks.
bench-service: $(ENV)/ready
	$(RUN)/python -m bench.service
	$(RUN)/python -m bench.store_cost

# Layout, tables, reading order and their cost; BENCH="--only order" runs one of them.
bench-structure: $(ENV)/ready
	$(RUN)/python -m bench.structure $(BENCH)

# Downloaded folders of public benchmarks, our row beside the published ones;
# BENCH="--model paddleocr-vl --limit 100" for another model, on some of the pages.
bench-public: $(ENV)/ready
	$(RUN)/python -m bench.public $(if $(OMNIDOCBENCH),--omnidocbench "$(OMNIDOCBENCH)") \
		$(if $(PUREDOCBENCH),--puredocbench "$(PUREDOCBENCH)") \
		$(if $(OLMOCR),--olmocr "$(OLMOCR)") $(BENCH)

# The cluster's measures, on real servers; BENCH="--only wake" runs one of them.
bench-cluster: $(ENV)/ready
	$(RUN)/python -m bench.cluster $(BENCH)

# The page in a real browser, and the cost of each facade compared with our own API.
bench-front: $(ENV)/ready
	$(RUN)/python -m bench.page
	$(RUN)/python -m bench.facades

# Needs a machine with an NVIDIA GPU; PAGES is a folder that `python -m bench.gpu --draw` filled.
bench-gpu: $(ENV)/ready
	$(RUN)/python -m bench.gpu $(or $(PAGES),out/gpu) $(BENCH)

# The page by Lighthouse, which npm downloads: four categories, on a phone and on a desktop.
bench-lighthouse: $(ENV)/ready
	$(RUN)/python -m bench.lighthouse

# How one key, and clients without a key, can affect another key's submits and the health check.
bench-strangers: $(ENV)/ready
	$(RUN)/python -m bench.strangers

# How a key with thousands of waiting jobs affects the others; STORE=postgres for another store.
bench-fair: $(ENV)/ready
	$(RUN)/python -m bench.fair_shares $(if $(STORE),--store $(STORE))

# One box: 300 jobs while workers and the API process are killed and stalled at random.
# A cluster: 100 jobs with faults in all parts, for example STORE=postgres QUEUE=amqp; stores are
# sqlite, postgres, dynamodb, queues store, redis, amqp, sqs, azurequeue. SLOW=3 slows it to a third.
chaos: $(ENV)/ready
	$(RUN)/python -m bench.chaos $(if $(STORE)$(QUEUE),--store $(or $(STORE),sqlite) \
		--queue $(or $(QUEUE),store)) $(if $(JOBS),--jobs $(JOBS)) $(if $(SLOW),--slow $(SLOW))

# The same on all six pairs of stores and queues, 300 jobs each: takes hours.
chaos-all: $(ENV)/ready
	$(RUN)/python -m bench.chaos --all --jobs $(or $(JOBS),300) $(if $(SLOW),--slow $(SLOW))

# Seeded schedules of faults, replayed and shrunk if they break a promise.
simulation: $(ENV)/ready
	$(RUN)/python -m tests.simulation --schedules $(or $(SCHEDULES),10000) --first $(or $(FIRST),0)

# Invalid requests of every kind, at every route: none may make the server fail.
fuzz: $(ENV)/ready
	$(RUN)/python -m tests.fuzz --cases $(or $(CASES),20000) --seed $(or $(SEED),1)

# A thousand event streams, then 500 clients beside them and slow readers: the answers under overload.
bench-load: $(ENV)/ready
	$(RUN)/python -m bench.crowd

# Users in steps against a server started for this.
load: $(ENV)/ready
	$(RUN)/pip install --quiet locust
	$(RUN)/python -m bench.load

# The diagram of docs/architecture.md, drawn from the contracts in pyproject.toml.
architecture: $(ENV)/ready
	$(RUN)/python -m tests.docs.architecture

# Which package imports which, and from how many modules.
dependencies: $(ENV)/ready
	$(RUN)/python -m tests.docs.dependencies

# src/pagetide/client/synchronous, generated from src/pagetide/client/asynchronous.
sync-client: $(ENV)/ready
	$(RUN)/python -m tests.docs.sync_client

# The tables of docs/reference/settings.md, from the docstrings of the settings.
settings: $(ENV)/ready
	$(RUN)/python -m tests.docs.settings

# The sample pages, redrawn from their words; needs two Debian font packages.
samples: $(ENV)/ready
	$(RUN)/python -m samples.draw

# The JSON schema of the result, generated from the types.
schema: $(ENV)/ready
	$(RUN)/python -m pagetide.document.schema > docs/reference/document.schema.json

# The API key scopes that each route needs, generated from the routes.
scopes: $(ENV)/ready
	{ sed '/^| /,$$d' docs/reference/scopes.md; $(RUN)/python -m tests.docs.scopes; } > scopes.tmp
	mv scopes.tmp docs/reference/scopes.md

lock: pyproject.toml
	$(RUN)/pip install --quiet uv
	$(RUN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --group dev pyproject.toml -o requirements.lock

lock-paddle: requirements-paddle.txt
	$(RUN)/pip install --quiet uv
	$(RUN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header requirements-paddle.txt -o requirements-paddle.lock

lock-clients: requirements-clients.txt
	$(RUN)/pip install --quiet uv
	$(RUN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header requirements-clients.txt -o requirements-clients.lock

lock-docs: requirements-docs.txt
	$(RUN)/pip install --quiet uv
	$(RUN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header requirements-docs.txt -o requirements-docs.lock

lock-batch: requirements-batch.txt
	$(RUN)/pip install --quiet uv
	$(RUN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header -c requirements.lock requirements-batch.txt \
		-o requirements-batch.lock

# The packages that the images install, selected from requirements.lock; only ONNX Runtime for CUDA is locked here.
lock-images: $(ENV)/ready
	$(RUN)/pip install --quiet uv
	$(RUN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-deps \
		--no-emit-index-url --no-header deploy/images/requirements-cuda.txt \
		-o deploy/images/requirements-cuda.lock
	$(RUN)/python deploy/images/locks.py

# Third-party images in deploy/, pinned by the current digests of their registries.
image-digests:
	$(PYTHON) deploy/images/digests.py

clean:
	rm -rf $(ENV) $(PADDLE) $(PARTS) $(CLIENTS) $(TYPESCRIPT)/node_modules $(BATCH) $(DOCS) out
