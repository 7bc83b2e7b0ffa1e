# The worker for SageMaker, which runs `docker run IMAGE serve` as root and sends requests to port 8080.
# The entry point ignores `serve`.
# Built on PaddleOCR's image, for `pp-structurev3`; see docs/how-to/sagemaker.md. The networks are
# downloaded when the container starts, before it answers `/ping`.
ARG BASE=pagetide-worker-paddle:0.1.0-cuda
FROM ${BASE}
USER 0
ENV PAGETIDE_DATA_DIR=/tmp/pagetide \
    PAGETIDE_MODELS_DIR=/tmp/pagetide/models \
    PAGETIDE_PULL=yes \
    PAGETIDE_TRUST_FIRST_USE=yes
EXPOSE 8080
ENTRYPOINT ["python", "-P", "-c", "from pagetide.cli import program; program(['worker', '--pool', 'gpu'], prog_name='pagetide')"]
