# All functions of AWS Lambda: the CPU worker with Lambda's runtime client. A function's CMD is what
# it runs: a module of pagetide.server.aws_lambda, followed by `.handle`.
# Build it in the repository's root, after the worker's image:
#   docker build -f deploy/images/lambda.Dockerfile -t pagetide-lambda:0.1.0 .

ARG BASE=pagetide-worker:0.1.0

FROM ${BASE} AS build
# Only during the build.
# hadolint ignore=DL3002
USER 0
WORKDIR /build
COPY deploy/images/requirements-lambda.lock ./
RUN python3 -m venv tools \
    && tools/bin/pip install --no-cache-dir --no-deps --only-binary=:all: --require-hashes \
        --target /opt/lambda -r requirements-lambda.lock

FROM ${BASE}
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="pagetide-lambda" \
    org.opencontainers.image.description="Pagetide's functions for AWS Lambda" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/lambda /opt/lambda
# Only /tmp is writable there.
ENV PYTHONPATH=/opt/lambda \
    PAGETIDE_DATA_DIR=/tmp/pagetide/data
HEALTHCHECK NONE
ENTRYPOINT ["python", "-P", "-m", "awslambdaric"]
CMD ["pagetide.server.aws_lambda.read_tasks.handle"]
