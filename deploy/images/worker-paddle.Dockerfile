# A worker, and beside it a Python with PaddleOCR for `pp-structurev3` and `pp-ocr`.
# Build it in the repository's root, after the worker's image:
#   docker build -f deploy/images/worker-paddle.Dockerfile -t pagetide-worker-paddle:0.1.0 .

# With pagetide-worker-gpu and DEVICE=cuda its networks run on the GPU.
ARG BASE=pagetide-worker:0.1.0

FROM ${BASE} AS build
ARG DEVICE=cpu
# Only during the build.
# hadolint ignore=DL3002
USER 0
WORKDIR /build
COPY requirements-paddle.lock deploy/images/requirements-cuda.lock deploy/images/slim.py ./
# Two packages bring the same OpenCV; the one that needs no display must be installed last.
RUN sed -n '/^opencv-contrib-python-headless/,/# via/p' requirements-paddle.lock > last.lock \
    && if [ "${DEVICE}" = cuda ]; then cat requirements-cuda.lock >> last.lock; fi \
    && python3 -m venv tools && python3 -m venv --without-pip /opt/paddle \
    && tools/bin/pip --python /opt/paddle/bin/python install --no-cache-dir --no-deps \
        --require-hashes -r requirements-paddle.lock \
    && tools/bin/pip --python /opt/paddle/bin/python install --no-cache-dir --no-deps \
        --force-reinstall --require-hashes -r last.lock \
    && /opt/paddle/bin/python slim.py /opt/paddle

FROM ${BASE}
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="pagetide-worker-paddle" \
    org.opencontainers.image.description="Reads documents with PaddleOCR's pipelines" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/paddle /opt/paddle
ENV PAGETIDE_PADDLE_PYTHON=/opt/paddle/bin/python
CMD ["worker", "--pool", "gpu"]
