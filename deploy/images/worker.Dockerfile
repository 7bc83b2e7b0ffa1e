# Reads on a CPU, with the bundled models: `worker`; also `serve` and `read`.
# Build it in the repository's root: docker build -f deploy/images/worker.Dockerfile -t pagetide-worker:0.1.0 .

# Any image with Python 3.11 or newer and its `venv`.
ARG BASE=docker.io/library/python:3.11.13-slim-bookworm

FROM ${BASE} AS build
WORKDIR /build
COPY deploy/images/requirements-build.lock deploy/images/requirements-worker.lock ./
RUN python3 -m venv tools \
    && tools/bin/pip install --no-cache-dir --no-deps --only-binary=:all: --require-hashes \
        -r requirements-build.lock \
    && python3 -m venv --without-pip /opt/pagetide \
    && tools/bin/pip --python /opt/pagetide/bin/python install --no-cache-dir --no-deps \
        --only-binary=:all: --require-hashes -r requirements-worker.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN tools/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir wheels . \
    && tools/bin/pip --python /opt/pagetide/bin/python install --no-cache-dir --no-deps \
        wheels/*.whl
COPY deploy/images/slim.py ./
RUN /opt/pagetide/bin/python slim.py /opt/pagetide

FROM ${BASE}
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="pagetide-worker" \
    org.opencontainers.image.description="Reads documents on a CPU, offline" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/pagetide /opt/pagetide
COPY deploy/images/probe.py /opt/pagetide/probe.py
# Any user id works if its group is 0.
RUN ["install", "-d", "-o", "10001", "-g", "0", "-m", "2775", "/var/lib/pagetide"]
ENV PATH=/opt/pagetide/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PAGETIDE_HOST=0.0.0.0 \
    PAGETIDE_HEALTH_PORT=8001 \
    PAGETIDE_DATA_DIR=/var/lib/pagetide \
    PAGETIDE_CACHE_DIR=/tmp/pagetide \
    PAGETIDE_LOG_FORMAT=json
VOLUME ["/var/lib/pagetide"]
EXPOSE 8001
USER 10001:0
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s \
    CMD ["python", "-I", "/opt/pagetide/probe.py", "8001", "8000"]
ENTRYPOINT ["python", "-P", "-m", "pagetide"]
CMD ["worker"]
