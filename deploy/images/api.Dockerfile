# Answers, sweeps and scales: `api`, `sweep`, `scaler`, `migrate`, `keys`. No model runtime.
# Build it in the repository's root: docker build -f deploy/images/api.Dockerfile -t pagetide-api:0.1.0 .

# Any image with Python 3.11 or newer and its `venv`.
ARG BASE=docker.io/library/python:3.11.13-slim-bookworm

FROM ${BASE} AS build
WORKDIR /build
COPY deploy/images/requirements-build.lock deploy/images/requirements-api.lock ./
RUN python3 -m venv tools \
    && tools/bin/pip install --no-cache-dir --no-deps --only-binary=:all: --require-hashes \
        -r requirements-build.lock \
    && python3 -m venv --without-pip /opt/pagetide \
    && tools/bin/pip --python /opt/pagetide/bin/python install --no-cache-dir --no-deps \
        --only-binary=:all: --require-hashes -r requirements-api.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN tools/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir wheels . \
    && tools/bin/pip --python /opt/pagetide/bin/python install --no-cache-dir --no-deps \
        wheels/*.whl
COPY deploy/images/slim.py ./
RUN /opt/pagetide/bin/python slim.py /opt/pagetide

FROM ${BASE}
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="pagetide-api" \
    org.opencontainers.image.description="Pagetide's HTTP API, sweep and scaler" \
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
    PAGETIDE_LOG_FORMAT=json \
    PAGETIDE_POOLS='{cpu = ["auto", "structure-lite", "pp-ocrv6", "text-layer"]}'
VOLUME ["/var/lib/pagetide"]
EXPOSE 8000 8001 9090
USER 10001:0
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=20s \
    CMD ["python", "-I", "/opt/pagetide/probe.py", "8000", "8001"]
ENTRYPOINT ["python", "-P", "-m", "pagetide"]
CMD ["api"]
