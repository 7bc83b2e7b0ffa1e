# The GPU worker as SageMaker runs it: `docker run IMAGE serve`, as root, asked at port 8080.
# `serve` stands behind the entry point, which takes no heed of it.
ARG BASE=pagetide-worker-gpu:0.1.0
FROM ${BASE}
USER 0
ENV PAGETIDE_DATA_DIR=/tmp/pagetide
EXPOSE 8080
ENTRYPOINT ["python", "-P", "-c", "from pagetide.cli import program; program(['worker', '--pool', 'gpu'], prog_name='pagetide')"]
