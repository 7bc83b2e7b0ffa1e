# PaddleOCR-VL for SageMaker: vLLM with the model, and a worker that sends requests to it.
# Built on the worker's image, which is itself built on vLLM's; see docs/how-to/sagemaker.md.
# The model, some 2 GB, is downloaded when the container starts, and the layout network after it.
ARG BASE=pagetide-worker-vllm:0.1.0
FROM ${BASE}
USER 0
COPY deploy/aws/beside.py /opt/beside.py
ENV PAGETIDE_DATA_DIR=/tmp/pagetide \
    PAGETIDE_MODELS_DIR=/tmp/pagetide/models \
    PAGETIDE_PULL=yes \
    PAGETIDE_VL_URL=http://127.0.0.1:8100/v1 \
    HF_HOME=/tmp/huggingface
EXPOSE 8080
HEALTHCHECK NONE
# SageMaker appends `serve` to the entry point; it is ignored.
ENTRYPOINT ["python3", "/opt/beside.py", "http://127.0.0.1:8100/health", \
    "vllm serve PaddlePaddle/PaddleOCR-VL-1.6 --host 127.0.0.1 --port 8100 --trust-remote-code --served-model-name PaddleOCR-VL-1.6-0.9B --max-num-batched-tokens 16384 --no-enable-prefix-caching --mm-processor-cache-gb 0", \
    "python -P -m pagetide worker --pool gpu"]
