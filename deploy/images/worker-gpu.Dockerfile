# Reads on an NVIDIA GPU, by ONNX Runtime with CUDA 12; contains the bundled models.
# Build it in the repository's root:
#   docker build -f deploy/images/worker-gpu.Dockerfile -t pagetide-worker-gpu:0.1.0 .

# CUDA 12 with cuDNN 9; Python is added if missing, so the distribution's must be 3.11 or newer.
ARG BASE=docker.io/nvidia/cuda:12.8.1-cudnn-runtime-ubuntu24.04

FROM ${BASE} AS python
# Pinned by BASE: a distribution keeps one version of these for each of its releases.
# hadolint ignore=DL3008
RUN python3 -c 'import ensurepip, venv' 2>/dev/null \
    || { apt-get update && apt-get install -y --no-install-recommends python3 python3-venv \
        && rm -rf /var/lib/apt/lists/*; }

FROM python AS build
WORKDIR /build
COPY deploy/images/requirements-build.lock deploy/images/requirements-worker-gpu.lock \
    deploy/images/requirements-cuda.lock ./
RUN python3 -m venv tools \
    && tools/bin/pip install --no-cache-dir --no-deps --only-binary=:all: --require-hashes \
        -r requirements-build.lock \
    && python3 -m venv --without-pip /opt/pagetide \
    && tools/bin/pip --python /opt/pagetide/bin/python install --no-cache-dir --no-deps \
        --only-binary=:all: --require-hashes -r requirements-worker-gpu.lock \
        -r requirements-cuda.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN tools/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir wheels . \
    && tools/bin/pip --python /opt/pagetide/bin/python install --no-cache-dir --no-deps \
        wheels/*.whl
COPY deploy/images/slim.py ./
RUN /opt/pagetide/bin/python slim.py /opt/pagetide

FROM python
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="pagetide-worker-gpu" \
    org.opencontainers.image.description="Reads documents on an NVIDIA GPU" \
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
    PAGETIDE_RUNTIME=cuda
VOLUME ["/var/lib/pagetide"]
EXPOSE 8001
USER 10001:0
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s \
    CMD ["python", "-I", "/opt/pagetide/probe.py", "8001"]
ENTRYPOINT ["python", "-P", "-m", "pagetide"]
CMD ["worker", "--pool", "gpu"]
